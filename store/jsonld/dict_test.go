package jsonld

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// A dict answers as a map does, at each size and after each change.
func TestADictIsAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var d dict[int]
		m := map[string]int{}
		names, sorts := 1+random.IntN(4*few), 8
		if round == 0 {
			names, sorts = 2*many, many/2
		}
		for step := range 3 * names {
			name := strconv.Itoa(random.IntN(names))
			if random.IntN(sorts) == 0 {
				d.sort()
				if want := slices.Sorted(maps.Keys(m)); !slices.EqualFunc(d.entries, want, func(e entry[int], s string) bool { return e.name == s }) {
					t.Fatalf("sorted entries %v, want %v", d.entries, want)
				}
			}
			want, found := m[name]
			if v, ok := d.get(name); v != want || ok != found || d.has(name) != found || d.value(name) != want {
				t.Fatalf("get(%s) of %v = %d, %t, want %d, %t", name, d.entries, v, ok, want, found)
			}
			d.set(name, step)
			m[name] = step
		}
		if len(d.entries) != len(m) {
			t.Fatalf("%d entries, want %d", len(d.entries), len(m))
		}
	}
}
