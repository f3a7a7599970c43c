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
	maxLexical = 16      // bytes of a literal that is likely to come again
)

// terms makes terms of bytes. What comes again and again, IRIs most of all, it makes once
// and finds again in a cache of bounded size.
type terms struct {
	scope string
	anon  uint64 // how many blank nodes without a label there were

	seed   maphash.Seed
	cache  []cached // by hash; a text gives way to the next of the same place
	misses int
	tags   map[string]rdf.Term // a literal of each language tag
	buf    []byte
}

// cached is a text that was seen, and whether it was checked as an IRI.
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

// find is text. place is where the text is in the cache, until the next call; nil is
// nowhere.
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
	// A short text does not pay for a large cache; a long one does.
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

// tagged returns a literal with that language tag and no lexical form yet. fresh says
// that the tag was not seen lately.
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

// blank returns the blank node with that label as written.
func (t *terms) blank(label []byte) rdf.Term {
	t.buf = append(t.buf[:0], t.scope...)
	if isAnonymous(label) {
		t.buf = append(t.buf, '_')
	}
	t.buf = append(t.buf, label...)
	return rdf.NewBlank(t.text(t.buf))
}

// fresh returns a blank node that the text has no label for.
func (t *terms) fresh() rdf.Term {
	t.buf = append(append(t.buf[:0], t.scope...), 'a')
	t.buf = strconv.AppendUint(t.buf, t.anon, 10)
	t.anon++
	return rdf.NewBlank(string(t.buf))
}

// Anonymous returns the number, from 0, of an unlabelled node, given the label that a
// Reader without a Scope assigned to it. ok is false for other nodes.
func Anonymous(label string) (n uint64, ok bool) {
	if len(label) < 2 || label[0] != 'a' || label[1] == '0' && len(label) > 2 {
		return 0, false
	}
	n, err := strconv.ParseUint(label[1:], 10, 64)
	return n, err == nil
}

// isAnonymous tells a label of the shape ^_*a[0-9]+$: what fresh makes, and what blank
// makes of such a label. One more "_" before all of these keeps them apart without a
// memory.
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
