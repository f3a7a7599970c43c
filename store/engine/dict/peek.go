package dict

import (
	"fmt"
	"unsafe"

	"github.com/segraph/segraph/store/rdf"
)

// peeked is what Peek keeps from one call to the next.
type peeked struct {
	text []byte     // of an inline id
	last ID         // that is none
	like [16]tagged // by a hash of the tag
}

// tagged is a literal and what its content begins with.
type tagged struct {
	tag  string
	like rdf.Term
}

// Peek is Term, but the texts of the term are good only until the next call of a method.
// It allocates nothing for inline ids, nor for others that come in the order of their
// numbers, as in an index.
func (r *Reader) Peek(id ID) (rdf.Term, error) {
	p := &r.peeked
	if id.Inline() {
		b, ok := id.appendValue(p.text[:0])
		if !ok {
			return rdf.Term{}, unknownInline(id)
		}
		p.text = b
		return id.inlineTerm(passing(b)), nil
	}
	near := id-p.last <= maxTerms && len(r.levels) == 0
	p.last = id
	if b := r.block; r.changes || (b == nil || uint64(id)-b.first >= b.n) && !near {
		return r.Term(id) // which remembers it
	}
	content, err := r.content(id)
	if err != nil {
		return rdf.Term{}, err
	}
	switch id.Tag() {
	case TagBlank:
		return rdf.NewBlank(passing(content)), nil
	case TagIRI:
		return rdf.NewIRI(passing(content)), nil
	}
	tag, value, err := cutTag(content)
	if err != nil {
		return rdf.Term{}, err
	}
	return p.literal(tag).WithLexical(passing(value)), nil
}

// literal returns a literal with a tag.
func (p *peeked) literal(tag []byte) rdf.Term {
	n := len(tag)
	hash := n
	if n > 1 {
		hash += int(tag[n-1]) + 5*int(tag[n-2])
	}
	known := &p.like[hash%len(p.like)]
	if string(tag) != known.tag || known.like.IsZero() {
		known.tag = string(tag)
		known.like = literal(known.tag, "")
	}
	return known.like
}

// passing returns bytes as a string that is good until they change.
func passing(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func unknownInline(id ID) error {
	return &DamagedError{Detail: fmt.Sprintf("%#x is no id", uint64(id))}
}
