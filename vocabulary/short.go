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
func Short(prefixes []turtle.Prefix, iri string) (name string, ok bool) {
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

// Piece is a piece of a text about a term.
type Piece struct {
	Text string
	IRI  string // the IRI that Text abbreviates, or ""
}

// ShortTriple abbreviates a triple term for display, as <<( s p o )>>. iri shortens the
// IRIs in it. Texts are in quotes; numbers and booleans are not.
func ShortTriple(t rdf.Term, iri func(string) string) string {
	var b strings.Builder
	for _, p := range TriplePieces(t, iri) {
		b.WriteString(p.Text)
	}
	return b.String()
}

// TriplePieces returns the pieces of the text that ShortTriple returns. Each IRI is a piece
// of its own, except datatypes.
func TriplePieces(t rdf.Term, iri func(string) string) []Piece {
	triple := t.Triple()
	out := []Piece{{Text: "<<( "}}
	for _, part := range []rdf.Term{triple.S, triple.P, triple.O} {
		switch {
		case part.IsTriple():
			out = append(out, TriplePieces(part, iri)...)
		case part.IsIRI():
			out = append(out, Piece{Text: iri(part.Value()), IRI: part.Value()})
		default:
			out = append(out, Piece{Text: shortValue(part, iri)})
		}
		out = append(out, Piece{Text: " "})
	}
	return append(out, Piece{Text: ")>>"})
}

// shortValue abbreviates a blank node or a literal.
func shortValue(t rdf.Term, iri func(string) string) string {
	switch {
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
