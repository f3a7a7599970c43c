package index

import (
	"bytes"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/orders"
)

// Sorter sorts any number of tuples and removes duplicates. It holds them packed, as in
// an index, in sorted runs of about six bytes for each tuple. It may be used by one
// goroutine only. The zero Sorter is ready to use.
type Sorter struct {
	buffer []Tuple
	packed []byte
	runs   []*packedRun // once begun, a heap ordered by their next tuples
	begun  bool
	last   Tuple // last returned tuple; zero at first, because no tuple is zero
	out    []Tuple
	err    error
}

// sortedAtOnce is the number of tuples of a run.
const sortedAtOnce = 1 << 16

// packedRun is the rest of a run: its next tuples, and packed blocks, each preceded by
// its length.
type packedRun struct {
	block, buffer []Tuple
	rest          []byte
}

// Add adds a tuple. Add must not be called after Next.
func (s *Sorter) Add(t Tuple) {
	if s.buffer == nil {
		s.buffer = make([]Tuple, 0, 1<<10)
	}
	if s.buffer = append(s.buffer, t); len(s.buffer) == sortedAtOnce {
		s.pack()
	}
}

// pack makes the buffer a run.
func (s *Sorter) pack() {
	orders.Sort(s.buffer, 3)
	ts := slices.Compact(s.buffer)
	s.packed = s.packed[:0]
	for block := range slices.Chunk(ts, MaxRun) {
		text := Pack(block)
		s.packed = varint.AppendString(s.packed, text)
	}
	s.runs = append(s.runs, &packedRun{rest: bytes.Clone(s.packed)})
	s.buffer = s.buffer[:0]
}

// Next returns the next tuples in order, at least one, or nil at the end or on an error.
// The slice is valid until the next call.
func (s *Sorter) Next() []Tuple {
	if !s.begun {
		s.begin()
	}
	s.out = s.out[:0]
	for len(s.out) < MaxRun && len(s.runs) > 0 && s.err == nil {
		top := s.runs[0]
		if t := top.block[0]; t != s.last {
			s.out = append(s.out, t)
			s.last = t
		}
		top.block = top.block[1:]
		if len(top.block) == 0 && !s.load(top) { // the run has ended: the last one takes its place
			end := len(s.runs) - 1
			s.runs[0], s.runs[end] = s.runs[end], nil
			s.runs = s.runs[:end]
		}
		s.sink(0)
	}
	if len(s.out) == 0 || s.err != nil {
		return nil
	}
	return s.out
}

// begin makes a heap of the runs.
func (s *Sorter) begin() {
	if len(s.buffer) > 0 {
		s.pack()
	}
	s.begun, s.buffer, s.packed = true, nil, nil
	for _, r := range s.runs {
		s.load(r)
	}
	for i := len(s.runs)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
}

// load unpacks the next block of a run. It reports false at the end of the run and on an
// error.
func (s *Sorter) load(r *packedRun) bool {
	n, rest, ok := varint.Cut(r.rest)
	if !ok {
		return false
	}
	text := rest[:n]
	r.rest = rest[n:]
	r.buffer, s.err = Unpack(r.buffer[:0], text)
	r.block = r.buffer
	return s.err == nil
}

// sink moves the run at i down the heap.
func (s *Sorter) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.runs); child++ {
			if ids.Less(&s.runs[child].block[0], &s.runs[least].block[0]) {
				least = child
			}
		}
		if least == i {
			return
		}
		s.runs[i], s.runs[least] = s.runs[least], s.runs[i]
		i = least
	}
}

// Err returns the error that ended Next, or nil.
func (s *Sorter) Err() error { return s.err }
