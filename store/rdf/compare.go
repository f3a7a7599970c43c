package rdf

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// Compare puts all terms in one order, for output that should not depend on chance: by
// kind, then by value (code points), then by datatype, then by language tag. It is negative
// if a comes first and 0 only if a == b. SPARQL's ORDER BY, which compares what literals
// mean, is not this.
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
		strings.Compare(a.tag, b.tag), // for terms that no constructor should have been asked for
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

// Fold returns t with its language tag, if it has one, in lower case: two terms are EqualFold if Fold returns the same
// for both.
func (t Term) Fold() Term {
	if t.tag == "" || t.tag[0] != '@' {
		return t
	}
	t.tag = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return rune(lowerASCII(byte(r)))
		}
		return r
	}, t.tag)
	return t
}

// EqualFold tells whether two terms are equal if the case of language tags is left out of
// account, as BCP 47, section 2.1.1, wants them matched. It folds ASCII letters alone, since
// tags have no others.
func (t Term) EqualFold(u Term) bool {
	if t == u {
		return true
	}
	if t.kind != u.kind || t.value != u.value || len(t.tag) != len(u.tag) || t.Language() == "" || u.Language() == "" {
		return false
	}
	for i := range len(t.tag) {
		if lowerASCII(t.tag[i]) != lowerASCII(u.tag[i]) {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
