package turtle

import (
	"strconv"

	"github.com/segraph/segraph/store/rdf"
)

// Blanks makes the blank nodes of one document. Every format labels them the same way, so
// that Anonymous recognizes those without a label.
type Blanks struct {
	scope string
	count uint64 // blank nodes without a label so far
	buf   []byte
}

// NewBlanks returns a Blanks that begins every label with scope.
func NewBlanks(scope string) Blanks { return Blanks{scope: scope} }

// Fresh returns a new blank node, with a label that Label never returns.
func (b *Blanks) Fresh() rdf.Term {
	b.buf = append(append(b.buf[:0], b.scope...), 'a')
	b.buf = strconv.AppendUint(b.buf, b.count, 10)
	b.count++
	return rdf.NewBlank(string(b.buf))
}

// Label returns the blank node with a label of the document.
func (b *Blanks) Label(label string) rdf.Term {
	return rdf.NewBlank(string(b.label([]byte(label))))
}

// label returns the label of the node with a label of the document, valid until the next
// call of a method.
func (b *Blanks) label(label []byte) []byte {
	b.buf = append(b.buf[:0], b.scope...)
	if isAnonymous(label) {
		b.buf = append(b.buf, '_')
	}
	b.buf = append(b.buf, label...)
	return b.buf
}

// Anonymous returns the number, from 0, of a node without a label, given the label that a
// Reader without a Scope assigned to it. ok is false for other nodes.
func Anonymous(label string) (n uint64, ok bool) {
	if len(label) < 2 || label[0] != 'a' || label[1] == '0' && len(label) > 2 {
		return 0, false
	}
	n, err := strconv.ParseUint(label[1:], 10, 64)
	return n, err == nil
}

// isAnonymous reports whether a label has the form ^_*a[0-9]+$. Labels from Fresh have
// this form without an underscore. By adding one to every such label of the text, Blanks
// keeps them apart without remembering labels.
func isAnonymous(label []byte) bool {
	i := 0
	for i < len(label) && label[i] == '_' {
		i++
	}
	if i == len(label) || label[i] != 'a' || i+1 == len(label) {
		return false
	}
	for _, c := range label[i+1:] {
		if !isDigit(c) {
			return false
		}
	}
	return true
}
