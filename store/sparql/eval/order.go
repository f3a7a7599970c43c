package eval

import (
	"cmp"

	"github.com/segraph/segraph/store/sparql/algebra"
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
	operands operands
	top      int64 // how many rows are wanted; NoLimit for all
	skip     int64 // how many of the first of these may be in any order, because OFFSET drops them

	rows    pieces[ID]
	bounded bool // each key's bound is set to the key of the last wanted row at the last trim
	bound   lastKey
	size    int64 // bytes accounted
	work    int   // of evaluating the keys of a row
}

func (r *Run) buildOrder(x *algebra.OrderBy, e env, next sink) (sink, error) {
	o := &order{work: workOf(algebra.Expressions(x)...), output: newOutput(r, next), r: r, top: x.Top, skip: x.Skip}
	for _, k := range x.Keys {
		key, err := r.orderKey(k)
		if err != nil {
			return nil, err
		}
		o.keys = append(o.keys, key)
		if !key.isVar() {
			o.computed = append(o.computed, key)
			if err := o.operands.add(r, k.Expr); err != nil {
				return nil, err
			}
		}
	}
	head, err := r.buildExists(algebra.Expressions(x), r.after(e, x.Op), o)
	if err != nil {
		return nil, err
	}
	if x.Ahead != nil && e.around == nil {
		return r.buildAhead(x, e, o, head)
	}
	return r.buildWanting(false, x.Op, e, head)
}

func (o *order) push(b *batch) error {
	if o.top == 0 {
		return o.r.budget.Tick(b.n)
	}
	for i := range b.n {
		row := b.row(i)
		if err := o.r.budget.Tick(o.work); err != nil {
			return err
		}
		if err := o.compute(b, i); err != nil {
			return err
		}
		if err := o.offer(row); err != nil {
			return err
		}
	}
	return o.r.budget.Failed()
}

// offer keeps a row unless enough rows come before it. Its computed keys are set.
func (o *order) offer(row []ID) error {
	if o.bounded && !o.precedes(row) {
		return nil
	}
	return o.take(row)
}

// compute sets the computed keys to those of row i of a batch. Rows must come in order.
func (o *order) compute(b *batch, i int) error {
	if len(o.computed) == 0 {
		return nil
	}
	err := o.operands.moveTo(o.r, b, i)
	for k, key := range o.computed {
		key.now = o.operands.value(k, b.row(i))
	}
	return err
}

// precedes reports whether a row comes before the bound. A row equal to the bound does
// not, because it arrived later.
func (o *order) precedes(row []ID) bool {
	for _, key := range o.keys {
		if c := key.compare(row); c != 0 {
			return c < 0
		}
	}
	return false
}

func (o *order) take(row []ID) error {
	size := int64(len(row) * idSize)
	for _, key := range o.keys {
		grown, err := key.add(row, &o.rows)
		if err != nil {
			return err
		}
		size += grown
	}
	o.rows.add(row)
	if err := o.grow(size); err != nil || o.top < 0 || int64(o.rows.n) < o.top+max(o.top/4, minSpare) {
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

// arrange returns the numbers of all rows, arranged by the given keys for the positions
// from lo up to hi (see arranger). The caller releases the memory of the result.
func (o *order) arrange(keys []*orderKey, lo, hi int) ([]uint64, error) {
	if err := o.r.budget.Grow(int64(o.rows.n) * idSize); err != nil {
		return nil, err
	}
	rows := make([]uint64, o.rows.n)
	for i := range rows {
		rows[i] = uint64(i)
	}
	return rows, o.arrangeRows(rows, nil, keys, lo, hi)
}

// arrangeRows arranges some rows in place, like arrange. If first is not nil, it is
// compared before the keys. A key that takes long to rank is left out at first, and
// then ranked only for the rows that the keys before it leave tied.
func (o *order) arrangeRows(rows, first []uint64, keys []*orderKey, lo, hi int) error {
	size := int64(len(rows)) * (arrangeSize + idSize*int64(len(keys)))
	if err := o.r.budget.Grow(size); err != nil {
		return err
	}
	a, left := &arranger{b: o.r.budget}, keys
	if first != nil {
		a.columns = []keyColumn{{keys: first}}
	}
	for i, key := range keys {
		column, ok, err := key.column(rows, i > 0)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		a.columns, left = append(a.columns, column), keys[i+1:]
	}
	a.together = len(left) > 0
	places, err := a.arrange(len(rows), lo, hi)
	if err != nil {
		return err
	}
	runs := a.tied(places, max(lo, 0), min(hi, len(rows)))
	for i, place := range places {
		places[i] = rows[place]
	}
	copy(rows, places)
	if err := o.r.budget.Grow(-size); err != nil || len(runs) == 0 {
		return err
	}
	return o.arrangeRuns(rows, runs, left, lo, hi)
}

// arrangeRuns arranges the rows of each run by the keys that were left out.
func (o *order) arrangeRuns(rows []uint64, runs [][2]int, keys []*orderKey, lo, hi int) error {
	var tied, numbers []uint64
	for i, run := range runs {
		for _, row := range rows[run[0]:run[1]] {
			tied, numbers = append(tied, row), append(numbers, uint64(i))
		}
	}
	size := int64(cap(tied)+cap(numbers)) * idSize
	if err := o.r.budget.Grow(size); err != nil {
		return err
	}
	lo, hi = lo-runs[0][0], len(tied)-max(0, runs[len(runs)-1][1]-hi)
	if err := o.arrangeRows(tied, numbers, keys, lo, hi); err != nil {
		return err
	}
	for _, run := range runs {
		n := copy(rows[run[0]:run[1]], tied)
		tied = tied[n:]
	}
	return o.r.budget.Grow(-size)
}

// trim drops the rows that are not wanted. The others keep the order in which they
// arrived.
func (o *order) trim() error {
	top := int(o.top)
	words, err := o.arrange(o.keys, top-1, top)
	if err != nil {
		return err
	}
	last := o.rows.row(int(words[top-1]))
	for _, key := range o.keys {
		key.bind(last)
	}
	o.bounded = true
	stays := make([]bool, o.rows.n)
	for _, number := range words[:top] {
		stays[number] = true
	}
	kept := 0
	for i, stay := range stays {
		if !stay {
			continue
		}
		if kept < i {
			copy(o.rows.row(kept), o.rows.row(i))
		}
		for _, key := range o.keys {
			key.keys[kept] = key.keys[i]
		}
		kept++
	}
	if err := o.r.budget.Grow(-int64(len(words)) * idSize); err != nil {
		return err
	}
	o.bound = lastKey{}
	freed := int64((o.rows.n-kept)*o.rows.width) * idSize
	o.rows.cut(kept)
	for _, key := range o.keys {
		freed += key.cut(kept)
	}
	return o.grow(-freed)
}

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
	o.rows, o.bounded, o.size, o.bound = pieces[ID]{}, false, 0, lastKey{}
	for _, key := range o.keys {
		key.clear()
	}
	return err
}

func (o *order) emit() error {
	end := o.rows.n
	if o.top >= 0 {
		end = int(min(o.top, int64(end)))
	}
	words, err := o.arrange(o.keys, int(min(o.skip, int64(end))), end)
	if err != nil {
		return err
	}
	err = o.emitRows(words[:end])
	return cmp.Or(o.r.budget.Grow(-int64(len(words))*idSize), err)
}

func (o *order) emitRows(numbers []uint64) error {
	for _, number := range numbers {
		o.add(o.rows.row(int(number)))
		if err := o.full(); err != nil {
			return err
		}
	}
	return nil
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
	case o.top < 0 || int64(o.rows.n) < o.top:
		return false, nil
	}
	first := o.keys[0]
	if o.bound.n != o.rows.n {
		top := int(o.top)
		words, err := o.arrange(o.keys[:1], top-1, top)
		if err != nil {
			return false, err
		}
		o.bound = lastKey{o.rows.n, first.evaluate(o.rows.row(int(words[top-1])))}
		if err := o.r.budget.Grow(-int64(len(words)) * idSize); err != nil {
			return false, err
		}
	}
	if first.descending {
		return value.Precedes(v, o.bound.value), nil
	}
	return value.Precedes(o.bound.value, v), nil
}
