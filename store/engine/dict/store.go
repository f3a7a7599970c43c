package dict

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/segraph/segraph/internal/varint"
)

// appendTerms stores terms with consecutive ids. These must be greater than all stored
// ids of the tag.
func (w *Writer) appendTerms(run []Entry) error {
	var key, content, prev []byte
	var b []byte
	n := 0
	// Continue the last block of the tag if it has room. Numbers increase, so nothing may
	// be stored from here on.
	first := uint64(run[0].ID)
	c := w.terms.Cursor()
	at := binary.BigEndian.AppendUint64(nil, first)
	if k, _ := c.Seek(at); k != nil && ID(binary.BigEndian.Uint64(k)).Tag() == run[0].ID.Tag() {
		return errAssignedTwice(run[0].ID)
	}
	k, v, _ := floor(c, at)
	if k != nil && ID(binary.BigEndian.Uint64(k)).Tag() == run[0].ID.Tag() {
		entries, m, err := openBlock(k, v)
		if err != nil {
			return err
		}
		switch next := binary.BigEndian.Uint64(k) + uint64(m); {
		case next > first:
			return errAssignedTwice(run[0].ID)
		case next == first:
			key, n = bytes.Clone(k), m
			b = append(make([]byte, 0, targetSize+256), entries...)
			if prev, err = lastEntry(entries, m); err != nil {
				return err
			}
		}
	}
	flush := func() error {
		if n == 0 {
			return nil
		}
		if err := w.terms.Put(key, appendTrailer(b, key, n)); err != nil {
			return fmt.Errorf("writing the dictionary: %w", err)
		}
		return nil
	}
	for _, a := range run {
		content = a.AppendContent(content[:0])
		if n >= maxTerms || n > 0 && len(b)+len(content)-sharedPrefix(prev, content) > targetSize {
			if err := flush(); err != nil {
				return err
			}
			n = 0
		}
		if n == 0 {
			key = binary.BigEndian.AppendUint64(nil, uint64(a.ID))
			b, prev = make([]byte, 0, targetSize+64), prev[:0]
		}
		b = appendEntry(b, prev, content)
		prev = append(prev[:0], content...)
		n++
	}
	return flush()
}

// errAssignedTwice reports that a counter is too low: a new term would replace the one
// that has the id.
func errAssignedTwice(id ID) error {
	return &DamagedError{Detail: fmt.Sprintf("id %#x would be assigned twice", uint64(id))}
}

// lastEntry decodes the last of a block's n entries.
func lastEntry(entries []byte, n int) ([]byte, error) {
	var last []byte
	for range n {
		shared, suffix, rest, err := cutEntry(entries)
		if err != nil {
			return nil, err
		}
		if shared > len(last) {
			return nil, errEntry
		}
		last, entries = append(last[:shared], suffix...), rest
	}
	return last, nil
}

// textEntry is an entry of the index by text.
type textEntry struct {
	text []byte
	id   ID
}

func compareText(a, b textEntry) int {
	if c := bytes.Compare(a.text, b.text); c != 0 {
		return c
	}
	return cmp.Compare(a.id, b.id)
}

// insertTexts adds sorted new entries to the index by text.
func (w *Writer) insertTexts(es []textEntry) error {
	var old, merged []textEntry
	var arena []byte // the texts of old, copied before the next block is decoded
	for len(es) > 0 {
		c := w.texts.Cursor()
		k, v, next := floor(c, es[0].text)
		if k == nil { // a text before the first block joins it
			k, v = c.First()
		}
		if next == nil || k != nil && bytes.Equal(k, next) { // c is at k
			next, _ = c.Next()
		}
		n := len(es)
		var err error
		if old, arena, err = decodeTexts(old[:0], arena[:0], k, v); err != nil {
			return err
		}
		if next != nil {
			n = 0
			for n < len(es) && bytes.Compare(es[n].text, next) < 0 {
				n++
			}
		}
		first, last := 0, 0 // position of the new entries in merged
		merged, first, last = mergeTexts(merged[:0], old, es[:n])
		if k != nil && !bytes.Equal(k, merged[0].text) {
			if err := w.texts.Delete(k); err != nil {
				return fmt.Errorf("writing the dictionary: %w", err)
			}
		}
		if err := w.splitTexts(merged, last, last-first == n); err != nil {
			return err
		}
		es = es[n:]
	}
	return nil
}

// decodeTexts appends the entries of the block with key k to dst, and their texts to
// arena. If k is nil, it appends nothing.
func decodeTexts(dst []textEntry, arena, k, v []byte) (all []textEntry, texts []byte, err error) {
	if k == nil {
		return dst, arena, nil
	}
	entries, n, err := openBlock(k, v)
	if err != nil {
		return dst, arena, err
	}
	prev := k
	for range n {
		shared, suffix, rest, err := cutEntry(entries)
		if err != nil {
			return dst, arena, err
		}
		id, rest, ok := varint.Cut(rest)
		if !ok || shared > len(prev) {
			return dst, arena, errEntry
		}
		at := len(arena) // growing the arena moves only what is appended from here on
		arena = append(append(arena, prev[:shared]...), suffix...)
		prev = arena[at:len(arena):len(arena)]
		dst = append(dst, textEntry{prev, unpackID(id)})
		entries = rest
	}
	return dst, arena, nil
}

// mergeTexts merges two sorted lists. It returns where the entries of es begin and end.
func mergeTexts(dst, old, es []textEntry) (merged []textEntry, first, end int) {
	i := 0
	for j, e := range es {
		for i < len(old) && compareText(old[i], e) < 0 {
			dst = append(dst, old[i])
			i++
		}
		if j == 0 {
			first = len(dst)
		}
		dst = append(dst, e)
	}
	end = len(dst)
	return append(dst, old[i:]...), first, end
}

// splitTexts stores the entries in as many blocks as they need. together says that the new
// entries follow one another and end before es[end], as in a run of ascending texts. Then
// es[:end] fills its blocks, because more such texts may follow it.
func (w *Writer) splitTexts(es []textEntry, end int, together bool) error {
	size := trailerSize
	for i := 1; i < len(es); i++ {
		size += textSize(es[i-1].text, es[i])
	}
	blocks := max((size+targetSize-1)/targetSize, (len(es)+maxTexts-1)/maxTexts)
	switch {
	case blocks == 1 || together && end == len(es):
		return w.putTexts(es, maxTexts)
	case together && end >= len(es)/8:
		for end < len(es) && bytes.Equal(es[end].text, es[end-1].text) { // one text stays in one block
			end++
		}
		if err := w.putTexts(es[:end], maxTexts); err != nil {
			return err
		}
		return w.putTexts(es[end:], maxTexts)
	}
	return w.putTexts(es, (len(es)+blocks-1)/blocks)
}

func textSize(prev []byte, e textEntry) int {
	return len(e.text) - sharedPrefix(prev, e.text) + 8
}

// putTexts writes blocks of about the target size, with at most limit entries each.
// Entries with the same text stay in one block, so that a look-up reads only one.
func (w *Writer) putTexts(es []textEntry, limit int) error {
	for len(es) > 0 {
		key := bytes.Clone(es[0].text)
		b := make([]byte, 0, targetSize)
		prev, n := key, 0
		for n < len(es) {
			e := es[n]
			same := n > 0 && bytes.Equal(e.text, prev) // at most two, of different terms
			full := n >= limit || len(b)+textSize(prev, e)+trailerSize > targetSize
			if full && n > 0 && !same {
				break
			}
			b = varint.Append(appendEntry(b, prev, e.text), packID(e.id))
			prev = e.text
			n++
		}
		if err := w.texts.Put(key, appendTrailer(b, key, n)); err != nil {
			return fmt.Errorf("writing the dictionary: %w", err)
		}
		es = es[n:]
	}
	return nil
}
