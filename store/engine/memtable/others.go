package memtable

import (
	"sync"

	"github.com/tidwall/btree"

	"github.com/segraph/segraph/store/orders"
)

// others holds what a level says of its triples in the orders other than SPO, which only
// queries read. The tree of an order is built when it is first read, so a level that is
// only written and flushed never has one. It goes on from the tree of the nearest level
// before this one that has it.
type others struct {
	mu     sync.Mutex
	before *others                              // of the level that this one is a copy of; nil for none, and once all trees are built
	set    []*triple                            // what the level said since, in that order; a triple that is present as it was under it is taken back
	trees  [orders.Count]*btree.BTreeG[*triple] // nil until built
	holds  [orders.Count]int                    // how many of set a tree holds
}

// tree returns the tree of an order.
func (x *others) tree(o orders.Order) *btree.BTreeG[*triple] {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.trees[o] == nil {
		x.build(o)
	}
	for ; x.holds[o] < len(x.set); x.holds[o]++ {
		apply(x.trees[o], x.set[x.holds[o]])
	}
	return x.trees[o]
}

// build makes the tree of an order as it was before the level said anything. The caller
// holds the lock.
func (x *others) build(o orders.Order) {
	var since [][]*triple // newer first
	var tree *btree.BTreeG[*triple]
	for b := x.before; b != nil && tree == nil; {
		b.mu.Lock()
		if b.trees[o] != nil {
			tree = b.trees[o].Copy()
		}
		since = append(since, b.set[b.holds[o]:])
		next := b.before
		b.mu.Unlock()
		b = next
	}
	if tree == nil {
		tree = newTree(less(o))
	}
	for i := len(since) - 1; i >= 0; i-- {
		for _, t := range since[i] {
			apply(tree, t)
		}
	}
	x.trees[o] = tree
	for _, o := range orders.Others {
		if x.trees[o] == nil {
			return
		}
	}
	x.before = nil
}

// apply puts what a level says of a triple into a tree.
func apply(tree *btree.BTreeG[*triple], t *triple) {
	if t.present == t.under { // as if nothing had happened
		tree.Delete(t)
	} else {
		tree.Set(t)
	}
}
