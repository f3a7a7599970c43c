package table

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// Each group has its own set of ids, whether these are close together, far apart or
// the greatest.
func TestGroupIDs(t *testing.T) {
	b := budget.New(context.Background(), budget.Limits{})
	s, seen, random := NewGroupIDs(b), map[[2]source.ID]bool{}, rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		group, id := random.IntN(3), source.ID(random.IntN(2000))
		switch random.IntN(3) {
		case 0:
			id *= 1_000_003
		case 1:
			id = ^id
		}
		key := [2]source.ID{source.ID(group), id}
		if added, err := s.Insert(group, id); err != nil || added == seen[key] {
			t.Fatalf("%x: added %v, %v", key, added, err)
		}
		seen[key] = true
	}
	if b.Memory() < int64(len(s.words)+2*s.table.N)*IdSize {
		t.Errorf("%d bytes are accounted for", b.Memory())
	}
	if s.Free(); b.Memory() != 0 {
		t.Errorf("%d bytes are left", b.Memory())
	}
	if added, err := s.Insert(0, 0); err != nil || !added {
		t.Errorf("after free: %v, %v", added, err)
	}
}
