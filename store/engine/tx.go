package engine

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
)

// Tx is a write transaction, in which many callers' writes may stand. It is used by the
// writer's goroutine alone.
type Tx struct {
	bolt   *bolt.Tx
	dict   *dict.Writer
	graphs map[dict.ID]*graphBuckets
	editor *index.Editor
	// changed says that the published graph or its prefixes did.
	changed bool
	// gained are triples that the published graph did not have before, for watchers; lost says that it lost some, or the
	// list of a log.
	watched bool
	gained  []index.Tuple
	lost    bool
	// contributed is what the write that is being done contributed, for its entry in the journal.
	contributed []contribution

	extensions []Extension
	triples    bool // an extension needs those that are touched
	touched    Touched
	done       []func() // to be called once the transaction is on disk

	variants variants // that the transaction may meet
}

// KV returns the transaction's buckets.
func (tx *Tx) KV() kv.Writer { return kv.OnBolt(tx.bolt) }

func newTx(b *bolt.Tx, known *dict.Known, editor *index.Editor) (*Tx, error) {
	d, err := b.CreateBucketIfNotExists(dictName)
	if err != nil {
		return nil, fmt.Errorf("opening the dictionary: %w", err)
	}
	w, err := dict.NewWriter(d, known)
	if err != nil {
		return nil, err
	}
	return &Tx{bolt: b, dict: w, graphs: map[dict.ID]*graphBuckets{}, editor: editor}, nil
}

// finish writes what is kept until the end of the transaction.
func (tx *Tx) finish() error {
	if err := tx.dict.Close(); err != nil {
		return err
	}
	if err := tx.tellTouched(); err != nil {
		return err
	}
	if tx.changed {
		return setRevision(tx.bolt)
	}
	return nil
}

// Find sets ids to those of terms, and to 0 where a term is not in the dictionary.
func (tx *Tx) Find(terms []rdf.Term, ids []dict.ID) error { return tx.dict.Find(terms, ids) }

// IDs sets ids to those of terms, and gives new ones to terms that are not in the dictionary.
func (tx *Tx) IDs(terms []rdf.Term, ids []dict.ID) error { return tx.dict.IDs(terms, ids) }

// RestartLarge has large documents that are on their way begin again, because something is gone that they may rely on.
func (tx *Tx) RestartLarge() { tx.lost = true }

// removeGraph removes a graph with all that is kept beside it.
func (tx *Tx) removeGraph(g dict.ID) error {
	delete(tx.graphs, g)
	if err := tx.KV().Remove(GraphPath(g)...); err != nil {
		return fmt.Errorf("removing a graph: %w", err)
	}
	if g != defaultGraph {
		return nil
	}
	for _, scratch := range scratches(tx.bolt) { // of what is gone with the graph
		if err := tx.KV().Remove(scratch...); err != nil {
			return fmt.Errorf("removing a graph: %w", err)
		}
	}
	return nil
}

func (tx *Tx) graph(g dict.ID) (*graphBuckets, error) {
	if b, ok := tx.graphs[g]; ok {
		return b, nil
	}
	b, err := openGraph(tx.bolt, g)
	if err == nil {
		tx.graphs[g] = b
	}
	return b, err
}

// owned is a triple and which document of a group it came from.
type owned struct {
	index.Tuple
	owner int
}

// add stores the quads of documents, all in one pass over the indexes, and gives for each
// document how many of its quads were new, and which triples it contributed. Where two documents of the
// group hold the same new quad, it counts for the first and both contributed it. blanks, where it is not nil, keeps the ids of a
// document's blank nodes by label for its next part.
func (tx *Tx) add(docs []*store.Document, blanks map[string]dict.ID) (added []int, lists [][]contribution, err error) {
	ids, err := tx.resolve(docs, blanks)
	if err != nil {
		return nil, nil, err
	}
	byGraph := map[dict.ID][]owned{}
	for owner, d := range docs {
		for _, q := range d.Quads {
			g := defaultGraph
			if q[3] != store.NoGraph {
				g = ids[owner][q[3]]
			}
			t := SPO.Tuple(ids[owner][q[0]], ids[owner][q[1]], ids[owner][q[2]])
			byGraph[g] = append(byGraph[g], owned{t, owner})
		}
		if err := tx.AddPrefixes(d.Prefixes); err != nil {
			return nil, nil, err
		}
	}
	added, lists = make([]int, len(docs)), make([][]contribution, len(docs))
	for g, ts := range byGraph {
		if err := tx.addTo(g, ts, added, lists); err != nil {
			return nil, nil, err
		}
	}
	return added, lists, nil
}

// resolve gives the ids of every document's terms.
func (tx *Tx) resolve(docs []*store.Document, blanks map[string]dict.ID) ([][]dict.ID, error) {
	var terms []rdf.Term
	for _, d := range docs {
		terms = append(terms, d.Terms...)
	}
	all := make([]dict.ID, len(terms))
	for i, t := range terms {
		if !t.IsBlank() {
			continue
		}
		id, ok := blanks[t.Value()]
		if !ok {
			var err error
			if id, err = tx.dict.NewBlank(); err != nil {
				return nil, err
			}
			if blanks != nil {
				blanks[t.Value()] = id
			}
		}
		all[i] = id
	}
	if err := tx.dict.IDs(terms, all); err != nil {
		return nil, err
	}
	out := make([][]dict.ID, len(docs))
	for i, d := range docs {
		out[i], all = all[:len(d.Terms)], all[len(d.Terms):]
	}
	return out, nil
}

// addTo stores triples of one graph, counts the new ones by owner, and appends to lists what each owner contributed.
func (tx *Tx) addTo(g dict.ID, ts []owned, added []int, lists [][]contribution) error {
	slices.SortFunc(ts, func(a, b owned) int {
		if c := index.Compare(a.Tuple, b.Tuple); c != 0 {
			return c
		}
		return cmp.Compare(a.owner, b.owner)
	})
	ts = slices.Compact(ts)
	if tx.contributions() != nil {
		for i, own := range byOwner(ts, len(lists)) {
			if len(own) > 0 {
				lists[i] = append(lists[i], contribution{g, own})
			}
		}
	}
	ts = slices.CompactFunc(ts, func(a, b owned) bool { return a.Tuple == b.Tuple })
	b, err := tx.graph(g)
	if err != nil {
		return err
	}
	if len(b.parts) > 0 {
		in := holds(b.all(SPO)[1:])
		ts = slices.DeleteFunc(ts, func(t owned) bool { return in(t.Tuple) })
	}
	spo := make([]index.Tuple, len(ts))
	for i := range ts {
		spo[i] = ts[i].Tuple
	}
	fresh := spo[:0:0]
	err = tx.editor.Insert(b.indexes[SPO], spo, func(i int) {
		fresh = append(fresh, spo[i])
		added[ts[i].owner]++
	})
	if err != nil || len(fresh) == 0 {
		return err
	}
	if g == defaultGraph {
		tx.grew(fresh)
	}
	tx.touch(g, fresh)
	return b.follow(fresh, 1, func(o Order, ts []index.Tuple) error { return tx.editor.Insert(b.indexes[o], ts, nil) })
}

// grew says that the published graph has triples that it did not have.
func (tx *Tx) grew(ts []index.Tuple) {
	tx.changed = true
	if tx.watched {
		tx.gained = append(tx.gained, ts...)
	}
}

// byOwner gives the triples of each owner, in their order.
func byOwner(ts []owned, owners int) [][]index.Tuple {
	out := make([][]index.Tuple, owners)
	for i := range out {
		out[i] = make([]index.Tuple, 0, len(ts)/owners)
	}
	for _, t := range ts {
		out[t.owner] = append(out[t.owner], t.Tuple)
	}
	return out
}

// follow applies a change of the SPO index, sorted, to the other indexes and to the counts,
// each triple counting sign.
func (g *indexed) follow(spo []index.Tuple, sign int64, apply func(Order, []index.Tuple) error) error {
	var sorted [orders.Count][]index.Tuple
	var work sync.WaitGroup
	panicked := make([]any, orders.Count)
	for _, o := range orders.Others {
		sort := func() { sorted[o] = reorder(spo, Order(o)) }
		if len(spo) <= 10_000 {
			sort()
			continue
		}
		work.Go(func() { // a bulk load, which gains from a second core
			defer func() { panicked[o] = recover() }() // for who waits to deal with
			sort()
		})
	}
	work.Wait()
	for _, p := range panicked {
		if p != nil {
			panic(p)
		}
	}
	for _, o := range orders.Others {
		if err := apply(Order(o), sorted[o]); err != nil {
			return err
		}
	}
	return g.countPOS(sorted[POS], sign)
}

// countPOS counts triples, given in the order POS, each as sign.
func (g *indexed) countPOS(pos []index.Tuple, sign int64) error {
	for at := 0; at < len(pos); {
		n := at + 1
		for n < len(pos) && pos[n][0] == pos[at][0] {
			n++
		}
		if err := g.addCount(dict.ID(pos[at][0]), sign*int64(n-at)); err != nil {
			return err
		}
		at = n
	}
	return g.addCount(0, sign*int64(len(pos)))
}

// reorder gives triples of the SPO index sorted for another.
func reorder(spo []index.Tuple, o Order) []index.Tuple {
	out := make([]index.Tuple, len(spo))
	for i, t := range spo {
		out[i] = o.Tuple(dict.ID(t[0]), dict.ID(t[1]), dict.ID(t[2]))
	}
	slices.SortFunc(out, index.Compare)
	return out
}

// AddTuples adds triples to a graph and returns how many were new. They are nobody's contribution.
func (tx *Tx) AddTuples(g dict.ID, spo []index.Tuple) (added int, err error) {
	ts := make([]owned, len(spo))
	for i, t := range spo {
		ts[i].Tuple = t
	}
	count := []int{0}
	err = tx.addTo(g, ts, count, make([][]contribution, 1))
	return count[0], err
}

// Remove takes triples out of a graph, with their variants, and returns how many were there. It sorts spo.
func (tx *Tx) Remove(g dict.ID, spo []index.Tuple) (int, error) {
	if len(tx.variants) > 0 {
		spo = tx.variants.expand(spo)
	}
	slices.SortFunc(spo, index.Compare)
	spo = slices.Compact(spo)
	b, err := tx.graph(g)
	if err != nil {
		return 0, err
	}
	gone := map[*indexed][]index.Tuple{}
	if err := tx.deleteFrom(b, SPO, spo, func(in *indexed, i int) { gone[in] = append(gone[in], spo[i]) }); err != nil {
		return 0, err
	}
	n := 0
	for in, ts := range gone {
		n += len(ts)
		tx.touch(g, ts)
		err := in.follow(ts, -1, func(o Order, ts []index.Tuple) error { return tx.deleteFrom(b, o, ts, nil) })
		if err != nil {
			return 0, err
		}
	}
	if n > 0 && g == defaultGraph {
		tx.changed, tx.lost = true, true
	}
	if len(tx.variants) > 0 {
		n = tx.variants.count(gone)
	}
	return n, nil
}
