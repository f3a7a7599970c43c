package memtable

import (
	"sync"

	"github.com/segraph/segraph/store/orders"
)

// lazyOrders holds a level's triples in the orders other than SPO, which only queries
// read. The tree of an order is built when it is first read. So a level that is only
// written and flushed never builds one. A build starts from the tree of the nearest
// earlier level that has it.
type lazyOrders struct {
	mu      sync.Mutex
	before  *lazyOrders                  // others of the level that this one was copied from; nil if none, and once all trees are built
	set     []*triple                    // changes since the copy, in order; a triple whose present equals its under reverts a change
	trees   [orders.Count]*tree[*triple] // nil until built
	applied [orders.Count]int            // how many changes of set each tree contains
}

// reset removes everything.
func (x *lazyOrders) reset() {
	clear(x.set)
	x.before, x.set = nil, x.set[:0]
	if cap(x.set) > maxFew {
		x.set = nil
	}
	x.trees, x.applied = [orders.Count]*tree[*triple]{}, [orders.Count]int{}
}

// tree returns the triples in the order o. It builds the tree on first use, and then applies what
// was set since.
func (x *lazyOrders) tree(o orders.Order) *tree[*triple] {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.trees[o] == nil {
		x.build(o)
	}
	for ; x.applied[o] < len(x.set); x.applied[o]++ {
		apply(x.trees[o], x.set[x.applied[o]])
	}
	return x.trees[o]
}

// build builds the tree of an order as it was before the level's changes. The caller
// holds x.mu.
func (x *lazyOrders) build(o orders.Order) {
	var since [][]*triple // newest first
	var tree *tree[*triple]
	for b := x.before; b != nil && tree == nil; {
		b.mu.Lock()
		if b.trees[o] != nil {
			tree = b.trees[o].Copy()
		}
		since = append(since, b.set[b.applied[o]:])
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

// apply applies a level's entry for a triple to a tree.
func apply(tree *tree[*triple], t *triple) {
	if t.present == t.under { // the change was reverted
		tree.Delete(t)
	} else {
		tree.Set(t, nil)
	}
}
