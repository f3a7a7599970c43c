package dict

import (
	"fmt"
	"unsafe"

	"github.com/segraph/segraph/store/rdf"
)

// recent is what Append keeps from one call to the next.
type recent struct {
	last    ID         // that is none
	like    [16]tagged // by a hash of the tag
	numbers uint64     // given
	head    []byte     // room for what is in front of a literal's value
}

// tagged is a literal and what its content begins with.
type tagged struct {
	tag    string
	like   rdf.Term
	number uint64 // given to no other tag
}

// Append is Term, but appends the text of the term to texts, in whose memory the term is.
// It allocates nothing for inline ids, nor for others that come in the order of their
// numbers, as in an index. Terms that the reader has elsewhere in memory may stay there.
func (r *Reader) Append(texts []byte, id ID) ([]byte, rdf.Term, error) {
	at := len(texts)
	if id.Inline() {
		all, ok := id.appendValue(texts)
		if !ok {
			return texts, rdf.Term{}, unknownInline(id)
		}
		return all, id.inlineTerm(passing(all[at:])), nil
	}
	near := id-r.recent.last <= maxTerms
	r.recent.last = id
	if b := r.block; r.changes || b == nil || uint64(id)-b.first >= b.n {
		if r.changes || !near {
			t, err := r.Term(id) // which remembers it
			return texts, t, err
		}
		if t, ok := r.deferred(id); ok {
			return texts, t, nil
		}
	}
	content, err := r.content(id)
	if err != nil {
		return texts, rdf.Term{}, err
	}
	if !id.IsLiteral() {
		texts = append(texts, content...)
		if id.IsIRI() {
			return texts, rdf.NewIRI(passing(texts[at:])), nil
		}
		return texts, rdf.NewBlank(passing(texts[at:])), nil
	}
	tag, value, err := cutTag(content)
	if err != nil {
		return texts, rdf.Term{}, err
	}
	texts = append(texts, value...)
	return texts, r.recent.literal(tag).WithLexical(passing(texts[at:])), nil
}

// Like returns a number that only terms of the same kind, datatype and language have. It
// reads no texts.
func (r *Reader) Like(id ID) (uint64, error) {
	if tag := id.Tag(); id.Inline() || tag <= TagIRI || tag == TagString {
		return uint64(tag), nil
	}
	b := r.block
	if b == nil || r.changes || uint64(id)-b.first >= b.n {
		if t, ok := r.deferred(id); ok {
			return r.recent.known([]byte(contentTag(t))).number, nil
		}
		if r.terms == nil {
			return 0, unknownID(id)
		}
		if err := r.open(id); err != nil {
			r.block = nil
			return 0, err
		}
		b = r.block
	}
	if len(b.likes) == 0 {
		if err := b.readLikes(&r.recent); err != nil {
			r.block = nil
			return 0, err
		}
	}
	return b.likes[uint64(id)-b.first], nil
}

// literal returns a literal with a tag.
func (p *recent) literal(tag []byte) rdf.Term { return p.known(tag).like }

// known returns what is kept of a tag.
func (p *recent) known(tag []byte) *tagged {
	n := len(tag)
	hash := n
	if n > 1 {
		hash += int(tag[n-1]) + 5*int(tag[n-2])
	}
	known := &p.like[hash%len(p.like)]
	if string(tag) != known.tag || known.like.IsZero() {
		p.numbers++
		*known = tagged{tag: string(tag), number: p.numbers + tags}
		known.like = literal(known.tag, "")
	}
	return known
}

// tags is how many tags an id may have.
const tags = 1 << (64 - tagShift)

// passing returns bytes as a string that is good until they change.
func passing(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func unknownInline(id ID) error {
	return &DamagedError{Detail: fmt.Sprintf("%#x is no id", uint64(id))}
}
