// Package memtable holds in memory what was written and is not in the buckets of the file
// yet: new terms, triples that came and went, and keys and values.
//
// Rules: a Level says what it knows absolutely, and what it says of a triple, key or term
// replaces what lies below it, be it older levels or the buckets. A level that readers
// have is not changed any more: Copy takes constant time, and the copy goes on. What one
// write did is a level too, which Append encodes for the log, and Decode returns the same
// level.
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

// A level is sets of these, each in a tree of its own. Trees hold pointers, because a
// copy copies nodes. What they point to is not changed, and levels share it.
type (
	// triple is what the level says of a triple.
	triple struct {
		graph          dict.ID
		spo            index.Tuple
		present, under bool // as in index.Entry
	}
	// count is by how much the level changes the number of triples, of one predicate or,
	// under 0, of all.
	count struct {
		graph, predicate dict.ID
		n                int64
	}
	// pair is a key with its value, or without one if it was deleted.
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

// degree keeps nodes small, because a copy copies those that it changes.
const degree = 16

func newTree[T any](less func(a, b T) bool) *btree.BTreeG[T] {
	return btree.NewBTreeGOptions(less, btree.Options{Degree: degree, NoLocks: true})
}

// Level is one layer of the memtable. The zero value is not usable; see New.
type Level struct {
	triples   *btree.BTreeG[*triple] // in the order SPO
	others    *others                // the same in the other orders
	counts    *btree.BTreeG[count]
	byID      *btree.BTreeG[*dict.Entry]
	byText    *btree.BTreeG[*dict.Entry]
	pairs     *btree.BTreeG[*pair]
	sequences *btree.BTreeG[sequence]
	numbers   dict.Numbers // of the next ids
	numbered  bool         // numbers are set
	sought    triple       // by Has
}

// New returns an empty level.
func New() *Level {
	return &Level{
		triples: newTree(less(orders.SPO)),
		others:  &others{},
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
	}
}

// Copy returns a level that says the same and can be changed. l must not be changed any
// more.
func (l *Level) Copy() *Level {
	out := *l
	out.triples, out.others = l.triples.Copy(), &others{before: l.others}
	out.counts, out.byID, out.byText = l.counts.Copy(), l.byID.Copy(), l.byText.Copy()
	out.pairs, out.sequences = l.pairs.Copy(), l.sequences.Copy()
	return &out
}

// Empty reports whether the level says nothing.
func (l *Level) Empty() bool {
	return l.triples.Len()+l.byID.Len()+l.pairs.Len()+l.sequences.Len() == 0 && !l.numbered
}

// Len returns how many places in trees the level takes, once a query has read it in all
// orders. It leaves out counts, which are few and the same in most writes.
func (l *Level) Len() int {
	return orders.Count*l.triples.Len() + 2*l.byID.Len() + l.pairs.Len()
}

// Set says that triples, given by their tuples of the index SPO, in order and without
// repetition, are present or not. They were not or were before: the caller says only what
// changes.
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

// set says something of a triple. hint is of the calls before, with triples in about
// their order.
func (l *Level) set(t *triple, hint *btree.PathHint) {
	old, there := l.triples.SetHint(t, hint)
	if there && old.under != t.under {
		t = &triple{t.graph, t.spo, t.present, old.under}
		apply(l.triples, t)
	}
	l.others.set = append(l.others.set, t)
}

// count adds to the number of triples of a predicate. hint is as in set.
func (l *Level) count(c count, hint *btree.PathHint) {
	if old, ok := l.counts.GetHint(c, hint); ok {
		c.n += old.n
	}
	if c.n == 0 {
		l.counts.Delete(c)
	} else {
		l.counts.SetHint(c, hint)
	}
}

// AddTerms adds terms that are new.
func (l *Level) AddTerms(entries []dict.Entry) {
	for i := range entries {
		l.byID.Set(&entries[i])
		l.byText.Set(&entries[i])
	}
}

// SetNumbers says which numbers the next ids have.
func (l *Level) SetNumbers(n dict.Numbers) { l.numbers, l.numbered = n, true }

// Numbers returns the numbers of the next ids. It reports false if the level does not say
// them.
func (l *Level) Numbers() (dict.Numbers, bool) { return l.numbers, l.numbered }

// Merge says what a level on top of this one says.
func (l *Level) Merge(top *Level) {
	var triples, counts, ids, texts, pairs btree.PathHint
	top.triples.Scan(func(t *triple) bool { l.set(t, &triples); return true })
	top.counts.Scan(func(c count) bool { l.count(c, &counts); return true })
	top.byID.Scan(func(e *dict.Entry) bool { l.byID.SetHint(e, &ids); return true })
	top.byText.Scan(func(e *dict.Entry) bool { l.byText.SetHint(e, &texts); return true })
	top.pairs.Scan(func(p *pair) bool { l.pairs.SetHint(p, &pairs); return true })
	top.sequences.Scan(func(s sequence) bool { l.sequences.Set(s); return true })
	if top.numbered {
		l.SetNumbers(top.numbers)
	}
}
