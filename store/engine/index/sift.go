package index

import (
	"encoding/binary"

	"github.com/segraph/segraph/store/ids"
)

// sieve is a set of ids in a tuple's last position. Bit i stands for the id first+i.
type sieve struct {
	first  uint64
	bits   []uint64
	sifted int // blocks in a row
}

// maxSifted is the number of blocks in a row that are sifted.
const maxSifted = 64

// Sift drops tuples whose last id is not in a set. Bit i of bits stands for the id
// first+i. Sift may keep some of these tuples, and now and then a whole block, so that
// Next returns soon. It reports false if it cannot drop any, because the index has
// levels. Call Sift before the first Seek.
func (f *Finder) Sift(first uint64, bits []uint64) bool {
	if f.over != nil {
		return false
	}
	for _, p := range f.parts {
		p.only = &sieve{first: first, bits: bits}
	}
	return true
}

// decode appends the tuples of a block as the function decode does, but skips those that
// are not in the set, and does not notice skipped ones beyond hi. It is fastest for tuples
// that differ from the previous one in the second id, as most do. It reads entries like
// decodeAll.
func (s *sieve) decode(dst []Tuple, key, b []byte, lo, hi *Tuple) (_ []Tuple, beyond bool, err error) {
	if s.sifted++; s.sifted > maxSifted {
		s.sifted = 0
		return decode(dst, key, b, lo, hi)
	}
	n, t, err := firstOf(key, b)
	if err != nil {
		return dst, false, err
	}
	return s.siftBlock(dst, key, b, n, t, lo, hi)
}

// siftBlock implements decode for a block of n entries whose first entry is t.
func (s *sieve) siftBlock(dst []Tuple, key, b []byte, n int, t Tuple, lo, hi *Tuple) (_ []Tuple, beyond bool, err error) {
	begin, end := len(dst), len(b)-8
	y, z := t[1], t[2]
	// Most entries begin like the previous one. Then the lengths are known, so that the
	// processor can begin with the next entry early.
	shape, nb, nc := byte(0), 0, 0
	for pos := 0; ; {
		if s.has(z) {
			if t[1], t[2] = y, z; ids.Less(hi, &t) {
				return dst, true, nil
			}
			if !ids.Less(&t, lo) {
				dst = append(dst, t)
			}
		}
		if n--; n == 0 {
			return dst, false, nil
		}
		if pos > end {
			return dst, false, errOverrun
		}
		w := binary.LittleEndian.Uint64(b[pos:])
		h := byte(w)
		if h < 0x80 {
			z += uint64(h) + 1
			pos++
			continue
		}
		if h >= 0xC0 { // another first id
			return decode(dst[:begin], key, b, lo, hi)
		}
		if h != shape {
			shape, nb, nc = h, bLen[h>>3&7], int(h&7)+1
		}
		size := 1 + nb + nc
		if nb > 0 && size <= 8 {
			// Skip entries of this shape that are not in the set.
			for maskB, shift, maskC := mask[nb], (8+8*nb)&63, mask[nc]; ; n-- {
				y, z = y+w>>8&maskB, unpack(w>>shift&maskC)
				if pos += size; n <= 2 || pos > end || b[pos] != shape || s.has(z) {
					break
				}
				w = binary.LittleEndian.Uint64(b[pos:])
			}
			continue
		}
		db, c := w>>8, w>>(8+8*nb)
		if size > 8 { // not all of it is in w
			if pos+1+nb > end {
				return dst, false, errOverrun
			}
			db, c = binary.LittleEndian.Uint64(b[pos+1:]), binary.LittleEndian.Uint64(b[pos+1+nb:])
		}
		pos += size
		if c &= mask[nc]; nb == 0 {
			z += c
		} else {
			y, z = y+db&mask[nb], unpack(c)
		}
	}
}

func (s *sieve) has(id uint64) bool {
	at := id - s.first // huge if id is less, because it is unsigned
	return at/64 < uint64(len(s.bits)) && s.bits[at/64]>>(at%64)&1 == 1
}
