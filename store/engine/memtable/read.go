package memtable

import (
	"bytes"
	"iter"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/orders"
)

var (
	_ dict.Level  = (*Level)(nil)
	_ index.Level = (*ordered)(nil)
)

// Entry returns the term of an id. It reports false if the level does not have it.
func (l *Level) Entry(id dict.ID) (e dict.Entry, ok bool) {
	found, ok := treesOf(l).byID.Get(&dict.Entry{ID: id}, nil)
	if !ok {
		return dict.Entry{}, false
	}
	return *found, true
}

// ID returns the lowest id under a text. It reports false if there is none.
func (l *Level) ID(text []byte) (id dict.ID, ok bool) {
	if treesOf(l).byText.Len() == 0 {
		return 0, false
	}
	treesOf(l).byText.Ascend(&dict.Entry{Text: text}, func(e *dict.Entry) bool {
		id, ok = e.ID, bytes.Equal(e.Text, text)
		return false
	})
	return id, ok
}

// Texts calls f with the texts of the level's terms from the given one on, in order,
// until f returns false.
func (l *Level) Texts(from []byte, f func(text []byte, id dict.ID) bool) {
	if treesOf(l).byText.Len() == 0 {
		return
	}
	treesOf(l).byText.Ascend(&dict.Entry{Text: from}, func(e *dict.Entry) bool { return f(e.Text, e.ID) })
}

// Terms returns the level's terms in the order of their ids.
func (l *Level) Terms() []dict.Entry {
	out := make([]dict.Entry, 0, treesOf(l).byID.Len())
	treesOf(l).byID.Scan(func(e *dict.Entry) bool { out = append(out, *e); return true })
	return out
}

// ordered is a level of one index of one graph.
type ordered struct {
	level *Level
	graph dict.ID
	order orders.Order
}

func triplesOf(l *Level, o orders.Order) *tree[*triple] {
	if o == orders.SPO {
		return treesOf(l).triples
	}
	return treesOf(l).others.tree(o)
}

func (o *ordered) Ascend(from index.Tuple, f func(index.Entry) bool) {
	triplesOf(o.level, o.order).Ascend(&triple{graph: o.graph, spo: o.order.Parts(from)}, o.each(f))
}

func (o *ordered) Descend(from index.Tuple, f func(index.Entry) bool) {
	triplesOf(o.level, o.order).Descend(&triple{graph: o.graph, spo: o.order.Parts(from)}, o.each(f))
}

func (o *ordered) each(f func(index.Entry) bool) func(*triple) bool {
	return func(t *triple) bool {
		return t.graph == o.graph && f(index.Entry{Tuple: o.order.Sorted(t.spo), Present: t.present, Under: t.under})
	}
}

// Indexes returns the levels of a graph's indexes. It reports false if the level has no
// entry for the graph.
func (l *Level) Indexes(g dict.ID) (out [orders.Count]index.Level, some bool) {
	if treesOf(l).triples.Len() == 0 {
		return out, false
	}
	treesOf(l).triples.Ascend(&triple{graph: g}, func(t *triple) bool { some = t.graph == g; return false })
	if some {
		var each [orders.Count]ordered
		for o := range each {
			each[o] = ordered{l, g, orders.Order(o)}
			out[o] = &each[o]
		}
	}
	return out, some
}

// Has reports whether the level has an entry for a triple that is present. Only the
// goroutine that changes the level may call it.
func (l *Level) Has(g dict.ID, spo index.Tuple) bool {
	if treesOf(l).triples.Len() == 0 {
		return false
	}
	l.sought = triple{graph: g, spo: spo}
	t, ok := treesOf(l).triples.Get(&l.sought, nil)
	return ok && t.present
}

// Graphs returns an iterator over the ids of the graphs whose triples the level changes,
// in order.
func (l *Level) Graphs() iter.Seq[dict.ID] {
	return func(yield func(dict.ID) bool) {
		next, more := dict.ID(0), true
		for more {
			more = false
			var g dict.ID
			treesOf(l).triples.Ascend(&triple{graph: next}, func(t *triple) bool { g, more = t.graph, true; return false })
			if !more || !yield(g) {
				return
			}
			next = g + 1
			more = next != 0 // else g is the greatest id
		}
	}
}

// Count returns by how much the level changes the number of a graph's triples with a
// predicate or, for predicate 0, of all.
func (l *Level) Count(g, predicate dict.ID) int64 {
	c, _ := treesOf(l).counts.Get(count{graph: g, predicate: predicate}, nil)
	return c.n
}

// Counts calls f with each predicate whose number of triples in a graph the level
// changes, and with the difference. The total has the predicate 0.
func (l *Level) Counts(g dict.ID, f func(predicate dict.ID, n int64)) {
	treesOf(l).counts.Ascend(count{graph: g}, func(c count) bool {
		if c.graph != g {
			return false
		}
		f(c.predicate, c.n)
		return true
	})
}

// Changes appends the triples that the level adds to a graph to added, and those that it
// removes to removed, in SPO order.
func (l *Level) Changes(g dict.ID, added, removed []index.Tuple) (_, _ []index.Tuple) {
	treesOf(l).triples.Ascend(&triple{graph: g}, func(t *triple) bool {
		switch {
		case t.graph != g:
			return false
		case t.present:
			added = append(added, t.spo)
		default:
			removed = append(removed, t.spo)
		}
		return true
	})
	return added, removed
}
