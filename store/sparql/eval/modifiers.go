package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// distinct is DISTINCT. It drops rows that it has seen before.
type distinct struct {
	next sink
	vars []algebra.Slot
	ids  *table.GroupIDs // seen, if there is one variable; otherwise nil
	seen *table.Keys
	key  []source.ID
	n    int // rows seen
	r    *Run
}

// newDistinct returns what drops rows that agree in vars with an earlier one.
func newDistinct(r *Run, vars []algebra.Slot, next sink) *distinct {
	d := &distinct{next: next, vars: vars, r: r}
	if len(vars) == 1 {
		d.ids = table.NewGroupIDs(r.budget)
	} else {
		d.seen, d.key = table.NewKeys(r.budget, len(vars)), make([]source.ID, len(vars))
	}
	return d
}

// push passes on the rows that are new. d.n counts them.
func (d *distinct) push(b *table.Batch) error {
	if err := d.r.budget.Tick(b.N); err != nil {
		return err
	}
	return passWhere(b, d.next, func(i int) (bool, error) {
		added, err := d.insert(b.Row(i))
		if added {
			d.n++
		}
		return added, err
	})
}

// insert reports whether a row was not seen before.
func (d *distinct) insert(row []source.ID) (added bool, err error) {
	if d.ids != nil {
		return d.ids.Insert(0, row[d.vars[0]])
	}
	for k, slot := range d.vars {
		d.key[k] = row[slot]
	}
	_, added, err = d.seen.Insert(d.key)
	return added, err
}

func (d *distinct) end() error {
	d.free()
	return d.next.end()
}

// free forgets all rows.
func (d *distinct) free() {
	d.n = 0
	if d.ids != nil {
		d.ids.Free()
	} else {
		d.seen.Free()
	}
}

// reduce evaluates an algebra.Reduce. It drops rows like distinct, until it finds that
// few are duplicates.
type reduce struct {
	distinct
	rows, dropped int
	trial         int
	off           bool
}

// After reduceTrial rows, or sureTrial if the planner is sure, reduce stops unless it
// dropped at least one row in reduceWorth.
const (
	reduceTrial = 4096
	sureTrial   = 1 << 20
	reduceWorth = 8
)

func newReduce(r *Run, x *algebra.Reduce, next sink) sink {
	trial := reduceTrial
	if x.Sure {
		trial = sureTrial
	}
	return &reduce{distinct: *newDistinct(r, x.Vars, next), trial: trial}
}

// push passes on the rows that are new, until a trial shows that too few are dropped to be worth
// it. Duplicates are allowed here.
func (d *reduce) push(b *table.Batch) error {
	if d.off {
		return d.next.push(b)
	}
	before := b.N
	n := d.n
	if err := d.distinct.push(b); err != nil {
		return err
	}
	d.rows += before
	d.dropped += before - (d.n - n)
	if d.rows >= d.trial && d.dropped*reduceWorth < d.rows {
		d.off = true
		d.free()
	}
	return nil
}

func (d *reduce) end() error {
	d.rows, d.dropped, d.off = 0, 0, false
	return d.distinct.end()
}

// slice is OFFSET and LIMIT.
type slice struct {
	next          sink
	offset, limit int64
	seen          int64
}

// push passes on the rows within OFFSET and LIMIT, and returns errDone after the last.
func (s *slice) push(b *table.Batch) error {
	first := max(0, min(int64(b.N), s.offset-s.seen))
	last := int64(b.N)
	if s.limit != algebra.NoLimit {
		last = max(first, min(last, s.offset+s.limit-s.seen))
	}
	s.seen += int64(b.N)
	if last > first {
		part := table.Batch{Width: b.Width, N: int(last - first), IDs: b.IDs[int(first)*b.Width : int(last)*b.Width]}
		if err := s.next.push(&part); err != nil {
			return err
		}
	}
	if s.limit != algebra.NoLimit && s.seen >= s.offset+s.limit {
		return errDone
	}
	return nil
}

func (s *slice) end() error {
	s.seen = 0
	return s.next.end()
}
