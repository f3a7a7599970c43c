package memory

import (
	"cmp"
	"slices"
)

// tuple holds the ids of a triple, in the order of an index.
type tuple = [3]uint64

func compare(a, b tuple) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
}

// set is a sorted set of tuples in blocks. Sets and blocks are immutable, so a modified
// copy shares most blocks with the original.
type set struct {
	blocks [][]tuple // no block is empty
	size   int
}

// maxBlock is the largest number of tuples of a block.
const maxBlock = 512

// edit returns the set with some tuples added or removed. tuples is sorted. All tuples to
// add must be missing from the set, and all to remove must be in it.
func (s set) edit(tuples []tuple, remove bool) set {
	out := set{blocks: make([][]tuple, 0, len(s.blocks)+len(tuples)/maxBlock+1)}
	for i, b := range s.blocks {
		here := tuples // tuples that belong before the next block
		if i+1 < len(s.blocks) {
			n, _ := slices.BinarySearchFunc(tuples, s.blocks[i+1][0], compare)
			here = tuples[:n]
		}
		tuples = tuples[len(here):]
		switch {
		case len(here) == 0:
		case remove:
			b = without(b, here)
		default:
			b = merge(b, here)
		}
		out.put(b)
	}
	out.put(tuples) // the set was empty
	return out
}

// put appends a block, split if it is too large, and merged with the last block if both
// are small.
func (s *set) put(b []tuple) {
	if len(b) == 0 {
		return
	}
	s.size += len(b)
	if n := len(s.blocks); n > 0 && len(s.blocks[n-1])+len(b) <= maxBlock/2 {
		s.blocks[n-1] = slices.Concat(s.blocks[n-1], b)
		return
	}
	pieces := (len(b) + maxBlock - 1) / maxBlock
	for piece := range slices.Chunk(b, (len(b)+pieces-1)/pieces) {
		s.blocks = append(s.blocks, piece)
	}
}

func merge(a, b []tuple) []tuple {
	out := make([]tuple, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compare(a[0], b[0]) < 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

func without(a, b []tuple) []tuple {
	out := make([]tuple, 0, len(a)-len(b))
	for _, t := range a {
		if len(b) > 0 && t == b[0] {
			b = b[1:]
			continue
		}
		out = append(out, t)
	}
	return out
}

// position is the position of a tuple in a set: its block and its index there.
type position struct{ block, at int }

// find returns the position of the first tuple not less than t.
func (s set) find(t tuple) position {
	block, _ := slices.BinarySearchFunc(s.blocks, t, func(b []tuple, t tuple) int { return compare(b[len(b)-1], t) })
	if block == len(s.blocks) {
		return position{block, 0}
	}
	at, _ := slices.BinarySearchFunc(s.blocks[block], t, compare)
	return position{block, at}
}

// after returns the position of the first tuple greater than t.
func (s set) after(t tuple) position {
	p := s.find(t)
	if p.block < len(s.blocks) && s.blocks[p.block][p.at] == t {
		if p.at++; p.at == len(s.blocks[p.block]) {
			p = position{p.block + 1, 0}
		}
	}
	return p
}

func (s set) has(t tuple) bool {
	p := s.find(t)
	return p.block < len(s.blocks) && s.blocks[p.block][p.at] == t
}

// count returns how many tuples are in [lo, hi].
func (s set) count(lo, hi tuple) int {
	if compare(lo, hi) > 0 {
		return 0
	}
	from, to := s.find(lo), s.after(hi)
	n := to.at - from.at
	for i := from.block; i < to.block; i++ {
		n += len(s.blocks[i])
	}
	return n
}

// scan iterates over a range of a set, forwards or backwards (eval.Scan).
type scan struct {
	set       set
	backwards bool
	from, to  position
	buffer    []tuple
}

func (s *scan) Seek(lo, hi [3]uint64) { s.from, s.to = s.set.find(lo), s.set.after(hi) }

func (s *scan) Next() [][3]uint64 {
	for s.from.block < s.to.block || s.from.block == s.to.block && s.from.at < s.to.at {
		var part []tuple
		if s.backwards {
			part = s.last()
		} else {
			part = s.first()
		}
		if len(part) > 0 {
			return part
		}
	}
	return nil
}

// first returns the rest of the first block.
func (s *scan) first() []tuple {
	b := s.set.blocks[s.from.block]
	if s.from.block == s.to.block {
		b = b[:s.to.at]
	}
	b = b[s.from.at:]
	s.from = position{s.from.block + 1, 0}
	return b
}

// last returns the rest of the last block, from its end.
func (s *scan) last() []tuple {
	if s.to.at == 0 {
		s.to = position{s.to.block - 1, len(s.set.blocks[s.to.block-1])}
	}
	b := s.set.blocks[s.to.block][:s.to.at]
	if s.from.block == s.to.block {
		b = b[s.from.at:]
	}
	s.to.at = 0
	s.buffer = append(s.buffer[:0], b...)
	slices.Reverse(s.buffer)
	return s.buffer
}

func (s *scan) Err() error { return nil }
