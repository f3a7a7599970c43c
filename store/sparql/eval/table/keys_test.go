package table

import (
	"context"
	"errors"
	"testing"

	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// Making a large table stops soon after the query's context ends.
func TestAGrowingTableStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	keys := NewKeys(budget.New(ctx, budget.Limits{}), 1)
	for i := range source.ID(3 * checkEvery) {
		if _, _, err := keys.Insert([]source.ID{i}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := keys.rehash(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
