package eval

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// order is ORDER BY. If only the first rows are wanted, it keeps at most a quarter more
// than those, or minSpare more.
type order struct {
	output
	r    *Run
	keys []*orderKey
	// computed holds the keys that are not variables, in the order of operands.
	computed []*orderKey
	operands *expr.Operands
	top      int64 // how many rows are wanted; NoLimit for all
	skip     int64 // how many of the first of these may be in any order, because OFFSET drops them

	rows    table.Pieces[source.ID]
	bounded bool // each key's bound is set to the key of the last wanted row at the last trim
	bound   lastKey
	size    int64 // bytes accounted
	work    int   // of evaluating the keys of a row
}

// buildOrder builds ORDER BY: the solutions of x.Op, then of the EXISTS in the keys, are sorted. If an alternative reads
// fewer of them, it tries that first: see ahead. It compiles the keys that are not variables.
func (r *Run) buildOrder(x *algebra.OrderBy, e env, next sink) (sink, error) {
	o := &order{work: expr.Work(algebra.Expressions(x)...), output: newOutput(r, next), r: r, top: x.Top, skip: x.Skip}
	op, keys := x.Op, slices.Clone(x.Keys)
	if x.Ahead == nil {
		var moved []*algebra.Expr
		for i := range keys {
			moved = append(moved, &keys[i].Expr)
		}
		op = r.hoist(op, e, moved...)
	}
	var exprs []algebra.Expr
	for _, k := range keys {
		key := r.orderKey(k)
		o.keys = append(o.keys, key)
		if !key.isVar() {
			o.computed, exprs = append(o.computed, key), append(exprs, k.Expr)
		}
	}
	var err error
	if o.operands, err = r.exprs.NewOperands(exprs); err != nil {
		return nil, err
	}
	head, err := r.buildExists(algebra.Expressions(x), r.after(e, x.Op), o)
	if err != nil {
		return nil, err
	}
	if x.Ahead != nil && e.around == nil { // a walk begins with the unit, which a run inside EXISTS lacks
		return r.buildAhead(x, e, o, head)
	}
	return r.buildWanting(allRows, op, e, head)
}

// push keeps the rows to sort. With a limit it drops those that surely come after it.
func (o *order) push(b *table.Batch) error {
	if o.top == 0 {
		return o.r.budget.Tick(b.N)
	}
	for i := range b.N {
		row := b.Row(i)
		if err := o.r.budget.Tick(o.work); err != nil {
			return err
		}
		if err := o.compute(b, i); err != nil {
			return err
		}
		if o.bounded && !o.precedes(row) {
			continue
		}
		if err := o.take(row); err != nil {
			return err
		}
	}
	return o.r.budget.Failed()
}

// compute sets the computed keys to those of row i of a batch. Rows must come in order.
func (o *order) compute(b *table.Batch, i int) error {
	if len(o.computed) == 0 {
		return nil
	}
	err := o.operands.MoveTo(b, i)
	for k, key := range o.computed {
		key.now = o.operands.Value(k, b.Row(i))
	}
	return err
}

// precedes reports whether a row comes before the bound. A row equal to the bound does
// not, because it arrived later.
func (o *order) precedes(row []source.ID) bool {
	for _, key := range o.keys {
		if c := key.compare(row); c != 0 {
			return c < 0
		}
	}
	return false
}

// take keeps a row and its keys. Once there are a quarter more than the limit asks for, it drops the last ones.
func (o *order) take(row []source.ID) error {
	size := int64(len(row) * table.IdSize)
	for _, key := range o.keys {
		grown, err := key.add(row, &o.rows)
		if err != nil {
			return err
		}
		size += grown
	}
	o.rows.Add(row)
	spare := max(o.top/4, minSpare) // because sorting for each row would take long
	if err := o.grow(size); err != nil || o.top < 0 || int64(o.rows.N) < o.top+spare {
		return err
	}
	return o.trim()
}

// minSpare is the least number of extra rows to keep before a trim.
const minSpare = 2048

func (o *order) grow(size int64) error {
	o.size += size
	return o.r.budget.Grow(size)
}

// sorted calls use with the numbers of all rows, sorted by some keys for the positions
// from lo up to hi (see sorter).
func (o *order) sorted(keys []*orderKey, lo, hi int, use func(rows []uint32) error) error {
	n := o.rows.N
	size := int64(n) * sortSize
	if err := o.r.budget.Grow(size); err != nil {
		return err
	}
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	s := &sorter{b: o.r.budget, rows: &o.rows, items: make([]item, n)}
	err := s.sort(rows, keys, lo, hi)
	if err == nil {
		err = use(rows)
	}
	return cmp.Or(o.r.budget.Grow(-size), err)
}

// trim drops the rows that are not wanted. The others keep the order in which they
// arrived.
func (o *order) trim() error {
	top := int(o.top)
	stays := make([]bool, o.rows.N)
	if err := o.sorted(o.keys, top-1, top, func(rows []uint32) error {
		for _, row := range rows[:top] {
			stays[row] = true
		}
		last := o.rows.Row(int(rows[top-1]))
		for _, key := range o.keys {
			key.bind(last)
		}
		return nil
	}); err != nil {
		return err
	}
	kept, freed := 0, int64((o.rows.N-top)*o.rows.Width)*table.IdSize
	for i, stay := range stays {
		for _, key := range o.keys {
			if stay {
				key.move(kept, i)
			} else {
				freed += key.sizeAt(i)
			}
		}
		if stay {
			copy(o.rows.Row(kept), o.rows.Row(i))
			kept++
		}
	}
	o.rows.Cut(kept)
	for _, key := range o.keys {
		key.cut(kept)
	}
	o.bounded, o.bound = true, lastKey{}
	return o.grow(-freed)
}

// end passes on the sorted rows, frees them, and returns errDone if the next operator wants no
// more.
func (o *order) end() error {
	err := o.emit()
	if err != nil && err != errDone {
		return err
	}
	if clearErr := o.clear(); clearErr != nil {
		return clearErr
	}
	if endErr := o.output.end(); endErr != nil {
		return endErr
	}
	return err
}

// clear drops all rows.
func (o *order) clear() error {
	err := o.r.budget.Grow(-o.size)
	o.rows, o.bounded, o.size, o.bound = table.Pieces[source.ID]{}, false, 0, lastKey{}
	for _, key := range o.keys {
		key.clear()
	}
	return err
}

// emit sorts the rows and passes on the first o.top, or all if o.top is negative. The first
// o.skip of them, which an OFFSET drops, are in any order.
func (o *order) emit() error {
	end := o.rows.N
	if o.top >= 0 {
		end = int(min(o.top, int64(end)))
	}
	return o.sorted(o.keys, int(min(o.skip, int64(end))), end, func(rows []uint32) error {
		for _, row := range rows[:end] {
			o.add(o.rows.Row(int(row)))
			if err := o.full(); err != nil {
				return err
			}
		}
		return nil
	})
}

// lastKey caches the first key of the last wanted row, as long as n rows are kept.
type lastKey struct {
	n     int
	value value.Value
}

// past reports whether rows whose first key is v, or comes after v, are no longer
// wanted.
func (o *order) past(v value.Value) (bool, error) {
	switch {
	case o.top == 0:
		return true, nil
	case o.top < 0 || int64(o.rows.N) < o.top:
		return false, nil
	}
	first := o.keys[0]
	if o.bound.n != o.rows.N {
		top := int(o.top)
		if err := o.sorted(o.keys[:1], top-1, top, func(rows []uint32) error {
			o.bound = lastKey{o.rows.N, first.evaluate(o.rows.Row(int(rows[top-1])))}
			return nil
		}); err != nil {
			return false, err
		}
	}
	if first.descending {
		return value.Precedes(v, o.bound.value), nil
	}
	return value.Precedes(o.bound.value, v), nil
}
