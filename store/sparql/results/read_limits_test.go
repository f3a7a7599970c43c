package results_test

import (
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/sparql/results"
)

// An answer truncated anywhere is an error.
func TestReadReportsATruncatedAnswer(t *testing.T) {
	for _, a := range []answer{everything(), {isBool: true, boolean: true}} {
		text := strings.TrimSpace(mustWrite(t, a, results.JSON))
		for n := range len(text) {
			if got, err := read(strings.NewReader(text[:n]), results.JSON); err == nil {
				t.Errorf("%d of %d bytes are taken for %s", n, len(text), got)
			}
		}
	}
}

func TestReadGivesTheErrorOfTheReader(t *testing.T) {
	broken := errors.New("connection reset")
	text := mustWrite(t, log(2000), results.JSON)
	for _, n := range []int{0, 1, 2, 10, len(text) / 2, len(text)} {
		got, err := read(io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken)), results.JSON)
		if !errors.Is(err, broken) {
			t.Errorf("after %d of %d bytes: %d rows, %v", n, len(text), len(got.rows), err)
		}
	}
	if _, err := read(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(text))), results.JSON); !errors.Is(err, iotest.ErrTimeout) {
		t.Error(err)
	}
	r, err := results.NewReader(strings.NewReader(`{"head":{"vars":["x"]},"results":{"bindings":[5]}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, first := r.Next()
	if _, again := r.Next(); first == nil || again != first {
		t.Errorf("after the error %v comes %v", first, again)
	}
}

// Endless text is refused at its limit, soon and with a short message.
func TestReadLimits(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	endless := func(start, again string, size int) io.Reader {
		return io.MultiReader(strings.NewReader(start), strings.NewReader(strings.Repeat(again, size/len(again))))
	}
	const size = 17 << 20
	for _, tt := range []struct {
		name string
		in   io.Reader
		want string
	}{
		{"a string", endless(`{"a":"`, "a", size), "longer than 16777216 bytes"},
		{"a number", endless(`{"a":`, "1", size), "more than 10000 digits"},
		{"lists", endless(`{"a":`, "[", size), "nested more than 100 deep"},
		{"objects", endless(`{`, `"a":{`, size), "nested more than 100 deep"},
		{"variables", strings.NewReader(`{"head":{"vars":[` + manyNames(`"`, `",`) + `""]}}`), "more than 4096 variables"},
		{"rows before the head", endless(`{"results":{"bindings":[{}`, `,{"x":"`+strings.Repeat("a", 1000)+`"}`, 65<<20), "more than the 67108864 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			_, err := read(tt.in, results.JSON)
			var syntax *results.SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 300 {
				t.Errorf("got %.300v, want %s", err, tt.want)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func manyNames(before, after string) string {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(before + "v" + strconv.Itoa(i) + after)
	}
	return b.String()
}

// Rows pass from a Writer to a Reader through a pipe, and neither holds them.
func TestRowsStreamInFlatMemory(t *testing.T) {
	a := log(200)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	count := suite.Size(20_000, 2_000)
	from, to := io.Pipe()
	done := make(chan error)
	go func() {
		w := results.NewWriter(to, results.JSON)
		err := w.Head(a.vars)
		for i := 0; err == nil && i < count; i++ {
			err = w.Row(a.rows[i%len(a.rows)])
		}
		if err == nil {
			err = w.Close()
		}
		done <- errors.Join(err, to.CloseWithError(err))
	}()
	r, err := results.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	before, most, n := heap(), uint64(0), 0
	for ; ; n++ {
		row, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := a.rows[n%len(a.rows)]; row[0].Value() != want[0].Value() || row[4].Value() != want[4].Value() {
			t.Fatalf("row %d is %v, want %v", n, row, want)
		}
		if n%5_000 == 0 {
			most = max(most, heap())
		}
	}
	if err := <-done; err != nil || n != count {
		t.Errorf("%d rows, %v", n, err)
	}
	if grown := int64(most) - int64(before); grown > 2<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}
