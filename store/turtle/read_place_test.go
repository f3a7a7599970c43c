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

func TestPlaceIsTheEndOfTheLastQuad(t *testing.T) {
	for text, want := range map[string][]string{
		"<http://e/a> <http://e/b> \"é\"@en,\n  1, [] .":           {"1:32", "2:3", "2:7"},
		"@prefix e: <http://e/> .\n\n e:a e:b e:c ; e:d true .":    {"3:12", "3:23"},
		"<http://e/a> <http://e/b> \"\"\"x\ny\"\"\" .":             {"2:4"},
		strings.Repeat("# long\n", 20_000) + "<a:a> <b:b> <c:c> .": {"20001:17"},
	} {
		var got []string
		r := turtle.NewReader(strings.NewReader(text), turtle.Turtle, turtle.Options{})
		for {
			if _, err := r.Read(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			line, column := r.Place()
			got = append(got, fmt.Sprintf("%d:%d", line, column))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.40q: %v, want %v", text, got, want)
		}
	}
}

func TestAnUndeclaredPrefixIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"prov:a a prov:b .": "prov:", ":a a :b .": ":", "<a:a> <b:b> prov .": "", "<a:a> <b:b> _:x": "",
	} {
		_, err := turtle.Parse([]byte(text), turtle.Turtle, turtle.Options{})
		var syntax *turtle.SyntaxError
		if !errors.As(err, &syntax) || syntax.Undeclared != want {
			t.Errorf("%q gives %v with %+v, want %q", text, err, syntax, want)
		}
	}
}
