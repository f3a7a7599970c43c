package engine

import (
	"slices"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/memtable"
	"github.com/segraph/segraph/store/orders"
)

// insert stores triples, sorted and distinct, and returns the new ones. In a flush, they are valid until the next call.
func (tx *Tx) insert(g dict.ID, spo []index.Tuple) (fresh []index.Tuple, err error) {
	if tx.own != nil {
		return tx.insertOwn(g, spo)
	}
	b, err := tx.graph(g)
	if err != nil {
		return nil, err
	}
	if len(b.parts) > 0 {
		if spo, err = inParts(index.NewFinder(b.all(SPO)[1:]...), slices.Clone(spo), false); err != nil {
			return nil, err
		}
	}
	if tx.lists != nil {
		fresh = tx.lists.fresh[:0]
	} else {
		fresh = make([]index.Tuple, 0, len(spo))
	}
	err = tx.editor.Insert(b.indexes[SPO], spo, func(i int) { fresh = append(fresh, spo[i]) })
	if err != nil || len(fresh) == 0 {
		return fresh, err
	}
	if tx.lists != nil {
		tx.lists.fresh = fresh
	}
	return fresh, tx.follow(&b.indexed, fresh, 1, func(o Order, ts []index.Tuple) error { return tx.editor.Insert(b.indexes[o], ts, nil) })
}

// tupleLists is memory that one flush leaves for the next.
type tupleLists struct{ added, removed, fresh, sorted []index.Tuple }

// manyTuples is the length in tuples from which a list is dropped instead of reused.
const manyTuples = 1 << 15

// trim drops long lists.
func (m *tupleLists) trim() {
	for _, ts := range []*[]index.Tuple{&m.added, &m.removed, &m.fresh, &m.sorted} {
		if cap(*ts) > manyTuples {
			*ts = nil
		}
	}
}

// insertOwn adds triples to the unit of work's own level, and returns the new ones.
func (tx *Tx) insertOwn(g dict.ID, spo []index.Tuple) (fresh []index.Tuple, err error) {
	known := func(t index.Tuple) bool {
		return tx.next.Assigned(dict.ID(t[0])) && tx.next.Assigned(dict.ID(t[1])) && tx.next.Assigned(dict.ID(t[2]))
	}
	n := 0
	for _, t := range spo {
		if known(t) {
			n++
		}
	}
	holds := tx.membership(g, n)
	fresh = make([]index.Tuple, 0, len(spo))
	for _, t := range spo {
		var there bool
		if known(t) {
			there, err = holds(t)
		} else { // only this unit has triples with its new terms
			there = tx.own.Has(g, t)
		}
		if err != nil {
			return nil, err
		}
		if !there {
			fresh = append(fresh, t)
		}
	}
	tx.own.Set(g, fresh, true)
	return fresh, nil
}

// fewTriples is the largest number of triples that a scan looks up faster than a finder,
// which decodes whole blocks.
const fewTriples = 8

// membership returns a function that reports whether a graph has a triple, to be called
// for n triples in order. It returns nil if n is 0.
func (tx *Tx) membership(g dict.ID, n int) func(index.Tuple) (bool, error) {
	switch {
	case n == 0:
		return nil
	case n <= fewTriples:
		return tx.index(g, SPO).Scan().Contains
	}
	finder := tx.index(g, SPO).Finder()
	return func(t index.Tuple) (bool, error) {
		finder.Seek(t, t)
		return finder.Next() != nil, finder.Err()
	}
}

// delete removes triples, sorted and distinct, and returns those that existed.
func (tx *Tx) delete(g dict.ID, spo []index.Tuple) (removed []index.Tuple, err error) {
	if tx.own != nil {
		holds := tx.membership(g, len(spo))
		for _, t := range spo {
			there, err := holds(t)
			if err != nil {
				return nil, err
			}
			if there {
				removed = append(removed, t)
			}
		}
		tx.own.Set(g, removed, false)
		return removed, nil
	}
	b, err := tx.graph(g)
	if err != nil {
		return nil, err
	}
	from := map[*indexed][]index.Tuple{}
	if err := tx.deleteFrom(b, SPO, spo, func(in *indexed, i int) { from[in] = append(from[in], spo[i]) }); err != nil {
		return nil, err
	}
	for in, ts := range from {
		removed = append(removed, ts...)
		err := tx.follow(in, ts, -1, func(o Order, ts []index.Tuple) error { return tx.deleteFrom(b, o, ts, nil) })
		if err != nil {
			return nil, err
		}
	}
	return removed, nil
}

// follow applies a change of the SPO index to the other indexes and the counts. spo has
// the added triples (sign is 1) or the removed triples (-1), sorted. follow sorts one
// order after the other, in the transaction's reused memory if it has some.
func (tx *Tx) follow(g *indexed, spo []index.Tuple, sign int64, apply func(Order, []index.Tuple) error) error {
	lists := tx.lists
	if lists == nil {
		lists = &tupleLists{}
	}
	for _, o := range orders.Others {
		lists.sorted = reorder(lists.sorted, spo, o)
		if err := apply(o, lists.sorted); err != nil {
			return err
		}
		if o == POS {
			if err := g.countPOS(lists.sorted, sign); err != nil {
				return err
			}
		}
	}
	return nil
}

// countPOS adds sign to the counts for each triple. pos is in POS order.
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

// reorder returns SPO triples as sorted tuples of another index. It overwrites out.
func reorder(out, spo []index.Tuple, o Order) []index.Tuple {
	out = slices.Grow(out[:0], len(spo))
	for _, t := range spo {
		out = append(out, o.Tuple(dict.ID(t[0]), dict.ID(t[1]), dict.ID(t[2])))
	}
	orders.Sort(out, o.Unsorted())
	return out
}

// storeAll writes levels of the memtable, oldest first, to the buckets. newStoring must
// have made the transaction.
func (tx *Tx) storeAll(levels []*memtable.Level) error {
	defer tx.lists.trim()
	for _, l := range levels {
		if err := tx.store(l); err != nil {
			return err
		}
	}
	return tx.writer.Close()
}

// store writes a level to the buckets, in key order.
func (tx *Tx) store(l *memtable.Level) error {
	terms := l.Terms()
	if next, ok := l.Numbers(); ok || len(terms) > 0 {
		if err := tx.writer.Insert(terms, next); err != nil {
			return err
		}
	}
	for g := range l.Graphs() {
		m := tx.lists
		m.added, m.removed = l.Changes(g, m.added[:0], m.removed[:0])
		added, removed := m.added, m.removed
		if len(added) > 0 {
			if _, err := tx.insert(g, added); err != nil {
				return err
			}
		}
		if len(removed) > 0 {
			if _, err := tx.delete(g, removed); err != nil {
				return err
			}
		}
	}
	return l.Store(tx.KV())
}
