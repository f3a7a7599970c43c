package jsonld_test

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
)

// TestNumbersAreCanonical has the forms of JSON-LD-API 1.1, section 8.6.
func TestNumbersAreCanonical(t *testing.T) {
	for number, want := range map[string]rdf.Term{
		"5":                      rdf.NewLiteral("5", rdf.XSDInteger),
		"5.0":                    rdf.NewLiteral("5", rdf.XSDInteger),
		"-0":                     rdf.NewLiteral("0", rdf.XSDInteger),
		"-123456789012345678901": rdf.NewLiteral("-123456789012345678901", rdf.XSDInteger), // beyond the digits of a double
		"5.5":                    rdf.NewLiteral("5.5E0", rdf.XSDDouble),
		"1e-7":                   rdf.NewLiteral("1.0E-7", rdf.XSDDouble),
		"-12e30":                 rdf.NewLiteral("-1.2E31", rdf.XSDDouble),
	} {
		var got []rdf.Term
		text := `{"@id": "http://e/s", "http://e/p": ` + number + `}`
		err := jsonld.Read(strings.NewReader(text), jsonld.Options{Strict: true}, func(q rdf.Quad) error { got = append(got, q.O); return nil })
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, %v; want %v", number, got, err, want)
		}
	}
}
