package eval

import "github.com/segraph/segraph/store/sparql/algebra"

// distinct drops rows that it has seen before.
type distinct struct {
	next sink
	vars []algebra.Slot
	seen *table
	key  []ID
	r    *Run
}

func newDistinct(r *Run, vars []algebra.Slot, next sink) sink {
	return &distinct{next: next, vars: vars, seen: newTable(r.budget, len(vars)), key: make([]ID, len(vars)), r: r}
}

func (d *distinct) push(b *batch) error {
	kept := 0
	for i := range b.n {
		row := b.row(i)
		for k, slot := range d.vars {
			d.key[k] = row[slot]
		}
		_, added, err := d.seen.insert(d.key)
		if err != nil {
			return err
		}
		if added {
			b.keep(kept, i)
			kept++
		}
	}
	if err := d.r.budget.Tick(b.n); err != nil {
		return err
	}
	b.cut(kept)
	if kept == 0 {
		return nil
	}
	return d.next.push(b)
}

func (d *distinct) end() error {
	d.seen.free()
	return d.next.end()
}

// reduce is distinct for as long as that pays.
type reduce struct {
	distinct
	rows, dropped int
	off           bool
}

// After reduceTrial rows, reduce stops unless it dropped at least one row in reduceWorth.
const (
	reduceTrial = 4096
	reduceWorth = 8
)

func newReduce(r *Run, vars []algebra.Slot, next sink) sink {
	return &reduce{distinct: distinct{next: next, vars: vars, seen: newTable(r.budget, len(vars)), key: make([]ID, len(vars)), r: r}}
}

func (d *reduce) push(b *batch) error {
	if d.off {
		return d.next.push(b)
	}
	before := b.n
	n := d.seen.n
	if err := d.distinct.push(b); err != nil {
		return err
	}
	d.rows += before
	d.dropped += before - (d.seen.n - n)
	if d.rows >= reduceTrial && d.dropped*reduceWorth < d.rows {
		d.off = true
		d.seen.free()
	}
	return nil
}

func (d *reduce) end() error {
	d.rows, d.dropped, d.off = 0, 0, false
	return d.distinct.end()
}

// slice passes on the rows from an offset up to a limit.
type slice struct {
	next          sink
	offset, limit int64
	seen          int64
}

func (s *slice) push(b *batch) error {
	first := max(0, min(int64(b.n), s.offset-s.seen))
	last := int64(b.n)
	if s.limit != algebra.NoLimit {
		last = max(first, min(last, s.offset+s.limit-s.seen))
	}
	s.seen += int64(b.n)
	if last > first {
		part := batch{width: b.width, n: int(last - first), ids: b.ids[int(first)*b.width : int(last)*b.width]}
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
