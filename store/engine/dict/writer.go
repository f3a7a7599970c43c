package dict

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/rdf"
)

// Writer gives ids to terms, within one write transaction. It belongs to one goroutine.
type Writer struct {
	root, terms, texts *bolt.Bucket
	next               [1 << 4]uint64 // by tag; labelled blank nodes count at TagNone
	changed            bool
	known              *Known
}

type assigned struct {
	term rdf.Term
	id   ID
}

// NewWriter writes the dictionary in bucket b.
func NewWriter(b *bolt.Bucket, known *Known) (*Writer, error) {
	w := &Writer{root: b, known: known}
	var err error
	if w.terms, err = b.CreateBucketIfNotExists(termsName); err != nil {
		return nil, fmt.Errorf("opening the dictionary: %w", err)
	}
	if w.texts, err = b.CreateBucketIfNotExists(textsName); err != nil {
		return nil, fmt.Errorf("opening the dictionary: %w", err)
	}
	// Terms are appended, and most texts follow one another too.
	w.terms.FillPercent, w.texts.FillPercent = 1, 0.9
	if w.next, err = Counters(b); err != nil {
		return nil, err
	}
	return w, nil
}

// Counters gives, of the dictionary in bucket b, which may be nil, the number that the next id under each
// tag will have. Labelled blank nodes count at TagNone.
func Counters(b *bolt.Bucket) (next [1 << 4]uint64, err error) {
	if b == nil {
		return next, nil
	}
	v := b.Get(nextName)
	if v == nil {
		return next, nil
	}
	if len(v) != 8*len(next)+4 || binary.BigEndian.Uint32(v[8*len(next):]) != checksum.Of(nextName, v[:8*len(next)]) {
		return next, &DamagedError{Detail: "the checksum of its counters does not fit"}
	}
	for i := range next {
		next[i] = binary.BigEndian.Uint64(v[8*i:])
	}
	return next, nil
}

// NewBlank gives a blank node that there never was.
func (w *Writer) NewBlank() (ID, error) {
	n, err := w.number(TagBlank)
	return newID(TagBlank, n), err
}

// NewBlanks gives n blank nodes that there never were, with numbers that follow one another. It returns the first.
func (w *Writer) NewBlanks(n uint64) (ID, error) {
	first := w.next[TagBlank]
	if first+n > MaxNumber {
		return 0, fmt.Errorf("no more than %d ids of blank nodes can be given", uint64(MaxNumber))
	}
	w.next[TagBlank], w.changed = first+n, true
	return newID(TagBlank, first), nil
}

// maxSkip is how far a blank node named from outside may be ahead of those given.
const maxSkip = 1 << 20

// reserve sees to it that NewBlank never gives id.
func (w *Writer) reserve(id ID) error {
	n, next := uint64(id&payloadMask), &w.next[TagBlank]
	if n >= *next+maxSkip {
		return fmt.Errorf("blank node _:b%d is too far ahead of those in use (%d)", n, *next)
	}
	if n >= *next {
		*next, w.changed = n+1, true
	}
	return nil
}

func (w *Writer) number(counter int) (uint64, error) {
	n := w.next[counter]
	if n > MaxNumber {
		return 0, fmt.Errorf("no more ids of kind %d can be given", counter)
	}
	w.next[counter]++
	w.changed = true
	return n, nil
}

// request is a term whose id is looked for.
type request struct {
	text  []byte
	term  int // index into the terms
	id    ID  // 0 until it is found or given
	first int // the request for the same term that stands first; itself else
	fresh bool
}

// IDs sets ids[i] to the id of terms[i], where it is zero, and gives new ids, in the order
// of terms, to those that have none.
func (w *Writer) IDs(terms []rdf.Term, ids []ID) error {
	var asks []request
	var arena []byte
	for i, t := range terms {
		if ids[i] != 0 {
			continue
		}
		if id, ok := Inline(t); ok {
			ids[i] = id
		} else if id, ok := w.known.get(t); ok {
			ids[i] = id
		} else if id, ok := blankNumber(t); ok {
			if err := w.reserve(id); err != nil {
				return err
			}
			ids[i] = id
		} else {
			at := len(arena)
			arena = appendText(arena, t)
			asks = append(asks, request{text: arena[at:len(arena):len(arena)], term: i})
		}
	}
	if len(asks) == 0 {
		return nil
	}
	slices.SortFunc(asks, func(a, b request) int {
		if c := bytes.Compare(a.text, b.text); c != 0 {
			return c
		}
		return cmp.Compare(a.term, b.term)
	})
	if err := w.find(terms, asks); err != nil {
		return err
	}
	if err := w.assign(terms, asks); err != nil {
		return err
	}
	for _, a := range asks {
		id := asks[a.first].id
		ids[a.term] = id
		w.known.put(terms[a.term], id)
	}
	return nil
}

// Find sets ids[i] to the id of terms[i], 0 where it has none. It gives no new ones.
func (w *Writer) Find(terms []rdf.Term, ids []ID) error {
	r := NewReader(w.root, nil)
	for i, t := range terms {
		id, ok := w.known.get(t)
		if !ok {
			var err error
			if id, ok, err = r.ID(t); err != nil {
				return err
			}
		}
		if ids[i] = 0; ok {
			ids[i] = id
		}
	}
	return nil
}

// maxVariants bounds how many terms may have one text, which are those that differ in the case of
// their language tag alone. Each look-up of one has to look at all of them.
const maxVariants = 64

// LimitError says that a term can't be stored because of a limit.
type LimitError struct{ Detail string }

func (e *LimitError) Error() string { return e.Detail }

// find fills in the ids of stored terms, and joins requests for the same term.
func (w *Writer) find(terms []rdf.Term, asks []request) error {
	r := NewReader(w.root, nil)
	for at := 0; at < len(asks); {
		end := at + 1
		for end < len(asks) && bytes.Equal(asks[end].text, asks[at].text) {
			end++
		}
		if err := w.findText(r, terms, asks, at, end); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// findText does so for asks[at:end], whose text is one.
func (w *Writer) findText(r *Reader, terms []rdf.Term, asks []request, at, end int) error {
	text := asks[at].text
	exact := exactText(terms[asks[at].term], text)
	variants := map[rdf.Term]int{} // the request that stands first for each
	for i := at; i < end; i++ {
		a := &asks[i]
		if exact {
			a.first = at
			continue
		}
		first, ok := variants[terms[a.term]]
		if !ok {
			first = i
			variants[terms[a.term]] = i
		}
		a.first = first
	}
	stored := 0
	err := r.each(text, func(id ID) (bool, error) {
		if exact {
			asks[at].id = id
			return false, nil
		}
		stored++
		t, err := r.Term(id)
		if i, ok := variants[t]; ok && err == nil {
			asks[i].id = id
			stored-- // it is counted among variants
		}
		return true, err
	})
	if err == nil && len(variants)+stored > maxVariants {
		return &LimitError{Detail: fmt.Sprintf("more than %d terms differ from %.100s in the case of their language tag alone", maxVariants, terms[asks[at].term])}
	}
	return err
}

// assign gives ids to the requests without one, in the order of the terms, and stores them.
func (w *Writer) assign(terms []rdf.Term, asks []request) error {
	var missing []int
	for i := range asks {
		if asks[i].id == 0 && asks[i].first == i {
			asks[i].fresh = true
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.SortFunc(missing, func(a, b int) int { return cmp.Compare(asks[a].term, asks[b].term) })
	fresh := make([]assigned, 0, len(missing))
	for _, i := range missing {
		t := terms[asks[i].term]
		tag := tagOf(t)
		counter, bit := tag, uint64(0)
		if tag == TagBlank {
			counter, bit = TagNone, labelBit
		}
		n, err := w.number(counter)
		if err != nil {
			return err
		}
		asks[i].id = newID(tag, n|bit)
		fresh = append(fresh, assigned{t, asks[i].id})
	}
	texts := make([]textEntry, 0, len(missing))
	for i := range asks {
		a := &asks[i]
		if a.fresh {
			texts = append(texts, textEntry{a.text, a.id})
		}
	}
	return w.store(fresh, texts)
}

// store appends terms to the bucket by number and inserts their texts.
func (w *Writer) store(fresh []assigned, texts []textEntry) error {
	slices.SortStableFunc(fresh, func(a, b assigned) int { return cmp.Compare(a.id, b.id) })
	for len(fresh) > 0 {
		n := 1
		for n < len(fresh) && fresh[n].id == fresh[n-1].id+1 {
			n++
		}
		if err := w.appendTerms(fresh[:n]); err != nil {
			return err
		}
		fresh = fresh[n:]
	}
	return w.insertTexts(texts)
}

// Forget removes every term. Their ids are not given again.
func (w *Writer) Forget() error {
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
	return nil
}

// Close writes the counters. The transaction is then ready to be committed.
func (w *Writer) Close() error {
	if !w.changed {
		return nil
	}
	v := make([]byte, 0, 8*len(w.next)+4)
	for _, n := range w.next {
		v = binary.BigEndian.AppendUint64(v, n)
	}
	v = binary.BigEndian.AppendUint32(v, checksum.Of(nextName, v))
	w.changed = false
	if err := w.root.Put(nextName, v); err != nil {
		return fmt.Errorf("writing the dictionary's counters: %w", err)
	}
	return nil
}
