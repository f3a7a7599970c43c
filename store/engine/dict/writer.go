package dict

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/orders"
)

// Writer stores terms in a write transaction. It may be used by one goroutine only.
type Writer struct {
	*Assigner
	// Triples is set once a triple term was stored, and Directed once a string with a base
	// direction was.
	Triples, Directed  bool
	root, terms, texts *bolt.Bucket
}

// Create makes an empty dictionary in the empty bucket b.
func Create(b *bolt.Bucket) error {
	err := makeSecret(b)
	for _, name := range [][]byte{termsName, textsName} {
		if err == nil {
			_, err = b.CreateBucket(name)
		}
	}
	if err != nil {
		return fmt.Errorf("creating the dictionary: %w", err)
	}
	return nil
}

// NewWriter returns a writer of the dictionary in bucket b.
func NewWriter(b *bolt.Bucket, known *Known) (*Writer, error) {
	if b == nil {
		return nil, &DamagedError{Detail: "its bucket is missing"}
	}
	w := &Writer{root: b, terms: b.Bucket(termsName), texts: b.Bucket(textsName)}
	if w.terms == nil || w.texts == nil {
		return nil, &DamagedError{Detail: "it lacks its terms or texts"}
	}
	// Terms are appended, and most texts ascend too, so fill pages fully.
	w.terms.FillPercent, w.texts.FillPercent = 1, 0.9
	next, err := Counters(b)
	if err != nil {
		return nil, err
	}
	w.Assigner = NewAssigner(NewReader(b, nil), next, known, w.put)
	return w, nil
}

// Counters returns the numbers of the next ids in bucket b, which may be nil.
func Counters(b *bolt.Bucket) (next Numbers, err error) {
	if b == nil {
		return next, nil
	}
	v := b.Get(nextName)
	if v == nil {
		return next, nil
	}
	if len(v) != 8*len(next)+4 || binary.BigEndian.Uint32(v[8*len(next):]) != checksum.Of(nextName, v[:8*len(next)]) {
		return next, &DamagedError{Detail: "the checksum of its counters is wrong"}
	}
	for i := range next {
		next[i] = binary.BigEndian.Uint64(v[8*i:])
	}
	return next, nil
}

// Insert stores terms whose ids another Assigner assigned, and the numbers of that
// Assigner's next ids. None of the ids may be stored already.
func (w *Writer) Insert(entries []Entry, next Numbers) error {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(bytes.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
	})
	for tag, n := range next {
		w.numbers[tag] = max(w.numbers[tag], n)
	}
	w.changed = true
	return w.put(entries)
}

// put appends terms, sorted by their texts, to the bucket by number and inserts their
// texts.
func (w *Writer) put(entries []Entry) error {
	texts := make([]textEntry, len(entries))
	for i, e := range entries {
		texts[i] = textEntry{e.Text, e.ID}
	}
	for _, e := range entries {
		texts = tripleTexts(texts, e)
		w.Directed = w.Directed || e.IsDirected()
	}
	if len(texts) > len(entries) {
		w.Triples = true
		slices.SortFunc(texts, compareText)
	}
	order := make([][2]uint64, len(entries)) // an id and the index of its entry
	for i, e := range entries {
		order[i] = [2]uint64{uint64(e.ID), uint64(i)}
	}
	orders.Sort(order, 1)
	byID := make([]Entry, len(entries))
	for i, o := range order {
		byID[i] = entries[o[1]]
	}
	for entries = byID; len(entries) > 0; {
		n := 1
		for n < len(entries) && entries[n].ID == entries[n-1].ID+1 {
			n++
		}
		if err := w.appendTerms(entries[:n]); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return w.insertTexts(texts)
}

// Clear removes every term. Ids of the removed terms are not assigned again.
func (w *Writer) Clear() error {
	w.known.Reset()
	for name, b := range map[string]**bolt.Bucket{string(termsName): &w.terms, string(textsName): &w.texts} {
		if err := w.root.DeleteBucket([]byte(name)); err != nil {
			return fmt.Errorf("emptying the dictionary: %w", err)
		}
		var err error
		if *b, err = w.root.CreateBucket([]byte(name)); err != nil {
			return fmt.Errorf("emptying the dictionary: %w", err)
		}
	}
	w.reader = NewReader(w.root, nil)
	return nil
}

// Close writes the counters. The transaction can then be committed.
func (w *Writer) Close() error {
	if !w.changed {
		return nil
	}
	v := make([]byte, 0, 8*len(w.numbers)+4)
	for _, n := range w.numbers {
		v = binary.BigEndian.AppendUint64(v, n)
	}
	v = binary.BigEndian.AppendUint32(v, checksum.Of(nextName, v))
	w.changed = false
	if err := w.root.Put(nextName, v); err != nil {
		return fmt.Errorf("writing the dictionary's counters: %w", err)
	}
	return nil
}
