package text

import (
	"cmp"
	"math"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/trigram"
)

// Search returns the blocks of a segment that may have a text that q matches. q must not
// be nil.
func (s Segment) Search(b *bolt.Bucket, q *trigram.Query) (Blocks, error) {
	x := search{n: s.Blocks(), walk: walk{cursor: b.Cursor()}}
	set, err := x.query(q)
	if err == nil {
		err = x.add(set, anyTrigram)
	}
	return set, err
}

type search struct {
	n    int
	walk walk
}

// find returns the posting list of a trigram, nil if no block has the trigram.
func (x *search) find(t trigram.Trigram) (posting, error) {
	if x.walk.seek(t); x.walk.done || x.walk.t != t {
		return nil, x.walk.err
	}
	return x.walk.list, nil
}

func (x *search) add(set Blocks, t trigram.Trigram) error {
	list, err := x.find(t)
	if err != nil || list == nil {
		return err
	}
	return list.addTo(set, 0, x.n)
}

func (x *search) query(q *trigram.Query) (Blocks, error) {
	if q.Any {
		return x.any(q)
	}
	return x.all(q)
}

// any returns the blocks that may match at least one trigram or operand of a query.
func (x *search) any(q *trigram.Query) (Blocks, error) {
	set := newBlocks(x.n)
	for _, t := range q.Trigrams {
		if err := x.add(set, t); err != nil {
			return nil, err
		}
	}
	for _, sub := range q.Sub {
		found, err := x.query(sub)
		if err != nil {
			return nil, err
		}
		set.or(found)
	}
	return set, nil
}

// all returns the blocks that may match all trigrams and operands of a query. It starts with the shortest lists.
func (x *search) all(q *trigram.Query) (Blocks, error) {
	lists := make([]posting, len(q.Trigrams))
	for i, t := range q.Trigrams {
		var err error
		if lists[i], err = x.find(t); err != nil || lists[i] == nil { // no block has this trigram
			return newBlocks(x.n), err
		}
	}
	slices.SortFunc(lists, func(a, b posting) int { return cmp.Compare(a.count(), b.count()) })
	set := allBlocks(x.n)
	one := newBlocks(x.n)
	for _, list := range lists {
		clear(one)
		if err := list.addTo(one, 0, x.n); err != nil {
			return nil, err
		}
		if set.and(one); set.empty() {
			return set, nil
		}
	}
	for _, sub := range q.Sub {
		found, err := x.query(sub)
		if err != nil {
			return nil, err
		}
		if set.and(found); set.empty() {
			break
		}
	}
	return set, nil
}

// Sum returns the same checksum of a segment's blocks as Builder.Sum, and verifies that
// the segment's trigrams are sorted.
func (s Segment) Sum(b *bolt.Bucket) (sum uint64, err error) {
	w := walk{cursor: b.Cursor()}
	w.open(w.cursor.First())
	set, first := newBlocks(s.Blocks()), true
	var last trigram.Trigram
	for w.next(); !w.done; w.next() {
		if !first && w.t <= last {
			return 0, damaged("trigrams are not sorted")
		}
		first, last = false, w.t
		clear(set)
		if err := w.list.addTo(set, 0, s.Blocks()); err != nil {
			return 0, err
		}
		set.Each(func(i int) { sum += hash(w.t, s.From+uint64(i)) })
	}
	return sum, w.err
}

// Covers returns a DamagedError if a search in the segment's bucket would miss a trigram of b's blocks, whose first has the
// number first.
func (s Segment) Covers(in *bolt.Bucket, b *Builder, first uint64) error {
	x := search{n: s.Blocks(), walk: walk{cursor: in.Cursor()}}
	whole, set := newBlocks(x.n), newBlocks(x.n)
	if err := x.add(whole, anyTrigram); err != nil {
		return err
	}
	slices.Sort(b.pairs)
	last := uint64(math.MaxUint64)
	for _, p := range b.pairs {
		if t := p >> 32; t != last {
			last = t
			copy(set, whole)
			if err := x.add(set, trigram.Trigram(t)); err != nil {
				return err
			}
		}
		if i := first - s.From + uint64(uint32(p)); set[i/64]>>(i%64)&1 == 0 {
			return damaged("it lacks trigrams of its texts")
		}
	}
	return nil
}
