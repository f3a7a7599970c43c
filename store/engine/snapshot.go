package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/statistics"
)

// Snapshot is an immutable state of the store, for use by one goroutine. Close it soon:
// as long as it is open, pages that are rewritten can't be reused.
type Snapshot struct {
	reading
	*dict.Reader // Term, ID, Texts
	end          file.Mark
	file         *file.File
	graphs       map[dict.ID]*view
	census       *statistics.Census
	labels       map[string]string
	terms        *dict.Cache              // of Reader
	guard        func(func() error) error // Store.Guard; nil in a unit of work
	noTexts      bool                     // do not use the index of texts
	textRanges   map[textQuery]textAnswer
}

// Snapshot opens a snapshot of the current state.
func (s *Store) Snapshot() (*Snapshot, error) {
	select {
	case <-s.closing:
		return nil, errClosing
	default: // still open
	}
	snap := &Snapshot{file: s.file, graphs: map[dict.ID]*view{}, census: s.census, labels: s.labels, terms: s.terms, guard: s.Guard, noTexts: s.indexing.TextIndex == TextIndexOff}
	err := s.Guard(func() (err error) {
		if snap.reading, snap.end, err = s.begin(); err != nil {
			return fmt.Errorf("beginning to read: %w", err)
		}
		snap.Reader = snap.dictionary(s.terms)
		return nil
	})
	if err != nil {
		if snap.bolt != nil {
			snap.Close()
		}
		return nil, err
	}
	return snap, nil
}

// Snapshots returns the number of open snapshots.
func (s *Store) Snapshots() int { return s.file.Readers() }

// begin begins to read what is on the disk.
func (s *Store) begin() (r reading, end file.Mark, err error) {
	for {
		tx, err := s.file.Begin(false)
		if err != nil {
			return r, end, err
		}
		durable := s.queue.durable.Load()
		if levels, ok := durable.above(tx); ok {
			return reading{tx, levels}, durable.end, nil
		}
		s.file.End(tx) // a flush ended meanwhile
	}
}

// Close closes the snapshot. It may be called twice. Any other use of a closed snapshot
// panics.
func (s *Snapshot) Close() {
	if s.bolt == nil {
		return
	}
	s.file.End(s.bolt)
	s.reading, s.graphs, s.Reader = reading{}, map[dict.ID]*view{}, dict.NewReader(nil, nil, closedTerms{})
}

// view returns what the snapshot sees of graph g, and keeps it.
func (s *Snapshot) view(g dict.ID) *view {
	v, ok := s.graphs[g]
	if !ok {
		v = s.reading.view(g)
		s.graphs[g] = v
	}
	return v
}

// Graphs returns the ids of all graphs that have or had triples. The id of the default
// graph is 0.
func (s *Snapshot) Graphs() []dict.ID {
	out := graphsIn(s.tx())
	for _, l := range s.levels {
		for g := range l.Graphs() {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// graphsIn returns the ids of the graphs that have a bucket.
func graphsIn(tx *bolt.Tx) (out []dict.ID) {
	if graphs := tx.Bucket(graphsName); graphs != nil {
		_ = graphs.ForEachBucket(func(k []byte) error {
			if len(k) == 8 {
				out = append(out, dict.ID(binary.BigEndian.Uint64(k)))
			}
			return nil
		})
	}
	return out
}

// Scan iterates over the triples of a graph in a range of one index.
type Scan struct {
	*index.Scan
	Order Order
}

// All yields the subject, predicate and object of each triple. Once reading fails or ctx ends, it yields the error, and ends.
func (s Scan) All(ctx context.Context) iter.Seq2[[3]dict.ID, error] {
	return func(yield func([3]dict.ID, error) bool) {
		for batch := s.Next(); batch != nil && ctx.Err() == nil; batch = s.Next() {
			for _, t := range batch {
				sub, pred, obj := s.Order.Triple(t)
				if !yield([3]dict.ID{sub, pred, obj}, nil) {
					return
				}
			}
		}
		if err := cmp.Or(s.Err(), ctx.Err()); err != nil {
			yield([3]dict.ID{}, err)
		}
	}
}

// pattern returns the index whose tuples can begin with all given ids, and the range of
// these tuples. A zero id stands for any.
func pattern(s, p, o dict.ID) (in Order, lo, hi index.Tuple) {
	best, lo, hi := source.Range(s, p, o)
	return best, lo, hi
}

// Match returns the triples of graph g that have the given ids. A zero id matches any
// term. Graph 0 is the default graph.
func (s *Snapshot) Match(sub, pred, obj, g dict.ID) Scan {
	order, lo, hi := pattern(sub, pred, obj)
	return s.Range(g, order, lo, hi)
}

// Range returns the triples of graph g from lo to hi, inclusive, in one index. Since ids
// of a tag sort like their values, Range can read a time window.
func (s *Snapshot) Range(g dict.ID, order Order, lo, hi index.Tuple) Scan {
	scan := s.view(g).indexes[order].Scan()
	scan.Seek(lo, hi)
	return Scan{scan, order}
}

// Finder returns a finder in one index of graph g. For many short ranges in ascending
// order it is faster than Range.
func (s *Snapshot) Finder(g dict.ID, order Order) *index.Finder {
	return s.view(g).indexes[order].Finder()
}

// Count returns the number of triples that Match would return. The counts of all triples
// and of those with a predicate are stored; others are counted.
func (s *Snapshot) Count(sub, pred, obj, g dict.ID) (int64, error) {
	v := s.view(g)
	if sub == 0 && obj == 0 {
		return v.count(pred), nil
	}
	order, lo, hi := pattern(sub, pred, obj)
	return v.indexes[order].Scan().Count(lo, hi)
}

// Predicates returns the number of triples of each predicate of graph g.
func (s *Snapshot) Predicates(g dict.ID) map[dict.ID]int64 {
	out := map[dict.ID]int64{}
	for _, l := range s.levels {
		l.Counts(g, func(p dict.ID, n int64) { out[p] += n })
	}
	delete(out, 0) // the total
	for _, counts := range s.view(g).counts {
		if counts == nil {
			continue
		}
		_ = counts.ForEach(func(k, v []byte) error {
			if len(k) != 8 || len(v) != 8 {
				return nil // Check reports it
			}
			if id := binary.BigEndian.Uint64(k); id != 0 {
				out[dict.ID(id)] += int64(binary.BigEndian.Uint64(v))
			}
			return nil
		})
	}
	maps.DeleteFunc(out, func(_ dict.ID, n int64) bool { return n == 0 })
	return out
}

// Triple returns the terms of a triple.
func (s *Snapshot) Triple(sub, pred, obj dict.ID) (t rdf.Triple, err error) {
	if t.S, err = s.Term(sub); err != nil {
		return t, err
	}
	if t.P, err = s.Term(pred); err != nil {
		return t, err
	}
	t.O, err = s.Term(obj)
	return t, err
}

// RecentTerm returns the term of an id without a snapshot. It reports whether it could:
// the id must encode the term, or the term must have been read recently.
func (s *Store) RecentTerm(id dict.ID) (t rdf.Term, ok bool) {
	t, err := dict.NewReader(nil, s.terms).Term(id)
	return t, err == nil
}
