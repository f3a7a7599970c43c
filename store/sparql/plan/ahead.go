package plan

import (
	"math"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// walk asks the operators below an OrderBy to begin with a pattern whose object is the
// first sort key. The triples of that pattern can then be read in the order of the key.
type walk struct {
	key        algebra.Slot
	descending bool
	op         *algebra.Ordered // the pattern made so far, or nil
}

// take makes an Ordered of t, unless w has one or t cannot be walked. It reports
// whether it did.
func (w *walk) take(t *algebra.Triple) bool {
	wanted := w != nil && w.op == nil && t.O.Slot == w.key
	if !wanted || t.P.IsVariable() || !t.S.IsVariable() || t.S.Slot == t.O.Slot || t.Graph.IsVariable() {
		return false
	}
	w.op = &algebra.Ordered{Triple: *t, Descending: w.descending}
	return true
}

// walked makes an Ordered of the first pattern of a join that can be walked, and
// returns its index. ok is false if none can.
func (g *joinGroup) walked(w *walk) (i int, ok bool) {
	for i, op := range g.ops {
		if t, isTriple := op.(*algebra.Triple); isTriple && w.take(t) {
			g.ops[i] = w.op
			return i, true
		}
	}
	return 0, false
}

// aheadWorth is how many times cheaper than sorting a walk must seem in order to be
// tried.
const aheadWorth = 3

// minWalk is the number of triples that a walk may always read, whatever the estimate.
const minWalk = 256

// ordered plans the operand of an OrderBy. If only the first rows are needed, and the first
// key is a variable, it also plans a walk as an alternative. ahead is nil if no walk is
// possible, or if a walk is unlikely to be faster.
func (p *planner) ordered(x *algebra.OrderBy, g planContext) (op, ahead algebra.Op) {
	var key *algebra.Var
	if x.Top != algebra.NoLimit && x.Top != 0 && len(x.Keys) > 0 && p.bothWays < maxBothWays {
		key, _ = x.Keys[0].Expr.(*algebra.Var)
	}
	if key == nil {
		return p.op(x.Op, nil, g), nil
	}
	p.bothWays++
	defer func() { p.bothWays-- }()
	op = p.op(x.Op, nil, g)
	return op, p.ahead(x, key, g, op)
}

// ahead plans the walk for ordered, where the first key is the variable key. It returns nil
// if no pattern can be walked, or if a walk does not seem aheadWorth times cheaper than sorted.
func (p *planner) ahead(x *algebra.OrderBy, key *algebra.Var, g planContext, sorted algebra.Op) algebra.Op {
	w := &walk{key: key.Slot, descending: x.Keys[0].Descending}
	g.walk, g.few = w, true
	op := p.op(x.Op, nil, g)
	if w.op == nil {
		return nil
	}
	t := &w.op.Triple
	triples := p.matches(t, &progress{})
	unordered, err := p.statistics.Unordered(t.Graph, t.P.Term, t.Within)
	p.fail(err)
	_, values, err := p.statistics.Distinct(t.Graph, t.P.Term)
	p.fail(err)
	rows, usual := p.work(sorted)
	_, all := p.work(op) // if the walk read all triples
	share := min(1, float64(x.Top)/max(rows, 1e-9))
	lastValue := triples / values // OrderBy needs all rows that share the last wanted value
	walked := float64(unordered) + triples*share + lastValue
	if all/max(1, triples)*walked*aheadWorth > usual {
		return nil
	}
	// If the walk finds too little, it ends after as much work as sorting takes.
	w.op.Most = minWalk + int64(min(usual/max(1, all)*triples, math.MaxInt32))
	return op
}

// work returns the estimated number of rows of an operator, and the total number of rows that it and
// its operands make, also before a join drops some.
func (p *planner) work(op algebra.Op) (rows, work float64) {
	e := &estimates{planner: p.another(), of: map[algebra.Op]Estimate{}}
	rows = e.op(op, 1, planContext{})
	for _, of := range e.of {
		work += max(of.Rows, of.Isolated)
	}
	p.fail(e.err)
	return rows, work
}
