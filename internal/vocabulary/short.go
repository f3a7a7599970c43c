package vocabulary

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Short abbreviates an IRI to a prefixed name for display. It uses the first prefix that
// leaves a plain word, and returns false if there is none.
func Short(prefixes []turtle.Prefix, iri string) (string, bool) {
	for _, p := range prefixes {
		local, ok := strings.CutPrefix(iri, p.Namespace)
		if ok && local != "" && strings.IndexFunc(local, notInName) < 0 {
			return p.Label + ":" + local, true
		}
	}
	return "", false
}

func notInName(c rune) bool {
	return c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
}

// ShortTriple abbreviates a triple term for display, as <<( s p o )>>. iri shortens the
// IRIs in it. Texts are in quotes; numbers and booleans are not.
func ShortTriple(t rdf.Term, iri func(string) string) string {
	triple := t.Triple()
	return "<<( " + shortPart(triple.S, iri) + " " + shortPart(triple.P, iri) + " " + shortPart(triple.O, iri) + " )>>"
}

func shortPart(t rdf.Term, iri func(string) string) string {
	switch {
	case t.IsTriple():
		return ShortTriple(t, iri)
	case t.IsIRI():
		return iri(t.Value())
	case t.IsBlank():
		return "_:" + t.Value()
	case t.Tag() != "":
		return strconv.Quote(t.Value()) + "@" + t.Tag()
	case t.Datatype() == rdf.XSDString:
		return strconv.Quote(t.Value())
	case rdf.IsNumeric(t.Datatype()), t.Datatype() == rdf.XSDBoolean:
		return t.Value()
	}
	return strconv.Quote(t.Value()) + "^^" + iri(t.Datatype())
}
