package dict

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

func TestACacheKeepsToItsSize(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		slots int
	}{{0, cacheSlots}, {1 << 40, cacheSlots}, {cacheSlots * slotSize, cacheSlots}, {4 << 20, 8192}, {1 << 20, 2048}, {1, 1}} {
		cache, kept := NewCache(c.bytes), 0
		for i := range 100_000 {
			cache.put(ID(i), rdf.NewString(strings.Repeat("x", i%100)))
		}
		for i := range 100_000 {
			if term, ok := cache.get(ID(i)); ok {
				if kept++; len(term.Value()) != i%100 {
					t.Errorf("%d is another term", i)
				}
			}
		}
		if kept > c.slots || kept < c.slots*9/10 {
			t.Errorf("a cache of %d bytes keeps %d terms, want %d", c.bytes, kept, c.slots)
		}
	}
}
