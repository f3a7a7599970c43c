// Package text stores an index of the trigrams of stored texts. It finds the blocks that
// may have a text that a query of package trigram matches.
//
// A block consists of BlockSize consecutive numbers of a tag of the dictionary. A segment
// indexes consecutive blocks. It is a bucket with a posting list of blocks for each
// trigram, in order. Several lists share a value, which ends with a checksum. The list of
// segments names those in use.
//
// A finished segment never changes. The index may return a block without a matching text,
// but never omits one that has it. To this package texts are bytes with a number, not
// terms.
package text

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/trigram"
)

// BlockSize is how many numbers of the dictionary are in a block.
const BlockSize = 16

// anyTrigram marks a block that may have every trigram.
const anyTrigram = trigram.Limit

// Segment is a part of the index: the blocks of one tag in [From, To).
type Segment struct {
	Number   uint64 // the name of its bucket
	Tag      int
	From, To uint64
	// Unfinished means that the segment is being merged from others. It must not be
	// searched.
	Unfinished bool
}

// Blocks returns the number of blocks.
func (s Segment) Blocks() int { return int(s.To - s.From) }

// Bucket returns the name of the segment's bucket.
func (s Segment) Bucket() []byte { return binary.BigEndian.AppendUint64(nil, s.Number) }

// ListKey is the key of the list of segments.
var ListKey = []byte("segments")

// listVersion is the first byte of a list.
const listVersion = 1

// AppendList encodes a list of segments and the number of the next one.
func AppendList(list []Segment, next uint64) []byte {
	b := varint.Append([]byte{listVersion}, next)
	for _, s := range list {
		unfinished := uint64(0)
		if s.Unfinished {
			unfinished = 1
		}
		for _, n := range []uint64{s.Number, uint64(s.Tag), s.From, s.To - s.From, unfinished} {
			b = varint.Append(b, n)
		}
	}
	return checksum.Append(ListKey, b)
}

// ParseList decodes what AppendList encoded. It reports false for a list of another
// version, because this program can't use that index. A nil b is an empty list.
func ParseList(b []byte) (list []Segment, next uint64, known bool, err error) {
	if b == nil {
		return nil, 0, true, nil
	}
	b, ok := checksum.Cut(ListKey, b)
	if !ok {
		return nil, 0, false, damaged("the checksum of the list of segments is wrong")
	}
	r := varint.NewReader(b)
	if r.Byte() != listVersion {
		return nil, 0, false, nil
	}
	next = r.Uint()
	for r.Len() > 0 {
		s := Segment{Number: r.Uint(), Tag: r.Count(15), From: r.Uint()}
		s.To = s.From + uint64(r.Count(maxBlocks))
		s.Unfinished = r.Uint() == 1
		list = append(list, s)
	}
	if r.Failed() {
		return nil, 0, false, damaged("the list of segments can't be decoded")
	}
	return list, next, true, nil
}

// maxBlocks is the largest number of blocks of a segment.
const maxBlocks = 1 << 30

// Merging returns the finished segments whose blocks are in s, in order.
func Merging(list []Segment, s Segment) (parts []Segment) {
	for _, p := range list {
		if !p.Unfinished && p.Tag == s.Tag && s.From <= p.From && p.To <= s.To {
			parts = append(parts, p)
		}
	}
	slices.SortFunc(parts, func(a, b Segment) int { return int(a.From) - int(b.From) })
	return parts
}

// DamagedError means that stored bytes are damaged.
type DamagedError struct{ Detail string }

func (e *DamagedError) Error() string { return "damaged index of texts: " + e.Detail }

// Damaged describes the damage; see file.DamagedError.
func (e *DamagedError) Damaged() string { return e.Error() }

func damaged(format string, args ...any) error {
	return &DamagedError{Detail: fmt.Sprintf(format, args...)}
}
