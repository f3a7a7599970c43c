package dict

import (
	"fmt"
	"unsafe"

	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// recent holds what a Reader keeps between calls of Append and Like.
type recent struct {
	last    ID          // id of the last call
	like    *[16]tagged // by a hash of the tag; nil before the first
	numbers uint64      // how many were assigned
	head    []byte      // buffer for the part of a literal before its value
}

// tagged is a literal with an empty value, with its tag (see contentTag).
type tagged struct {
	tag    string
	like   rdf.Term
	number uint64 // unique to the tag
}

// Append returns the term of an id, and texts with the term's text appended. The term may refer to that memory and to
// memory of the reader. After an error, texts is unchanged. Append allocates nothing for inline ids and for ids in
// ascending order, as in an index, and rarely for others that are read once.
func (r *Reader) Append(texts []byte, id ID) (all []byte, t rdf.Term, err error) {
	at := len(texts)
	if id.Inline() {
		all, ok := id.AppendValue(texts)
		if !ok {
			return texts, rdf.Term{}, unknownInline(id)
		}
		return all, id.InlineTerm(passing(all[at:])), nil
	}
	if id.IsTriple() || r.changes {
		t, err := r.Term(id)
		return texts, t, err
	}
	near := r.near(id)
	if !r.inBlock(id) {
		if !near {
			if t, cached, pays := r.cache.ask(id); cached {
				return texts, t, nil
			} else if pays {
				t, err := r.Term(id) // which caches it
				return texts, t, err
			}
		}
		if t, ok, err := r.deferred(id); ok || err != nil {
			return texts, t, err
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

// near reports whether an id comes soon after that of the last call, so that it is probably
// read in order, which needs no cache. It notes the id as the last.
func (r *Reader) near(id ID) bool {
	last := r.recent.last
	r.recent.last = id
	return id-last <= maxTerms // false if id < last: ids are unsigned, so the difference is huge
}

// inBlock reports whether the block that is open has an id, and no change hides it.
func (r *Reader) inBlock(id ID) bool {
	b := r.block
	return b != nil && !r.changes && uint64(id)-b.first < b.n
}

// Like returns a number that stands for a kind, datatype and language: terms with the
// same number have these in common. Most terms that have them in common get the same
// number, but not all. Like reads no texts.
func (r *Reader) Like(id ID) (uint64, error) {
	if tag := id.Tag(); id.Inline() || tag <= ids.TagIRI || tag == ids.TagString || tag == ids.TagTriple {
		return uint64(tag), nil
	}
	if !r.inBlock(id) {
		if t, ok, err := r.deferred(id); ok || err != nil {
			return r.recent.known([]byte(contentTag(t))).number, err
		}
		if r.terms == nil {
			return 0, unknownID(id)
		}
		if err := r.open(id); err != nil {
			r.block = nil
			return 0, err
		}
	}
	b := r.block
	if len(b.likes) == 0 {
		if err := b.readLikes(&r.recent); err != nil {
			r.block = nil
			return 0, err
		}
	}
	return b.likes[uint64(id)-b.first], nil
}

// literal returns the literal with a tag and an empty value.
func (p *recent) literal(tag []byte) rdf.Term { return p.known(tag).like }

// known returns the entry of a tag, and makes one if needed.
func (p *recent) known(tag []byte) *tagged {
	n := len(tag)
	hash := n
	if n > 1 {
		hash += int(tag[n-1]) + 5*int(tag[n-2]) // most tags differ at their ends
	}
	if p.like == nil {
		p.like = new([16]tagged)
	}
	known := &p.like[hash%len(p.like)]
	if unused := known.like.IsZero(); unused || string(tag) != known.tag {
		p.numbers++
		*known = tagged{tag: string(tag), number: p.numbers + tags}
		known.like = literal(known.tag, "")
	}
	return known
}

// tags is the number of different tags of ids.
const tags = 1 << (64 - ids.TagShift)

// passing returns b as a string without a copy. The string is valid until b changes.
func passing(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func unknownInline(id ID) error {
	return &DamagedError{Detail: fmt.Sprintf("%#x is not an id", uint64(id))}
}
