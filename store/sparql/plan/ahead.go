package plan

import (
	"math"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// walk is what an OrderBy wants of the pattern below: that it begins with the triples
// that have its first key as their object.
type walk struct {
	key        algebra.Slot
	descending bool
	op         *algebra.Ordered // what was made of the pattern; nil for nothing
}

// take reports whether a triple pattern is one that can be walked, and makes an Ordered
// of it.
func (w *walk) take(t *algebra.Triple) bool {
	if w == nil || w.op != nil || t.O.Slot != w.key || t.P.IsVariable() || !t.S.IsVariable() || t.S.Slot == t.O.Slot || t.Graph.IsVariable() {
		return false
	}
	w.op = &algebra.Ordered{Triple: *t, Descending: w.descending}
	return true
}

// walked finds a pattern of a join that can be walked, and makes an Ordered of it.
func (g *joinGroup) walked(w *walk) (i int, ok bool) {
	for i, op := range g.ops {
		if t, isTriple := op.(*algebra.Triple); isTriple && w.take(t) {
			g.ops[i] = w.op
			return i, true
		}
	}
	return 0, false
}

// Of the two ways, walking must be so many times quicker by estimate to be tried.
const aheadWorth = 3

// leastWalk is a number of triples that may be walked whatever the estimate says.
const leastWalk = 256

// ordered plans what an OrderBy sorts, and, where a few rows of it are wanted, the other
// way to go about it; ahead is nil where there is none, or it is not likely to be
// quicker.
func (p *planner) ordered(x *algebra.OrderBy, g given) (op, ahead algebra.Op) {
	var key *algebra.Var
	if x.Top != algebra.NoLimit && x.Top != 0 && len(x.Keys) > 0 && p.twice < mostTwice {
		key, _ = x.Keys[0].Expr.(*algebra.Var)
	}
	if key == nil {
		return p.op(x.Op, nil, g), nil
	}
	p.twice++
	defer func() { p.twice-- }()
	op = p.op(x.Op, nil, g)
	return op, p.ahead(x, key, g, op)
}

// ahead is ordered where the first key is a variable.
func (p *planner) ahead(x *algebra.OrderBy, key *algebra.Var, g given, sorted algebra.Op) algebra.Op {
	w := &walk{key: key.Slot, descending: x.Keys[0].Descending}
	g.walk, g.few = w, true
	op := p.op(x.Op, nil, g)
	if w.op == nil {
		return nil
	}
	t := &w.op.Triple
	triples := p.triple(t, algebra.Set{})
	unordered, err := p.statistics.Unordered(t.Graph, t.P.Term, t.Within)
	p.fail(err)
	_, values, err := p.statistics.Distinct(t.Graph, t.P.Term)
	p.fail(err)
	// The order wants all rows of the last value that it takes.
	rows, usual := p.work(sorted)
	_, all := p.work(op)
	walked := float64(unordered) + triples*min(1, float64(x.Top)/max(rows, 1e-9)) + triples/values
	if all/max(1, triples)*walked*aheadWorth > usual {
		return nil
	}
	w.op.Most = leastWalk + int64(min(usual/max(1, all)*triples, math.MaxInt32))
	return op
}

// work returns about how many rows an operator has, and how many it and its operands hand
// on.
func (p *planner) work(op algebra.Op) (rows, work float64) {
	e := &estimates{planner: p.another(), of: map[algebra.Op]Estimate{}}
	rows = e.op(op, 1, given{})
	for _, of := range e.of {
		work += max(of.Rows, of.Alone)
	}
	p.fail(e.err)
	return rows, work
}
