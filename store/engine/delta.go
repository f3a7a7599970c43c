package engine

import (
	"bytes"
	"maps"
	"slices"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

// delta is what changes of the resolver come to when they are done in their order: a quad that
// one adds and a later one removes is in remove alone.
type delta struct {
	clear       bool // comes first
	records     []resolver.Record
	anew        []rdf.Term // comes next
	add, remove store.Document
	entries     []entered
}

// entered is what a person decided: the journal's entry of it, and the quads that it adds.
type entered struct {
	journal.Entry
	add store.Document
}

// newDelta makes the delta of changes, of which the first alone may clear or say something anew.
func newDelta(changes []resolver.Change) *delta {
	d := &delta{clear: changes[0].Clear, anew: changes[0].Anew}
	removed := map[rdf.Quad]int{} // and by which change at last
	records, quads := 0, 0
	for i, c := range changes {
		for _, q := range c.Remove {
			removed[q] = i
		}
		records, quads = records+len(c.Records), quads+len(c.Add)
	}
	d.records = make([]resolver.Record, 0, records)
	d.add.Grow(quads)
	for i, c := range changes {
		d.records = append(d.records, c.Records...)
		for _, q := range c.Add {
			if last, ok := removed[q]; ok {
				if last > i {
					continue
				}
				delete(removed, q)
			}
			d.add.Add(q)
		}
		if c.Entry != nil {
			e := entered{Entry: *c.Entry}
			for _, q := range c.Add {
				e.add.Add(q)
			}
			d.entries = append(d.entries, e)
		}
	}
	for _, c := range changes {
		for _, q := range c.Remove {
			if _, ok := removed[q]; ok {
				d.remove.Add(q)
			}
		}
	}
	d.records = lastOfEach(d.records)
	return d
}

// lastOfEach gives the last record of each key, in the order of the keys, in the place of records.
func lastOfEach(records []resolver.Record) []resolver.Record {
	slices.SortStableFunc(records, func(a, b resolver.Record) int { return bytes.Compare(a.Key, b.Key) })
	last := records[:0]
	for i, r := range records {
		if i+1 == len(records) || !bytes.Equal(r.Key, records[i+1].Key) {
			last = append(last, r)
		}
	}
	return last
}

// applyAlone does all of a delta, at once.
func (tx *Tx) applyAlone(d *delta) error {
	if d.clear {
		if err := tx.clearContexts(); err != nil {
			return err
		}
	}
	if err := tx.settleLate([]*delta{d}); err != nil {
		return err
	}
	return tx.enter(d)
}

// enter makes the journal's entries of a delta, whose quads are stored.
func (tx *Tx) enter(d *delta) error {
	for i := range d.entries {
		e := &d.entries[i]
		triples, err := tx.tuples(&e.add)
		if err != nil {
			return err
		}
		tx.brought = nil
		for _, g := range slices.Sorted(maps.Keys(triples)) {
			slices.SortFunc(triples[g], index.Compare)
			tx.brought = append(tx.brought, brought{g, slices.Compact(triples[g])})
		}
		if err := tx.journal(e.Entry); err != nil {
			return err
		}
	}
	return nil
}

// tuples gives the ids of a document's triples by graph. Those with a term that has no id are in no
// graph, and left out.
func (tx *Tx) tuples(d *store.Document) (map[dict.ID][]index.Tuple, error) {
	ids := make([]dict.ID, len(d.Terms))
	if err := tx.dict.Find(d.Terms, ids); err != nil {
		return nil, err
	}
	out := map[dict.ID][]index.Tuple{}
	for _, q := range d.Quads {
		g := defaultGraph
		if q[3] != store.NoGraph {
			if g = ids[q[3]]; g == 0 {
				continue
			}
		}
		s, p, o := ids[q[0]], ids[q[1]], ids[q[2]]
		if s != 0 && p != 0 && o != 0 {
			out[g] = append(out[g], SPO.Tuple(s, p, o))
		}
	}
	return out, nil
}
