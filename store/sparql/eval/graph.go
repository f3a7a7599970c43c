package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
)

// graphs is GRAPH with a variable. It passes on each row once for each named graph, as
// the active graph of the pattern after it. A row that already binds the variable gets
// only that graph.
type graphs struct {
	output
	r            *Run
	name, active algebra.Slot
}

// buildGraph builds GRAPH. With a variable it evaluates the pattern in each named graph; a graph that is not in the
// dataset has no solutions.
func (r *Run) buildGraph(x *algebra.Graph, e env, next sink) (sink, error) {
	if !x.Name.IsVariable() {
		id, err := r.knownID(x.Name.Term)
		if err != nil {
			return nil, err
		}
		if !r.named[id] && !slices.Contains(r.query.FromNamed, x.Name.Term) {
			return &none{next}, nil
		}
		return r.build(x.Op, e, next)
	}
	head, err := r.build(x.Op, env{may: e.may, certain: e.certain, around: e.around}, &bindGraph{next, x.Name.Slot, x.Active})
	if err != nil {
		return nil, err
	}
	return &graphs{output: newOutput(r, head), r: r, name: x.Name.Slot, active: x.Active}, nil
}

// push passes on each row with its graph or, if the name is unbound, once for each named graph.
func (g *graphs) push(b *table.Batch) error {
	if err := g.r.budget.Tick(b.N); err != nil {
		return err
	}
	for i := range b.N {
		row := b.Row(i)
		if id := row[g.name]; id != 0 {
			if g.r.named[id] {
				g.add(row)[g.active] = id
				if err := g.full(); err != nil {
					return err
				}
			}
			continue
		}
		for _, id := range g.r.graphs {
			g.add(row)[g.active] = id
			if err := g.full(); err != nil {
				return err
			}
		}
	}
	return g.pause()
}

// bindGraph binds the variable to the active graph. It comes after the pattern, which
// must not see the variable.
type bindGraph struct {
	next         sink
	name, active algebra.Slot
}

// push binds the name of the graph after its pattern has matched. It drops rows in which the
// pattern bound the name otherwise.
func (g *bindGraph) push(b *table.Batch) error {
	return passWhere(b, g.next, func(i int) (bool, error) {
		return bind(b.Row(i), g.name, b.Row(i)[g.active]), nil
	})
}

func (g *bindGraph) end() error { return g.next.end() }

// none drops all rows.
type none struct{ next sink }

func (n *none) push(*table.Batch) error { return nil } // errDone would say that the sinks after it want no more
func (n *none) end() error              { return n.next.end() }
