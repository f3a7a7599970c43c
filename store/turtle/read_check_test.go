package turtle_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/turtle"
)

// warned reads a whole text and returns its warnings as "line:column text".
func warned(t *testing.T, text string, f turtle.Format, o turtle.Options) (out []string, total int) {
	t.Helper()
	r := turtle.NewReader(strings.NewReader(text), f, o)
	for {
		if _, err := r.Read(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%.60q: %v", text, err)
		}
	}
	first, total := r.Warnings()
	for _, w := range first {
		if !strings.Contains(w.Msg, w.Text) && len(w.Text) < 100 {
			t.Errorf("%q does not name %q", w.Msg, w.Text)
		}
		out = append(out, fmt.Sprintf("%d:%d %s", w.Line, w.Column, w.Text))
	}
	return out, total
}

func TestWarningsNameTheIRIOrTagAndItsPosition(t *testing.T) {
	for _, c := range []struct {
		text   string
		format turtle.Format
		want   []string
	}{
		{"<u:s> <u:p> <u:o>, \"x\"@en-GB, 1 .", turtle.Turtle, nil},
		{"<u:s> <u:p>\n  <http://a/%zz> .", turtle.Turtle, []string{"2:3 http://a/%zz"}},
		{"<u:s> <u:p> \"é\"@e, \"x\"^^<u:[> .", turtle.Turtle, []string{"1:16 e", "1:25 u:["}},
		{"@prefix a: <http://a:b/> .\n<u:s> <u:p> a:c .", turtle.Turtle, []string{"1:12 http://a:b/", "2:13 http://a:b/c"}},
		{"@prefix a: <http://a> .\n<u:s> <u:p> a::x .", turtle.Turtle, []string{"2:13 http://a:x"}},
		{"@prefix a: <u:> .\na:\\%z <u:p> a:%41 .", turtle.Turtle, []string{"2:1 u:%z"}},
		{"@base <http://h/[> .\n<u:s> <u:p> 1 .", turtle.Turtle, []string{"1:7 http://h/["}},
		{"@base <http://h/> .\n<a> <%zz/../b> <1:x>, <c> .", turtle.Turtle, []string{"2:5 %zz/../b", "2:16 1:x"}},
		{"<u:\\u0080> <u:p> <u:%> .\n<u:\\u0080> <u:p> <u:%>, <u:%> .", turtle.Turtle, []string{"1:1 u:\u0080", "1:18 u:%"}}, // each once
		{"<u:s> <u:p> \"x\"@en-a .\n<u:%> <u:p> <u:o> .", turtle.NTriples, []string{"1:16 en-a", "2:1 u:%"}},
		{"<u:s> <u:p> <u:o> <u:%> .", turtle.NQuads, []string{"1:19 u:%"}},
		{"<u:%> { <u:s> <u:p> <u:o> }", turtle.TriG, []string{"1:1 u:%"}},
		// A literal does not hide an IRI with the same text.
		{"<u:s> <u:p> \"u:%\", <u:%> .", turtle.Turtle, []string{"1:20 u:%"}},
	} {
		if got, total := warned(t, c.text, c.format, turtle.Options{CheckIRIs: true}); !slices.Equal(got, c.want) || total != len(c.want) {
			t.Errorf("%q: %q of %d, want %q", c.text, got, total, c.want)
		}
		if got, total := warned(t, c.text, c.format, turtle.Options{}); got != nil || total != 0 {
			t.Errorf("%q has warnings that nobody enabled: %q", c.text, got)
		}
		_, err := turtle.Parse([]byte(c.text), c.format, turtle.Options{StrictIRIs: true})
		var syntax *turtle.SyntaxError
		switch {
		case len(c.want) == 0 && err != nil:
			t.Errorf("%q is refused: %v", c.text, err)
		case len(c.want) > 0 && (!errors.As(err, &syntax) || !strings.HasPrefix(c.want[0], fmt.Sprintf("%d:%d ", syntax.Line, syntax.Column))):
			t.Errorf("%q: %v, want an error at %s", c.text, err, c.want[0])
		}
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var text strings.Builder
	for n := range 100_000 {
		fmt.Fprintf(&text, "<u:%%%d> <u:%%> \"x\"@a-%d .\n", n%10, n)
	}
	fmt.Fprintf(&text, "<u:%%%s> <u:p> 1 .\n", strings.Repeat("é", 100_000))
	r := turtle.NewReader(strings.NewReader(text.String()), turtle.Turtle, turtle.Options{CheckIRIs: true})
	for err := error(nil); err == nil; {
		_, err = r.Read()
	}
	first, total := r.Warnings()
	if len(first) != 100 || total < 100_000 {
		t.Errorf("%d warnings of %d", len(first), total)
	}
	long, _ := warned(t, "<u:%"+strings.Repeat("é", 100_000)+"> <u:p> 1 .", turtle.Turtle, turtle.Options{CheckIRIs: true})
	if len(long) != 1 || len(long[0]) > 1100 {
		t.Errorf("a long IRI is quoted in %d bytes", len(long[0]))
	}
}

func BenchmarkReadAndCheck(b *testing.B) {
	var text strings.Builder
	text.WriteString("@prefix ex: <https://example.org/robots/> .\n@prefix prov: <http://www.w3.org/ns/prov#> .\n")
	for n := range 2000 {
		fmt.Fprintf(&text, "ex:activity-%d a prov:Activity ; prov:wasAssociatedWith ex:ari ; prov:used ex:item-%d ; ex:says \"hello %d\"@en .\n", n, n, n)
	}
	for _, check := range []bool{false, true} {
		b.Run(fmt.Sprintf("check=%v", check), func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				r := turtle.NewReader(strings.NewReader(text.String()), turtle.Turtle, turtle.Options{CheckIRIs: check})
				var err error
				for err == nil {
					_, err = r.Read()
				}
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
			}
		})
	}
}
