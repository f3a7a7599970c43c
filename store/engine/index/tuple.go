// Package index stores sorted sets of id triples in bbolt buckets, packed in blocks.
//
// Each block is one key of a bucket. The key is the first tuple, and the value the
// following tuples, encoded as differences. bbolt rewrites a whole page for one key
// anyway, so a block does not make a write more expensive. A scan decodes memory in
// order, and the file is several times smaller.
//
// To this package ids are numbers. Callers give them a meaning, and choose the order of
// subject, predicate and object. Every block has a checksum, which every read verifies,
// so a damaged block causes an error and never a wrong answer.
package index

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/segraph/segraph/store/ids"
)

// Tuple holds three ids in the order of its index.
type Tuple = ids.Tuple

// The least and the greatest tuple.
var (
	least    = Tuple{}
	greatest = Tuple{^uint64(0), ^uint64(0), ^uint64(0)}
)

// Compare orders tuples by their first id, then the second, then the third.
func Compare(a, b Tuple) int {
	if a[0] != b[0] {
		return cmp.Compare(a[0], b[0])
	}
	if a[1] != b[1] {
		return cmp.Compare(a[1], b[1])
	}
	return cmp.Compare(a[2], b[2])
}

// Prefix returns the least and the greatest tuple that begin with the given ids, at most
// three.
func Prefix(ids ...uint64) (lo, hi Tuple) {
	lo, hi = least, greatest
	copy(lo[:], ids)
	copy(hi[:], ids)
	return lo, hi
}

// keySize is the length of a block's key: three ids, big-endian, so that bbolt's order of
// keys is the order of tuples.
const keySize = 24

func appendKey(dst []byte, t Tuple) []byte {
	dst = binary.BigEndian.AppendUint64(dst, t[0])
	dst = binary.BigEndian.AppendUint64(dst, t[1])
	return binary.BigEndian.AppendUint64(dst, t[2])
}

func parseKey(k []byte) (Tuple, error) {
	if len(k) != keySize {
		return Tuple{}, &DamagedError{Detail: fmt.Sprintf("a key of %d bytes", len(k))}
	}
	return Tuple{binary.BigEndian.Uint64(k), binary.BigEndian.Uint64(k[8:]), binary.BigEndian.Uint64(k[16:])}, nil
}

// DamagedError means that stored bytes are damaged.
type DamagedError struct{ Detail string }

func (e *DamagedError) Error() string { return "damaged index block: " + e.Detail }

// Damaged describes the damage; see file.DamagedError.
func (e *DamagedError) Damaged() string { return e.Error() }
