package turtle

import (
	"hash/maphash"

	"github.com/segraph/segraph/store/rdf"
)

const (
	firstCache = 1 << 8  // strings
	fullCache  = 1 << 14 // strings
	maxCached  = 256     // bytes of one
	maxLexical = 16      // bytes of a literal that is likely to repeat
)

// terms makes terms from bytes. A bounded cache shares the strings of repeated ones,
// mostly IRIs.
type terms struct {
	blanks Blanks

	seed   maphash.Seed
	cache  []cached // by hash; a new text replaces the old one
	misses int
	tags   map[string]rdf.Term // a literal with each language tag
	buf    []byte
}

// cached is a text, and whether it was checked as an IRI.
type cached struct {
	text string
	iri  bool
}

func newTerms(scope string) terms {
	return terms{blanks: NewBlanks(scope), seed: maphash.MakeSeed(), cache: make([]cached, firstCache), tags: map[string]rdf.Term{}}
}

// text returns b as a string, from the cache if it is there.
func (t *terms) text(b []byte) string {
	s, _ := t.find(b)
	return s
}

// find returns b as a string, as text does, and its place in the cache, valid until the
// next call, or nil.
func (t *terms) find(b []byte) (s string, place *cached) {
	if len(b) > maxCached {
		return string(b), nil
	}
	place = &t.cache[maphash.Bytes(t.seed, b)&uint64(len(t.cache)-1)]
	if place.text == string(b) {
		return place.text, place
	}
	s = string(b)
	*place = cached{text: s}
	// Only a long text is worth a large cache.
	if t.misses++; t.misses > len(t.cache) && len(t.cache) < fullCache {
		t.cache, t.misses = make([]cached, 4*len(t.cache)), 0
	}
	return s, place
}

// lexical returns the lexical form of a literal.
func (t *terms) lexical(b []byte) string {
	if len(b) > maxLexical {
		return string(b)
	}
	return t.text(b)
}

// tagged returns a literal with a language tag and an empty lexical form. fresh reports
// whether the tag was not seen recently.
func (t *terms) tagged(language []byte) (term rdf.Term, fresh bool) {
	if term, ok := t.tags[string(language)]; ok {
		return term, false
	}
	term = rdf.NewLang("", string(language))
	if len(language) > maxCached {
		return term, true
	}
	if len(t.tags) == firstCache {
		clear(t.tags)
	}
	t.tags[string(language)] = term
	return term, true
}

func (t *terms) blank(label []byte) rdf.Term { return rdf.NewBlank(t.text(t.blanks.label(label))) }
