package strictyaml_test

import (
	"fmt"
	"testing"

	"github.com/segraph/segraph/internal/strictyaml"
)

type row struct{ A int }

func TestOneDocumentOfKnownFieldsIsRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "[] <nil>",
		"# nothing":              "[] <nil>",
		"- a: 1\n...\n":          "[{1}] <nil>",
		"- a: 1\n---\n- a: 2\n":  "[{1}] it has a second document, which begins with ---; write one",
		"- a: 1\n  b: 2\n":       "[{1}] line 2: field b not found",
		"a: 1\n":                 "[] line 1: cannot unmarshal !!map",
		"- {a: x, b: 1}\n- a: y": "[{0} {0}] line 1: cannot unmarshal !!str `x`; line 1: field b not found; line 2: cannot unmarshal !!str `y`",
		"- a: [1\n":              "[] line 1: did not find expected ',' or ']'",
	} {
		var rows []row
		err := strictyaml.Decode([]byte(text), &rows)
		if got := fmt.Sprint(rows, err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
