package plan

import "github.com/segraph/segraph/store/sparql/algebra"

// comparedPerTick is how many scores are compared in the time of a unit of work.
const comparedPerTick = 64

// queued orders many operands: the next is always the one with the best score for one row. That score changes only
// when one of the operand's variables is bound, so it is not computed at each step. The price is that scores ignore
// the number of rows, and so, for example, which patterns are worth a full scan. begin is the first operand, or -1.
func (s *search) queued(begin int, at *progress, t *trace) *progress {
	scores, taken := make([]float64, len(s.ops)), make([]bool, len(s.ops))
	users := map[algebra.Slot][]int{} // by variable, the operands that mention it
	var needed algebra.Set
	for i, op := range s.ops {
		scores[i] = s.rowScore(i, at)
		for _, slot := range s.p.vars.Mentioned(op).Slots() {
			users[slot] = append(users[slot], i)
		}
		needed = needed.Or(s.p.vars.Mentioned(op))
	}
	left := make(map[algebra.Slot]int, len(users)) // by variable, the number of remaining operands that mention it
	for slot, list := range users {
		left[slot] = len(list)
	}
	for n := 0; n < len(s.ops) && s.p.tick(1+len(s.ops)/comparedPerTick); n++ {
		i := begin
		begin = -1
		if i < 0 {
			for k, score := range scores {
				if !taken[k] && (i < 0 || score < scores[i]) {
					i = k
				}
			}
		}
		taken[i] = true
		t.step(i, at.rows)
		was := at.bound
		s.take(i, at, func() algebra.Set {
			var removed []algebra.Slot
			for _, slot := range s.p.vars.Mentioned(s.ops[i]).Slots() {
				if left[slot]--; left[slot] == 0 {
					removed = append(removed, slot)
				}
			}
			needed = needed.Without(algebra.SetOf(removed...))
			return needed
		})
		for _, slot := range at.bound.Without(was).Slots() {
			for _, user := range users[slot] {
				if !taken[user] {
					scores[user] = s.rowScore(user, at)
				}
			}
		}
	}
	for i := range s.ops {
		if !taken[i] { // planning was stopped, but the order must have all operands
			t.step(i, at.rows)
		}
	}
	return at
}

// rowScore returns the score of an operand for one row, without conditions.
func (s *search) rowScore(i int, at *progress) float64 {
	row := *at
	row.rows = 1
	cost, rows := s.cost(i, &row)
	return cost + rows*aheadCost
}
