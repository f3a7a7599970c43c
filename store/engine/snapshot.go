package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/eval"
)

// Snapshot is one moment of the store, unchanged by what is written after it. It belongs to one
// goroutine. It must be closed soon: pages that are written anew meanwhile can't be used
// again before.
type Snapshot struct {
	*dict.Reader // Term, ID, Texts
	bolt         *bolt.Tx
	graphs       map[dict.ID]*view
	census       *eval.Census
	labels       map[string]string
	variants     variants // under whose first ids the graphs are read
	varied       bool     // lists of logs may hold variants
	firsts       variants // of those that were looked up
}

// view is a graph as a snapshot reads it. The buckets of a graph that is not there are nil.
type view struct {
	indexes [orders.Count]index.Index // of the graph and of its parts
	counts  []*bolt.Bucket
	folded  map[dict.ID]int64 // what levels add to counts
}

// Snapshot begins reading.
func (s *Store) Snapshot() (*Snapshot, error) {
	select {
	case <-s.closing:
		return nil, errClosing
	default:
	}
	tx, err := s.begin()
	if err != nil {
		s.met(err)
		return nil, fmt.Errorf("beginning to read: %w", err)
	}
	snap := &Snapshot{bolt: tx, graphs: map[dict.ID]*view{}, census: s.census, labels: s.labels}
	err = s.Guard(func() error {
		snap.Reader = dict.NewReader(tx.Bucket(dictName), s.terms)
		snap.varied = foldState(tx) != neverVaried
		v, err := s.variantsIn(tx)
		if err != nil {
			return err
		}
		return snap.fold(v)
	})
	if err != nil {
		snap.Close()
		return nil, err
	}
	return snap, nil
}

// Snapshots returns how many snapshots are open.
func (s *Store) Snapshots() int { return s.file.DB.Stats().OpenTxN }

// begin begins reading at a moment in which no quads are late, if that can be had: of a file that is only
// read, and where nothing can be written, the moment is as it is. Where settling was cut short, one index of the graph of
// contexts may then have what another has not.
func (s *Store) begin() (tx *bolt.Tx, err error) {
	if tx, err = s.file.Begin(false); err != nil || s.readOnly {
		return tx, err
	}
	behind := false
	err = s.Guard(func() error { behind = isLate(tx); return nil })
	if err == nil && !behind {
		return tx, nil
	}
	_ = tx.Rollback() // it would keep pages while it waits
	if err != nil {
		return nil, err
	}
	w := &write{settles: true, after: func() { tx, err = s.file.Begin(false) }}
	if failed := s.update(context.Background(), w); failed != nil || err != nil {
		return s.file.Begin(false)
	}
	return tx, nil
}

// Close ends the snapshot. Closing twice is allowed.
func (s *Snapshot) Close() {
	_ = s.bolt.Rollback() // the one error is that it was closed before
}

// KV returns the snapshot's buckets.
func (s *Snapshot) KV() kv.Reader { return kv.OnBolt(s.bolt) }

func (s *Snapshot) view(g dict.ID) *view {
	if v, ok := s.graphs[g]; ok {
		return v
	}
	v := &view{}
	if graphs := s.bolt.Bucket(graphsName); graphs != nil {
		if b := graphs.Bucket(idKey(g)); b != nil {
			v.take(b)
			if parts := b.Bucket(partsName); parts != nil {
				_ = parts.ForEachBucket(func(k []byte) error { v.take(parts.Bucket(k)); return nil })
			}
		}
	}
	s.graphs[g] = v
	return v
}

// take adds the indexes and counts in bucket b.
func (v *view) take(b *bolt.Bucket) {
	for i, name := range indexNames {
		v.indexes[i].Parts = append(v.indexes[i].Parts, b.Bucket(name))
	}
	v.counts = append(v.counts, b.Bucket(countsName))
}

// count returns the number of triples, of one predicate or of all.
func (v *view) count(predicate dict.ID) (n int64) {
	for _, counts := range v.counts {
		n += readCount(counts, predicate)
	}
	return n + v.folded[predicate]
}

// Graphs gives the ids of all graphs that hold or held triples, the default graph's, 0, among them.
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
	return out
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

// Match gives the triples of graph g, 0 being the default graph, with the given ids; a zero
// id matches any.
func (s *Snapshot) Match(sub, pred, obj, g dict.ID) Scan {
	order, lo, hi := pattern(sub, pred, obj)
	return s.Range(g, order, lo, hi)
}

// Range gives the triples of graph g that lie between two tuples, both included, of an index.
// With ids that compare as values do, it is how a time window is read.
func (s *Snapshot) Range(g dict.ID, order Order, lo, hi index.Tuple) Scan {
	scan := s.view(g).indexes[order].Scan()
	scan.Seek(lo, hi)
	return Scan{scan, order}
}

// Finder returns a finder in an index of graph g. It is faster than Range for many short ranges in order.
func (s *Snapshot) Finder(g dict.ID, order Order) *index.Finder {
	return s.view(g).indexes[order].Finder()
}

// Count gives the number of triples that Match would give. All triples, and all of one predicate,
// are known without a look at the indexes.
func (s *Snapshot) Count(sub, pred, obj, g dict.ID) (int64, error) {
	v := s.view(g)
	if sub == 0 && obj == 0 {
		return v.count(pred), nil
	}
	order, lo, hi := pattern(sub, pred, obj)
	return v.indexes[order].Scan().Count(lo, hi)
}

// Predicates gives the predicates of graph g and how many triples each has.
func (s *Snapshot) Predicates(g dict.ID) map[dict.ID]int64 {
	out := map[dict.ID]int64{}
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

// Triple gives the terms of a triple.
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

// RecentTerm returns the term of an id without a snapshot, if the id itself holds it or it was read lately.
func (s *Store) RecentTerm(id dict.ID) (t rdf.Term, ok bool) {
	t, err := dict.NewReader(nil, s.terms).Term(id)
	return t, err == nil
}
