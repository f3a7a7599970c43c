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
	"github.com/segraph/segraph/store/sparql/results/readers"
)

// An answer truncated anywhere is an error, if the format allows detecting it.
func TestReadReportsATruncatedAnswer(t *testing.T) {
	for _, a := range []answer{everything(), {isBool: true, boolean: true}} {
		for _, f := range []results.Format{results.JSON, results.XML} {
			text := strings.TrimSpace(mustWrite(t, a, f))
			for n := range len(text) {
				if got, err := read(strings.NewReader(text[:n]), f); err == nil {
					t.Errorf("%s: %d of %d bytes are taken for %s", f, n, len(text), got)
				}
			}
		}
	}
}

func TestReadGivesTheErrorOfTheReader(t *testing.T) {
	broken := errors.New("connection reset")
	a := log(2000)
	for _, f := range everyFormat {
		text := mustWrite(t, a, f)
		for _, n := range []int{0, 1, 2, 10, len(text) / 2, len(text)} {
			got, err := read(io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken)), f)
			if !errors.Is(err, broken) {
				t.Errorf("%s: after %d of %d bytes: %d rows, %v", f, n, len(text), len(got.rows), err)
			}
		}
		if f == results.Turtle {
			continue
		}
		if _, err := read(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(text))), f); !errors.Is(err, iotest.ErrTimeout) {
			t.Errorf("%s: %v", f, err)
		}
	}
	r, err := readers.New(strings.NewReader("?x\na\n5\n"), results.TSV)
	if err != nil {
		t.Fatal(err)
	}
	_, first := r.Next()
	if _, again := r.Next(); first == nil || again != first {
		t.Errorf("after the error %v comes %v", first, again)
	}
	if _, err := readers.New(strings.NewReader(""), 99); err == nil || !strings.Contains(err.Error(), "there is no format 99") {
		t.Errorf("a format that there is not: %v", err)
	}
}

// Endless text is refused at its limit, soon and with a short message.
func TestReadLimits(t *testing.T) {
	suite.OneGoroutine(t)
	endless := func(start, again string, size int) io.Reader {
		return io.MultiReader(strings.NewReader(start), strings.NewReader(strings.Repeat(again, size/len(again))))
	}
	const size = 17 << 20
	for _, tt := range []struct {
		name   string
		format results.Format
		in     io.Reader
		want   string
	}{
		{"a string", results.JSON, endless(`{"a":"`, "a", size), "longer than the 16777216 bytes"},
		{"a word", results.JSON, endless(`{"a":`, "1", size), "longer than the 16777216 bytes"},
		{"lists", results.JSON, endless(`{"a":`, "[", size), "nested deeper than 100 levels"},
		{"objects", results.JSON, endless(`{`, `"a":{`, size), "nested deeper than 100 levels"},
		{"variables", results.JSON, strings.NewReader(`{"head":{"vars":[` + manyNames(`"`, `",`) + `""]}}`), "more than 4096 variables"},
		{"rows before the head", results.JSON, endless(`{"results":{"bindings":[{}`, `,{"x":"`+strings.Repeat("a", 1000)+`"}`, 65<<20), "more than the 67108864 bytes of rows"},
		{"text", results.XML, endless(`<sparql xmlns="`+sparqlNS+`">`, " ", size), "longer than the 16777216 bytes"},
		{"an attribute", results.XML, endless(`<sparql xmlns="`, "a", size), "longer than the 16777216 bytes"},
		{"text in pieces", results.XML, endless(strings.SplitAfter(xmlRow("<literal>"), "<literal>")[0], "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<!---->", 20<<20), "longer than the 16777216 bytes"},
		{"elements", results.XML, endless(`<sparql xmlns="`+sparqlNS+`"><head>`, "<a>", 1<<20), "nested deeper than 100 levels"},
		{"variables", results.XML, strings.NewReader(xmlOf(`<head>` + manyNames(`<variable name="`, `"/>`))), "more than 4096 variables"},
		{"a cell", results.CSV, endless("x\r\n", "a", size), "longer than the 16777216 bytes"},
		{"a cell in quotes", results.CSV, endless("x\r\n\"", "a", size), "longer than the 16777216 bytes"},
		{"variables", results.CSV, strings.NewReader(manyNames("", ",")), "more than 4096 variables"},
		{"a field", results.TSV, endless("?x\n\"", "a", size), "longer than the 16777216 bytes"},
		{"variables", results.TSV, strings.NewReader(manyNames("?", "\t")), "more than 4096 variables"},
		{"a literal", results.Turtle, endless(`<x:s> <x:p> "`, "a", size), "longer than the 16777216 bytes"},
	} {
		t.Run(tt.format.String()+" "+tt.name, func(t *testing.T) {
			start := time.Now()
			_, err := read(tt.in, tt.format)
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
	for _, f := range everyFormat[:4] {
		count := suite.Size(20_000, 2_000)
		from, to := io.Pipe()
		done := make(chan error)
		go func() {
			w := results.NewWriter(to, f)
			err := w.Head(a.vars)
			for i := 0; err == nil && i < count; i++ {
				err = w.Row(a.rows[i%len(a.rows)])
			}
			if err == nil {
				err = w.Close()
			}
			done <- errors.Join(err, to.CloseWithError(err))
		}()
		r, err := readers.New(from, f)
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
				t.Fatalf("%s: row %d is %v, want %v", f, n, row, want)
			}
			if n%5_000 == 0 {
				most = max(most, heap())
			}
		}
		if err := <-done; err != nil || n != count {
			t.Errorf("%s: %d rows, %v", f, n, err)
		}
		if grown := int64(most) - int64(before); grown > 2<<20 {
			t.Errorf("%s: the heap grew by %d bytes", f, grown)
		}
	}
}
