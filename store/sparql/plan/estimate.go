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
	if !p.tick(1) {
		return 1
	}
	switch x := op.(type) {
	case *algebra.Triple:
		return p.triple(x, bound)
	case *algebra.Ordered:
		return p.triple(&x.Triple, bound)
	case *algebra.TripleTerm:
		return p.tripleTermMatches(x, bound)
	case *algebra.Path:
		return p.path(x, bound)
	case *algebra.Join:
		return p.chain(x, bound)
	case *algebra.ValueJoin:
		return p.valueRows(x, p.estimate(x.Left, bound), bound)
	case *algebra.Union:
		sum := 0.0
		for _, arm := range x.Ops {
			sum += p.estimate(arm, bound)
		}
		return sum
	case *algebra.LeftJoin, *algebra.Minus, *algebra.Extend, *algebra.Graph, *algebra.Reduce, *algebra.Project:
		return p.estimate(algebra.Children(op)[0], bound) * p.agreeing(op, bound)
	case *algebra.SemiJoin, *algebra.Filter:
		return passing * p.estimate(algebra.Children(op)[0], bound)
	case *algebra.Values:
		rows := float64(len(x.Rows))
		if algebra.SetOf(x.Vars...).Meets(bound) {
			return math.Min(rows, 1)
		}
		return rows
	case *algebra.Materialize, *algebra.Distinct:
		return p.estimate(algebra.Children(op)[0], algebra.Set{})
	case *algebra.OrderBy:
		return p.estimate(x.Op, algebra.Set{}) // not Ahead, which is the same operator with another plan
	case *algebra.Group:
		if len(x.Keys) == 0 {
			return 1
		}
		return math.Sqrt(p.estimate(x.Op, algebra.Set{}))
	case *algebra.Slice:
		n := p.estimate(x.Op, algebra.Set{})
		if x.Limit != algebra.NoLimit {
			n = math.Min(n, float64(x.Limit))
		}
		return n
	}
	return 1
}

// chain returns the estimated number of rows of a join, in a good order.
func (p *planner) chain(x *algebra.Join, bound algebra.Set) float64 {
	_, rows := p.cost(x, &progress{rows: 1, bound: bound}, false)
	return rows
}

func (p *planner) triple(t *algebra.Triple, bound algebra.Set) float64 {
	return p.matches(t, &progress{bound: bound})
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

// path estimates every path as a few steps from its bound end.
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
