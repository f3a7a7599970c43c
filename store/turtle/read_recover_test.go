package turtle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/turtle"
)

func TestAllErrorsOfATextAreFound(t *testing.T) {
	for _, c := range []struct {
		text   string
		format turtle.Format
		want   []string
	}{
		{"<u:s> <u:p> 1 .", turtle.Turtle, nil},
		{"", turtle.Turtle, nil},
		// Each prefix once, and other errors of the same statement.
		{"a:b c:d a:e ; a:f $ .\n<u:s> c:g %% .", turtle.Turtle, []string{"1:1 undeclared prefix 'a:'", "1:5 undeclared prefix 'c:'", "1:19 expected an object", "2:11 expected an object"}},
		// A missing "." is one error, and the next statement is read.
		{"<u:a> <u:b> 1\n<u:c> <u:d> 2 .\n<u:e> <u:f> ] .", turtle.Turtle, []string{"2:1 expected \".\"", "3:13 expected an object"}},
		{"<u:a> <u:b> 1 <u:c> <u:d> .\n<u:e> <u:f> ] .", turtle.Turtle, []string{"1:15 expected \".\"", "2:13 expected an object"}},
		// A "." inside a name, a number, a string, an IRI or a comment does not end a statement.
		{"<u:a> ] <u:x.y> 1.5 \"a . b\" '''c .\n''' \"\\\". \" # d .\n e.f:g.h . \n<u:e> <u:f> ] .", turtle.Turtle, []string{"1:7 expected a predicate", "4:13 expected an object"}},
		// A string without its end costs the rest of its line.
		{"<u:a> <u:b> \"x ;\n <u:c> 1 .\n<u:e> <u:f> ] .", turtle.Turtle, []string{"1:", "3:13 expected an object"}},
		{"<u:a> <u:b> \"\"\"x ;\n <u:c> 1 .\n<u:e> <u:f> ] .", turtle.Turtle, []string{"3:16 the string that begins at line 1, column 13"}},
		// A directive begins a statement, also if the "." before it is missing.
		{"<u:a> ]\n@prefix a: <u:> .\na:b a:c ] .", turtle.Turtle, []string{"1:7 expected a predicate", "3:9 expected an object"}},
		{"@prefix a <u:> .\n@prefix a: <u:> .\na:b a:c 1 , .", turtle.Turtle, []string{"1:9 ", "3:13 expected an object"}},
		{"<u:a> <u:b> [ <u:c> ( 1 ] .\n<u:e> <u:f> ] .", turtle.Turtle, []string{"1:25 ", "2:13 expected an object"}},
		{"<u:g> { <u:a> ] } <u:g> { <u:a> <u:b> ] . <u:c> } }", turtle.TriG, []string{"1:15 ", "1:39 ", "1:49 ", "1:51 "}},
		{"<u:s> <u:p> 1 .\n<u:s> <u:p> <u:o> .\n<u:s> .\n", turtle.NTriples, []string{"1:13 ", "3:7 "}},
		{"<u:a> ] .\n<u:b> <u:c> \"\xff\" .\n<u:d> ] .", turtle.Turtle, []string{"1:7 ", "2:14 the text is not valid UTF-8"}},
		{"<u:a> é é .\n<u:e> <u:f> é .", turtle.Turtle, []string{"1:7 ", "2:13 "}},
	} {
		found, err := turtle.Errors(t.Context(), []byte(c.text), c.format, turtle.Options{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range found {
			got = append(got, fmt.Sprintf("%d:%d %s", e.Line, e.Column, e.Msg))
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%q has the errors\n\t%s\nwant\n\t%s", c.text, strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
		}
	}
}

func TestErrorsAreLimited(t *testing.T) {
	text := strings.Repeat("<u:a> ] .\n", 10_000)
	if found, err := turtle.Errors(t.Context(), []byte(text), turtle.Turtle, turtle.Options{}, 7); err != nil || len(found) != 7 || found[6].Line != 7 {
		t.Errorf("%d errors, %v", len(found), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turtle.Errors(ended, []byte(text), turtle.Turtle, turtle.Options{}, 100_000); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

// FuzzErrors compares with Read: the first error is the same, and a valid text has none.
func FuzzErrors(f *testing.F) {
	for _, text := range []string{"<u:a> ] .", "a:b c:d 1", "\"\"\"", "<u:a> <u:b> 'x\n.", "@prefix a <b> . {", "[ ( . ) ] @base", "\xff . <", "é."} {
		f.Add(text, uint8(turtle.Turtle))
		f.Add(text, uint8(turtle.TriG))
		f.Add(text, uint8(turtle.NQuads))
	}
	f.Fuzz(func(t *testing.T, text string, format uint8) {
		f := turtle.Format(format % 4)
		_, first := turtle.Parse([]byte(text), f, turtle.Options{})
		found, err := turtle.Errors(t.Context(), []byte(text), f, turtle.Options{}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var syntax *turtle.SyntaxError
		if errors.As(first, &syntax) != (len(found) > 0) || len(found) > 0 && *found[0] != *syntax {
			t.Errorf("Read returns %v, and Errors %v", first, found)
		}
		for i := 1; i < len(found); i++ {
			if a, b := found[i-1], found[i]; a.Line > b.Line || a.Line == b.Line && a.Column > b.Column {
				t.Errorf("%v is before %v", b, a)
			}
		}
	})
}
