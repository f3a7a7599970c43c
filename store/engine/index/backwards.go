package index

import (
	"bytes"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// Backwards iterates over ranges of an index like a Scan, but from the last tuple to the
// first. It is for read transactions.
type Backwards struct{ reader[*backwardsPart] }

// Backwards returns a backwards iterator over the index.
func (x Index) Backwards() *Backwards {
	return &Backwards{newReader(x, true, func(c *bolt.Cursor) *backwardsPart { return &backwardsPart{cursor: c, done: true} })}
}

// backwardsPart reads one part of an index backwards.
type backwardsPart struct {
	cursor *bolt.Cursor
	lo, hi Tuple
	buf    []Tuple
	key    []byte
	k, v   []byte // the block that Next examines first
	done   bool
	err    error
}

func (w *backwardsPart) Seek(lo, hi Tuple) {
	w.lo, w.hi, w.err = lo, hi, nil
	w.key = appendKey(w.key[:0], hi)
	w.k, w.v, _ = floor(w.cursor, w.key)
	w.key = appendKey(w.key[:0], lo)
	w.done = w.k == nil
}

func (w *backwardsPart) Next() []Tuple {
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

func (w *backwardsPart) Err() error { return w.err }
