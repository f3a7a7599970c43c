package engine

import (
	"slices"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

func TestTermsAreFoundByHowTheyBegin(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, `<http://e/b> <http://e/says> "Hello"@en, "Hello again", "help", 1 . <http://e/a> <http://f/x> <http://e/b2> .`)
	for _, c := range []struct {
		kind   rdf.Kind
		prefix string
		most   int
		want   []string
	}{
		{rdf.KindIRI, "http://e/", 10, []string{"http://e/a", "http://e/b", "http://e/b2", "http://e/says"}},
		{rdf.KindIRI, "http://e/b", 1, []string{"http://e/b"}},
		{rdf.KindIRI, "http://g/", 10, nil},
		{rdf.KindIRI, "http://e/", 0, nil},
		{rdf.KindLiteral, "Hello", 10, []string{"Hello", "Hello again"}},
	} {
		found, err := s.TermsWithPrefix(c.kind, c.prefix, c.most)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, term := range found {
			got = append(got, term.Value())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.prefix, got, c.want)
		}
	}
}
