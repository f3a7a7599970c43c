package table

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// A set has exactly the ids it was made of, whether these are close together or far
// apart.
func TestIDSet(t *testing.T) {
	for name, spread := range map[string]func(n source.ID) source.ID{
		"close together":  func(n source.ID) source.ID { return 2<<60 + n },
		"far apart":       func(n source.ID) source.ID { return n * 1_000_003 },
		"under two tags":  func(n source.ID) source.ID { return (1+n%2)<<60 + n },
		"the greatest":    func(n source.ID) source.ID { return ^n },
		"from one on":     func(n source.ID) source.ID { return 1 + n },
		"all over it all": func(n source.ID) source.ID { return source.ID(rand.Uint64()) | 1 },
	} {
		t.Run(name, func(t *testing.T) {
			var in, out []source.ID
			members := map[source.ID]bool{}
			for n := range source.ID(3000) {
				id := spread(n)
				if n%3 == 0 {
					in = append(in, id, id)
					members[id] = true
				} else {
					out = append(out, id)
				}
			}
			rand.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
			b := budget.New(context.Background(), budget.Limits{})
			s, err := NewIDs(b, in)
			if err != nil || s.N != len(members) {
				t.Fatalf("%d ids, %v; want %d", s.N, err, len(members))
			}
			for _, id := range append(in, out...) {
				if s.Has(id) != members[id] {
					t.Errorf("%x: %v, want %v", id, s.Has(id), members[id])
				}
			}
			if b.Memory() <= 0 {
				t.Error("it is not accounted for")
			}
		})
	}
	empty, err := NewIDs(budget.New(context.Background(), budget.Limits{}), nil)
	if err != nil || empty.Has(0) || empty.Has(1) {
		t.Errorf("the empty set has something, %v", err)
	}
}
