// Package canon computes the canonical form of an RDF dataset: RDF Dataset
// Canonicalization 1.0 (RDFC-1.0, W3C Recommendation, 2024).
//
// Two datasets have the same canonical form if and only if they are equal except for the
// labels of their blank nodes. So a hash of the canonical form identifies what a dataset
// says, whatever document it came from.
//
// The algorithm takes exponential time on some datasets, which an attacker can make.
// Every function therefore limits the steps, never the time: a dataset either has a
// canonical form on every machine, or on none.
package canon

import (
	"bytes"
	"crypto"
	_ "crypto/sha256" // for Options.Hash
	_ "crypto/sha512"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/rdf"
)

// ErrSteps reports that labelling the blank nodes of a dataset would take more steps than
// allowed.
var ErrSteps = errors.New("giving this dataset's blank nodes canonical labels would exceed the limit of steps: they are too similar, or terms too long")

// DefaultSteps is the limit of steps if Options sets none. It is reached after about a
// second.
const DefaultSteps = 2_000_000

// stepBytes is how many bytes of terms count as a step: hashing and sorting them takes time and memory.
const stepBytes = 1 << 10

// Size returns how many bytes the terms of a quad have, about as many as its line.
func Size(q *rdf.Quad) int { return q.S.Size() + q.P.Size() + q.O.Size() + q.G.Size() }

// Options are the parameters of the algorithm.
type Options struct {
	Hash  crypto.Hash // SHA256 (the default) or SHA384; the canonical form depends on it
	Steps int         // limit of steps; DefaultSteps if 0
}

// NQuads returns the canonical N-Quads of a dataset: one line for each distinct quad,
// sorted by code point, with canonical labels (RDFC-1.0, sections 4 and 5). The error is
// ErrSteps or names an unsupported hash.
//
// RDFC-1.0 does not know triple terms. A triple term with blank nodes is labelled as if it
// were a blank node with its parts as properties.
func NQuads(quads []rdf.Quad, o Options) ([]byte, error) {
	labels, err := Labels(quads, o)
	if err != nil {
		return nil, err
	}
	var text []byte
	ends := make([]int, len(quads))
	for i, q := range quads {
		text = AppendQuad(text, q, labels)
		ends[i] = len(text)
	}
	lines, from := make([][]byte, len(quads)), 0
	for i, end := range ends {
		lines[i], from = text[from:end], end
	}
	slices.SortFunc(lines, bytes.Compare)
	lines = slices.CompactFunc(lines, bytes.Equal)
	return bytes.Join(lines, nil), nil
}

// Labels returns the canonical label ("c14n0", "c14n1" and so on) of each blank node
// of a dataset. The keys are the labels in quads. Quads without blank nodes do not
// matter and may be left out. The error is ErrSteps or names an unsupported hash.
func Labels(quads []rdf.Quad, o Options) (map[string]string, error) {
	if o.Hash == 0 {
		o.Hash = crypto.SHA256
	}
	if o.Hash != crypto.SHA256 && o.Hash != crypto.SHA384 {
		return nil, fmt.Errorf("the hash %s is not supported: use SHA-256 or SHA-384", o.Hash)
	}
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	quads = rdf.EncodeTriples(quads)
	l := newLabeller(quads, o)
	size := 0
	for i := range quads {
		size += Size(&quads[i])
	}
	if err := l.step(size / stepBytes); err != nil {
		return nil, err
	}
	if err := l.label(); err != nil {
		return nil, err
	}
	return l.canonical.labels, nil
}

// Isomorphic reports whether two datasets are equal except for the labels of their blank
// nodes (RDF 1.1 Concepts, sections 3.6 and 4.1), repeated quads and the case of language
// tags. A graph is a dataset with only a default graph. It is meant for tests and tools: it
// compares canonical forms, and returns false if computing them takes more than some hundred
// million steps.
func Isomorphic(a, b []rdf.Quad) bool {
	o := Options{Steps: 200_000_000 + 100*(len(a)+len(b))}
	formA, errA := NQuads(a, o)
	formB, errB := NQuads(b, o)
	return errA == nil && errB == nil && bytes.Equal(formA, formB)
}

// AppendQuad appends a line of canonical N-Quads with its newline. It replaces the labels
// of blank nodes by those in labels.
func AppendQuad(b []byte, q rdf.Quad, labels map[string]string) []byte {
	return appendQuad(b, q, func(label string) string { return labels[label] })
}

// AppendTerm appends a term in canonical N-Quads, with labels as in AppendQuad.
func AppendTerm(b []byte, t rdf.Term, labels map[string]string) []byte {
	return appendTerm(b, t, func(label string) string { return labels[label] })
}

// appendQuad appends a quad in canonical N-Quads. label names the blank nodes.
func appendQuad(b []byte, q rdf.Quad, label func(string) string) []byte {
	for _, t := range [...]rdf.Term{q.S, q.P, q.O, q.G} {
		if !t.IsZero() {
			b = append(appendTerm(b, t, label), ' ')
		}
	}
	return append(b, ".\n"...)
}

// appendTerm appends a term in canonical N-Quads. label returns the label of a blank node.
func appendTerm(b []byte, t rdf.Term, label func(string) string) []byte {
	switch {
	case t.IsBlank():
		return append(append(b, "_:"...), label(t.Value())...)
	case t.IsTriple():
		x := t.Triple()
		b = append(b, "<<( "...)
		for _, part := range [...]rdf.Term{x.S, x.P, x.O} {
			b = append(appendTerm(b, part, label), ' ')
		}
		return append(b, ")>>"...)
	}
	from := len(b)
	b = t.Fold().AppendNTriples(b)
	if !t.IsLiteral() || bytes.IndexFunc(b[from:], isControl) < 0 {
		return b
	}
	text := string(b[from:])
	b = b[:from]
	for _, r := range text {
		switch r {
		case '\b':
			b = append(b, `\b`...)
		case '\t':
			b = append(b, `\t`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			if isControl(r) {
				b = fmt.Appendf(b, `\u%04X`, r)
			} else {
				b = append(b, string(r)...)
			}
		}
	}
	return b
}

// isControl reports whether canonical N-Quads (RDF 1.2 N-Quads, section 5) escapes a
// character that canonical N-Triples of RDF 1.1 does not.
func isControl(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffe || r == 0xffff }
