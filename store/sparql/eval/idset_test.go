package eval

import (
	"context"
	"github.com/segraph/segraph/store/sparql/budget"
	"math/rand/v2"
	"testing"
)

// A set has exactly the ids it was made of, whether these are close together or far
// apart.
func TestIDSet(t *testing.T) {
	for name, spread := range map[string]func(n ID) ID{
		"close together":  func(n ID) ID { return 2<<60 + n },
		"far apart":       func(n ID) ID { return n * 1_000_003 },
		"under two tags":  func(n ID) ID { return (1+n%2)<<60 + n },
		"the greatest":    func(n ID) ID { return ^n },
		"from one on":     func(n ID) ID { return 1 + n },
		"all over it all": func(n ID) ID { return ID(rand.Uint64()) | 1 },
	} {
		t.Run(name, func(t *testing.T) {
			var in, out []ID
			members := map[ID]bool{}
			for n := range ID(3000) {
				id := spread(n)
				if n%3 == 0 {
					in = append(in, id, id)
					members[id] = true
				} else {
					out = append(out, id)
				}
			}
			rand.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
			b := budget.New(context.Background(), Limits{})
			s, err := newIDSet(b, in)
			if err != nil || s.n != len(members) {
				t.Fatalf("%d ids, %v; want %d", s.n, err, len(members))
			}
			for _, id := range append(in, out...) {
				if s.has(id) != members[id] {
					t.Errorf("%x: %v, want %v", id, s.has(id), members[id])
				}
			}
			if b.Memory() <= 0 {
				t.Error("it is not accounted for")
			}
		})
	}
	empty, err := newIDSet(budget.New(context.Background(), Limits{}), nil)
	if err != nil || empty.has(0) || empty.has(1) {
		t.Errorf("the empty set has something, %v", err)
	}
}
