// Package memory implements a resolver's store in memory, for replays of observations and
// for tests.
package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/rdf"
)

// Store implements resolver.Store. The zero Store is empty and ready to use.
type Store struct {
	// Failing, if not nil, may refuse changes with its error.
	Failing func(changes []resolver.Change) error
	// OnWait, if not nil, is called when a caller waits for a submitted change. If it
	// returns an error, the change is lost.
	OnWait func() error

	mu     sync.RWMutex
	waits  []*waiting // for OnWait: submitted changes, oldest first
	lost   error      // until Forget
	blocks []block    // in order; none is empty
	quads  map[rdf.Quad]struct{}
}

// block is a run of records in key order.
type block []resolver.Record

const maxBlock = 512 // records; a longer block is split

// Get implements resolver.Store.
func (s *Store) Get(key []byte) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.blocks) == 0 {
		return nil, nil
	}
	b := s.blocks[s.find(key)]
	if i, ok := b.search(key); ok {
		return slices.Clone(b[i].Value), nil
	}
	return nil, nil
}

// Scan implements resolver.Store.
func (s *Store) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.blocks) == 0 {
		return nil
	}
	first := s.find(from)
	i, _ := s.blocks[first].search(from)
	for _, b := range s.blocks[first:] {
		for _, r := range b[i:] {
			if len(to) > 0 && bytes.Compare(r.Key, to) >= 0 || !yield(r.Key, r.Value) {
				return nil
			}
		}
		i = 0
	}
	return nil
}

// waiting is a change that may still be lost, and the previous values.
type waiting struct {
	blocks []block
	quads  map[rdf.Quad]struct{}
	err    error
}

// Submit implements resolver.Store. It keeps its argument.
func (s *Store) Submit(_ context.Context, change resolver.Change) (wait func() error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil {
		return nil, s.lost
	}
	if s.OnWait == nil {
		return func() error { return nil }, s.apply([]resolver.Change{change})
	}
	w := &waiting{quads: maps.Clone(s.quads)}
	for _, b := range s.blocks {
		w.blocks = append(w.blocks, slices.Clone(b))
	}
	if err := s.apply([]resolver.Change{change}); err != nil {
		return nil, err
	}
	s.waits = append(s.waits, w)
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := slices.Index(s.waits, w)
		if at < 0 { // it was stored with a later one, or lost with an earlier one
			return w.err
		}
		if err := s.OnWait(); err != nil {
			s.blocks, s.quads = w.blocks, w.quads
			for _, lost := range s.waits[at:] {
				lost.err = err
			}
			s.waits, s.lost = s.waits[:at], err
			return err
		}
		s.waits = s.waits[at+1:]
		return nil
	}, nil
}

// Forget implements resolver.Store.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = nil
}

// Apply applies changes, all or none.
func (s *Store) Apply(_ context.Context, changes []resolver.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.apply(changes)
}

func (s *Store) apply(changes []resolver.Change) error {
	if s.Failing != nil {
		if err := s.Failing(changes); err != nil {
			return err
		}
	}
	if s.quads == nil {
		s.quads = map[rdf.Quad]struct{}{}
	}
	for _, c := range changes {
		if c.Clear {
			s.clear()
		}
		for _, r := range c.Records {
			s.set(r)
		}
		for _, subject := range c.Replace {
			maps.DeleteFunc(s.quads, func(q rdf.Quad, _ struct{}) bool {
				return !q.G.IsZero() && (q.S == subject || q.S.Kind() == rdf.KindIRI && strings.HasPrefix(q.S.Value(), subject.Value()+"/"))
			})
		}
		for _, q := range c.Remove {
			delete(s.quads, q)
		}
		for _, q := range c.Add {
			s.quads[q] = struct{}{}
		}
	}
	return nil
}

// ClearPublished clears the published graph and applies a change. It is an apply function
// for Resolver.Clear and Resolver.ClearPublished.
func (s *Store) ClearPublished(ctx context.Context, c resolver.Change) error {
	for _, q := range s.Quads() {
		if q.G.IsZero() {
			c.Remove = append(c.Remove, q)
		}
	}
	return s.Apply(ctx, []resolver.Change{c})
}

// Quads returns the quads of both graphs, in no particular order.
func (s *Store) Quads() []rdf.Quad {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]rdf.Quad, 0, len(s.quads))
	for q := range s.quads {
		out = append(out, q)
	}
	return out
}

func (s *Store) clear() {
	s.blocks = nil
	for q := range s.quads {
		if !q.G.IsZero() {
			delete(s.quads, q)
		}
	}
}

// find returns the index of the block that contains key or where it belongs. There must
// be a block.
func (s *Store) find(key []byte) int {
	i, found := slices.BinarySearchFunc(s.blocks, key, func(b block, key []byte) int { return bytes.Compare(b[0].Key, key) })
	if !found && i > 0 {
		i--
	}
	return i
}

func (b block) search(key []byte) (int, bool) {
	return slices.BinarySearchFunc(b, key, func(r resolver.Record, key []byte) int { return bytes.Compare(r.Key, key) })
}

func (s *Store) set(r resolver.Record) {
	if len(s.blocks) == 0 {
		if r.Value != nil {
			s.blocks = []block{{r}}
		}
		return
	}
	at := s.find(r.Key)
	b := s.blocks[at]
	i, found := b.search(r.Key)
	switch {
	case r.Value == nil && found:
		if s.blocks[at] = slices.Delete(b, i, i+1); len(b) == 1 {
			s.blocks = slices.Delete(s.blocks, at, at+1)
		}
	case r.Value == nil:
	case found:
		b[i] = r
	default:
		b = slices.Insert(b, i, r)
		s.blocks[at] = b
		if len(b) > maxBlock {
			cut := maxBlock / 2
			if i == len(b)-1 { // ascending keys leave full blocks
				cut = maxBlock
			}
			s.blocks = slices.Insert(s.blocks, at+1, slices.Clone(b[cut:]))
			s.blocks[at] = slices.Clip(b[:cut])
		}
	}
}
