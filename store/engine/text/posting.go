package text

import (
	"math/bits"
	"slices"

	"github.com/segraph/segraph/internal/varint"
)

// A posting list begins with the number of its blocks, times two, plus one for a bitmap.
// If it has all blocks of the segment, nothing follows. Otherwise a bitmap follows, or
// the gaps between blocks, whichever is shorter.

// Blocks is a set of a segment's blocks, one bit each, from the first block on.
type Blocks []uint64

func newBlocks(n int) Blocks { return make(Blocks, (n+63)/64) }

func allBlocks(n int) Blocks {
	b := newBlocks(n)
	for i := range b {
		b[i] = ^uint64(0)
	}
	if n%64 != 0 {
		b[len(b)-1] = 1<<(n%64) - 1
	}
	return b
}

func (b Blocks) add(i int) { b[i/64] |= 1 << (i % 64) }

// Count returns the number of blocks in the set.
func (b Blocks) Count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func (b Blocks) and(c Blocks) {
	for i := range b {
		b[i] &= c[i]
	}
}

func (b Blocks) or(c Blocks) {
	for i := range b {
		b[i] |= c[i]
	}
}

func (b Blocks) empty() bool { return !slices.ContainsFunc(b, func(w uint64) bool { return w != 0 }) }

// Each calls f with the blocks in the set, in order.
func (b Blocks) Each(f func(i int)) {
	for at, w := range b {
		for ; w != 0; w &= w - 1 {
			f(at*64 + bits.TrailingZeros64(w))
		}
	}
}

// appendPosting appends the posting list of a set of blocks. The segment has n blocks.
func appendPosting(dst []byte, set Blocks, n int) []byte {
	count := uint64(set.Count())
	if count == uint64(n) {
		return varint.Append(dst, count<<1)
	}
	at, size := len(dst), (n+7)/8
	dst = varint.Append(dst, count<<1)
	head, next := len(dst), 0
	set.Each(func(i int) {
		if len(dst)-head < size {
			dst = varint.Append(dst, uint64(i-next))
			next = i + 1
		}
	})
	if len(dst)-head < size {
		return dst
	}
	dst = varint.Append(dst[:at], count<<1|1)
	for i := range size {
		dst = append(dst, byte(set[i/8]>>(i%8*8)))
	}
	return dst
}

// posting is a stored posting list.
type posting []byte

// count returns the number of listed blocks.
func (p posting) count() uint64 {
	n, _, _ := varint.Cut(p)
	return n >> 1
}

// addTo adds the listed blocks to a set, in which the first block of the segment has the
// number first. The segment has n blocks.
func (p posting) addTo(set Blocks, first, n int) error {
	r := varint.NewReader(p)
	head := r.Uint()
	count := int(head >> 1)
	switch {
	case r.Failed() || head>>1 > uint64(n):
		r.Fail()
	case count == n:
		for i := range n {
			set.add(first + i)
		}
	case head&1 == 1:
		for at, w := range r.Bytes((n + 7) / 8) {
			for ; w != 0; w &= w - 1 {
				i := at*8 + bits.TrailingZeros8(w)
				if i >= n {
					r.Fail()
					break
				}
				set.add(first + i)
				count--
			}
		}
		if count != 0 {
			r.Fail()
		}
	default:
		for next := 0; count > 0 && !r.Failed(); count-- {
			i := next + r.Count(n-1-next)
			if !r.Failed() {
				set.add(first + i)
			}
			next = i + 1
		}
	}
	if r.Failed() || r.Len() > 0 {
		return damaged("a posting list can't be decoded")
	}
	return nil
}
