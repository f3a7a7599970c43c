package eval

import (
	"container/heap"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// order sorts rows. Where only the first few are wanted it keeps no more than those, in a heap with
// the last of them on top.
type order struct {
	output
	r          *Run
	keys       []expression
	descending []bool
	top        int64

	rows     pieces[ID]
	values   pieces[value.Value] // of the keys
	entries  []entry
	now      []value.Value // of the row that is looked at
	came     int64
	heaped   bool
	size     int64 // accounted
	work     int   // of evaluating the keys of a row
	compared int   // keys, since the context was looked at
	failed   error
}

// entry is a row in the order that is being made.
type entry struct {
	at   int32 // its place in rows
	came int64 // when it came, which decides between equals
}

func (r *Run) buildOrder(x *algebra.OrderBy, e env, next sink) (sink, error) {
	o := &order{work: workOf(algebra.Expressions(x)...), output: newOutput(r, next), r: r, top: x.Top, now: make([]value.Value, len(x.Keys))}
	for _, k := range x.Keys {
		v, err := r.value(k.Expr, false)
		if err != nil {
			return nil, err
		}
		o.keys, o.descending = append(o.keys, v), append(o.descending, k.Descending)
	}
	head, err := r.buildExists(algebra.Expressions(x), r.behind(e, x.Op), o)
	if err != nil {
		return nil, err
	}
	if x.Ahead != nil {
		return r.buildAhead(x, e, o, head)
	}
	return r.buildWanting(false, x.Op, e, head)
}

// Sizes of what is kept, in bytes: a value without its text, and an entry with the room that a
// slice of them needs to grow.
const (
	valueSize = 64
	entrySize = 40
)

func textSize(values []value.Value) (size int64) {
	for i := range values {
		if n := values[i].Size(); n > 0 {
			size += int64(n) + 16 // what memory is rounded up to
		}
	}
	return size
}

func (o *order) push(b *batch) error {
	for i := range b.n {
		row := b.row(i)
		if err := o.r.budget.Tick(o.work); err != nil {
			return err
		}
		for k, key := range o.keys {
			o.now[k] = key(row)
		}
		if err := o.take(row); err != nil {
			return err
		}
	}
	return o.r.budget.Failed()
}

func (o *order) take(row []ID) error {
	o.came++
	if o.top >= 0 && int64(len(o.entries)) == o.top {
		if o.top == 0 {
			return nil
		}
		if !o.heaped {
			heap.Init(o)
			o.heaped = true
		}
		last := &o.entries[0]
		if o.compare(o.now, o.key(last.at)) >= 0 {
			return nil // a later one of equals stays behind
		}
		copy(o.rows.row(int(last.at)), row)
		gone := textSize(o.key(last.at))
		copy(o.key(last.at), o.now)
		last.came = o.came
		heap.Fix(o, 0)
		return o.grow(textSize(o.now) - gone)
	}
	o.entries = append(o.entries, entry{int32(o.rows.n), o.came})
	o.rows.add(row)
	o.values.add(o.now)
	return o.grow(int64(len(row)*idSize+entrySize+len(o.now)*valueSize) + textSize(o.now))
}

func (o *order) grow(size int64) error {
	o.size += size
	return o.r.budget.Grow(size)
}

func (o *order) key(at int32) []value.Value { return o.values.row(int(at)) }

func (o *order) compare(a, b []value.Value) int {
	for k := range a {
		if c := value.Order(a[k], b[k]); c != 0 {
			if o.descending[k] {
				return -c
			}
			return c
		}
	}
	return 0
}

func (o *order) compareEntries(a, b entry) int {
	// A sort can't be left, but once the query must end it need not get it right.
	if o.compared += len(o.keys); o.compared >= checkEvery && o.failed == nil {
		o.compared, o.failed = 0, o.r.budget.Check()
	}
	if o.failed != nil {
		return 0
	}
	if c := o.compare(o.key(a.at), o.key(b.at)); c != 0 {
		return c
	}
	if a.came < b.came {
		return -1
	}
	return 1
}

// Len, Less, Swap, Push and Pop are container/heap's; the last in the order is on top.
func (o *order) Len() int           { return len(o.entries) }
func (o *order) Less(i, j int) bool { return o.compareEntries(o.entries[i], o.entries[j]) > 0 }
func (o *order) Swap(i, j int)      { o.entries[i], o.entries[j] = o.entries[j], o.entries[i] }
func (o *order) Push(any)           {}
func (o *order) Pop() any           { return nil }

func (o *order) end() error {
	slices.SortFunc(o.entries, o.compareEntries)
	if o.failed != nil {
		return o.failed
	}
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

// clear lets go of all rows.
func (o *order) clear() error {
	err := o.r.budget.Grow(-o.size)
	o.rows, o.values = pieces[ID]{}, pieces[value.Value]{}
	o.entries, o.size, o.came, o.heaped = nil, 0, 0, false
	return err
}

// past tells whether no row is wanted whose first key is v, or comes behind it.
func (o *order) past(v value.Value) bool {
	switch {
	case o.top == 0:
		return true
	case o.top < 0 || int64(len(o.entries)) < o.top:
		return false
	case !o.heaped:
		heap.Init(o)
		o.heaped = true
	}
	last := o.key(o.entries[0].at)[0]
	if o.descending[0] {
		return value.Precedes(v, last)
	}
	return value.Precedes(last, v)
}

func (o *order) emit() error {
	for _, e := range o.entries {
		o.add(o.rows.row(int(e.at)))
		if err := o.full(); err != nil {
			return err
		}
	}
	return nil
}
