package text

import (
	"encoding/binary"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/trigram"
)

// The key of a value is the value's first trigram, in four bytes. For each trigram the
// value holds the difference from the previous one, the length of its posting list, and
// the list.

// Sizes in bytes at which a value ends. bbolt keeps at least two values together, on two
// or more pages of 4 KiB if they are large. These sizes fill the pages. Large segments
// have long lists and get large values, which waste less of their last page.
const (
	targetSize = (2*4096-16)/2 - 16 - 4 - 4
	largeSize  = (8*4096-16)/2 - 16 - 4 - 4
	largeFrom  = 1 << 13 // blocks of a segment
)

// newPacker returns a packer for a segment of n blocks.
func newPacker(n int) *packer {
	if n >= largeFrom {
		return &packer{target: largeSize}
	}
	return &packer{target: targetSize}
}

// Pair is a key of a segment's bucket and its value.
type Pair struct{ Key, Value []byte }

// packer packs posting lists, in the order of their trigrams, into values.
type packer struct {
	target     int
	pairs      []Pair
	size       int
	key, value []byte
	last       trigram.Trigram
}

// entryHead is the largest size of an entry before its list, in bytes.
const entryHead = 4 + 5

// add adds the posting list of a trigram, which is greater than those before.
func (p *packer) add(t trigram.Trigram, list []byte) {
	if len(p.value) > 0 && len(p.value)+len(list)+entryHead > p.target {
		p.flush()
	}
	if len(p.value) == 0 {
		p.key, p.last = binary.BigEndian.AppendUint32(nil, uint32(t)), t
		p.value = make([]byte, 0, max(p.target, len(list)+entryHead)+4)
	}
	p.value = varint.AppendString(varint.Append(p.value, uint64(t-p.last)), list)
	p.last = t
}

// flush ends the current value, and adds it to the pairs.
func (p *packer) flush() {
	if len(p.value) == 0 {
		return
	}
	p.pairs = append(p.pairs, Pair{p.key, checksum.Append(p.key, p.value)})
	p.size += len(p.value)
	p.value = nil
}

// walk iterates over the posting lists of a segment.
type walk struct {
	cursor *bolt.Cursor
	rest   []byte // rest of the value
	t      trigram.Trigram
	list   posting
	done   bool
	err    error
}

// seek moves to the first trigram not less than t.
func (w *walk) seek(t trigram.Trigram) {
	key := binary.BigEndian.AppendUint32(nil, uint32(t))
	k, v := w.cursor.Seek(key)
	if k == nil || binary.BigEndian.Uint32(k) != uint32(t) { // t may be in the value before
		if k == nil {
			k, v = w.cursor.Last()
		} else if before, value := w.cursor.Prev(); before != nil {
			k, v = before, value
		} else {
			k, v = w.cursor.First()
		}
	}
	w.open(k, v)
	for w.next(); !w.done && w.t < t; {
		w.next()
	}
}

// open reads a value. If k is nil, the walk is done.
func (w *walk) open(k, v []byte) {
	if w.rest, w.done = nil, k == nil; w.done {
		return
	}
	value, ok := checksum.Cut(k, v)
	if len(k) != 4 || !ok || len(value) == 0 {
		w.fail("the checksum of a value is wrong")
		return
	}
	w.rest, w.t = value, trigram.Trigram(binary.BigEndian.Uint32(k))
}

// next moves to the next trigram.
func (w *walk) next() {
	if !w.done && len(w.rest) == 0 {
		w.open(w.cursor.Next())
	}
	if w.done {
		return
	}
	r := varint.NewReader(w.rest)
	w.t += trigram.Trigram(r.Count(int(anyTrigram - min(w.t, anyTrigram))))
	w.list = r.Bytes(r.Count(r.Len()))
	w.rest = r.Rest()
	if r.Failed() || len(w.list) == 0 {
		w.fail("a value can't be decoded")
	}
}

func (w *walk) fail(detail string) { w.done, w.err = true, damaged("%s", detail) }

// Check verifies the checksum of each value of a segment's bucket. It calls each after
// each value and stops at the first error.
func Check(b *bolt.Bucket, each func() error) error {
	return b.ForEach(func(k, v []byte) error {
		if _, ok := checksum.Cut(k, v); !ok {
			return damaged("the checksum of a value is wrong")
		}
		return each()
	})
}
