package cayley

import (
	"testing"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/graph/path"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/turtle"
)

// BenchmarkQuadStore measures single calls of Cayley over 100,000 triples of robots'
// logs. nextCost and containsCost derive from it.
func BenchmarkQuadStore(b *testing.B) {
	s := openStore(b)
	load(b, s, turtle.Turtle, string(suite.RobotLogs(b, 7_000)))
	qs := New(s, nil)
	ctx := b.Context()
	var quads []graph.Ref
	for it := qs.QuadsAllIterator(); len(quads) < 10_000 && it.Next(ctx); {
		quads = append(quads, it.Result())
	}
	subject := qs.Quad(quads[5000]).Subject
	node := qs.ValueOf(subject)

	b.Run("Next", func(b *testing.B) {
		it := qs.QuadsAllIterator()
		for b.Loop() {
			if !it.Next(ctx) {
				it.Reset()
			}
		}
	})
	b.Run("NextNode", func(b *testing.B) {
		it := qs.NodesAllIterator()
		for b.Loop() {
			if !it.Next(ctx) {
				it.Reset()
			}
		}
	})
	b.Run("Contains", func(b *testing.B) {
		it := qs.QuadsAllIterator()
		for i := 0; b.Loop(); i++ {
			if !it.Contains(ctx, quads[i%len(quads)]) {
				b.Fatal(it.Err())
			}
		}
	})
	b.Run("QuadIterator", func(b *testing.B) {
		for b.Loop() {
			it := qs.QuadIterator(quad.Subject, node)
			for it.Next(ctx) {
			}
			it.Close()
		}
	})
	b.Run("ValueOf", func(b *testing.B) {
		for b.Loop() {
			qs.ValueOf(subject)
		}
	})
	b.Run("NameOf", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			qs.NameOf(qs.QuadDirection(quads[i%len(quads)], quad.Object))
		}
	})
	b.Run("PathOutOut", func(b *testing.B) {
		p := path.StartPath(qs, subject).Out().In().Limit(100)
		for b.Loop() {
			if _, err := p.Iterate(ctx).Paths(false).AllValues(qs); err != nil {
				b.Fatal(err)
			}
		}
	})
}
