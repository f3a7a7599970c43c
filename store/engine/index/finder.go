package index

import (
	"bytes"
	"sort"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/ids"
)

// Finder iterates over ranges of an index like a Scan. It is faster for many short ranges
// in roughly ascending order, because it keeps the current block decoded and steps to the
// next one if possible. For single ranges a Scan is faster, because it decodes no more
// than needed. After an error, Next returns nothing more.
type Finder struct{ reader[*finderPart] }

// NewFinder returns a finder in an index without levels. parts is like Index.Parts.
func NewFinder(parts ...*bolt.Bucket) *Finder { return Index{Parts: parts}.Finder() }

// Finder returns a finder in the index.
func (x Index) Finder() *Finder {
	return &Finder{newReader(x, false, func(c *bolt.Cursor) *finderPart { return &finderPart{cursor: c, done: true} })}
}

// finderPart finds ranges in one part of an index.
type finderPart struct {
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
	end    []byte // the key of hi; empty until Next needs it
	done   bool
	err    error
	only   *sieve // tuples to keep; nil for all
}

func (f *finderPart) Seek(lo, hi Tuple) {
	f.lo, f.hi, f.end, f.rest, f.done = lo, hi, f.end[:0], nil, true
	if f.err != nil {
		return
	}
	f.key = appendKey(f.key[:0], lo)
	if !f.near() {
		if f.err != nil || !f.far() {
			return
		}
	}
	at := 0
	if len(f.block) > 0 && ids.Less(&f.block[0], &lo) {
		at = sort.Search(len(f.block), func(i int) bool { return !ids.Less(&f.block[i], &lo) })
	}
	f.rest, f.done = f.block[at:], false
}

// near moves to the block of lo, whose key is f.key, if that is the current block or the
// next. It reports whether it did.
func (f *finderPart) near() bool {
	if f.k == nil || bytes.Compare(f.key, f.k) < 0 {
		return false
	}
	if f.nk == nil || bytes.Compare(f.key, f.nk) < 0 {
		f.again = true
		toEnd := !f.beyond || !ids.Less(&f.upto, &f.hi) // block has the tuples up to hi
		decoded := !ids.Less(&f.lo, &f.from) && toEnd
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
func (f *finderPart) far() bool {
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
func (f *finderPart) decode(k, v []byte) (ok bool) {
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
func (f *finderPart) decodeInside(k, v []byte) (ok bool) {
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

func (f *finderPart) Next() []Tuple {
	for !f.done {
		out := f.rest
		if n := len(out); n > 0 && ids.Less(&f.hi, &out[n-1]) {
			f.done = true
			out = out[:sort.Search(n, func(i int) bool { return ids.Less(&f.hi, &out[i]) })]
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
		if first, err := parseKey(k); err != nil || ids.Less(&f.hi, &first) {
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

func (f *finderPart) Err() error { return f.err }
