package dict

import (
	"bytes"
	"iter"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/rdf"
)

// Texts calls f with the ids of all terms of a kind whose value begins with prefix,
// sorted by value, until f returns false. It skips inline values. The dictionary contains
// every such term that was stored since it was last emptied.
func (r *Reader) Texts(kind rdf.Kind, prefix string, f func(ID) (more bool, err error)) error {
	return r.begin(append([]byte{byte(kind)}, prefix...), func(_ []byte, id ID) (bool, error) { return f(id) })
}

// begin calls f with all texts that begin with want and their ids, sorted by text, until f
// returns false. A text is valid until f returns.
func (r *Reader) begin(want []byte, f func(text []byte, id ID) (more bool, err error)) error {
	var above []*levelTexts
	for _, l := range r.levels {
		next, stop := iter.Pull2(func(yield func([]byte, ID) bool) { l.Texts(want, yield) })
		defer stop()
		a := &levelTexts{want: want, pull: next}
		a.next()
		if a.text != nil {
			above = append(above, a)
		}
	}
	if len(above) == 0 {
		_, err := r.storedTexts(want, f)
		return err
	}
	more, err := r.storedTexts(want, func(text []byte, id ID) (bool, error) {
		more, err := visitBefore(above, text, id, f)
		if more && err == nil {
			more, err = f(text, id)
		}
		return more, err
	})
	if more && err == nil {
		_, err = visitBefore(above, nil, 0, f)
	}
	return err
}

// levelTexts iterates over the texts of a level that begin with want.
type levelTexts struct {
	want []byte
	pull func() ([]byte, ID, bool)
	text []byte // nil at the end
	id   ID
}

func (l *levelTexts) next() {
	var ok bool
	if l.text, l.id, ok = l.pull(); !ok || !bytes.HasPrefix(l.text, l.want) {
		l.text = nil
	}
}

// visitBefore calls f with the levels' entries before a text and id, in order, until f
// returns false. If the text is nil, it calls f with all entries.
func visitBefore(levels []*levelTexts, text []byte, id ID, f func([]byte, ID) (bool, error)) (more bool, err error) {
	for {
		var first *levelTexts
		least := textEntry{text, id}
		for _, l := range levels {
			if l.text != nil && (least.text == nil || compareText(textEntry{l.text, l.id}, least) < 0) {
				first, least = l, textEntry{l.text, l.id}
			}
		}
		if first == nil {
			return true, nil
		}
		first.next()
		if more, err = f(least.text, least.id); !more || err != nil {
			return more, err
		}
	}
}

// storedTexts calls f with the texts of the bucket that begin with want, until f returns
// false. It reports whether f wants more.
func (r *Reader) storedTexts(want []byte, f func(text []byte, id ID) (more bool, err error)) (more bool, err error) {
	if r.texts == nil {
		return true, nil
	}
	k, v, _ := floor(r.texts, want)
	if k == nil {
		k, v = r.texts.First()
	}
	var at, text []byte
	for ; k != nil; k, v = r.texts.Next() {
		entries, n, err := openBlock(k, v)
		if err != nil {
			return false, err
		}
		at = append(at[:0], k...) // f may move the cursor
		text = append(text[:0], k...)
		begins := bytes.HasPrefix(text, want)
		for range n {
			shared, suffix, rest, err := cutEntry(entries)
			if err != nil || shared > len(text) {
				return false, errEntry
			}
			text = append(text[:shared], suffix...)
			id, rest, ok := varint.Cut(rest)
			if !ok {
				return false, errEntry
			}
			entries = rest
			if shared < len(want) || !begins {
				begins = bytes.HasPrefix(text, want)
			}
			if begins {
				if more, err := f(text, unpackID(id)); err != nil || !more {
					return false, err
				}
			} else if bytes.Compare(text, want) > 0 {
				return true, nil
			}
		}
		r.texts.Seek(at)
	}
	return true, nil
}

// beginIDs calls f with the ids of all texts that begin with want, some at a time, in any
// order. f must not use the reader, nor keep the slice.
func (r *Reader) beginIDs(want []byte, f func(ids []ID) error) error {
	var ids []ID
	for _, l := range r.levels {
		l.Texts(want, func(text []byte, id ID) bool {
			if !bytes.HasPrefix(text, want) {
				return false
			}
			ids = append(ids, id)
			return true
		})
	}
	if r.texts == nil {
		return f(ids)
	}
	k, v, _ := floor(r.texts, want)
	if k == nil {
		if k, v = r.texts.First(); k == nil { // before the first flush
			return f(ids)
		}
	}
	for k != nil {
		next, following := r.texts.Next()
		var err error
		if ids, err = appendIDs(ids, k, v, want, next); err != nil {
			return err
		}
		passed := !bytes.HasPrefix(next, want) && bytes.Compare(next, want) > 0 // no later text begins with want
		if err := f(ids); err != nil || passed {
			return err
		}
		k, v, ids = next, following, ids[:0]
	}
	return nil
}

// appendIDs appends the ids of the texts of a block that begin with want. next is the key
// of the following block, or nil. If two texts begin with want, so do all between them,
// so appendIDs reads most blocks without their texts.
func appendIDs(ids []ID, k, v, want, next []byte) ([]ID, error) {
	entries, n, err := openBlock(k, v)
	if err != nil {
		return ids, err
	}
	if bytes.HasPrefix(k, want) && bytes.HasPrefix(next, want) {
		return appendAllIDs(ids, entries, n)
	}
	text := bytes.Clone(k)
	for range n {
		shared, suffix, rest, err := cutEntry(entries)
		if err != nil || shared > len(text) {
			return ids, errEntry
		}
		text = append(text[:shared], suffix...)
		id, rest, ok := varint.Cut(rest)
		if !ok {
			return ids, errEntry
		}
		entries = rest
		if bytes.HasPrefix(text, want) {
			ids = append(ids, unpackID(id))
		}
	}
	return ids, nil
}

// appendAllIDs appends the ids of all n entries of a block. It skips the texts.
func appendAllIDs(ids []ID, entries []byte, n int) ([]ID, error) {
	ids = slices.Grow(ids, n)
	at := 0
	for range n {
		// Most texts are short, so one byte has what is shared and one the length.
		if at+1 < len(entries) && entries[at]|entries[at+1] < 0x80 {
			at += 2 + int(entries[at+1])
		} else {
			_, _, rest, err := cutEntry(entries[min(at, len(entries)):])
			if err != nil {
				return ids, err
			}
			at = len(entries) - len(rest)
		}
		v := uint64(0)
		for shift := 0; ; shift += 7 { // as varint.Cut, but faster
			if at >= len(entries) || shift > 63 {
				return ids, errEntry
			}
			c := entries[at]
			at++
			v |= uint64(c&0x7F) << shift
			if c < 0x80 {
				break
			}
		}
		ids = append(ids, unpackID(v))
	}
	return ids, nil
}
