package resolver

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// isIRI tells whether s can stand as an IRI in RDF: absolute, and without the characters that
// Turtle's IRIREF excludes (RDF 1.1 Turtle, section 6.5).
func isIRI(s string) bool {
	return rdf.IsAbsoluteIRI(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("<>\"{}|^`\\", r)
	})
}
