package index

import (
	"bytes"
	"cmp"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// Backwards iterates over ranges of an index like a Scan, but from the last tuple to the
// first. It is for read transactions and may be used by one goroutine only.
type Backwards struct {
	cursor *bolt.Cursor
	lo, hi Tuple
	buf    []Tuple
	key    []byte
	k, v   []byte // the block that Next examines first
	done   bool
	err    error

	others []*Backwards // for the other parts
	union  union

	over *overlay // nil if there are no levels
}

// Backwards returns a backwards iterator over the index.
func (x Index) Backwards() *Backwards {
	w := &Backwards{done: true}
	if len(x.Levels) > 0 {
		w.over = newOverlay(x.Levels, true, w.base, &w.err)
	}
	for i, b := range x.Parts {
		part := w
		if i > 0 {
			part = &Backwards{done: true}
			w.others = append(w.others, part)
		}
		if b != nil {
			part.cursor = b.Cursor()
		}
	}
	return w
}

// Seek moves after the last tuple in [lo, hi].
func (w *Backwards) Seek(lo, hi Tuple) {
	if w.over != nil {
		w.over.seek(hi, lo)
	}
	if len(w.others) > 0 {
		w.union.begin(w.next, len(w.others), func(i int) func() []Tuple { return w.others[i].next }, func(a, b *Tuple) bool { return Less(b, a) })
		for _, o := range w.others {
			o.Seek(lo, hi)
		}
	}
	w.lo, w.hi, w.err, w.done = lo, hi, nil, w.cursor == nil
	if w.done {
		return
	}
	w.key = appendKey(w.key[:0], hi)
	w.k, w.v, _ = floor(w.cursor, w.key)
	w.key = appendKey(w.key[:0], lo)
	w.done = w.k == nil
}

// Next returns the preceding tuples, at least one, in descending order, or nil at the
// beginning or on an error. The slice is valid until the next call.
func (w *Backwards) Next() []Tuple {
	if w.over != nil {
		return w.over.next()
	}
	return w.base()
}

// base returns the next tuples of the parts.
func (w *Backwards) base() []Tuple {
	if len(w.others) == 0 {
		return w.next()
	}
	batch := w.union.batch()
	if batch == nil {
		for _, o := range w.others {
			w.err = cmp.Or(w.err, o.err)
		}
	}
	return batch
}

// next returns the tuples before the last ones of this part, or nil at its beginning.
func (w *Backwards) next() []Tuple {
	for !w.done {
		w.buf, _, w.err = decode(w.buf[:0], w.k, w.v, &w.lo, &w.hi)
		if w.err != nil {
			break
		}
		if bytes.Compare(w.k, w.key) <= 0 {
			w.done = true
		} else if w.k, w.v = w.cursor.Prev(); w.k == nil {
			w.done = true
		}
		if len(w.buf) > 0 {
			slices.Reverse(w.buf)
			return w.buf
		}
	}
	w.done = true
	return nil
}

// Err returns the error that ended the iteration, if any.
func (w *Backwards) Err() error { return w.err }
