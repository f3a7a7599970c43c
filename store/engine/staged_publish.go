package engine

import (
	"slices"

	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/orders"
)

// publish makes the part one of the parts of the graph, sets the counts of e, and appends e to the journal. Before that it
// drops from the part what the graph gained meanwhile, in as many transactions as that takes.
func (d *staged) publish(e *journal.Entry) error {
	for published := false; !published; {
		err := d.stepThen(func(tx *Tx) error {
			if more, err := d.dropGained(tx); more || err != nil {
				return err
			}
			e.Triples, e.Added = d.triples, d.added
			published = true
			return d.move(tx, *e)
		}, func() {
			if published {
				delete(d.store.turn.staging, d)
				d.store.turn.moving = true
				d.store.wantTidying()
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropGained removes some triples from the part that were added to the graph meanwhile. It reports whether to call it
// again, in another transaction, before the part is published.
func (d *staged) dropGained(tx *Tx) (more bool, err error) {
	if len(d.gained) == 0 {
		return false, nil
	}
	some := d.gained[:min(len(d.gained), stepTuples)]
	orders.Sort(some, 3)
	in := tx.bolt.Bucket(stagedName).Bucket(d.key).Bucket(indexNames[SPO])
	both, err := inParts(index.NewFinder(in), slices.Compact(slices.Clone(some)), true)
	if err != nil {
		return false, err
	}
	d.gained = d.gained[len(some):]
	if len(both) == 0 {
		return len(d.gained) > 0, nil
	}
	part, err := openStaged(tx, d.key)
	if err != nil {
		return false, err
	}
	if err := tx.editor.Delete(part.indexes[SPO], both, nil); err != nil {
		return false, err
	}
	d.added -= len(both)
	return true, tx.follow(&part, both, -1, func(o Order, ts []index.Tuple) error { return tx.editor.Delete(part.indexes[o], ts, nil) })
}
