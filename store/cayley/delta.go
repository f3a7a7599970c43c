package cayley

import (
	"bytes"
	"maps"
	"slices"

	"github.com/segraph/segraph/internal/journal"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/dict"
	"github.com/segraph/segraph/store/index"
	"github.com/segraph/segraph/store/rdf"
)

// delta is what changes of the resolver come to when they are done in their order: a quad that
// one adds and a later one removes is in remove alone.
type delta struct {
	clear       bool // comes first
	records     []resolver.Record
	add, remove store.Document
	entries     []journal.Entry
}

// newDelta makes the delta of changes, of which the first alone may clear.
func newDelta(changes []resolver.Change) *delta {
	d := &delta{clear: changes[0].Clear}
	records := map[string][]byte{}
	quads := map[rdf.Quad]bool{} // whether it is to be there
	var order []rdf.Quad         // of quads, so that equal changes give equal files
	set := func(q rdf.Quad, there bool) {
		if _, ok := quads[q]; !ok {
			order = append(order, q)
		}
		quads[q] = there
	}
	for _, c := range changes {
		for _, r := range c.Records {
			records[string(r.Key)] = r.Value
		}
		for _, q := range c.Remove {
			set(q, false)
		}
		for _, q := range c.Add {
			set(q, true)
		}
		if c.Entry != nil {
			d.entries = append(d.entries, *c.Entry)
		}
	}
	for k, v := range records {
		d.records = append(d.records, resolver.Record{Key: []byte(k), Value: v})
	}
	slices.SortFunc(d.records, func(a, b resolver.Record) int { return bytes.Compare(a.Key, b.Key) })
	for _, q := range order {
		if quads[q] {
			d.add.Add(q)
		} else {
			d.remove.Add(q)
		}
	}
	return d
}

// applyAlone does all of a delta.
func (tx *Tx) applyAlone(d *delta) error {
	if d.clear {
		if err := tx.clearContexts(); err != nil {
			return err
		}
	}
	_, lists, err := tx.add([]*store.Document{&d.add}, nil)
	if err != nil {
		return err
	}
	tx.brought = lists[0]
	return tx.apply(d)
}

// apply does what a delta asks besides adding quads.
func (tx *Tx) apply(d *delta) error {
	if err := tx.removeQuads(&d.remove); err != nil {
		return err
	}
	if err := tx.putRecords(d.records); err != nil {
		return err
	}
	if len(d.entries) != 1 {
		tx.brought = nil // nobody knows of which entry it is
	}
	for _, e := range d.entries {
		if err := tx.journal(e); err != nil {
			return err
		}
	}
	return nil
}

// removeQuads takes the quads of a document out of the store, as far as they are there.
func (tx *Tx) removeQuads(d *store.Document) error {
	ids := make([]dict.ID, len(d.Terms))
	if err := tx.dict.Find(d.Terms, ids); err != nil {
		return err
	}
	gone := map[dict.ID][]index.Tuple{}
	for _, q := range d.Quads {
		g, known := defaultGraph, true
		if q[3] != store.NoGraph {
			g = ids[q[3]]
			known = g != 0
		}
		s, p, o := ids[q[0]], ids[q[1]], ids[q[2]]
		if known && s != 0 && p != 0 && o != 0 {
			gone[g] = append(gone[g], SPO.tuple(s, p, o))
		}
	}
	for _, g := range slices.Sorted(maps.Keys(gone)) {
		if _, err := tx.remove(g, gone[g]); err != nil {
			return err
		}
	}
	return nil
}
