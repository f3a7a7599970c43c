package statistics

import (
	"testing"

	"github.com/segraph/segraph/store/sparql/source"
)

func TestCensusIsBounded(t *testing.T) {
	var c Census
	for i := range source.ID(3 * maxCensus) {
		c.put(censusKey{predicate: i}, survey{predicate: 1})
	}
	if len(c.of) > maxCensus {
		t.Errorf("%d entries", len(c.of))
	}
	if _, ok := c.get(censusKey{predicate: 3*maxCensus - 1}, 1); !ok {
		t.Error("the last entry is gone")
	}
	var none *Census
	none.put(censusKey{}, survey{})
	if _, ok := none.get(censusKey{}, 0); ok {
		t.Error("a nil Census has an entry")
	}
}
