package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// search looks for a good order of a join's operands: from each of the most promising to
// begin with, it takes what costs least next, again and again. Of many operands, see
// queue.
type search struct {
	p   *planner
	ops []algebra.Op
	few bool
	// conditions are the variables that filters behind the operands wait for, of some of
	// them.
	conditions []algebra.Set
	// joined tells of an operand whether it is evaluated by itself and then joined; nil
	// if none is.
	joined []bool
	// live is what matters behind the join, where how often a solution is there does not;
	// nil where it does.
	live *algebra.Set
}

const (
	// most bounds the work of a search: operands times beginnings.
	most = 64
	// mostCompared is how many operands are compared with each other at each step.
	mostCompared = 64
	// mostWeighed is how many conditions are reckoned with.
	mostWeighed = 64
)

// best returns the cheapest order that was found, and how many rows there are before each
// operand and at the end. first is the operand to begin with; -1 leaves the choice.
func (s *search) best(first int, at *progress) (order []int, rows []float64) {
	if len(s.ops) > mostCompared {
		trace := newTrace(len(s.ops))
		end := s.queued(first, at.copy(), trace)
		return trace.order, append(trace.rows, end.rows)
	}
	beginnings := []int{first}
	if first < 0 {
		beginnings = s.beginnings(at)
	}
	least := math.Inf(1)
	for _, begin := range beginnings {
		trace := newTrace(len(s.ops))
		end := s.greedy(begin, at.copy(), trace)
		if order == nil || end.cost < least {
			order, rows, least = trace.order, append(trace.rows, end.rows), end.cost
		}
	}
	return order, rows
}

// only finds an order for the sake of its cost.
func (s *search) only(at *progress) *progress {
	if len(s.ops) > mostCompared {
		return s.queued(-1, at, nil)
	}
	return s.greedy(-1, at, nil)
}

// trace is what a search did: the operands in order, and the rows before each.
type trace struct {
	order []int
	rows  []float64
}

func newTrace(n int) *trace { return &trace{order: make([]int, 0, n), rows: make([]float64, 0, n+1)} }

// step notes that an operand is next. A nil trace is for who wants the cost alone.
func (t *trace) step(i int, rows float64) {
	if t != nil {
		t.order, t.rows = append(t.order, i), append(t.rows, rows)
	}
}

// beginnings returns the operands that are the best to begin with.
func (s *search) beginnings(at *progress) []int {
	scores := make([]float64, len(s.ops))
	list := make([]int, len(s.ops))
	for i := range s.ops {
		list[i] = i
		scores[i], _ = s.score(i, at)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	return list[:min(len(list), max(1, most/max(1, len(list))))]
}

const (
	// aheadCost is what each row is taken to cost in the operands behind.
	aheadCost = 40
	// fewest is how many rows there are at least: what is estimated as none may be some.
	// mostRows keeps products of many estimates from being infinite.
	fewest   = 0.1
	mostRows = 1e100
)

// score returns how good it is to take an operand next, and how many rows there are then.
// Lower is better.
func (s *search) score(i int, at *progress) (score, rows float64) {
	cost, rows := s.cost(i, at)
	certain := s.p.vars.Certain(s.ops[i])
	after := rows
	for _, c := range s.conditions {
		if c.Without(certain).In(at.bound) && !c.In(at.bound) {
			after *= passing
		}
	}
	return cost + after*aheadCost, rows
}

func (s *search) cost(i int, at *progress) (cost, rows float64) {
	if s.joined != nil && s.joined[i] {
		cost, rows := s.p.alone(s.ops[i])
		rows = at.rows * min(rows, s.p.estimate(s.ops[i], at.bound))
		// It is not evaluated before a row comes.
		return cost*min(1, at.rows) + at.rows*joinCost + rows*rowCost, rows
	}
	cost, rows = s.p.cost(s.ops[i], at, s.few)
	if once, ok := s.p.onceCost(s.ops[i], at, cost, rows, s.few); ok {
		cost = once
	}
	return cost, rows
}

// greedy goes from one operand, if it is not -1, always to the one that scores best.
func (s *search) greedy(begin int, at *progress, t *trace) *progress {
	left := make([]int, len(s.ops))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		best, least := 0, math.Inf(1)
		for k, i := range left {
			if begin >= 0 {
				if i == begin {
					best = k
				}
				continue
			}
			if score, _ := s.score(i, at); score < least {
				best, least = k, score
			}
		}
		begin = -1
		i := left[best]
		left = slices.Delete(left, best, best+1)
		t.step(i, at.rows)
		s.take(i, at, func() (needed algebra.Set) {
			for _, i := range left {
				needed = needed.Or(s.p.vars.Mentioned(s.ops[i]))
			}
			return needed
		})
	}
	return at
}

// take goes one operand further. needed returns what the operands that are left mention.
func (s *search) take(i int, at *progress, needed func() algebra.Set) {
	cost, rows := s.cost(i, at)
	was := at.bound
	at.cost, at.rows, at.bound = at.cost+cost, rows, was.Or(s.p.likely(s.ops[i]))
	switch x := s.ops[i].(type) {
	case *algebra.Triple:
		s.p.note(x, at)
	case *algebra.Ordered:
		s.p.note(&x.Triple, at)
	case *algebra.Values:
		for _, slot := range x.Vars {
			at.atMost(slot, float64(len(x.Rows)))
		}
	}
	for _, c := range s.conditions {
		if c.In(at.bound) && !c.In(was) {
			at.rows *= passing
		}
	}
	if s.live != nil {
		s.reduce(at, needed())
	}
	at.rows = min(max(at.rows, fewest), mostRows)
	at.cost = min(at.cost, mostRows)
}

// note keeps how many different values a pattern has for its variables.
func (p *planner) note(t *algebra.Triple, at *progress) {
	s := p.size(t)
	if t.S.IsVariable() {
		at.atMost(t.S.Slot, s.subjectsOf(t))
	}
	if t.O.IsVariable() {
		at.atMost(t.O.Slot, s.objectsOf(t))
	}
}

// reduce takes into account that rows which are the same in what still matters come to
// one. needed is what the operands that are left mention.
func (s *search) reduce(at *progress, needed algebra.Set) {
	live := s.live.Or(needed)
	for _, c := range s.conditions {
		if !c.In(at.bound) {
			live = live.Or(c)
		}
	}
	if at.bound.In(live) {
		return
	}
	different := 1.0
	for _, slot := range at.bound.And(live).Slots() {
		n := at.of(slot)
		if n == 0 {
			return
		}
		different *= n
	}
	at.cost += at.rows * rowCost
	at.rows = min(at.rows, different)
}
