package plan

import (
	"container/heap"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// queue holds the remaining operands of a large join, by their cost for one row. An
// operand's score changes only when one of its variables is bound, so it is computed
// once for each operand and variable, not for each operand at each step. The price is
// that scores ignore the number of rows, and so, for example, which patterns are worth
// a full scan.
type queue struct {
	scores []float64
	list   []int // a heap of operands
	place  []int // by operand, its index in list; -1 once taken
}

func (q *queue) Len() int { return len(q.list) }

func (q *queue) Less(i, j int) bool {
	a, b := q.list[i], q.list[j]
	if q.scores[a] != q.scores[b] {
		return q.scores[a] < q.scores[b]
	}
	return a < b
}

func (q *queue) Swap(i, j int) {
	q.list[i], q.list[j] = q.list[j], q.list[i]
	q.place[q.list[i]], q.place[q.list[j]] = i, j
}

// Push is never called; heap.Interface requires it.
func (q *queue) Push(any) {}

func (q *queue) Pop() any {
	last := len(q.list) - 1
	i := q.list[last]
	q.list, q.place[i] = q.list[:last], -1
	return i
}

// queued is greedy for a large number of operands.
func (s *search) queued(begin int, at *progress, t *trace) *progress {
	q := &queue{scores: make([]float64, len(s.ops)), list: make([]int, len(s.ops)), place: make([]int, len(s.ops))}
	users := map[algebra.Slot][]int{} // by variable, the operands that mention it
	var needed algebra.Set
	for i, op := range s.ops {
		q.list[i], q.place[i] = i, i
		q.scores[i] = s.rowScore(i, at)
		for _, slot := range s.p.vars.Mentioned(op).Slots() {
			users[slot] = append(users[slot], i)
		}
		needed = needed.Or(s.p.vars.Mentioned(op))
	}
	left := make(map[algebra.Slot]int, len(users)) // by variable, the number of remaining operands that mention it
	for slot, list := range users {
		left[slot] = len(list)
	}
	heap.Init(q)
	for len(q.list) > 0 && s.p.tick(1) {
		next := 0
		if begin >= 0 {
			next, begin = q.place[begin], -1
		}
		i := heap.Remove(q, next).(int)
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
				if q.place[user] >= 0 {
					q.scores[user] = s.rowScore(user, at)
					heap.Fix(q, q.place[user])
				}
			}
		}
	}
	for _, i := range q.list { // remaining operands, if planning was stopped
		t.step(i, at.rows)
	}
	return at
}

// rowScore is score for one row, without conditions.
func (s *search) rowScore(i int, at *progress) float64 {
	row := *at
	row.rows = 1
	cost, rows := s.cost(i, &row)
	return cost + rows*aheadCost
}
