// Package memory implements a resolver's store in memory, for replays of observations and
// for tests.
package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/tidwall/btree"

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

	mu      sync.RWMutex
	waits   []*waiting // for OnWait: submitted changes, oldest first
	lost    error      // until Reset
	records *records   // nil until the first change
	quads   map[rdf.Quad]struct{}
}

// records are sorted by key.
type records = btree.BTreeG[resolver.Record]

func newRecords() *records {
	less := func(a, b resolver.Record) bool { return bytes.Compare(a.Key, b.Key) < 0 }
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

// Get implements resolver.Store.
func (s *Store) Get(key []byte) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.records == nil {
		return nil, nil
	}
	r, _ := s.records.Get(resolver.Record{Key: key})
	return slices.Clone(r.Value), nil
}

// Scan implements resolver.Store.
func (s *Store) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.records != nil {
		s.records.Ascend(resolver.Record{Key: from}, func(r resolver.Record) bool {
			return (len(to) == 0 || bytes.Compare(r.Key, to) < 0) && yield(r.Key, r.Value)
		})
	}
	return nil
}

// waiting is a change that may still be lost, and the previous values.
type waiting struct {
	records *records
	quads   map[rdf.Quad]struct{}
	err     error
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
	if s.records != nil {
		w.records = s.records.Copy()
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
			s.records, s.quads = w.records, w.quads
			for _, lost := range s.waits[at:] {
				lost.err = err
			}
			s.waits, s.lost = nil, err // those before are stored, since a store keeps the order
			return err
		}
		s.waits = s.waits[at+1:]
		return nil
	}, nil
}

// Reset implements resolver.Store.
func (s *Store) Reset() {
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

// apply makes changes. Failing, if set, may refuse them, for tests.
func (s *Store) apply(changes []resolver.Change) error {
	if s.Failing != nil {
		if err := s.Failing(changes); err != nil {
			return err
		}
	}
	if s.records == nil {
		s.records = newRecords()
	}
	if s.quads == nil {
		s.quads = map[rdf.Quad]struct{}{}
	}
	for _, c := range changes {
		if c.Clear {
			s.clear()
		}
		for _, r := range c.Records {
			if r.Value == nil {
				s.records.Delete(r)
			} else {
				s.records.Set(r)
			}
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

// clear removes all records and the graph of contexts, but no quads of the published graph.
func (s *Store) clear() {
	s.records = newRecords()
	for q := range s.quads {
		if !q.G.IsZero() {
			delete(s.quads, q)
		}
	}
}
