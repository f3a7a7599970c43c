package dict

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// Names of the buckets, within the dictionary's own.
var (
	termsName  = []byte("terms")  // first id of a block -> contents
	textsName  = []byte("texts")  // first text of a block -> texts and their ids
	nextName   = []byte("next")   // next number under each tag
	secretName = []byte("secret") // for the hashes of long texts
)

// Level holds terms of the memtable. Neither the bucket nor an older level has them.
type Level interface {
	// Entry returns the term of an id. It reports false if the level does not have it.
	Entry(id ID) (Entry, bool)
	// ID returns the lowest id under a text. It reports false if there is none.
	ID(text []byte) (ID, bool)
	// Texts calls f with the texts from the given one on (see AppendText) and their ids,
	// in order, until f returns false. Entries with the same text are ordered by id.
	Texts(from []byte, f func(text []byte, id ID) bool)
}

// Reader looks up terms and ids in one transaction. It may be used by one goroutine only.
type Reader struct {
	hasher       *Hasher
	terms, texts *bolt.Cursor
	levels       []Level
	cache        *Cache
	key          []byte
	block        *openedBlock // the last block that content read; nil for none
	recent       recent
	changes      bool // the transaction may write, so blocks do not stay valid
}

// NewReader returns a reader of the terms in bucket b, which may be nil, and in levels, oldest first. Readers of
// the same file may share a cache c of the bucket's terms; nil caches nothing. c must be nil in a transaction that
// may be rolled back, because its ids may then be assigned to other terms. For the same reason c never has terms
// of levels.
func NewReader(b *bolt.Bucket, c *Cache, levels ...Level) *Reader {
	r := &Reader{hasher: NewHasher(b), cache: c, levels: levels}
	if b == nil {
		return r
	}
	r.changes = b.Writable()
	if t := b.Bucket(termsName); t != nil {
		r.terms = t.Cursor()
	}
	if t := b.Bucket(textsName); t != nil {
		r.texts = t.Cursor()
	}
	return r
}

// Term returns the term of an id. It returns an error if the id has none.
func (r *Reader) Term(id ID) (rdf.Term, error) {
	if id.Inline() {
		t, ok := id.Value()
		if !ok {
			return t, unknownInline(id)
		}
		return t, nil
	}
	if t, ok := r.cache.get(id); ok {
		return t, nil
	}
	if t, ok, err := r.deferred(id); ok || err != nil {
		return t, err
	}
	content, err := r.content(id)
	if err != nil {
		return rdf.Term{}, err
	}
	var t rdf.Term
	if !id.IsTriple() {
		t, err = parseContent(id, content)
	} else if parts, wrong := partsOf(id, content); wrong == nil {
		t, err = r.triple(parts)
	} else {
		err = wrong
	}
	if err == nil {
		r.cache.put(id, t)
	}
	return t, err
}

// deferred returns the term of an id that is in a level, or false if it is in none.
func (r *Reader) deferred(id ID) (t rdf.Term, ok bool, err error) {
	for _, l := range r.levels {
		e, ok := l.Entry(id)
		if !ok {
			continue
		}
		if !id.IsTriple() {
			return e.Term, true, nil
		}
		parts, err := partsOf(id, e.Text[1:]) // without tripleKind
		if err != nil {
			return rdf.Term{}, false, err
		}
		t, err = r.triple(parts)
		return t, err == nil, err
	}
	return rdf.Term{}, false, nil
}

func unknownID(id ID) error {
	return &DamagedError{Detail: fmt.Sprintf("id %#x is in an index and not in the dictionary", uint64(id))}
}

// ID returns the id of a term. ok is false if the term has none.
func (r *Reader) ID(t rdf.Term) (found ID, ok bool, err error) {
	if id, ok := ids.Inline(t); ok {
		return id, true, nil
	}
	if id, ok := blankNumber(t); ok {
		return id, true, nil
	}
	if t.IsTriple() {
		return r.tripleID(t)
	}
	text := r.hasher.AppendText(nil, t)
	if exactText(text) {
		id, err := r.exact(text)
		return id, id != 0, err
	}
	err = r.each(text, func(id ID) (bool, error) {
		u, err := r.Term(id)
		same := u.EqualFold(t)
		if same {
			found = id
		}
		return !same, err
	})
	return found, found != 0, err
}

// blankNumber returns the id of a blank node whose label is "b" and a number, as the store labels its own.
func blankNumber(t rdf.Term) (id ID, ok bool) {
	if !t.IsBlank() || !strings.HasPrefix(t.Value(), "b") {
		return 0, false
	}
	s := t.Value()[1:]
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || n > ids.MaxNumber || len(s) > 1 && s[0] == '0' { // b01 is another label than b1
		return 0, false
	}
	return ids.New(ids.TagBlank, n), true
}

// exact returns the id under a text that only one term has, or 0.
func (r *Reader) exact(text []byte) (found ID, err error) {
	for _, l := range r.levels {
		if id, ok := l.ID(text); ok {
			return id, nil
		}
	}
	_, err = r.eachStored(text, func(id ID) (bool, error) { found = id; return false, nil })
	return found, err
}

// each calls f with the ids under a text until f returns false.
func (r *Reader) each(text []byte, f func(ID) (more bool, err error)) error {
	more, err := r.eachStored(text, f)
	for _, l := range r.levels {
		if !more || err != nil {
			break
		}
		l.Texts(text, func(t []byte, id ID) bool {
			if !bytes.Equal(t, text) {
				return false
			}
			more, err = f(id)
			return more && err == nil
		})
	}
	return err
}

// eachStored calls f with the ids that the bucket has for a text. more reports whether f wants the ids of the
// levels too.
func (r *Reader) eachStored(text []byte, f func(ID) (more bool, err error)) (more bool, err error) {
	if r.texts == nil {
		return true, nil
	}
	k, v, _ := floor(r.texts, text)
	// All ids of one text are in one block: see putTexts.
	if k == nil {
		return true, nil
	}
	entries, n, err := openBlock(k, v)
	if err != nil {
		return false, err
	}
	// matched is the number of bytes that the text shares with the previous entry, which
	// is not greater. Before the first entry comes the key.
	matched := sharedPrefix(text, k)
	for range n {
		shared, suffix, rest, err := cutEntry(entries)
		if err != nil {
			return false, err
		}
		id, rest, ok := varint.Cut(rest)
		if !ok {
			return false, errEntry
		}
		entries = rest
		if shared < matched {
			return true, nil // this entry sorts after the text, and so do all that follow
		}
		if shared > matched {
			continue // this entry sorts before the text, as the previous one did
		}
		same := sharedPrefix(text[matched:], suffix)
		matched += same
		if same < len(suffix) {
			if matched == len(text) || suffix[same] > text[matched] {
				return true, nil
			}
			continue
		}
		if matched == len(text) {
			if more, err := f(unpackID(id)); err != nil || !more {
				return false, err
			}
		}
	}
	return true, nil
}
