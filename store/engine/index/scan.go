package index

import (
	"bytes"
	"math"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/ids"
)

// Scan iterates over the tuples of an index between two bounds, in order, a block at a
// time.
type Scan struct{ reader[*scanPart] }

// NewScan returns a scan over an index without levels. parts is like Index.Parts.
func NewScan(parts ...*bolt.Bucket) *Scan { return Index{Parts: parts}.Scan() }

// Scan returns a scan over the index.
func (x Index) Scan() *Scan {
	return &Scan{newReader(x, false, func(c *bolt.Cursor) *scanPart { return &scanPart{cursor: c, done: true} })}
}

// scanPart scans one part of an index.
type scanPart struct {
	cursor *bolt.Cursor
	lo, hi Tuple
	buf    []Tuple
	key    []byte
	// the block that Next examines first
	k, v []byte
	done bool
	err  error
}

func (s *scanPart) Seek(lo, hi Tuple) {
	s.lo, s.hi, s.err = lo, hi, nil
	s.key = appendKey(s.key[:0], lo)
	s.k, s.v, _ = floor(s.cursor, s.key)
	s.done = s.k == nil
}

func (s *scanPart) Next() []Tuple {
	for !s.done {
		var beyond bool
		s.buf, beyond, s.err = decode(s.buf[:0], s.k, s.v, &s.lo, &s.hi)
		if s.err != nil {
			break
		}
		if beyond {
			s.done = true
		} else {
			s.advance()
		}
		if len(s.buf) > 0 {
			return s.buf
		}
	}
	s.done = true
	return nil
}

// advance moves to the next block, and ends the scan if it begins after s.hi.
func (s *scanPart) advance() {
	s.k, s.v = s.cursor.Next()
	if s.k == nil {
		s.done = true
		return
	}
	var first Tuple
	if first, s.err = parseKey(s.k); s.err != nil || ids.Less(&s.hi, &first) {
		s.done = true
	}
}

func (s *scanPart) Err() error { return s.err }

// Contains reports whether t is in the index.
func (s *Scan) Contains(t Tuple) (bool, error) {
	s.Seek(t, t)
	found := s.Next() != nil
	return found, s.Err()
}

// Count returns the number of tuples in [lo, hi]. It decodes only the first and the last
// block and the entries of the levels. The other blocks store their numbers.
func (s *Scan) Count(lo, hi Tuple) (int64, error) {
	var n int64
	for _, p := range s.parts {
		more, err := p.count(lo, hi)
		if err != nil {
			return 0, err
		}
		n += more
	}
	if s.over != nil {
		n += s.over.difference(lo, hi, math.MaxInt)
	}
	return n, nil
}

// count returns the number of tuples from lo to hi in this part. It decodes only the first and the last block: the
// others say how many they have.
func (s *scanPart) count(lo, hi Tuple) (int64, error) {
	s.Seek(lo, hi)
	if s.done {
		return 0, s.err
	}
	n := int64(len(s.Next()))
	for !s.done {
		k, v := s.k, s.v
		s.advance()
		if s.done { // k is the last block that begins within the bounds
			if s.err != nil {
				return 0, s.err
			}
			s.buf, _, s.err = decode(s.buf[:0], k, v, &s.lo, &s.hi)
			return n + int64(len(s.buf)), s.err
		}
		m, err := blockLen(k, v)
		if err != nil {
			return 0, err
		}
		n += int64(m)
	}
	return n, s.err
}

// Estimate returns about how many tuples are in [lo, hi]. The bounds must begin with the
// same id. The result is exact if the tuples are in few blocks. Otherwise Estimate
// assumes that second ids are as dense everywhere as at the beginning. If all second ids
// there are equal, the result is too large, but at most 2^48. The work is bounded.
func (s *Scan) Estimate(lo, hi Tuple) (int64, error) {
	var n int64
	for _, p := range s.parts {
		more, err := p.estimate(lo, hi)
		if err != nil {
			return 0, err
		}
		n = min(n+more, 1<<48)
	}
	if s.over != nil {
		n = max(0, n+s.over.difference(lo, hi, maxEstimated))
	}
	return n, nil
}

// maxEstimated is the largest number of entries of a level that an estimate examines.
const maxEstimated = 1 << 10

// estimate returns about the number of tuples from lo to hi in this part. If there are many, it assumes that tuples
// are spread over the second id as they are in the first blocks.
func (s *scanPart) estimate(lo, hi Tuple) (int64, error) {
	const most = 16 // blocks
	s.Seek(lo, hi)
	var n int64
	var first, last uint64
	for i := 0; i < most; i++ {
		tuples := s.Next()
		if tuples == nil {
			return n, s.err
		}
		if i == 0 {
			first = tuples[0][1]
		}
		last = tuples[len(tuples)-1][1]
		n += int64(len(tuples))
	}
	if s.done {
		return n, s.err
	}
	s.key = appendKey(s.key[:0], hi)
	k, v, _ := floor(s.cursor, s.key)
	s.buf, _, s.err = decode(s.buf[:0], k, v, &lo, &hi)
	s.done = true
	if s.err != nil || len(s.buf) == 0 {
		return n, s.err
	}
	end := s.buf[len(s.buf)-1][1]
	return int64(min(float64(n)*float64(end-first)/max(1, float64(last-first)), 1<<48)), nil
}

// floor moves c to the block that would hold the tuple with a key: the last block whose key is not greater, or else
// the first. It also returns the key of the following block, if it saw it. It calls First because of pages that a
// transaction emptied, which stay in its tree until it commits: there, bbolt's Prev returns nil, and its Last loops
// if all pages are empty.
func floor(c *bolt.Cursor, key []byte) (k, v, next []byte) {
	next, v = c.Seek(key)
	if bytes.Equal(next, key) {
		return next, v, nil
	}
	if next != nil {
		if k, v = c.Prev(); k != nil {
			return k, v, next
		}
	}
	first, v := c.First()
	switch {
	case first == nil, bytes.Compare(first, key) > 0:
		return first, v, nil
	case next == nil:
		k, v = c.Last()
		return k, v, nil
	}
	c.Seek(key)
	for k, v = c.Prev(); k == nil; {
		k, v = c.Prev()
	}
	return k, v, next
}
