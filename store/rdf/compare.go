package rdf

import (
	"cmp"
	"strings"
)

// Compare compares two terms in a total order, for deterministic output: by kind,
// then by value (code points), datatype and language tag. The result is negative if a
// comes first, and 0 only if a == b. The order differs from SPARQL's ORDER BY, which
// compares values.
func Compare(a, b Term) int {
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	if c := strings.Compare(a.value, b.value); c != 0 || a.tag == b.tag {
		return c
	}
	return cmp.Or(
		strings.Compare(a.Datatype(), b.Datatype()),
		strings.Compare(a.Language(), b.Language()),
		strings.Compare(a.Direction(), b.Direction()),
		strings.Compare(a.tag, b.tag), // for terms that no constructor should have made
	)
}

// CompareTriples orders triples by subject, predicate and object as Compare does.
func CompareTriples(a, b Triple) int {
	if c := Compare(a.S, b.S); c != 0 {
		return c
	}
	if c := Compare(a.P, b.P); c != 0 {
		return c
	}
	return Compare(a.O, b.O)
}

// Fold returns the term with its language tags, if any, in lower case. Terms whose tags
// differ only in case are the same term (BCP 47, section 2.1.1; RDF 1.2 Concepts, section
// 3.3), so use Fold for map keys.
func (t Term) Fold() Term {
	if t.kind == KindTriple && strings.Contains(t.value, `"@`) {
		return NewTripleTerm(t.Triple().Fold())
	}
	if t.tag != "" && t.tag[0] == '@' {
		t.tag = strings.ToLower(t.tag)
	}
	return t
}

// EqualFold reports whether two terms are equal, ignoring the case of language tags.
func (t Term) EqualFold(u Term) bool { return t == u || t.Fold() == u.Fold() }

// Fold returns the triple with its terms folded; see Term.Fold.
func (t Triple) Fold() Triple { return Triple{t.S.Fold(), t.P.Fold(), t.O.Fold()} }

// Fold returns the quad with its terms folded; see Term.Fold.
func (q Quad) Fold() Quad { return q.Triple().Fold().In(q.G.Fold()) }
