package engine

import (
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/engine/memtable"
	"github.com/segraph/segraph/store/log/tree"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
)

// Tx is a unit of work: one write, stored completely or not at all. It collects its
// changes in a level of the memtable on top of what it reads. A direct Tx changes the
// buckets of the file instead. A Tx may be used by one goroutine only.
type Tx struct {
	reading                 // own is its last level
	own     *memtable.Level // nil in a direct transaction
	buckets kv.Writer
	dict    *dict.Assigner
	next    dict.Numbers // of the next ids, at the start

	// Fields of a direct transaction.
	writer *dict.Writer
	graphs map[dict.ID]*graphBuckets
	editor *index.Editor
	lists  *tupleLists // memory of a flush; nil in others

	// changed means that the published graph or its prefixes changed.
	changed bool
	// gained holds triples that are new in the published graph, if watched. lost reports
	// whether that graph lost some, or a recorded contribution was removed.
	watched bool
	gained  []index.Tuple
	lost    bool
	// contributed is the contribution of the current write, for its journal entry.
	contributed []contribution

	extensions  []Extension
	wantTriples bool // an extension needs the touched triples
	touched     Touched
	done        []func() // called once the transaction is on the disk
	collect     func()   // wakes the collector
	wishes      *uint64  // counts calls of WantCollection
}

// newTx returns a unit of work on top of r. The caller has its turn, and keeps r open until the unit is handed on or given
// up. The unit reuses the memory of the last one, and is valid until the next call. If it needs what only a direct
// transaction can store, its methods return memtable.ErrDirect.
func (s *Store) newTx(r reading) (*Tx, error) {
	if s.turn.own == nil {
		s.turn.own = memtable.New()
	}
	own := s.turn.own
	own.Reset()
	r.levels = append(slices.Clip(r.levels), own) // for the dictionary, which must find the terms that own gets
	tx := &Tx{reading: r, own: own, buckets: s.turn.buckets.Write(kv.OnBolt(r.bolt), r.levels...), extensions: s.extensions, wantTriples: s.wantTriples(), watched: len(s.turn.staging) > 0}
	var err error
	if tx.next, err = r.numbers(); err != nil {
		return nil, err
	}
	tx.dict = dict.NewAssigner(r.dictionary(nil), tx.next, s.turn.known, func(fresh []dict.Entry) error {
		for i := range fresh {
			if f := featureOf(&fresh[i]); f != 0 && !file.Has(r.bolt, f) {
				return memtable.ErrDirect // it notes the feature in the file, before the log region has such a term
			}
		}
		ownTexts(fresh)
		own.AddTerms(fresh)
		return nil
	})
	s.watchTerms(tx)
	return tx, nil
}

// watchTerms tells the collector, if it runs, which terms the transaction asks for.
func (s *Store) watchTerms(tx *Tx) {
	tx.collect, tx.wishes = s.wantCollection, &s.turn.wishes
	if s.turn.collecting != nil {
		tx.dict.Used = s.turn.collecting.used.Add
	}
}

// featureOf returns the feature of files that have a term, or 0.
func featureOf(e *dict.Entry) file.Features {
	switch {
	case e.ID.IsTriple():
		return file.Triples
	case e.IsDirected():
		return file.Directions
	}
	return 0
}

// ownTexts copies the texts of terms, which may be in a buffer that is reused.
func ownTexts(terms []dict.Entry) {
	n := 0
	for i := range terms {
		n += len(terms[i].Text)
	}
	all := make([]byte, 0, n)
	for i, e := range terms {
		all = append(all, e.Text...)
		terms[i].Text = all[len(all)-len(e.Text) : len(all) : len(all)]
	}
}

// newDirect returns a direct transaction, which changes the buckets of b at once.
func (s *Store) newDirect(b *bolt.Tx) (*Tx, error) {
	w, err := dict.NewWriter(b.Bucket(dictName), s.turn.known)
	if err != nil {
		return nil, err
	}
	tx := &Tx{reading: reading{bolt: b}, buckets: kv.OnBolt(b), dict: w.Assigner, writer: w, graphs: map[dict.ID]*graphBuckets{}, editor: s.editor,
		extensions: s.extensions, wantTriples: s.wantTriples(), watched: len(s.turn.staging) > 0}
	s.watchTerms(tx)
	return tx, nil
}

// newStoring returns a direct transaction that only stores levels of the memtable, and
// assigns no ids.
func (s *Store) newStoring(b *bolt.Tx) (*Tx, error) {
	w, err := dict.NewWriter(b.Bucket(dictName), nil)
	if err != nil {
		return nil, err
	}
	return &Tx{reading: reading{bolt: b}, buckets: kv.OnBolt(b), dict: w.Assigner, writer: w, graphs: map[dict.ID]*graphBuckets{}, editor: s.editor, lists: &s.lists}, nil
}

// KV returns the transaction's buckets.
func (tx *Tx) KV() kv.Writer { return tx.buckets }

// finish completes the transaction: it writes what was collected and calls the
// extensions.
func (tx *Tx) finish() error {
	if tx.own == nil {
		if err := tx.writer.Close(); err != nil {
			return err
		}
		var has file.Features
		if tx.writer.Triples {
			has |= file.Triples
		}
		if tx.writer.Directed {
			has |= file.Directions
		}
		if err := file.Allow(tx.bolt, has); err != nil {
			return err
		}
	}
	if err := tx.callTouched(); err != nil {
		return err
	}
	if tx.own != nil {
		if next := tx.dict.Numbers(); next != tx.next {
			tx.own.SetNumbers(next)
		}
	}
	if tx.changed {
		if err := setRevision(tx.KV()); err != nil {
			return err
		}
	}
	if tx.own != nil {
		return nil // its flush extends the tree
	}
	return tree.Extend(tx.KV())
}

// Find sets ids to those of terms, or to 0 for terms that are not in the dictionary.
func (tx *Tx) Find(terms []rdf.Term, ids []dict.ID) error { return tx.dict.Find(terms, ids) }

// IDs sets ids to those of terms, and assigns new ones to terms that are not in the
// dictionary.
func (tx *Tx) IDs(terms []rdf.Term, ids []dict.ID) error { return tx.dict.IDs(terms, ids) }

// HasBlank reports whether a term is a blank node, or a triple term that has one.
func (tx *Tx) HasBlank(id dict.ID) (bool, error) { return tx.dict.HasBlank(id) }

// RestartStaged restarts the large documents that are being stored, because something they
// may rely on was removed.
func (tx *Tx) RestartStaged() { tx.lost = true }

// removeGraph removes a graph with all data of extensions in its bucket. With the published graph go the lists that name such
// data: those of documents that are being stored, which start again (tx.lost).
func (tx *Tx) removeGraph(g dict.ID) error {
	delete(tx.graphs, g)
	if err := tx.KV().Remove(GraphPath(g)...); err != nil {
		return fmt.Errorf("removing a graph: %w", err)
	}
	if g != defaultGraph {
		return nil
	}
	for _, scratch := range scratches(tx.bolt) { // they list what was in the graph's bucket
		if err := tx.KV().Remove(scratch...); err != nil {
			return fmt.Errorf("removing a graph: %w", err)
		}
	}
	return nil
}

// graph opens the buckets of a graph for writing, once.
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

// addDocument stores the quads of a document and returns how many were new. It collects
// the contribution for the journal entry: call Journal before the next document. blanks, unless nil, carries the ids of blank
// nodes to the document's next part.
func (tx *Tx) addDocument(d *store.Document, blanks *labels) (added int, err error) {
	ids, err := tx.resolve(d, blanks)
	if err != nil {
		return 0, err
	}
	graphOf := func(q [4]uint32) dict.ID {
		if q[3] == store.NoGraph {
			return defaultGraph
		}
		return ids[q[3]]
	}
	sizes := map[dict.ID]int{}
	for _, q := range d.Quads {
		sizes[graphOf(q)]++
	}
	byGraph := make(map[dict.ID][]index.Tuple, len(sizes))
	for g, n := range sizes {
		byGraph[g] = make([]index.Tuple, 0, n)
	}
	for _, q := range d.Quads {
		g := graphOf(q)
		byGraph[g] = append(byGraph[g], SPO.Tuple(ids[q[0]], ids[q[1]], ids[q[2]]))
	}
	if err := tx.AddPrefixes(d.Prefixes); err != nil {
		return 0, err
	}
	return tx.addGraphs(byGraph)
}

// resolve returns the ids of a document's terms, after assigning ids to the new ones. blanks
// is as in addDocument.
func (tx *Tx) resolve(d *store.Document, blanks *labels) ([]dict.ID, error) {
	ids := make([]dict.ID, len(d.Terms))
	if blanks == nil {
		blanks = &labels{}
	}
	if err := blanks.find(tx, d.Terms, ids); err != nil {
		return nil, err
	}
	if len(d.Triples) == 0 {
		return ids, tx.dict.IDs(d.Terms, ids)
	}
	return ids, tx.resolveTriples(d, ids)
}

// addGraphs stores triples by graph, and returns how many were new. It sorts them and
// collects them for the journal entry.
func (tx *Tx) addGraphs(byGraph map[dict.ID][]index.Tuple) (added int, err error) {
	tx.contributed = nil
	for g, ts := range byGraph {
		orders.Sort(ts, 3)
		ts = slices.Compact(ts)
		n, err := tx.addSorted(g, ts)
		if err != nil {
			return 0, err
		}
		added += n
		if tx.contributions() != nil {
			tx.contributed = append(tx.contributed, contribution{g, ts})
		}
	}
	return added, nil
}

// addSorted stores triples of one graph, sorted and distinct, and returns how many were
// new.
func (tx *Tx) addSorted(g dict.ID, spo []index.Tuple) (added int, err error) {
	fresh, err := tx.insert(g, spo)
	if err != nil || len(fresh) == 0 {
		return 0, err
	}
	if g == defaultGraph {
		tx.grew(fresh)
	}
	tx.touch(g, fresh)
	return len(fresh), nil
}

// grew records new triples of the published graph.
func (tx *Tx) grew(ts []index.Tuple) {
	tx.changed = true
	if tx.watched {
		tx.gained = append(tx.gained, ts...)
	}
}

// AddTuples adds triples to a graph and returns how many were new. No log gets them as
// its contribution. AddTuples sorts spo.
func (tx *Tx) AddTuples(g dict.ID, spo []index.Tuple) (added int, err error) {
	orders.Sort(spo, 3)
	return tx.addSorted(g, slices.Compact(spo))
}

// Remove removes triples, in any order, from a graph, and returns how many existed. It
// sorts spo.
func (tx *Tx) Remove(g dict.ID, spo []index.Tuple) (int, error) {
	orders.Sort(spo, 3)
	removed, err := tx.delete(g, slices.Compact(spo))
	if err != nil || len(removed) == 0 {
		return 0, err
	}
	tx.touch(g, removed)
	if g == defaultGraph {
		tx.changed, tx.lost = true, true
	}
	return len(removed), nil
}
