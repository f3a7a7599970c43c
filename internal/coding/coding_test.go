package coding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

var codings = []string{Gzip, Zstd}

func encode(t testing.TB, coding string, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(coding, &b)
	for _, part := range parts {
		if n, err := io.WriteString(w, part); err != nil || n != len(part) {
			t.Fatalf("%d of %d, %v", n, len(part), err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func decode(coding, text string) (string, error) {
	r := NewReader(coding, strings.NewReader(text))
	defer r.Close()
	out, err := io.ReadAll(io.LimitReader(r, 8<<20))
	return string(out), err
}

func TestCodingsRoundTrip(t *testing.T) {
	long := strings.Repeat("<http://e/a> <http://e/b> <http://e/c> .\n", 20_000)
	for _, coding := range codings {
		for _, parts := range [][]string{nil, {""}, {"a"}, {"a", "", "b"}, {long}, {long[:7], long[7:]}} {
			sent := encode(t, coding, parts...)
			if got, err := decode(coding, sent); err != nil || got != strings.Join(parts, "") || sent == "" {
				t.Errorf("%s: %d bytes in %d, %v", coding, len(got), len(sent), err)
			}
			if twice, err := decode(coding, sent+sent); err != nil || twice != strings.Repeat(strings.Join(parts, ""), 2) {
				t.Errorf("%s: two streams in one: %d bytes, %v", coding, len(twice), err)
			}
		}
	}
	if got := encode(t, "", "as ", "it is"); got != "as it is" {
		t.Errorf("%q", got)
	}
}

func TestAStreamThatWasNotClosedNeverLooksComplete(t *testing.T) {
	for _, coding := range codings {
		for _, size := range []int{0, 1, 1 << 10, 1 << 20, 1<<20 + 1} {
			for range 3 { // also with a reused compressor
				var b bytes.Buffer
				w := NewWriter(coding, &b)
				if _, err := w.Write(bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]); err != nil {
					t.Fatal(err)
				}
				w.Abandon()
				var invalid *InvalidError
				if _, err := decode(coding, b.String()); !errors.As(err, &invalid) {
					t.Errorf("%s, %d bytes: %d look complete, %v", coding, size, b.Len(), err)
				}
				if _, err := w.Write([]byte("x")); err == nil {
					t.Errorf("%s: a stream that ended is written to", coding)
				}
			}
		}
	}
}

func TestEveryPartOfAStreamIsNotTheWhole(t *testing.T) {
	for _, coding := range codings {
		whole := encode(t, coding, "Could you show me climate news?")
		for n := range whole {
			var invalid *InvalidError
			if got, err := decode(coding, whole[:n]); !errors.As(err, &invalid) {
				t.Errorf("%s: %d of %d bytes are %q, %v", coding, n, len(whole), got, err)
			}
		}
	}
}

func TestWhatIsWrittenSlowlyIsSeenASecondLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, coding := range codings {
			var b bytes.Buffer
			w := NewWriter(coding, &b)
			for i := range 3 {
				if _, err := fmt.Fprintf(w, "row %d\n", i); err != nil {
					t.Fatal(err)
				}
				time.Sleep(600 * time.Millisecond)
			}
			r := NewReader(coding, bytes.NewReader(bytes.Clone(b.Bytes())))
			seen := make([]byte, len("row 0\nrow 1\nrow 2\n"))
			if n, err := io.ReadFull(r, seen); n != len(seen) {
				t.Errorf("%s: after 1.8 s there is %q, %v", coding, seen[:n], err)
			}
			r.Close()
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			if got, err := decode(coding, b.String()); err != nil || got != string(seen) {
				t.Errorf("%s: %q, %v", coding, got, err)
			}
		}
	})
}

func TestErrorsBeneathAreNotTheContents(t *testing.T) {
	broken := errors.New("the disk is broken")
	for _, coding := range codings {
		whole := encode(t, coding, strings.Repeat("x", 100))
		for n := range len(whole) {
			r := NewReader(coding, io.MultiReader(strings.NewReader(whole[:n]), iotest.ErrReader(broken)))
			if _, err := io.ReadAll(r); !errors.Is(err, broken) {
				t.Errorf("%s, after %d bytes: %v", coding, n, err)
			}
			r.Close()
		}
		w := NewWriter(coding, brokenWriter{broken})
		_, err := w.Write(make([]byte, 1<<20))
		if closing := w.Close(); !errors.Is(errors.Join(err, closing), broken) {
			t.Errorf("%s: %v, %v", coding, err, closing)
		}
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// FuzzDecompress checks that decompressing any input returns text or an *InvalidError,
// and that the text survives compression and decompression.
func FuzzDecompress(f *testing.F) {
	for i, coding := range codings {
		for _, text := range []string{"", "a", strings.Repeat("abc", 1000)} {
			f.Add(i == 0, []byte(encode(f, coding, text)))
		}
		f.Add(i == 0, []byte("<a> <b> <c> ."))
	}
	f.Fuzz(func(t *testing.T, isGzip bool, sent []byte) {
		coding := Zstd
		if isGzip {
			coding = Gzip
		}
		text, err := decode(coding, string(sent))
		if err != nil {
			var invalid *InvalidError
			if !errors.As(err, &invalid) || invalid.Detail == "" {
				t.Errorf("%v", err)
			}
			return
		}
		if again, err := decode(coding, encode(t, coding, text)); err != nil || again != text {
			t.Errorf("%q is %q, %v", text, again, err)
		}
	})
}
