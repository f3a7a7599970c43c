package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// count is COUNT over one triple pattern. It asks the dataset, which need not read each
// triple.
type count struct {
	*scan // of its pattern, which is not run
	into  []algebra.Slot
}

// buildCount builds a Group that is a COUNT over one triple pattern. It returns nil for any other.
func (r *Run) buildCount(x *algebra.Group, next sink) (sink, error) {
	t, ok := x.Op.(*algebra.Triple)
	if !ok || len(x.Keys) > 0 || len(x.Aggregates) == 0 || !r.countable(t) {
		return nil, nil
	}
	c := &count{}
	for _, a := range x.Aggregates {
		v, isVar := a.Arg.(*algebra.Var)
		countsAll := a.Arg == nil || isVar && r.vars.May(t).Has(v.Slot) // each solution binds the variable
		if a.Op != syntax.OpCount || a.Distinct || !countsAll {
			return nil, nil
		}
		c.into = append(c.into, a.Into)
	}
	var err error
	if c.scan, err = r.newScan(t); err != nil {
		return nil, err
	}
	c.output = newOutput(r, next)
	return c, nil
}

// countable reports whether the dataset's count of triples is the number of the
// pattern's solutions.
func (r *Run) countable(t *algebra.Triple) bool {
	return len(t.Within) == 0 && source.CountsTriples(r.ds, t.Graph == algebra.DefaultGraph) && !t.Repeats()
}

// push receives the only row that a run begins with.
func (c *count) push(b *table.Batch) error {
	var ids [3]source.ID
	g := c.g.in(b.Row(0))
	known := g < source.LocalFirst
	for i, p := range c.spo {
		ids[i] = p.id
		known = known && p.id < source.LocalFirst
	}
	var n int64
	if known {
		var err error
		if n, err = c.r.ds.Count(g, ids[0], ids[1], ids[2]); err != nil {
			return err
		}
	}
	id, err := c.r.terms.ID(value.Integer(n).Term())
	if err != nil {
		return err
	}
	row := c.add(b.Row(0))
	for _, slot := range c.into {
		row[slot] = id
	}
	return c.flush()
}
