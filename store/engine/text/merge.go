package text

import (
	"encoding/binary"
	"math"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/trigram"
)

// mergeAt is the least number of segments to merge.
const mergeAt = 8

// ToMerge returns the segment, without its number, that finished segments of a tag are to
// be merged into. ok is false if there is nothing to merge. It merges consecutive segments
// once there are mergeAt of them and none has more blocks than all later ones together. So
// segments stay few, and a block moves only when the number of blocks has doubled.
func ToMerge(list []Segment, tag int) (s Segment, ok bool) {
	parts := Merging(list, Segment{Tag: tag, To: math.MaxUint64})
	for end := len(parts); end >= mergeAt; end-- {
		last := parts[end-1]
		s = Segment{Tag: tag, From: last.From, To: last.To, Unfinished: true}
		begin := end - 1
		for ; begin > 0; begin-- {
			before := parts[begin-1]
			if before.To != s.From || before.Blocks() > s.Blocks() || s.To-before.From > maxBlocks {
				break
			}
			s.From = before.From
		}
		if end-begin >= mergeAt {
			return s, true
		}
	}
	return Segment{}, false
}

// Part is a finished segment and its bucket.
type Part struct {
	Segment
	*bolt.Bucket
}

// Merge merges consecutive parts. It returns about the given number of bytes of the
// result, which continue the content of the bucket into. into may be nil. done reports
// whether the result is complete.
func Merge(parts []Part, into *bolt.Bucket, bytes int) (pairs []Pair, done bool, err error) {
	from, err := behindLast(into)
	if err != nil {
		return nil, false, err
	}
	n := 0
	walks := make([]walk, len(parts))
	for i, p := range parts {
		walks[i].cursor = p.Cursor()
		walks[i].seek(from)
		n += p.Blocks()
	}
	p := newPacker(n)
	var list []byte
	set := newBlocks(n)
	for p.size < bytes {
		least := anyTrigram + 1 // no trigram
		for i := range walks {
			if w := &walks[i]; w.err != nil {
				return nil, false, w.err
			} else if !w.done {
				least = min(least, w.t)
			}
		}
		done = least > anyTrigram
		if done {
			break
		}
		clear(set)
		first := 0
		for i := range walks {
			w := &walks[i]
			if !w.done && w.t == least {
				if err := w.list.addTo(set, first, parts[i].Blocks()); err != nil {
					return nil, false, err
				}
				w.next()
			}
			first += parts[i].Blocks()
		}
		list = appendPosting(list[:0], set, n)
		p.add(least, list)
	}
	p.flush()
	return p.pairs, done, nil
}

// behindLast returns the trigram after the last one in a bucket, or 0 for an empty
// bucket.
func behindLast(b *bolt.Bucket) (trigram.Trigram, error) {
	if b == nil {
		return 0, nil
	}
	k, _ := b.Cursor().Last()
	if len(k) != 4 {
		return 0, nil
	}
	w := walk{cursor: b.Cursor()}
	last := trigram.Trigram(binary.BigEndian.Uint32(k))
	for w.seek(last); !w.done; w.next() {
		last = w.t
	}
	return last + 1, w.err
}
