package plan

import (
	"math"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Estimates of what Statistics does not know.
const (
	perPredicate = 20.0 // predicates in a graph
	passing      = 0.5  // fraction of rows that pass a filter
	pathLength   = 8.0  // nodes at the other end of a path
)

// estimate returns the estimated number of solutions of op for a row that binds bound.
func (p *planner) estimate(op algebra.Op, bound algebra.Set) float64 {
	_, rows := p.cost(op, &progress{rows: 1, bound: bound}, false)
	return rows
}

// within returns the fraction of a pattern's triples that are within its bounds.
func (p *planner) within(t *algebra.Triple) float64 {
	if t.P.IsVariable() {
		return math.Pow(passing, float64(len(t.Within)))
	}
	all, err := p.statistics.Count(t.Graph, rdf.Term{}, t.P.Term, rdf.Term{})
	p.fail(err)
	part, excluded := 1.0, int64(0)
	var rest []algebra.Bound
	for _, b := range t.Within {
		if b.Op != syntax.OpNotEqual {
			rest = append(rest, b)
			continue
		}
		n, err := p.statistics.Count(t.Graph, rdf.Term{}, t.P.Term, b.Term)
		p.fail(err)
		excluded += n
	}
	if len(rest) > 0 {
		n, err := p.statistics.Within(t.Graph, t.P.Term, rest)
		p.fail(err)
		part = min(1, float64(n)/float64(max(1, all)))
	}
	return part * max(0, 1-float64(excluded)/float64(max(1, all)))
}

// path returns the estimated number of solutions of a path for a row that binds bound. Every
// path counts as leading to pathLength nodes.
func (p *planner) path(x *algebra.Path, bound algebra.Set) float64 {
	s := !x.S.IsVariable() || bound.Has(x.S.Slot)
	o := !x.O.IsVariable() || bound.Has(x.O.Slot)
	switch {
	case s && o:
		return 1
	case s || o:
		return pathLength
	}
	count, err := p.statistics.Count(x.Graph, rdf.Term{}, rdf.Term{}, rdf.Term{})
	p.fail(err)
	return float64(count) * pathLength
}
