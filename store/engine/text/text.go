// Package text keeps an index of the trigrams of stored texts, which says in which blocks
// of texts a query of package trigram may be true.
//
// A block is BlockSize numbers of the dictionary that follow one another, under one tag.
// A segment has the trigrams of some blocks that follow one another. It lies in a bucket
// of its own: for each trigram, in order, a posting list of the blocks that have it,
// several lists in one value, which ends in a checksum. A list of the segments says which
// there are.
//
// Rules: a segment is not changed once it is finished; the index may name a block without
// a text that fits, and never leaves one out; the package knows texts as bytes under a
// number, and no terms.
package text

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/trigram"
)

// BlockSize is how many numbers of the dictionary a block has.
const BlockSize = 16

// anyTrigram is what a block has that may have every trigram.
const anyTrigram = trigram.Limit

// Segment is a part of the index: the blocks of one tag from From on, and before To.
type Segment struct {
	Number   uint64 // which names its bucket
	Tag      int
	From, To uint64
	// Unfinished says that the segment is being merged from those that have its blocks.
	// It must not be searched.
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

// AppendList encodes a list of segments, and the number that the next one gets.
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

// ParseList decodes what AppendList returned. It reports false for a list of another
// version, whose index this program cannot use. No bytes are an empty list.
func ParseList(b []byte) (list []Segment, next uint64, known bool, err error) {
	if b == nil {
		return nil, 0, true, nil
	}
	b, ok := checksum.Cut(ListKey, b)
	if !ok {
		return nil, 0, false, damaged("the checksum of the list of segments does not fit")
	}
	r := varint.NewReader(b)
	if r.Byte() != listVersion {
		return nil, 0, false, nil
	}
	next = r.Uint()
	for r.Len() > 0 {
		s := Segment{Number: r.Uint(), Tag: r.Count(15), From: r.Uint()}
		s.To = s.From + uint64(r.Count(mostBlocks))
		s.Unfinished = r.Uint() == 1
		list = append(list, s)
	}
	if r.Failed() {
		return nil, 0, false, damaged("the list of segments cannot be read")
	}
	return list, next, true, nil
}

// mostBlocks bounds the blocks of a segment.
const mostBlocks = 1 << 30

// Merging returns the segments whose blocks s has, in order. They are finished.
func Merging(list []Segment, s Segment) (parts []Segment) {
	for _, p := range list {
		if !p.Unfinished && p.Tag == s.Tag && s.From <= p.From && p.To <= s.To {
			parts = append(parts, p)
		}
	}
	slices.SortFunc(parts, func(a, b Segment) int { return int(a.From) - int(b.From) })
	return parts
}

// DamagedError reports that stored bytes are not what was written.
type DamagedError struct{ Detail string }

func (e *DamagedError) Error() string { return "damaged index of texts: " + e.Detail }

// Damaged returns what is wrong; see file.DamagedError.
func (e *DamagedError) Damaged() string { return e.Error() }

func damaged(format string, args ...any) error {
	return &DamagedError{Detail: fmt.Sprintf(format, args...)}
}
