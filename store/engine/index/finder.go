package index

import (
	"bytes"
	"cmp"
	"sort"

	bolt "go.etcd.io/bbolt"
)

// Finder iterates over ranges of an index like a Scan. It is faster for many short ranges
// in roughly ascending order, because it keeps the current block decoded and steps to the
// next one if possible. For single ranges a Scan is faster, because it decodes no more
// than needed. A Finder may be used by one goroutine only, within the transaction of its
// bucket.
type Finder struct {
	cursor *bolt.Cursor
	k, v   []byte  // the current block; nil before the first
	block  []Tuple // its tuples in [from, upto]
	from   Tuple
	upto   Tuple
	beyond bool    // it has tuples beyond upto
	again  bool    // several ranges began in it
	dense  bool    // and in the one before, so it is decoded as a whole
	nk, nv []byte  // the block after it, at the cursor; nil at the end
	rest   []Tuple // the part of block that Next returns first
	lo, hi Tuple   // the range
	key    []byte
	end    []byte // the key of hi; empty until next needs it
	done   bool
	err    error
	only   *sieve // tuples to keep; nil for all

	others []*Finder // for the other parts
	union  union

	over *overlay // nil if there are no levels
}

// NewFinder returns a finder in an index without levels. parts is like Index.Parts.
func NewFinder(parts ...*bolt.Bucket) *Finder { return Index{Parts: parts}.Finder() }

// Finder returns a finder in the index.
func (x Index) Finder() *Finder {
	f := &Finder{done: true}
	if len(x.Levels) > 0 {
		f.over = newOverlay(x.Levels, false, f.base, &f.err)
	}
	for i, b := range x.Parts {
		part := f
		if i > 0 {
			part = &Finder{done: true}
			f.others = append(f.others, part)
		}
		if b != nil {
			part.cursor = b.Cursor()
		}
	}
	return f
}

// Seek moves before the first tuple in [lo, hi].
func (f *Finder) Seek(lo, hi Tuple) {
	if f.over != nil {
		f.over.seek(lo, hi)
	}
	if len(f.others) > 0 {
		f.union.begin(f.next, len(f.others), func(i int) func() []Tuple { return f.others[i].next }, Less)
		for _, o := range f.others {
			o.Seek(lo, hi)
		}
	}
	f.lo, f.hi, f.end, f.rest, f.done = lo, hi, f.end[:0], nil, true
	if f.cursor == nil || f.err != nil {
		return
	}
	f.key = appendKey(f.key[:0], lo)
	if !f.near() {
		if f.err != nil || !f.far() {
			return
		}
	}
	at := 0
	if len(f.block) > 0 && Less(&f.block[0], &lo) {
		at = sort.Search(len(f.block), func(i int) bool { return !Less(&f.block[i], &lo) })
	}
	f.rest, f.done = f.block[at:], false
}

// near moves to the block of lo, whose key is f.key, if that is the current block or the
// next. It reports whether it did.
func (f *Finder) near() bool {
	if f.k == nil || bytes.Compare(f.key, f.k) < 0 {
		return false
	}
	if f.nk == nil || bytes.Compare(f.key, f.nk) < 0 {
		f.again = true
		toEnd := !f.beyond || !Less(&f.upto, &f.hi) // block has the tuples up to hi
		decoded := !Less(&f.lo, &f.from) && toEnd
		return decoded || f.decode(f.k, f.v)
	}
	k, v := f.nk, f.nv
	f.nk, f.nv = f.cursor.Next()
	if f.nk != nil && bytes.Compare(f.key, f.nk) >= 0 {
		return false
	}
	f.dense, f.again = f.again, false
	return f.decode(k, v)
}

// far moves to the block of f.key. It reports false for an empty index and on an error.
func (f *Finder) far() bool {
	k, v, _ := floor(f.cursor, f.key)
	if k == nil {
		return false
	}
	f.nk, f.nv = f.cursor.Next()
	f.dense, f.again = f.again, false
	return f.decode(k, v)
}

// decode makes a block the current one. It keeps only the tuples of the current range,
// unless several ranges begin in each block. It returns false if the block is damaged.
func (f *Finder) decode(k, v []byte) (ok bool) {
	f.k, f.v, f.from, f.upto = k, v, f.lo, f.hi
	if f.dense || f.again {
		f.from, f.upto = least, greatest
	}
	if f.only != nil {
		f.block, f.beyond, f.err = f.only.decode(f.block[:0], k, v, &f.from, &f.upto)
	} else {
		f.block, f.beyond, f.err = decode(f.block[:0], k, v, &f.from, &f.upto)
	}
	return f.err == nil
}

// decodeInside makes a block that begins in the current range the current block. If the block after it also
// begins there, all of its tuples are in the range, and need no comparison.
func (f *Finder) decodeInside(k, v []byte) (ok bool) {
	if len(f.end) == 0 {
		f.end = appendKey(f.end, f.hi)
	}
	if f.nk == nil || f.only != nil || bytes.Compare(f.nk, f.end) > 0 {
		return f.decode(k, v)
	}
	f.k, f.v, f.from, f.upto, f.beyond = k, v, least, greatest, false
	f.block, f.err = decodeAll(f.block[:0], k, v)
	return f.err == nil
}

// Next returns the next tuples, at least one, or nil at the end or on an error. The slice
// is valid until the next call.
func (f *Finder) Next() []Tuple {
	if f.over != nil {
		return f.over.next()
	}
	return f.base()
}

// base returns the next tuples of the parts.
func (f *Finder) base() []Tuple {
	if len(f.others) == 0 {
		return f.next()
	}
	batch := f.union.batch()
	if batch == nil {
		for _, o := range f.others {
			f.err = cmp.Or(f.err, o.err)
		}
	}
	return batch
}

// next returns the next tuples of this part that are in the current range, or nil if there are none.
func (f *Finder) next() []Tuple {
	for !f.done {
		out := f.rest
		if n := len(out); n > 0 && Less(&f.hi, &out[n-1]) {
			f.done = true
			out = out[:sort.Search(n, func(i int) bool { return Less(&f.hi, &out[i]) })]
		} else if f.nk == nil || f.beyond {
			f.done = true
		}
		if len(out) > 0 {
			f.rest = nil
			return out
		}
		if f.done {
			break
		}
		k, v := f.nk, f.nv
		if first, err := parseKey(k); err != nil || Less(&f.hi, &first) {
			f.err = err
			break
		}
		f.nk, f.nv = f.cursor.Next()
		if !f.decodeInside(k, v) {
			break
		}
		f.rest = f.block
	}
	f.done = true
	return nil
}

// Err returns the error that ended the iteration, or nil. After an error, Next returns
// nothing more.
func (f *Finder) Err() error { return f.err }
