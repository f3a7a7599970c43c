package dict

import (
	"bytes"
	"encoding/binary"
	"math"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/ids"
)

// Both buckets hold blocks of front-coded strings. An entry holds the number of bytes
// that it shares with the previous entry, the number of bytes that follow, and these
// bytes. In the index by text, an id follows each entry. A trailer holds the number of
// entries (2 bytes), a version (1) and the CRC-32C of the key and everything before (4).
const (
	trailerSize  = 7
	blockVersion = 1
	targetSize   = 768
	maxTerms     = 32 // a look-up by number reads half a block, so blocks of terms are short
	maxTexts     = 128
)

// appendTrailer completes the block b of n entries.
func appendTrailer(b, key []byte, n int) []byte {
	b = append(b, byte(n), byte(n>>8), blockVersion)
	return checksum.Append(key, b)
}

// openBlock verifies a block and returns its entries and their number.
func openBlock(key, b []byte) (entries []byte, n int, err error) {
	if len(b) < trailerSize {
		return nil, 0, &DamagedError{Detail: "a block is too short"}
	}
	b, ok := checksum.Cut(key, b)
	if !ok {
		return nil, 0, &DamagedError{Detail: "the checksum of a block is wrong"}
	}
	at := len(b)
	if b[at-1] != blockVersion {
		return nil, 0, &DamagedError{Detail: "a block of an unknown version"}
	}
	n = int(b[at-3]) | int(b[at-2])<<8
	if n == 0 {
		return nil, 0, &DamagedError{Detail: "an empty block"}
	}
	return b[:at-3], n, nil
}

// entriesOf returns the number of entries of a block that is not verified.
func entriesOf(b []byte) int {
	at := len(b) - trailerSize
	return int(b[at]) | int(b[at+1])<<8
}

// cutEntry reads a front-coded entry: the length shared with the previous entry, and the
// rest.
func cutEntry(b []byte) (shared int, suffix, rest []byte, err error) {
	s, b, ok := varint.Cut(b)
	if ok {
		var n uint64
		n, b, ok = varint.Cut(b)
		if ok && n <= uint64(len(b)) && s <= math.MaxInt32 { // as far as an int reaches on every machine
			return int(s), b[:n], b[n:], nil
		}
	}
	return 0, nil, nil, errEntry
}

var errEntry = &DamagedError{Detail: "an entry exceeds its block"}

// floor moves c to the last block whose key is not greater than key, and returns that
// block, or nil. next is the key of the following block, if floor saw it.
func floor(c *bolt.Cursor, key []byte) (k, v, next []byte) {
	next, v = c.Seek(key)
	switch {
	case next == nil:
		k, v = c.Last()
	case bytes.Equal(next, key):
		return next, v, nil
	default:
		k, v = c.Prev()
	}
	return k, v, next
}

// sharedPrefix returns how many bytes two texts begin with in common. It compares eight at a time.
func sharedPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i+8 <= n && binary.LittleEndian.Uint64(a[i:]) == binary.LittleEndian.Uint64(b[i:]) {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func appendEntry(dst, prev, s []byte) []byte {
	shared := sharedPrefix(prev, s)
	dst = varint.Append(dst, uint64(shared))
	dst = varint.Append(dst, uint64(len(s)-shared))
	return append(dst, s[shared:]...)
}

// packID moves the tag to the low bits: dictionary ids are small numbers under a tag.
func packID(id ID) uint64 { return uint64(id)<<4 | uint64(id)>>ids.TagShift }

func unpackID(v uint64) ID { return ID(v>>4 | v<<ids.TagShift) }
