package turtle_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// chunks is an input that arrives in pieces.
type chunks struct {
	texts []string
	given int
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.given == len(c.texts) {
		return 0, io.EOF
	}
	c.given++
	return copy(p, c.texts[c.given-1]), nil
}

// Read returns a triple before the Reader needs any text after it.
func TestReadGivesTriplesAsSoonAsTheyAreKnown(t *testing.T) {
	in := &chunks{texts: []string{"<x:s> <x:p> <x:o>", " , [ <", "x:q> 1 ", "; <x:r> \"x\" ;", "<x:t> ( 1 ", " 2 ", ") ] ."}}
	r := turtle.NewReader(in, turtle.Turtle, turtle.Options{})
	integer := "^^<" + rdf.XSDInteger + "> ."
	for _, step := range []struct {
		given int
		want  string
	}{
		{1, "<x:s> <x:p> <x:o> ."},
		{2, "<x:s> <x:p> _:a0 ."},
		{3, `_:a0 <x:q> "1"` + integer},
		{4, `_:a0 <x:r> "x" .`},
		{5, "_:a0 <x:t> _:a1 ."},
		{5, "_:a1 <" + rdf.RDFFirst + `> "1"` + integer},
		{6, "_:a1 <" + rdf.RDFRest + "> _:a2 ."},
		{6, "_:a2 <" + rdf.RDFFirst + `> "2"` + integer},
		{7, "_:a2 <" + rdf.RDFRest + "> <" + rdf.RDFNil + "> ."},
	} {
		if q, err := r.Read(); err != nil || q.String() != step.want || in.given != step.given {
			t.Fatalf("after %d pieces got %v, %v; want %s after %d", in.given, q, err, step.want, step.given)
		}
	}
}

func TestReadGivesTheSameErrorAgain(t *testing.T) {
	r := turtle.NewReader(strings.NewReader("<x:s> <x:p> 1 , 2 ! <x:s> <x:p> 3 ."), turtle.Turtle, turtle.Options{})
	for range 2 {
		if _, err := r.Read(); err != nil {
			t.Fatal(err)
		}
	}
	_, first := r.Read()
	_, second := r.Read()
	var syntax *turtle.SyntaxError
	if !errors.As(first, &syntax) || first != second {
		t.Errorf("got %v, then %v", first, second)
	}
	r = turtle.NewReader(strings.NewReader("<x:s> <x:p> 1 ."), turtle.Turtle, turtle.Options{})
	r.Read()
	for range 2 {
		if q, err := r.Read(); err != io.EOF || q != (rdf.Quad{}) {
			t.Errorf("at the end got %v, %v", q, err)
		}
	}
}

// failAt reads the first n bytes of text and then tail, followed by the error fails.
func failAt(text string, n int, f turtle.Format, tail string, fails error) error {
	r := turtle.NewReader(io.MultiReader(strings.NewReader(text[:n]+tail), iotest.ErrReader(fails)), f, turtle.Options{})
	for {
		if _, err := r.Read(); err != nil {
			return err
		}
	}
}

// Wherever the source fails, within a token or between two, its error is returned.
func TestReadWrapsTheErrorOfItsSource(t *testing.T) {
	broken := errors.New("the cable is out")
	for f, text := range map[turtle.Format]string{turtle.TriG: richTriG, turtle.NQuads: richNQuads} {
		for n := range len(text) + 1 {
			if err := failAt(text, n, f, "", broken); !errors.Is(err, broken) {
				t.Errorf("the source fails behind %q, and the error is %v", text[:n], err)
			}
		}
	}
	if err := failAt("", 0, turtle.Turtle, "", nil); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a source that returns no bytes: %v", err)
	}
}

// A byte that is not UTF-8 is an error at its position, wherever it is.
func TestReadRefusesInvalidUTF8Anywhere(t *testing.T) {
	for f, text := range map[turtle.Format]string{turtle.TriG: richTriG, turtle.NQuads: richNQuads} {
		line, column := 1, 1
		for n, r := range text {
			err := failAt(text, n, f, "\xff", io.EOF)
			want := turtle.SyntaxError{Line: line, Column: column, Msg: "the text is not valid UTF-8: byte 0xFF is not allowed here"}
			if err.Error() != want.Error() {
				t.Errorf("behind %q the error is %v, want %v", text[:n], err, &want)
			}
			if column++; r == '\n' {
				line, column = line+1, 1
			}
		}
	}
}

// A text truncated anywhere is an error at its end, except between statements.
func TestReadReportsTruncatedText(t *testing.T) {
	for f, text := range map[turtle.Format]string{turtle.TriG: richTriG, turtle.NQuads: richNQuads} {
		whole := 0
		for n := range text {
			err := failAt(text, n, f, "", io.EOF)
			var syntax *turtle.SyntaxError
			if err == io.EOF {
				whole++
			} else if !errors.As(err, &syntax) {
				t.Errorf("behind %q: %v", text[:n], err)
			}
		}
		if err := failAt(text, len(text), f, "", io.EOF); err != io.EOF {
			t.Errorf("the whole text: %v", err)
		}
		if whole == 0 || whole > len(text)/3 {
			t.Errorf("%d of %d cuts are no error", whole, len(text))
		}
	}
}
