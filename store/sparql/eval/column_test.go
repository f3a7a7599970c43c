package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// A column has the same values for each key as the index, whether keys are close
// together or far apart.
func TestColumn(t *testing.T) {
	suite.NotShort(t)
	for name, gap := range map[string]int{"close together": 1, "far apart": suite.Size(1000, 300)} {
		rng := rand.New(rand.NewPCG(uint64(gap), 1))
		var quads []rdf.Quad
		for i := range 100 * gap {
			if i%gap == 0 {
				quads = append(quads, quad(fmt.Sprint("s", rng.IntN(90)), "p", fmt.Sprint("s", rng.IntN(90)), ""))
			}
			quads = append(quads, quad(fmt.Sprint("s", i/gap), "q", fmt.Sprint("o", i), "")) // uses up ids
		}
		m := newMemory(quads...)
		r := &Run{ds: m, budget: budget.New(context.Background(), budget.Limits{})}
		p := m.id(iri("p"))
		for _, k := range []columnKey{{0, p, false}, {0, p, true}, {0, m.id(iri("q")), false}, {0, m.id(iri("q")), true}} {
			want := map[source.ID][]source.ID{}
			for _, q := range m.triples() {
				if key, v := source.ID(q[0]), source.ID(q[2]); source.ID(q[1]) == k.predicate {
					if k.byObject {
						key, v = v, key
					}
					want[key] = append(want[key], v)
				}
			}
			c, err := r.column(k, 1)
			if err != nil {
				t.Fatal(err)
			}
			if c.Sparse() != (gap > 1) && k.predicate == p {
				t.Errorf("keys %s are in a hash table: %v", name, c.Sparse())
			}
			for id := range m.last() + 10 {
				w := want[id]
				slices.Sort(w)
				if w = slices.Compact(w); !slices.Equal(c.Of(id), w) {
					t.Errorf("keys %s, %v: %d has %v, want %v", name, k, id, c.Of(id), w)
				}
			}
		}
		if again, err := r.column(columnKey{0, p, true}, 1); err != nil || again != r.columns[columnKey{0, p, true}] {
			t.Errorf("it is read again, %v", err)
		}
	}
}

// Keys with small gaps between them are kept in spans only if memory allows.
func TestColumnKeepsToTheMemory(t *testing.T) {
	const n, gap = 250, 120
	var quads []rdf.Quad
	for i := range n * gap {
		p := "q"
		if i%gap == 0 {
			p = "p"
		}
		quads = append(quads, quad(fmt.Sprint("s", i), p, "o", ""))
	}
	m := newMemory(quads...)
	for _, tt := range []struct {
		memory int64
		sparse bool
	}{{0, false}, {3 * table.ColumnSize * n, true}} {
		r := &Run{ds: m, budget: budget.New(context.Background(), budget.Limits{Memory: tt.memory})}
		c, err := r.column(columnKey{0, m.id(iri("p")), false}, n)
		if err != nil {
			t.Fatalf("within %d bytes: %v", tt.memory, err)
		}
		if c.Sparse() != tt.sparse {
			t.Errorf("within %d bytes keys are in a hash table: %v", tt.memory, c.Sparse())
		}
	}
}

// many returns a star of n nodes. Each has one :p and the type :k, and every second
// one has two :q.
func many(n int) *memory {
	var quads []rdf.Quad
	for i := range n {
		s := fmt.Sprint("s", i)
		quads = append(quads, quad(s, "p", fmt.Sprint("o", i%7), ""), quad(s, "a", "k", ""))
		if i%2 == 0 {
			quads = append(quads, quad(s, "q", "x", ""), quad(s, "q", "y", ""))
		}
	}
	return newMemory(quads...)
}

// For many rows, a pattern is read once. Few rows are looked up one by one.
func TestManyRowsReadAPatternOnce(t *testing.T) {
	const n = 1000
	for _, tt := range []struct {
		name, text        string
		rows, seeks, read int // at most
		memory            int64
	}{
		{"a variable at either end", "SELECT * { ?s :p ?o . ?s :q ?x }", n, 200, 3 * n, 0},
		{"a term at one end", "SELECT * { ?s :p ?o . ?s :a :k }", n, 200, 3 * n, 0},
		{"both ends bound", "SELECT * { ?s :p ?o . ?s :q ?x . ?s :p ?o }", n, 200, 5 * n, 0},
		{"few rows", "SELECT * { ?s :p :o1 . ?s :a ?k } LIMIT 5", 5, 1 + 64, 2 * 64, 0},
		{"no room", "SELECT (COUNT(*) AS ?n) { ?s :p ?o . ?s :q ?x }", 1, n + 1, 3 * n, 60 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := many(n)
			got, err := rowsWithin(t, m, tt.text, budget.Limits{Memory: tt.memory})
			if err != nil || len(got) != tt.rows {
				t.Errorf("%d rows, %v; want %d", len(got), err, tt.rows)
			}
			if m.seeks > tt.seeks || m.read > tt.read {
				t.Errorf("%d seeks, %d tuples; want at most %d and %d", m.seeks, m.read, tt.seeks, tt.read)
			}
			if tt.memory > 0 && m.seeks < n {
				t.Errorf("%d seeks: a pattern was read that there is no room for", m.seeks)
			}
		})
	}
}
