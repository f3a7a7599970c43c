package dict

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// A term that nothing uses is removed in two steps: first its texts, after which nobody finds
// its id, and then what is stored under the id. Neighbours in a block depend on their positions,
// so something very short stays under the id until a block has nothing else.

// removedLiteral is what stays under the id of a removed literal: an empty string. Of other
// terms nothing stays. A document's empty string has the same content; only it is found by its text.
var removedLiteral = []byte{0}

func removedContent(id ID) []byte {
	if id.IsLiteral() {
		return removedLiteral
	}
	return nil
}

// EachTerm calls f with the terms up to an id, the greatest id first, until f returns false.
// It leaves out removed ones. content is valid until f returns; Hasher.NewEntry reads it.
func EachTerm(b *bolt.Bucket, last ID, f func(id ID, content []byte) (more bool)) error {
	if b = b.Bucket(termsName); b == nil {
		return nil
	}
	c := b.Cursor()
	k, v, _ := floor(c, binary.BigEndian.AppendUint64(nil, uint64(last)))
	for ; k != nil; k, v = c.Prev() {
		first, contents, err := decodeContents(k, v)
		if err != nil {
			return err
		}
		for i, content := range slices.Backward(contents) {
			id := first + ID(i)
			if id <= last && !bytes.Equal(content, removedContent(id)) && !f(id, content) {
				return nil
			}
		}
	}
	return nil
}

// decodeContents returns the first id of a block of terms, and the contents.
func decodeContents(k, v []byte) (first ID, contents [][]byte, err error) {
	entries, n, err := openBlock(k, v)
	if err != nil || len(k) != 8 {
		return 0, nil, cmp.Or(err, error(errEntry))
	}
	var prev []byte
	for range n {
		shared, suffix, rest, err := cutEntry(entries)
		if err != nil || shared > len(prev) {
			return 0, nil, errEntry
		}
		prev = slices.Concat(prev[:shared], suffix)
		contents, entries = append(contents, prev), rest
	}
	return ID(binary.BigEndian.Uint64(k)), contents, nil
}

// Leaving are terms that are to be removed: their ids, and the texts by which they are found.
type Leaving struct {
	IDs   []ID
	texts []textEntry // a triple term has three
	size  int
}

// Add adds a term with its content, as EachTerm passes it.
func (l *Leaving) Add(h *Hasher, id ID, content []byte) error {
	e, err := h.NewEntry(id, content)
	before := len(l.texts)
	l.IDs, l.texts = append(l.IDs, id), tripleTexts(append(l.texts, textEntry{e.Text, id}), e)
	for _, t := range l.texts[before:] {
		l.size += len(t.text) + 48
	}
	return err
}

// Size returns approximately the memory of the list, in bytes.
func (l *Leaving) Size() int { return l.size }

// Sort sorts the ids and the texts, as RemoveContents and RemoveTexts need them.
func (l *Leaving) Sort() {
	slices.Sort(l.IDs)
	slices.SortFunc(l.texts, compareText)
}

// Len returns how many texts are left.
func (l *Leaving) Len() int { return len(l.texts) }

// Skip drops the first n texts, which were removed.
func (l *Leaving) Skip(n int) { l.texts = l.texts[n:] }

// RemoveTexts removes from one block the first n texts of a list, which are all that belong
// into that block. The list is not empty, and n at least 1. n also counts texts of used ids,
// which stay, and texts that are not there.
func (w *Writer) RemoveTexts(l *Leaving, used func(ID) bool) (n int, err error) {
	es := l.texts
	c := w.texts.Cursor()
	k, v, next := floor(c, es[0].text)
	if k == nil { // the text is not there
		return 1, nil
	}
	if next == nil {
		next, _ = c.Next()
	}
	old, _, err := decodeTexts(nil, nil, k, v)
	if err != nil {
		return 0, err
	}
	for n = 1; n < len(es) && (next == nil || bytes.Compare(es[n].text, next) < 0); n++ {
	}
	left := slices.DeleteFunc(slices.Clone(old), func(e textEntry) bool {
		_, found := slices.BinarySearchFunc(es[:n], e, compareText)
		return found && !used(e.id)
	})
	if len(left) == len(old) {
		return n, nil
	}
	if len(left) == 0 || !bytes.Equal(left[0].text, k) { // the block's key is its first text
		if err := w.texts.Delete(bytes.Clone(k)); err != nil {
			return 0, fmt.Errorf("removing terms: %w", err)
		}
	}
	return n, w.putTexts(left, maxTexts)
}

// RemoveContents removes from one block the contents of the first n ids, which are all that belong into that block.
// ids is sorted, and n at least 1.
func (w *Writer) RemoveContents(ids []ID) (n int, err error) {
	k, v, _ := floor(w.terms.Cursor(), binary.BigEndian.AppendUint64(nil, uint64(ids[0])))
	if k == nil { // the id is not there
		return 1, nil
	}
	key := bytes.Clone(k)
	first, contents, err := decodeContents(k, v)
	if err != nil {
		return 0, err
	}
	for n = 0; n < len(ids) && ids[n] < first+ID(len(contents)); n++ {
		contents[ids[n]-first] = removedContent(ids[n])
	}
	if n == 0 {
		return 1, nil // the block was removed before
	}
	kept := false
	b, prev := make([]byte, 0, len(v)), []byte(nil)
	for i, content := range contents {
		kept = kept || !bytes.Equal(content, removedContent(first+ID(i)))
		b, prev = appendEntry(b, prev, content), content
	}
	if !kept {
		if kept, err = w.hasEmpty(first, len(contents)); err != nil {
			return 0, err
		}
	}
	if kept {
		err = w.terms.Put(key, appendTrailer(b, key, len(contents)))
	} else {
		err = w.terms.Delete(key)
	}
	if err != nil {
		return 0, fmt.Errorf("removing terms: %w", err)
	}
	return n, nil
}

// hasEmpty reports whether the empty string of documents is one of n terms from an id on. Its content
// does not tell: a removed literal has the same.
func (w *Writer) hasEmpty(first ID, n int) (bool, error) {
	id, found, err := w.reader.ID(rdf.NewString(""))
	return found && first <= id && id < first+ID(n), err
}

// Drop drops the term of an id that was removed.
func (c *Cache) Drop(id ID) {
	if e := c.slot(id).Load(); e != nil && e.id == id {
		c.slot(id).CompareAndSwap(e, nil)
	}
}

// IDSet is a set of ids of the dictionary. It has one bit for each number of a tag up to the greatest,
// because the numbers have few gaps. It keeps great numbers in a map, because a forged file may have a
// few, and bits for all below would fill the memory.
type IDSet struct {
	dense [tags][]uint64          // bits of numbers below 64 * denseWords, 64 in a word
	far   [tags]map[uint64]uint64 // words of the bits of others, by number / 64
}

// denseWords is the greatest length of a dense list: 128 MiB for a billion numbers.
const denseWords = 1 << 24

// Add adds an id, unless the id alone determines its term.
func (s *IDSet) Add(id ID) {
	if id.Inline() {
		return
	}
	n := uint64(id) & ids.MaxNumber
	if n/64 >= denseWords {
		if s.far[id.Tag()] == nil {
			s.far[id.Tag()] = map[uint64]uint64{}
		}
		s.far[id.Tag()][n/64] |= 1 << (n % 64)
		return
	}
	words := &s.dense[id.Tag()]
	if need := int(n/64) + 1 - len(*words); need > 0 {
		*words = append(*words, make([]uint64, need)...)
	}
	(*words)[n/64] |= 1 << (n % 64)
}

// Has reports whether an id is in the set.
func (s *IDSet) Has(id ID) bool {
	n := uint64(id) & ids.MaxNumber
	if n/64 >= denseWords {
		return s.far[id.Tag()][n/64]&(1<<(n%64)) != 0
	}
	words := s.dense[id.Tag()]
	return !id.Inline() && n/64 < uint64(len(words)) && words[n/64]&(1<<(n%64)) != 0
}

// End returns one more than the greatest number of a tag in the set, or 0.
func (s *IDSet) End(tag int) uint64 {
	if len(s.far[tag]) > 0 {
		last := slices.Max(slices.Collect(maps.Keys(s.far[tag])))
		return (last+1)*64 - uint64(bits.LeadingZeros64(s.far[tag][last]))
	}
	words := s.dense[tag]
	if len(words) == 0 {
		return 0
	}
	return uint64(len(words))*64 - uint64(bits.LeadingZeros64(words[len(words)-1]))
}

// Decoded returns the terms or texts in a block of the dictionary, or nothing for any other key and
// value. A block does not say which it has: Decoded returns what can be decoded as either.
func Decoded(key, value []byte) (texts [][]byte) {
	if _, _, err := openBlock(key, value); err != nil {
		return nil
	}
	if _, contents, err := decodeContents(key, value); err == nil {
		texts = contents
	}
	if es, _, err := decodeTexts(nil, nil, key, value); err == nil {
		for _, e := range es {
			texts = append(texts, e.text)
		}
	}
	return texts
}
