package engine

import (
	"encoding/binary"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/orders"
)

// A large document is prepared in a part, with its own indexes and counts (see
// staged.go). A short transaction makes the part one of the graph's. Readers read the
// graph's indexes and its parts together (view.take). Later the tidier moves the triples
// to the graph's own indexes, in steps, so that no long transaction costs memory or
// delays other writers.
//
// A triple is in the graph's own index or in one part, never in two. This holds for each
// order separately, so each order moves separately. A count is the sum over the graph and
// its parts, so counts move separately too.
var partsName = []byte("parts")

// openParts opens the parts of the graph in bucket b, oldest first.
func openParts(b *bolt.Bucket) (out []*indexed, err error) {
	parts := b.Bucket(partsName)
	if parts == nil {
		return nil, nil
	}
	err = parts.ForEachBucket(func(k []byte) error {
		part, err := openIndexed(parts.Bucket(k))
		out = append(out, &part)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("opening the parts of a graph: %w", err)
	}
	return out, nil
}

// all returns an index of a graph and of its parts.
func (g *graphBuckets) all(o Order) []*bolt.Bucket {
	out := []*bolt.Bucket{g.indexes[o]}
	for _, p := range g.parts {
		out = append(out, p.indexes[o])
	}
	return out
}

// inParts returns the tuples of ts that are in a part of an index or, if in is false, those that are in none. ts is sorted;
// inParts overwrites it.
func inParts(parts *index.Finder, ts []index.Tuple, in bool) ([]index.Tuple, error) {
	ts = slices.DeleteFunc(ts, func(t index.Tuple) bool {
		parts.Seek(t, t)
		return (parts.Next() != nil) != in
	})
	return ts, parts.Err()
}

// Unmoved reports whether the published graph has parts with triples yet to be moved.
// Moving touches them: see Extension.
func (s *Snapshot) Unmoved() (bool, error) {
	parts := s.view(defaultGraph).indexes[SPO].Parts
	if len(parts) < 2 {
		return false, nil
	}
	scan := index.NewScan(parts[1:]...)
	scan.Seek(index.Prefix())
	return scan.Next() != nil, scan.Err()
}

// deleteFrom removes tuples, sorted and distinct, from one index of a graph and its
// parts. For each tuple that existed it calls removed, unless nil, with the graph or part
// that held it and its position in ts.
func (tx *Tx) deleteFrom(g *graphBuckets, o Order, ts []index.Tuple, removed func(in *indexed, i int)) error {
	for _, in := range append([]*indexed{&g.indexed}, g.parts...) {
		var deleted func(int)
		if removed != nil {
			deleted = func(i int) { removed(in, i) }
		}
		if err := tx.editor.Delete(in.indexes[o], ts, deleted); err != nil {
			return err
		}
	}
	return nil
}

// movedAtOnce is how many tuples or counts are moved together.
const movedAtOnce = 512

// moveSome moves some triples of the published graph's oldest part to the graph's
// indexes: first what its contribution left, then its triples, then its counts. It removes the part once it is empty,
// and reports whether more remains.
func (tx *Tx) moveSome() (more bool, err error) {
	g, err := tx.graph(defaultGraph)
	if err != nil || len(g.parts) == 0 {
		return false, err
	}
	parts := tx.bolt.Bucket(graphsName).Bucket(idKey(defaultGraph)).Bucket(partsName)
	key, _ := parts.Cursor().First()
	key = slices.Clone(key)
	if c := tx.contributions(); c != nil {
		scratch := GraphPath(defaultGraph, string(partsName), string(key), string(madeName))
		const stored = true // the part's document
		if more, err := c.Tidy(tx, scratch, stored); more || err != nil {
			return true, err
		}
	}
	part := g.parts[0]
	for _, o := range orders.All {
		ts, err := firstOf(part.indexes[o])
		if err != nil {
			return false, err
		}
		if len(ts) > 0 {
			return true, tx.move(g, part, o, ts)
		}
	}
	if moved, err := g.moveCounts(part); moved || err != nil {
		return true, err
	}
	if err := kv.DeleteBucket(parts, key); err != nil {
		return false, fmt.Errorf("removing a part: %w", err)
	}
	g.parts = g.parts[1:]
	return len(g.parts) > 0, nil
}

// firstOf returns about the first movedAtOnce tuples of an index.
func firstOf(b *bolt.Bucket) ([]index.Tuple, error) {
	scan := index.NewScan(b)
	lo, hi := index.Prefix()
	scan.Seek(lo, hi)
	var out []index.Tuple
	for len(out) < movedAtOnce {
		batch := scan.Next()
		if batch == nil {
			break
		}
		out = append(out, batch...)
	}
	return out, scan.Err()
}

// move moves tuples from an index of a part to the same index of the graph. For SPO it
// also touches them.
func (tx *Tx) move(g *graphBuckets, part *indexed, o Order, ts []index.Tuple) error {
	if err := tx.editor.Delete(part.indexes[o], ts, nil); err != nil {
		return err
	}
	if o == SPO {
		tx.touch(defaultGraph, ts)
	}
	return tx.editor.Insert(g.indexes[o], ts, nil)
}

// moveCounts moves the first counts of a part, and reports whether there were any.
func (g *graphBuckets) moveCounts(part *indexed) (moved bool, err error) {
	counts := map[dict.ID]int64{}
	cursor := part.counts.Cursor()
	for k, v := cursor.First(); len(k) == 8 && len(v) == 8 && len(counts) < movedAtOnce; k, v = cursor.Next() {
		counts[dict.ID(binary.BigEndian.Uint64(k))] = int64(binary.BigEndian.Uint64(v))
	}
	for p, n := range counts {
		if err := part.addCount(p, -n); err != nil {
			return false, err
		}
		if err := g.addCount(p, n); err != nil {
			return false, err
		}
	}
	return len(counts) > 0, nil
}

// move makes the document's part one of the parts of the graph, and appends e to the journal.
func (d *staged) move(tx *Tx, e journal.Entry) error {
	if _, err := tx.graph(defaultGraph); err != nil {
		return err
	}
	parts, err := tx.bolt.Bucket(graphsName).Bucket(idKey(defaultGraph)).CreateBucketIfNotExists(partsName)
	if err == nil {
		err = tx.bolt.Bucket(stagedName).MoveBucket(d.key, parts)
	}
	if err != nil {
		return fmt.Errorf("moving a document to the graph: %w", err)
	}
	if err := tx.AddPrefixes(d.prefixes); err != nil {
		return err
	}
	tx.changed = tx.changed || d.added > 0
	tx.touched.any = true // its triples are touched when they are moved
	seq, err := tx.enter(e)
	if err != nil || seq == 0 {
		return err
	}
	if d.contributes == nil {
		return nil
	}
	return d.contributes.Publish(tx, seq)
}
