package provenance_test

import (
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// RDF12 of an export and of a log's text reports terms that RDF 1.1 lacks, wherever the
// term is stored.
func TestTextsTellWhetherTheyAreOfRDF12(t *testing.T) {
	for text, want := range map[string]bool{
		`<http://e/s> <http://e/p> "a"@en, "b"@de, <http://e/o>, 1 .`:             false,
		`<http://e/s> <http://e/p> "a"@en, "a"@en--ltr .`:                         true,
		`<http://e/s> <http://e/p> <<( <http://e/s> <http://e/p> "a"@en )>> .`:    true,
		`<http://e/s> <http://e/p> "a--ltr"@en, "@en--ltr", "<<( )>>"@en--rtl .`:  true,
		`<http://e/s> <http://e/p> "a--ltr"@en, "@en--ltr", "<<( )>>"@en-x-rtl .`: false,
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
			if got, err := x.RDF12(); got != want || err != nil {
				t.Errorf("%s of %s: %t, %v", name, text, got, err)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
