package plan

import (
	"maps"
	"math"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
)

// Costs, in units of the time to read one triple in index order.
const (
	lookupCost  = 50.0 // look up a row in an index
	collectCost = 1.5  // read a triple into a set of ids
	readCost    = 3.0  // read a triple of a pattern into memory
	sortCost    = 3.0  // sort it there, if some terms have several triples
	probeCost   = 3.0  // look up a row in memory
	rowCost     = 3.0  // return a row
	stepCost    = 400.0
	joinCost    = 10.0 // look up a row among the solutions of an operand that is evaluated by itself
)

// progress is the state of a join after some operands.
type progress struct {
	rows  float64     // estimated number of rows
	bound algebra.Set // variables that all rows bind
	// values holds an upper bound on the number of distinct values of each variable for
	// which one is known.
	values map[algebra.Slot]float64
	cost   float64 // so far
}

// size holds the numbers of triples and of distinct values of a pattern.
type size struct {
	triples, predicate float64 // triples of the pattern, and all triples with its predicate
	subjects, objects  float64 // distinct subjects and objects of the triples with the predicate
}

// size returns the size of a pattern. All its numbers are 0 or more.
func (p *planner) size(t *algebra.Triple) size {
	if s, ok := p.sizes[t]; ok {
		return s
	}
	count, err := p.statistics.Count(t.Graph, t.S.Term, t.P.Term, t.O.Term)
	p.fail(err)
	s := size{triples: float64(count), predicate: float64(count), subjects: 1, objects: 1}
	if count > 0 {
		s.subjects, s.objects, err = p.statistics.Distinct(t.Graph, t.P.Term)
		p.fail(err)
		if !t.S.IsVariable() || !t.O.IsVariable() {
			all, err := p.statistics.Count(t.Graph, rdf.Term{}, t.P.Term, rdf.Term{})
			p.fail(err)
			s.predicate = float64(all)
		}
		if len(t.Within) > 0 {
			s.triples *= p.within(t)
		}
	}
	p.sizes[t] = s
	return s
}

// subjectsOf and objectsOf return the number of distinct subjects or objects in the
// pattern itself.
func (s size) subjectsOf(t *algebra.Triple) float64 { return s.different(s.subjects, t.S, t.O) }
func (s size) objectsOf(t *algebra.Triple) float64  { return s.different(s.objects, t.O, t.S) }

// different estimates how many values a pattern's variable end has, of all different ones in the
// graph. other is the pattern's other end.
func (s size) different(all float64, end, other algebra.Node) float64 {
	switch {
	case !end.IsVariable():
		return 1
	case !other.IsVariable():
		return max(1, s.triples) // each value occurs once
	}
	return max(1, min(all, s.triples))
}

// matches returns the estimated number of triples that match a pattern for each row. It
// assumes that of the values in the rows and the values in the pattern's triples, the
// smaller set is part of the larger.
func (p *planner) matches(t *algebra.Triple, at *progress) float64 {
	s := p.size(t)
	if s.triples == 0 {
		return 0
	}
	n := s.triples
	if t.S.IsVariable() && t.S.Slot == t.O.Slot && !at.bound.Has(t.S.Slot) {
		n /= max(s.subjects, s.objects) // triples whose subject is their object
	}
	if at.bound.Has(t.S.Slot) {
		n /= among(at.values[t.S.Slot], s.subjectsOf(t), s.subjects)
	}
	if at.bound.Has(t.O.Slot) {
		if listed, ok := p.listed(t, at); ok {
			n *= listed / s.triples
		} else {
			n /= among(at.values[t.O.Slot], s.objectsOf(t), s.objects)
		}
	}
	if at.bound.Has(t.P.Slot) {
		n /= perPredicate
	}
	return n
}

// among returns the number of distinct values that matches divides by: the larger of n, the
// number in the rows, and pattern, the number in the pattern. If n is unknown (0), it considers
// predicate, the number among all triples with the predicate.
func among(n, pattern, predicate float64) float64 {
	if n == 0 {
		return max(pattern, predicate)
	}
	return max(pattern, n)
}

// atMost records that a variable has at most n distinct values.
func (at *progress) atMost(slot algebra.Slot, n float64) {
	if was := at.values[slot]; was == 0 || n < was {
		at.values[slot] = n
	}
}

// fullScanCost returns the cost of a full scan of a pattern. ok is false if the pattern
// can't be scanned, or if rows can't be looked up in the result.
func (p *planner) fullScanCost(t *algebra.Triple, bound algebra.Set) (cost float64, ok bool) {
	if t.P.IsVariable() || t.Graph.IsVariable() || !bound.Has(t.S.Slot) && !bound.Has(t.O.Slot) || t.S.Slot == t.O.Slot {
		return 0, false
	}
	s := p.size(t)
	keys := s.subjects
	switch {
	case !t.S.IsVariable() || !t.O.IsVariable(): // a set of ids is enough
		return s.triples * collectCost, true
	case !bound.Has(t.S.Slot):
		keys = s.objects
	}
	if s.predicate > severalValues*keys {
		return s.predicate * (readCost + sortCost), true
	}
	return s.predicate * readCost, true
}

// severalValues is the average number of triples per term from which terms count as
// having several triples. It is above 1 because numbers of terms are estimates.
const severalValues = 1.25

// tripleCost returns the cost of extending all rows by a pattern, and the resulting
// number of rows. few says that the query needs only a few rows, so that a full scan, which
// reads all before the first row, is no choice.
func (p *planner) tripleCost(t *algebra.Triple, at *progress, few bool) (cost, rows float64) {
	rows = at.rows * p.matches(t, at)
	cost = at.rows * lookupCost
	if scan, ok := p.fullScanCost(t, at.bound); ok && !few {
		cost = min(cost, scan+at.rows*probeCost)
	}
	return cost + rows*rowCost, rows
}

// fewRows is the number of rows below which no pattern is worth a full scan.
const fewRows = 32

// fullScan reports whether evaluators should make a full scan of a pattern.
func (p *planner) fullScan(t *algebra.Triple, g planContext) bool {
	if g.few || g.rows < fewRows {
		return false
	}
	cost, ok := p.fullScanCost(t, g.bound)
	return ok && cost < g.rows*lookupCost
}

// cost returns the cost of extending all rows by an operator, and the resulting number of
// rows. few is as in tripleCost.
func (p *planner) cost(op algebra.Op, at *progress, few bool) (cost, rows float64) {
	if !p.tick(1) {
		return 0, 1
	}
	switch x := op.(type) {
	case *algebra.Triple:
		return p.tripleCost(x, at, few)
	case *algebra.Ordered:
		return p.tripleCost(&x.Triple, at, few)
	case *algebra.TripleTerm:
		return p.tripleTermCost(x, at, few)
	case *algebra.Path:
		rows = at.rows * p.path(x, at.bound)
		return at.rows*stepCost + rows*rowCost, rows
	case *algebra.Values:
		rows = at.rows * p.values(x, at)
		return at.rows*float64(len(x.Rows)) + rows*rowCost, rows
	}
	// Other operators are estimated once for all similar inputs. Costs are divided by
	// at.rows + 1, because at.rows may be 0.
	bound := at.bound.And(p.vars.Mentioned(op))
	key := costKey{op, bound.Key(), math.Ilogb(at.rows + 1)}
	known, ok := p.costs[key]
	if !ok {
		known.cost, known.rows = p.inside(op, at, few)
		known.cost /= at.rows + 1
		known.rows /= at.rows + 1
		p.spend(costSize + bound.Size())
		p.costs[key] = known
	}
	return known.cost * (at.rows + 1), known.rows * (at.rows + 1)
}

type costKey struct {
	op    algebra.Op
	bound algebra.SetKey
	rows  int // in powers of two
}

// costSize is the approximate size in bytes of an entry of costs, without its set.
const costSize = 100

// costs holds estimates per row.
type costs struct{ cost, rows float64 }

// inside implements cost for operators with operands. few is as in tripleCost.
func (p *planner) inside(op algebra.Op, at *progress, few bool) (cost, rows float64) {
	switch x := op.(type) {
	case *algebra.Join:
		s := search{p: p, ops: x.Ops, few: few}
		end := s.cheapest(at.copy())
		return end.cost, end.rows
	case *algebra.ValueJoin:
		cost, rows = p.cost(x.Left, at, few)
		more, kept := p.isolatedCost(x.Right)
		cost += more + kept*keepCost + rows*joinCost
		rows = p.valueRows(x, rows, at.bound)
		return cost + rows*rowCost, rows
	case *algebra.LeftJoin:
		cost, rows = p.cost(x.Left, at, few)
		right := progress{rows: rows, bound: at.bound.Or(p.vars.Certain(x.Left))}
		more, matched := p.cost(x.Right, &right, few)
		return cost + more + rows*rowCost, max(rows, matched)
	case *algebra.Union:
		for _, arm := range x.Ops {
			c, n := p.cost(arm, at, few)
			cost, rows = cost+c, rows+n
		}
		return cost, rows
	case *algebra.Filter:
		cost, rows = p.cost(x.Op, at, few)
		return cost + rows*rowCost, rows * math.Pow(passing, float64(len(x.Conditions)))
	case *algebra.Minus:
		cost, rows = p.cost(x.Left, at, few)
		more, _ := p.isolatedCost(x.Right)
		return cost + more + rows*joinCost, rows
	case *algebra.SemiJoin:
		cost, rows = p.cost(x.Left, at, few)
		more, per := 0.0, joinCost
		if isolated, ok := x.Right.(*algebra.Materialize); ok {
			more, _ = p.isolatedCost(isolated.Op)
		} else {
			more, _ = p.cost(x.Right, &progress{rows: rows, bound: at.bound.Or(p.vars.Certain(x.Left))}, few)
			per = rowCost
		}
		return cost + more + rows*per, rows * passing
	case *algebra.Extend, *algebra.Graph, *algebra.Project, *algebra.Reduce:
		cost, rows = p.cost(algebra.Children(op)[0], at, few)
		return cost + rows*rowCost, rows * p.agreeing(op, at.bound)
	}
	// op is evaluated by itself, and rows are looked up in its solutions.
	rows = at.rows * p.alone(op)
	return rows * joinCost, rows
}

// alone returns the estimated number of solutions of an operator that is evaluated by
// itself.
func (p *planner) alone(op algebra.Op) float64 {
	children := algebra.Children(op)
	if len(children) == 0 {
		return 1 // *algebra.Unit
	}
	rows := p.estimate(children[len(children)-1], algebra.Set{}) // not Ahead, which is the same operator with another plan
	return remaining(op, rows)
}

// remaining returns the estimated number of solutions of an operator. rows is the number of
// those of its operand.
func remaining(op algebra.Op, rows float64) float64 {
	switch x := op.(type) {
	case *algebra.Group:
		if len(x.Keys) == 0 {
			return 1
		}
		return math.Sqrt(rows)
	case *algebra.Slice:
		rows = max(0, rows-float64(x.Offset))
		if x.Limit != algebra.NoLimit {
			return min(rows, float64(x.Limit))
		}
	}
	return rows
}

// isolatedCost returns the cost of an operator that is evaluated once, by itself, and its rows.
func (p *planner) isolatedCost(op algebra.Op) (cost, rows float64) {
	children := algebra.Children(op)
	isModifier := len(children) == 1 && !p.vars.TakesBindings(op, algebra.Set{}) // such as Group; its own cost is ignored
	if isModifier {
		cost, _ = p.isolatedCost(children[0])
		return cost, p.estimate(op, algebra.Set{})
	}
	return p.cost(op, &progress{rows: 1}, false)
}

// values returns how many rows of VALUES match one row, on average.
func (p *planner) values(x *algebra.Values, at *progress) float64 {
	n := float64(len(x.Rows))
	for _, slot := range x.Vars {
		if at.bound.Has(slot) {
			n /= max(float64(len(x.Rows)), at.values[slot])
		}
	}
	return n
}

// copy returns a copy of at that can be changed, with cost 0.
func (at *progress) copy() *progress {
	out := *at
	out.cost = 0
	if out.values = maps.Clone(at.values); out.values == nil {
		out.values = map[algebra.Slot]float64{}
	}
	return &out
}
