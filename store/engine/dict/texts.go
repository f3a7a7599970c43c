package dict

import (
	"bytes"
	"iter"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/rdf"
)

// Texts calls f with the ids of all terms of a kind whose value, not inline, begins with
// prefix, sorted by value, until f returns false. The dictionary contains every such term
// that was stored since it was last emptied.
func (r *Reader) Texts(kind rdf.Kind, prefix string, f func(ID) (more bool, err error)) error {
	return r.begin(append([]byte{byte(kind)}, prefix...), f)
}

// begin calls f with the ids of all texts that begin with want, sorted by text, until f
// returns false.
func (r *Reader) begin(want []byte, f func(ID) (more bool, err error)) error {
	visit := func(_ []byte, id ID) (bool, error) { return f(id) }
	var above []*levelTexts
	for _, l := range r.levels {
		next, stop := iter.Pull2(func(yield func([]byte, ID) bool) { l.Texts(want, yield) })
		defer stop()
		a := &levelTexts{want: want, pull: next}
		if a.next(); a.text != nil {
			above = append(above, a)
		}
	}
	if len(above) == 0 {
		_, err := r.storedTexts(want, visit)
		return err
	}
	more, err := r.storedTexts(want, func(text []byte, id ID) (bool, error) {
		more, err := visitBefore(above, text, id, f)
		if more && err == nil {
			more, err = f(id)
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
func visitBefore(levels []*levelTexts, text []byte, id ID, f func(ID) (bool, error)) (more bool, err error) {
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
		id := first.id
		first.next()
		if more, err = f(id); !more || err != nil {
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
	var text []byte
	for ; k != nil; k, v = r.texts.Next() {
		entries, n, err := openBlock(k, v)
		if err != nil {
			return false, err
		}
		at := append([]byte(nil), k...) // f may move the cursor
		text = append(text[:0], k...)
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
			if bytes.HasPrefix(text, want) {
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
