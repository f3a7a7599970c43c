// Package memtable holds written data in memory that is not in the buckets of the file
// yet: new terms, added and removed triples, and keys and values.
//
// An entry of a Level for a triple, key or term replaces those below it, in older levels
// and in the buckets. A level does not change once readers have it. Copy returns, in
// constant time, a level that can change instead. A unit of work also produces a level.
// Append encodes it for the log region, and Decode restores it.
package memtable

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tidwall/btree"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/orders"
)

// Entries of a level. Each type has a tree of its own, or several. Trees hold pointers,
// because copying a tree copies nodes. Entries do not change, and levels share them.
type (
	// triple is the entry of a triple.
	triple struct {
		graph          dict.ID
		spo            index.Tuple
		present, under bool // as in index.Entry
	}
	// count is by how much the level changes the number of triples with a predicate or,
	// for predicate 0, of all.
	count struct {
		graph, predicate dict.ID
		n                int64
	}
	// pair is a key with its value, nil if the key was deleted.
	pair struct {
		path, key string
		value     []byte
	}
	// sequence is the counter of a bucket.
	sequence struct {
		path string
		n    uint64
	}
)

// less returns a function that reports whether a triple comes before another in an order.
func less(o orders.Order) func(a, b *triple) bool {
	places := o.Places()
	return func(a, b *triple) bool {
		if a.graph != b.graph {
			return a.graph < b.graph
		}
		for _, place := range &places {
			if x, y := a.spo[place], b.spo[place]; x != y {
				return x < y
			}
		}
		return false
	}
}

// Level is one level of the memtable. Use New; the zero Level is not ready to use.
type Level struct {
	hidden   any          // *trees
	numbers  dict.Numbers // of the next ids
	numbered bool         // numbers is set
	sought   triple       // argument of Has, to save an allocation
}

// trees are the entries of a level, which hides them behind an any, and no method of it
// names them. Otherwise each package that uses a store would compile all methods of these
// trees again: the compiler generates those of every instantiated type that it finds in the
// types of other packages.
type trees struct {
	triples   *tree[*triple] // in SPO order
	others    *lazyOrders    // the same triples in the other orders
	counts    *tree[count]
	byID      *tree[*dict.Entry]
	byText    *tree[*dict.Entry]
	pairs     *tree[*pair]
	sequences *tree[sequence]
}

func treesOf(l *Level) *trees { return l.hidden.(*trees) }

// New returns an empty level.
func New() *Level {
	return &Level{hidden: &trees{
		triples: newTree(less(orders.SPO)),
		others:  &lazyOrders{},
		counts: newTree(func(a, b count) bool {
			return cmp.Or(cmp.Compare(a.graph, b.graph), cmp.Compare(a.predicate, b.predicate)) < 0
		}),
		byID: newTree(func(a, b *dict.Entry) bool { return a.ID < b.ID }),
		byText: newTree(func(a, b *dict.Entry) bool {
			return cmp.Or(bytes.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID)) < 0
		}),
		pairs: newTree(func(a, b *pair) bool {
			return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.key, b.key)) < 0
		}),
		sequences: newTree(func(a, b sequence) bool { return a.path < b.path }),
	}}
}

// Copy returns a level with the same entries. The copy can be changed; l must not be
// changed any more.
func (l *Level) Copy() *Level {
	out, t := *l, treesOf(l)
	out.hidden = &trees{
		triples: t.triples.Copy(), others: &lazyOrders{before: t.others},
		counts: t.counts.Copy(), byID: t.byID.Copy(), byText: t.byText.Copy(),
		pairs: t.pairs.Copy(), sequences: t.sequences.Copy(),
	}
	return &out
}

// Reset removes everything. The level must not be in use elsewhere.
func (l *Level) Reset() {
	t := treesOf(l)
	t.triples.Reset()
	t.others.reset()
	t.counts.Reset()
	t.byID.Reset()
	t.byText.Reset()
	t.pairs.Reset()
	t.sequences.Reset()
	l.numbers, l.numbered, l.sought = dict.Numbers{}, false, triple{}
}

// Empty reports whether the level has no entries and no numbers.
func (l *Level) Empty() bool {
	t := treesOf(l)
	return t.triples.Len()+t.byID.Len()+t.pairs.Len()+t.sequences.Len() == 0 && !l.numbered
}

// Len returns how many entries the level's trees have when all orders are built. It does
// not include counts, which are few and the same in most writes.
func (l *Level) Len() int {
	t := treesOf(l)
	return orders.Count*t.triples.Len() + t.byID.Len() + t.byText.Len() + t.pairs.Len()
}

// OtherTexts returns how many texts of triple terms the level has in orders other than
// SPO.
func (l *Level) OtherTexts() int { return treesOf(l).byText.Len() - treesOf(l).byID.Len() }

// Set records that triples of a graph are now present, or absent. Before, they must have
// been the opposite. spo is sorted and distinct, in SPO order.
func (l *Level) Set(g dict.ID, spo []index.Tuple, present bool) {
	triples, predicates := make([]triple, len(spo)), make([]uint64, len(spo))
	var hint btree.PathHint
	for i, t := range spo {
		triples[i], predicates[i] = triple{g, t, present, !present}, t[1]
		l.set(&triples[i], &hint)
	}
	sign := int64(1)
	if !present {
		sign = -1
	}
	var counts btree.PathHint
	l.count(count{g, 0, sign * int64(len(spo))}, &counts)
	slices.Sort(predicates)
	for len(predicates) > 0 {
		n := 1
		for n < len(predicates) && predicates[n] == predicates[0] {
			n++
		}
		l.count(count{g, dict.ID(predicates[0]), sign * int64(n)}, &counts)
		predicates = predicates[n:]
	}
}

// set sets the entry of a triple. hint speeds up calls with triples in about their order.
func (l *Level) set(t *triple, hint *btree.PathHint) {
	old, there := treesOf(l).triples.Set(t, hint)
	if there && old.under != t.under { // under stays as the level's first change found it
		t = &triple{t.graph, t.spo, t.present, old.under}
		apply(treesOf(l).triples, t)
	}
	others := treesOf(l).others
	others.set = append(others.set, t)
}

// count adds to the number of triples of a predicate. hint is as in set.
func (l *Level) count(c count, hint *btree.PathHint) {
	if old, ok := treesOf(l).counts.Get(c, hint); ok {
		c.n += old.n
	}
	if c.n == 0 {
		treesOf(l).counts.Delete(c)
	} else {
		treesOf(l).counts.Set(c, hint)
	}
}

// AddTerms adds new terms.
func (l *Level) AddTerms(entries []dict.Entry) {
	for i := range entries {
		treesOf(l).byID.Set(&entries[i], nil)
		treesOf(l).byText.Set(&entries[i], nil)
		if id := entries[i].ID; id.IsTriple() {
			entries[i].OtherTexts(func(text []byte) { treesOf(l).byText.Set(&dict.Entry{ID: id, Text: text}, nil) })
		}
	}
}

// SetNumbers sets the numbers of the next ids.
func (l *Level) SetNumbers(n dict.Numbers) { l.numbers, l.numbered = n, true }

// Numbers returns the numbers of the next ids. It reports false if the level does not
// have them.
func (l *Level) Numbers() (next dict.Numbers, ok bool) { return l.numbers, l.numbered }

// Merge adds the entries of a level on top of this one.
func (l *Level) Merge(top *Level) {
	t, from := treesOf(l), treesOf(top)
	t.others.set = slices.Grow(t.others.set, from.triples.Len())
	var triples, counts, ids, texts, pairs btree.PathHint
	from.triples.Scan(func(t *triple) bool { l.set(t, &triples); return true })
	from.counts.Scan(func(c count) bool { l.count(c, &counts); return true })
	from.byID.Scan(func(e *dict.Entry) bool { t.byID.Set(e, &ids); return true })
	from.byText.Scan(func(e *dict.Entry) bool { t.byText.Set(e, &texts); return true })
	from.pairs.Scan(func(p *pair) bool { t.pairs.Set(p, &pairs); return true })
	from.sequences.Scan(func(s sequence) bool { t.sequences.Set(s, nil); return true })
	if top.numbered {
		l.SetNumbers(top.numbers)
	}
}
