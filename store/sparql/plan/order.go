package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// search looks for a good order of a join's operands. Beginning with each of the most
// promising first operands, it repeatedly takes the operand that is cheapest next. For
// large joins, see queued.
type search struct {
	p   *planner
	ops []algebra.Op
	few bool
	// conditions holds, for each condition considered, the variables of the join that
	// it needs.
	conditions []algebra.Set
	// joined says, by operand, whether it is evaluated by itself and then joined. It is
	// nil if none is.
	joined []bool
	// live holds the variables needed after the join, if repeated solutions do not
	// matter there. Otherwise it is nil.
	live *algebra.Set
}

const (
	// maxSearch limits the work of a search: operands times first operands.
	maxSearch = 64
	// maxCompared limits the operands that are compared with each other at each step.
	maxCompared = 64
	// maxWeighed limits the conditions that are considered.
	maxWeighed = 64
)

// best returns the cheapest order that it finds, and the estimated number of rows
// before each operand and at the end. first is the operand to begin with, or -1 for
// any. at is the progress before the join; best does not change it.
func (s *search) best(first int, at *progress) (order []int, rows []float64) {
	if len(s.ops) > maxCompared {
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
		if order == nil || end.cost < least { // the first even if its cost is infinite
			order, rows, least = trace.order, append(trace.rows, end.rows), end.cost
		}
	}
	return order, rows
}

// cheapest returns the progress at the end of the cheapest order that it finds; compare best.
func (s *search) cheapest(at *progress) *progress {
	if len(s.ops) > maxCompared {
		return s.queued(-1, at, nil)
	}
	return s.greedy(-1, at, nil)
}

// trace records a search: the operands in order, and the rows before each.
type trace struct {
	order []int
	rows  []float64
}

func newTrace(n int) *trace { return &trace{order: make([]int, 0, n), rows: make([]float64, 0, n+1)} }

// step records the next operand. On a nil trace it does nothing.
func (t *trace) step(i int, rows float64) {
	if t != nil {
		t.order, t.rows = append(t.order, i), append(t.rows, rows)
	}
}

// beginnings returns the best first operands: at least one, and so many that the search does
// not exceed maxSearch.
func (s *search) beginnings(at *progress) []int {
	scores := make([]float64, len(s.ops))
	list := make([]int, len(s.ops))
	for i := range s.ops {
		list[i] = i
		scores[i] = s.score(i, at)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	return list[:min(len(list), max(1, maxSearch/max(1, len(list))))]
}

const (
	// aheadCost is the assumed cost of each row in the remaining operands.
	aheadCost = 40
	// fewest is the least estimate of a number of rows, because an estimate of 0 may be
	// wrong. maxRows keeps products of estimates finite.
	fewest  = 0.1
	maxRows = 1e100
)

// score rates an operand as the next one. Lower is better.
func (s *search) score(i int, at *progress) float64 {
	cost, rows := s.cost(i, at)
	certain := s.p.vars.Certain(s.ops[i])
	for _, c := range s.conditions {
		testedBefore, tested := c.In(at.bound), c.Without(certain).In(at.bound)
		if tested && !testedBefore {
			rows *= passing
		}
	}
	return cost + rows*aheadCost
}

// cost returns the cost of operand i as the next one, and the number of rows after it. An operand
// in s.joined is evaluated once, by itself.
func (s *search) cost(i int, at *progress) (cost, rows float64) {
	if s.joined != nil && s.joined[i] {
		cost, rows := s.p.isolatedCost(s.ops[i])
		rows = at.rows * min(rows, s.p.estimate(s.ops[i], at.bound))
		// It is not evaluated before the first row arrives.
		return cost*min(1, at.rows) + at.rows*joinCost + rows*rowCost, rows
	}
	cost, rows = s.p.cost(s.ops[i], at, s.few)
	if once, ok := s.p.onceCost(s.ops[i], at, cost, rows, s.few); ok {
		cost = once
	}
	return cost, rows
}

// greedy takes operand begin first, unless that is -1, and then always the operand with
// the best score.
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
			if score := s.score(i, at); score < least {
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

// take updates at for operand i, the next one. needed returns the variables that the
// remaining operands mention.
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
	at.rows = min(max(at.rows, fewest), maxRows)
	at.cost = min(at.cost, maxRows)
}

// note records the number of distinct values of a pattern's variables.
func (p *planner) note(t *algebra.Triple, at *progress) {
	s := p.size(t)
	if t.S.IsVariable() {
		at.atMost(t.S.Slot, s.subjectsOf(t))
	}
	if t.O.IsVariable() {
		at.atMost(t.O.Slot, s.objectsOf(t))
	}
}

// reduce accounts for a Reduce, which drops rows that agree in all variables still
// needed. needed holds the variables that the remaining operands mention.
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
		n := at.values[slot]
		if n == 0 { // unknown
			return
		}
		different *= n
	}
	at.cost += at.rows * rowCost
	at.rows = min(at.rows, different)
}
