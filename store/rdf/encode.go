package rdf

import (
	"slices"
	"strings"
)

// EncodeTriples returns quads in which a new blank node, and quads for its parts, replace
// each triple term with a blank node. No document contains the predicates or the labels
// that it uses, so two datasets are isomorphic if and only if their encodings are.
func EncodeTriples(quads []Quad) []Quad {
	if !slices.ContainsFunc(quads, func(q Quad) bool { return q.O.HasBlank() && q.O.IsTriple() }) {
		return quads
	}
	out, seen := make([]Quad, 0, len(quads)), map[Term]bool{}
	var encode func(t Term) Term
	encode = func(t Term) Term {
		if !t.IsTriple() || !t.HasBlank() {
			return t
		}
		node := NewBlank(noName + t.value)
		if !seen[node] {
			seen[node] = true
			x := t.Triple()
			for i, part := range [...]Term{x.S, x.P, encode(x.O)} {
				out = append(out, Quad{S: node, P: NewIRI(noName + [...]string{"s", "p", "o"}[i]), O: part})
			}
		}
		return node
	}
	for _, q := range quads {
		q.O = encode(q.O.Fold())
		out = append(out, q)
	}
	return out
}

// noName begins labels and IRIs that no document contains.
const noName = "\x00"

// HasBlank reports whether t is a blank node, or a triple term that contains one.
func (t Term) HasBlank() bool {
	if !t.IsTriple() || !strings.Contains(t.value, "_:") {
		return t.IsBlank()
	}
	x := t.Triple()
	return x.S.IsBlank() || x.O.HasBlank()
}
