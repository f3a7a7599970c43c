package engine

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/eval"
)

// Snapshot is one moment of the store, unchanged by what is written after it. It belongs
// to one goroutine. It must be closed soon: pages that are written anew meanwhile can't
// be used again before.
type Snapshot struct {
	reading
	*dict.Reader // Term, ID, Texts
	end          file.Mark
	graphs       map[dict.ID]*view
	census       *eval.Census
	labels       map[string]string
	variants     variants // under whose first ids the graphs are read
	varied       bool     // lists of logs may hold variants
	firsts       variants // of those that were looked up
	noTexts      bool     // the index of texts is off
	textRanges   map[textQuery]textAnswer
}

// Snapshot begins reading.
func (s *Store) Snapshot() (*Snapshot, error) {
	select {
	case <-s.closing:
		return nil, errClosing
	default:
	}
	snap := &Snapshot{graphs: map[dict.ID]*view{}, census: s.census, labels: s.labels, noTexts: s.indexing.TextIndex == TextIndexOff}
	err := s.Guard(func() (err error) {
		if snap.reading, snap.end, err = s.begin(); err != nil {
			return fmt.Errorf("beginning to read: %w", err)
		}
		snap.Reader = snap.dictionary(s.terms)
		snap.varied = foldState(kv.OnBolt(snap.bolt)) != neverVaried
		v, err := s.variantsIn(snap.bolt)
		if err != nil {
			return err
		}
		return snap.fold(v)
	})
	if err != nil {
		if snap.bolt != nil {
			snap.Close()
		}
		return nil, err
	}
	return snap, nil
}

// Snapshots returns how many snapshots are open.
func (s *Store) Snapshots() int { return s.file.DB.Stats().OpenTxN }

// begin begins reading what is on the disk.
func (s *Store) begin() (r reading, end file.Mark, err error) {
	for {
		tx, err := s.file.Begin(false)
		if err != nil {
			return r, end, err
		}
		durable := s.durable.Load()
		if levels, ok := durable.above(tx); ok {
			return reading{tx, levels}, durable.end, nil
		}
		_ = tx.Rollback() // a flush ended meanwhile
	}
}

// Close ends the snapshot. Closing twice is allowed.
func (s *Snapshot) Close() {
	_ = s.bolt.Rollback() // the one error is that it was closed before
}

func (s *Snapshot) view(g dict.ID) *view {
	v, ok := s.graphs[g]
	if !ok {
		v = s.reading.view(g)
		s.graphs[g] = v
	}
	return v
}

// Graphs returns the ids of all graphs that hold or held triples, the default graph's, 0,
// among them.
func (s *Snapshot) Graphs() []dict.ID {
	var out []dict.ID
	if graphs := s.bolt.Bucket(graphsName); graphs != nil {
		_ = graphs.ForEachBucket(func(k []byte) error {
			if len(k) == 8 {
				out = append(out, dict.ID(binary.BigEndian.Uint64(k)))
			}
			return nil
		})
	}
	for _, l := range s.levels {
		for g := range l.Graphs() {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Scan walks triples of one graph that match a pattern, in the order of one index.
type Scan struct {
	*index.Scan
	Order Order
}

// pattern chooses the index that begins with the ids that are given, of which zero is none.
func pattern(s, p, o dict.ID) (in Order, lo, hi index.Tuple) {
	best, lo, hi := eval.Range(eval.ID(s), eval.ID(p), eval.ID(o))
	return Order(best), lo, hi
}

// Match returns the triples of graph g, 0 being the default graph, with the given ids; a
// zero id matches any.
func (s *Snapshot) Match(sub, pred, obj, g dict.ID) Scan {
	order, lo, hi := pattern(sub, pred, obj)
	return s.Range(g, order, lo, hi)
}

// Range returns the triples of graph g that lie between two tuples, both included, of an
// index. With ids that compare as values do, it is how a time window is read.
func (s *Snapshot) Range(g dict.ID, order Order, lo, hi index.Tuple) Scan {
	scan := s.view(g).indexes[order].Scan()
	scan.Seek(lo, hi)
	return Scan{scan, order}
}

// Finder returns a finder in an index of graph g. It is faster than Range for many short
// ranges in order.
func (s *Snapshot) Finder(g dict.ID, order Order) *index.Finder {
	return s.view(g).indexes[order].Finder()
}

// Count returns the number of triples that Match would give. All triples, and all of one
// predicate, are known without a look at the indexes.
func (s *Snapshot) Count(sub, pred, obj, g dict.ID) (int64, error) {
	v := s.view(g)
	if sub == 0 && obj == 0 {
		return v.count(pred), nil
	}
	order, lo, hi := pattern(sub, pred, obj)
	return v.indexes[order].Scan().Count(lo, hi)
}

// Predicates returns the predicates of graph g and how many triples each has.
func (s *Snapshot) Predicates(g dict.ID) map[dict.ID]int64 {
	out := map[dict.ID]int64{}
	for _, l := range s.levels {
		l.Counts(g, func(p dict.ID, n int64) { out[p] += n })
	}
	delete(out, 0) // the sum
	for _, counts := range s.view(g).counts {
		if counts == nil {
			continue
		}
		_ = counts.ForEach(func(k, v []byte) error {
			if len(k) != 8 || len(v) != 8 {
				return nil // Check tells
			}
			if id := binary.BigEndian.Uint64(k); id != 0 {
				out[dict.ID(id)] += int64(binary.BigEndian.Uint64(v))
			}
			return nil
		})
	}
	for p, n := range s.view(g).folded {
		if p != 0 {
			out[p] += n
		}
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

// RecentTerm returns the term of an id without a snapshot, if the id itself holds it or
// it was read lately.
func (s *Store) RecentTerm(id dict.ID) (t rdf.Term, ok bool) {
	t, err := dict.NewReader(nil, s.terms).Term(id)
	return t, err == nil
}
