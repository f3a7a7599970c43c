package memtable

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/btree"
)

// entry is an element of a tree: a key, and the number of the Set that wrote it.
type entry struct{ key, version int }

// model checks a tree against a map.
type model struct {
	tree *tree[*entry]
	want map[int]int
}

func (m *model) check(t *testing.T, seed uint64) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(m.want))
	collect := func(walk func(f func(*entry) bool)) (got []int) {
		walk(func(e *entry) bool {
			if m.want[e.key] != e.version {
				t.Fatalf("seed %d: key %d has version %d, want %d", seed, e.key, e.version, m.want[e.key])
			}
			got = append(got, e.key)
			return len(got) < 20
		})
		return got
	}
	first := func(keys []int) []int { return keys[:min(len(keys), 20)] }
	equal := func(what string, got, want []int) {
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %s returns %v, want %v", seed, what, got, want)
		}
	}
	equal("Scan", collect(m.tree.Scan), first(keys))
	for _, from := range []int{-1, 7, 100, 1000} {
		at, found := slices.BinarySearch(keys, from)
		equal("Ascend", collect(func(f func(*entry) bool) { m.tree.Ascend(&entry{key: from}, f) }), first(keys[at:]))
		if found {
			at++
		}
		down := slices.Clone(keys[:at])
		slices.Reverse(down)
		equal("Descend", collect(func(f func(*entry) bool) { m.tree.Descend(&entry{key: from}, f) }), first(down))
		e, ok := m.tree.Get(&entry{key: from}, nil)
		if version, want := m.want[from]; ok != want || ok && e.version != version {
			t.Fatalf("seed %d: Get(%d) returns %v, %v", seed, from, e, ok)
		}
	}
	if m.tree.Len() != len(keys) || len(m.tree.Items()) != len(keys) {
		t.Fatalf("seed %d: %d elements and %d items, want %d", seed, m.tree.Len(), len(m.tree.Items()), len(keys))
	}
}

// A tree of any size is a sorted set. A change of one does not show in its copies, nor in
// its original.
func TestTreesAreSortedSets(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 9))
		keys := []int{20, maxFew, 3 * maxFew}[seed%3]
		all := []*model{{newTree(func(a, b *entry) bool { return cmp.Less(a.key, b.key) }), map[int]int{}}}
		var hint btree.PathHint
		for i := range 1000 {
			m := all[r.IntN(len(all))]
			key := r.IntN(keys)
			switch n := r.IntN(300); {
			case n < 200:
				old, replaced := m.tree.Set(&entry{key, i}, &hint)
				if version, want := m.want[key]; replaced != want || replaced && old.version != version {
					t.Fatalf("seed %d: Set(%d) replaces %v, %v", seed, key, old, replaced)
				}
				m.want[key] = i
			case n < 290:
				m.tree.Delete(&entry{key: key})
				delete(m.want, key)
			case n < 291:
				m.tree.Reset()
				clear(m.want)
			case len(all) < 5:
				all = append(all, &model{m.tree.Copy(), maps.Clone(m.want)})
			}
		}
		for _, m := range all {
			m.check(t, seed)
		}
	}
}

// A level that was reset has nothing of the previous unit of work, in any order, and can
// hold the next one.
func TestALevelIsUsedAgain(t *testing.T) {
	state := func(l *Level) string { return strings.ReplaceAll(stateOf(l), "(nil)", "{}") }
	l, empty := New(), state(New())
	for seed := range uint64(20) {
		unit := newWorld(seed).write(t, nothing{})
		l.Merge(unit)
		if got, want := state(l), state(unit); got != want {
			t.Fatalf("seed %d: %s, want %s", seed, got, want)
		}
		l.Reset()
		if got := state(l); got != empty || !l.Empty() || l.Len() != 0 {
			t.Fatalf("seed %d: after Reset: %s", seed, got)
		}
	}
}
