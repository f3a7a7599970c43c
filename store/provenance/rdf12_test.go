package provenance_test

import (
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Version of an export and of a log's text tells of terms that lower versions lack,
// wherever the term is stored.
func TestTextsTellTheirVersionOfRDF(t *testing.T) {
	for text, want := range map[string]rdf.Version{
		`<http://e/s> <http://e/p> "a"@en, "b"@de, <http://e/o>, 1 .`:                  rdf.RDF11,
		`<http://e/s> <http://e/p> "a"@en, "a"@en--ltr .`:                              rdf.RDF12Basic,
		`<http://e/s> <http://e/p> "a"@en--ltr, <<( <http://e/s> <http://e/p> 1 )>> .`: rdf.RDF12,
		`<http://e/s> <http://e/p> <<( <http://e/s> <http://e/p> "a"@en )>> .`:         rdf.RDF12,
		`<http://e/s> <http://e/p> "a--ltr"@en, "@en--ltr", "<<( )>>"@en--rtl .`:       rdf.RDF12Basic,
		`<http://e/s> <http://e/p> "a--ltr"@en, "@en--ltr", "<<( )>>"@en-x-rtl .`:      rdf.RDF11,
	} {
		s := openStore(t)
		id := publish(t, s, text)
		graph, err := s.Export(t.Context(), rdf.Term{}, turtle.Turtle)
		if err != nil {
			t.Fatal(err)
		}
		log, err := s.LogText(t.Context(), id, turtle.Turtle)
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range map[string]store.Export{"graph": graph, "log": log} {
			if got, err := x.Version(); got != want || err != nil {
				t.Errorf("%s of %s: %v, %v", name, text, got, err)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
