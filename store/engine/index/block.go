package index

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/ids"
)

// A block holds the tuples after the first, each as the difference from the previous one,
// and a trailer. The first byte of an entry encodes which ids change, and in how many
// bytes:
//
//	0xxxxxxx            c grows by x+1
//	10 000 ccc          c grows by the following c bytes
//	10 bbb ccc          b grows by b bytes, c is new
//	11 aaa ccc, 00000bbb  a grows by a bytes, b and c are new
//
// A new id is written with its tag in the low bits (pack), because ids of the dictionary
// are small numbers under a tag. Numbers are little-endian.
//
// The trailer holds the number of tuples, including the first (2 bytes), a version (1)
// and the CRC-32C of the key and all bytes before it (4). These 7 bytes at the end also
// allow a read of eight bytes at any entry.
const (
	trailerSize  = 7
	blockVersion = 1
	// maxTuples limits a block, so that a run of one-byte entries stays cheap to decode.
	maxTuples = 512
	// targetSize is the size in bytes at which a block is split. It is small enough that
	// a page of 4,096 bytes holds several blocks with little waste, and large enough that
	// keys and trailers take only a few percent.
	targetSize = 640
)

// bLen maps the three bits bbb of an entry to the length of b's difference; 0 means that
// b does not change.
var bLen = [8]int{0, 1, 2, 3, 4, 5, 6, 8}

// tagBits is the width of the tag at the top of an id.
const tagBits = 4

// firstSignedTag is the least tag, as numbered in package ids, whose payload is a signed
// number plus a bias of half the range.
const firstSignedTag = 9

// pack moves the tag of an id to its low bits and removes the bias, so that usual ids
// become small numbers. It is a bijection.
func pack(id uint64) uint64 {
	if id >= firstSignedTag<<(64-tagBits) {
		id ^= 1 << (63 - tagBits)
	}
	return bits.RotateLeft64(id, tagBits)
}

// unpack is the inverse of pack.
func unpack(v uint64) uint64 {
	id := bits.RotateLeft64(v, -tagBits)
	if id >= firstSignedTag<<(64-tagBits) {
		id ^= 1 << (63 - tagBits)
	}
	return id
}

func byteLen(v uint64) int { return (bits.Len64(v|1) + 7) / 8 }

func appendUint(dst []byte, v uint64, n int) []byte {
	for range n {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}

// appendEntry encodes t, which is greater than prev.
func appendEntry(dst []byte, prev, t *Tuple) []byte {
	if t[0] != prev[0] {
		da, b, c := t[0]-prev[0], pack(t[1]), pack(t[2])
		na, nb, nc := byteLen(da), byteLen(b), byteLen(c)
		dst = append(dst, byte(0xC0|(na-1)<<3|(nc-1)), byte(nb-1))
		return appendUint(appendUint(appendUint(dst, da, na), b, nb), c, nc)
	}
	if t[1] != prev[1] {
		db, c := t[1]-prev[1], pack(t[2])
		nc := byteLen(c)
		code := byteLen(db)
		if code >= 7 {
			code = 7
		}
		dst = append(dst, byte(0x80|code<<3|(nc-1)))
		return appendUint(appendUint(dst, db, bLen[code]), c, nc)
	}
	d := t[2] - prev[2]
	if d <= 0x80 {
		return append(dst, byte(d-1))
	}
	n := byteLen(d)
	return appendUint(append(dst, byte(0x80|(n-1))), d, n)
}

// appendTrailer completes the block b of n tuples.
func appendTrailer(b, key []byte, n int) []byte {
	b = append(b, byte(n), byte(n>>8), blockVersion)
	return checksum.Append(key, b)
}

// blockLen verifies a block and returns its number of tuples.
func blockLen(key, b []byte) (int, error) {
	if len(b) < trailerSize {
		return 0, &DamagedError{Detail: "too short"}
	}
	b, ok := checksum.Cut(key, b)
	if !ok {
		return 0, &DamagedError{Detail: "the checksum is wrong"}
	}
	at := len(b)
	if b[at-1] != blockVersion {
		return 0, &DamagedError{Detail: "unknown version"}
	}
	n := int(b[at-3]) | int(b[at-2])<<8
	if n == 0 || n > maxTuples {
		return 0, &DamagedError{Detail: "impossible number of tuples"}
	}
	return n, nil
}

// firstOf returns how many tuples a block has, and the first.
func firstOf(key, b []byte) (n int, first Tuple, err error) {
	if n, err = blockLen(key, b); err == nil {
		first, err = parseKey(key)
	}
	return n, first, err
}

// mask[n] keeps the low n bytes.
var mask = [9]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// decode appends to dst the tuples of a block that are in [lo, hi], and reports whether
// it found a tuple beyond hi.
func decode(dst []Tuple, key, b []byte, lo, hi *Tuple) (_ []Tuple, beyond bool, err error) {
	if *lo == least && *hi == greatest {
		dst, err = decodeAll(dst, key, b)
		return dst, false, err
	}
	n, t, err := firstOf(key, b)
	if err != nil {
		return dst, false, err
	}
	pos, end := 0, len(b)-8 // an entry's bytes are read eight at a time, some of them from the trailer
	inside := false
	for {
		if !inside && !ids.Less(&t, lo) {
			inside = true
		}
		if inside {
			if ids.Less(hi, &t) {
				return dst, true, nil
			}
			dst = append(dst, t)
		}
		if n--; n == 0 {
			return dst, false, nil
		}
		if pos > end {
			return dst, false, errOverrun
		}
		h := b[pos]
		if h < 0x80 {
			t[2] += uint64(h) + 1
			pos++
			continue
		}
		pos++
		nc := int(h&7) + 1
		if h < 0xC0 {
			code := h >> 3 & 7
			if code == 0 {
				if pos > end {
					return dst, false, errOverrun
				}
				t[2] += binary.LittleEndian.Uint64(b[pos:]) & mask[nc]
				pos += nc
				continue
			}
			nb := bLen[code]
			if pos+nb > end {
				return dst, false, errOverrun
			}
			t[1] += binary.LittleEndian.Uint64(b[pos:]) & mask[nb]
			t[2] = unpack(binary.LittleEndian.Uint64(b[pos+nb:]) & mask[nc])
			pos += nb + nc
			continue
		}
		if pos, err = nextFirst(&t, b, pos, h); err != nil {
			return dst, false, err
		}
	}
}

// nextFirst sets t to the tuple of an entry whose first id differs from the first id of the entry before it. Its
// head is h, and the rest begins at pos. It returns where the next entry begins.
func nextFirst(t *Tuple, b []byte, pos int, h byte) (int, error) {
	na, nb, nc := int(h>>3&7)+1, int(b[pos]&7)+1, int(h&7)+1
	pos++
	if pos+na+nb > len(b)-8 {
		return 0, errOverrun
	}
	t[0] += binary.LittleEndian.Uint64(b[pos:]) & mask[na]
	t[1] = unpack(binary.LittleEndian.Uint64(b[pos+na:]) & mask[nb])
	t[2] = unpack(binary.LittleEndian.Uint64(b[pos+na+nb:]) & mask[nc])
	return pos + na + nb + nc, nil
}

// decodeAll appends all tuples of a block to dst. It compares no tuples with bounds, and
// takes half the time of decode.
func decodeAll(dst []Tuple, key, b []byte) ([]Tuple, error) {
	n, t, err := firstOf(key, b)
	if err != nil {
		return dst, err
	}
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	out := dst[at:]
	out[0] = t
	x, y, z := t[0], t[1], t[2]
	pos, end := 0, len(b)-8 // as in decode
	for i := 1; i < len(out); i++ {
		if pos > end {
			return dst[:at], errOverrun
		}
		w := binary.LittleEndian.Uint64(b[pos:])
		h := byte(w)
		switch {
		case h < 0x80:
			z += uint64(h) + 1
			pos++
		case h < 0xC0:
			nb, nc := bLen[h>>3&7], int(h&7)+1
			db, c := w>>8, w>>(8+8*nb)
			if 1+nb+nc > 8 { // not all of it is in w
				if pos+1+nb > end {
					return dst[:at], errOverrun
				}
				db, c = binary.LittleEndian.Uint64(b[pos+1:]), binary.LittleEndian.Uint64(b[pos+1+nb:])
			}
			pos += 1 + nb + nc
			if c &= mask[nc]; nb == 0 {
				z += c
			} else {
				y, z = y+db&mask[nb], unpack(c)
			}
		default:
			na, nb, nc := int(h>>3&7)+1, int(w>>8&7)+1, int(h&7)+1
			if pos+2+na+nb > end {
				return dst[:at], errOverrun
			}
			x += binary.LittleEndian.Uint64(b[pos+2:]) & mask[na]
			y = unpack(binary.LittleEndian.Uint64(b[pos+2+na:]) & mask[nb])
			z = unpack(binary.LittleEndian.Uint64(b[pos+2+na+nb:]) & mask[nc])
			pos += 2 + na + nb + nc
		}
		out[i] = Tuple{x, y, z}
	}
	return dst, nil
}

var errOverrun = &DamagedError{Detail: "an entry exceeds the block"}
