package memtable

import (
	"slices"
	"sort"

	"github.com/tidwall/btree"
)

// tree is a sorted set. Up to maxFew elements are in a slice, which units of work reuse.
// More are in a B-tree, which is copied in constant time.
type tree[T any] struct {
	less   func(a, b T) bool
	few    []T  // used while large is nil
	shared bool // another tree has the slice too
	large  *btree.BTreeG[T]
}

// maxFew is the largest number of elements that are kept in a slice. A decision of the
// resolver adds about 40 triples.
const maxFew = 128

// degree keeps nodes small, because a copy of a tree copies the nodes that it changes.
const degree = 8

func newTree[T any](less func(a, b T) bool) *tree[T] { return &tree[T]{less: less} }

// Copy returns a tree with the same elements. Both can be changed.
func (t *tree[T]) Copy() *tree[T] {
	t.shared = true
	out := *t
	if t.large != nil {
		out.large = t.large.Copy()
	}
	return &out
}

// Reset removes all elements.
func (t *tree[T]) Reset() {
	t.large = nil
	if t.shared {
		t.few, t.shared = nil, false
	}
	clear(t.few)
	t.few = t.few[:0]
}

// Len returns the number of elements.
func (t *tree[T]) Len() int {
	if t.large != nil {
		return t.large.Len()
	}
	return len(t.few)
}

// find returns where x is among the few, or where it would be.
func (t *tree[T]) find(x T) (at int, found bool) {
	n := len(t.few)
	if n == 0 || t.less(t.few[n-1], x) {
		return n, false
	}
	at = sort.Search(n, func(i int) bool { return !t.less(t.few[i], x) })
	return at, !t.less(x, t.few[at])
}

// Get returns the element equal to x.
func (t *tree[T]) Get(x T, hint *btree.PathHint) (found T, ok bool) {
	if t.large != nil {
		return t.large.GetHint(x, hint)
	}
	at, ok := t.find(x)
	if ok {
		found = t.few[at]
	}
	return found, ok
}

// Set adds x, or replaces the element equal to it and returns that and true. hint, which may
// be nil, speeds up calls in about the order of the elements.
func (t *tree[T]) Set(x T, hint *btree.PathHint) (old T, replaced bool) {
	if t.large != nil {
		return t.large.SetHint(x, hint)
	}
	at, found := t.find(x)
	if !found && len(t.few) == maxFew {
		t.large = btree.NewBTreeGOptions(t.less, btree.Options{Degree: degree, NoLocks: true})
		for _, y := range t.few {
			t.large.Load(y)
		}
		t.few = nil
		return t.large.SetHint(x, hint)
	}
	t.own()
	if found {
		old, t.few[at] = t.few[at], x
		return old, true
	}
	t.few = slices.Insert(t.few, at, x)
	return old, false
}

// own copies the slice if another tree has it too.
func (t *tree[T]) own() {
	if t.shared {
		t.few, t.shared = append(make([]T, 0, len(t.few)+8), t.few...), false
	}
}

// Delete removes the element equal to x.
func (t *tree[T]) Delete(x T) {
	if t.large != nil {
		t.large.Delete(x)
	} else if at, found := t.find(x); found {
		t.own()
		t.few = slices.Delete(t.few, at, at+1)
	}
}

// Ascend calls f with the elements from the given one up, in order, until f returns false.
func (t *tree[T]) Ascend(from T, f func(T) bool) {
	if t.large != nil {
		t.large.Ascend(from, f)
		return
	}
	for at, _ := t.find(from); at < len(t.few) && f(t.few[at]); at++ {
	}
}

// Descend calls f with the elements from the given one down, in descending order, until f
// returns false.
func (t *tree[T]) Descend(from T, f func(T) bool) {
	if t.large != nil {
		t.large.Descend(from, f)
		return
	}
	at, found := t.find(from)
	if !found {
		at--
	}
	for ; at >= 0 && f(t.few[at]); at-- {
	}
}

// Scan calls f with all elements in order until f returns false.
func (t *tree[T]) Scan(f func(T) bool) {
	if t.large != nil {
		t.large.Scan(f)
		return
	}
	for _, x := range t.few {
		if !f(x) {
			return
		}
	}
}

// Items returns all elements in order. The caller must not change them, nor use them after
// the tree has changed.
func (t *tree[T]) Items() []T {
	if t.large != nil {
		return t.large.Items()
	}
	return t.few
}
