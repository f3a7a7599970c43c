package turtle

import (
	"hash/maphash"
	"strconv"

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
	scope string
	anon  uint64 // number of blank nodes without a label so far

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
	return terms{scope: scope, seed: maphash.MakeSeed(), cache: make([]cached, firstCache), tags: map[string]rdf.Term{}}
}

// text returns b as a string, from the cache if it is there.
func (t *terms) text(b []byte) string {
	s, _ := t.find(b)
	return s
}

// find is text, but also returns the text's place in the cache, valid until the next
// call, or nil.
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

// blank returns the blank node with a label of the text.
func (t *terms) blank(label []byte) rdf.Term {
	t.buf = append(t.buf[:0], t.scope...)
	if isAnonymous(label) {
		t.buf = append(t.buf, '_')
	}
	t.buf = append(t.buf, label...)
	return rdf.NewBlank(t.text(t.buf))
}

// fresh returns a new blank node, with a label that blank never returns.
func (t *terms) fresh() rdf.Term {
	t.buf = append(append(t.buf[:0], t.scope...), 'a')
	t.buf = strconv.AppendUint(t.buf, t.anon, 10)
	t.anon++
	return rdf.NewBlank(string(t.buf))
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

// isAnonymous reports whether a label has the form ^_*a[0-9]+$. Labels from fresh have
// this form without an underscore. By adding one to every such label of the text, blank
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
