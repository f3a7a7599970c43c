package dict

import (
	"bytes"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/rdf"
)

// Variants returns the ids in bucket b whose term also has a smaller id, each with the
// smallest id of its term. Files of schema 1 have such ids, because there language tags
// that differ in case made different terms. Variants reads all strings with a language
// tag. b may be nil.
func Variants(b *bolt.Bucket) (map[ID]ID, error) {
	next, err := Counters(b)
	if err != nil || next[TagLang] < 2 {
		return nil, err
	}
	out := map[ID]ID{}
	r := NewReader(b, nil)
	lo, hi := Range(TagLang)
	terms := b.Bucket(termsName).Cursor()
	for k, v := terms.Seek(binary.BigEndian.AppendUint64(nil, uint64(lo))); len(k) == 8; k, v = terms.Next() {
		id := ID(binary.BigEndian.Uint64(k))
		if id > hi {
			break
		}
		err := eachTerm(id, k, v, func(t rdf.Term) error {
			if t.Fold() == t {
				return nil // of two tags that differ in case, at least one has an upper-case letter
			}
			return r.addVariants(t, out)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eachTerm calls f with the terms of the block with key k, whose first id is first.
func eachTerm(first ID, k, v []byte, f func(rdf.Term) error) error {
	entries, n, err := openBlock(k, v)
	if err != nil {
		return err
	}
	var content []byte
	for i := range n {
		shared, suffix, rest, err := cutEntry(entries)
		if err != nil {
			return err
		}
		if shared > len(content) {
			return errEntry
		}
		content, entries = append(content[:shared], suffix...), rest
		t, err := parseContent(first+ID(i), content)
		if err == nil {
			err = f(t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addVariants adds the ids of a term to out, except the smallest.
func (r *Reader) addVariants(t rdf.Term, out map[ID]ID) error {
	text := AppendText(nil, t)
	var first ID
	return r.each(text, func(id ID) (bool, error) {
		same, err := r.is(id, t, text)
		switch {
		case !same || err != nil:
		case first == 0:
			first = id
		default:
			out[id] = first
		}
		return true, err
	})
}

// ForgetVariant removes an id from the index by text, so that only smaller ids of its
// term are found; see Variants. The id still has its term.
func (w *Writer) ForgetVariant(id ID) error {
	t, err := w.reader.Term(id)
	if err != nil {
		return err
	}
	text := AppendText(nil, t)
	k, v, _ := floor(w.texts.Cursor(), text)
	es, _, err := decodeTexts(nil, nil, k, v)
	if err != nil {
		return err
	}
	for i, e := range es {
		if e.id != id || !bytes.Equal(e.text, text) {
			continue
		}
		if i == 0 || !bytes.Equal(es[i-1].text, text) {
			return &DamagedError{Detail: fmt.Sprintf("id %#x is the first of its term", uint64(id))}
		}
		es = append(es[:i], es[i+1:]...)
		return w.putTexts(es, maxTexts)
	}
	return nil
}
