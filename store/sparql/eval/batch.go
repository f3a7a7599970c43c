package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/budget"
)

// batch is some rows of ids, all of one width.
type batch struct {
	width, n int
	ids      []ID
	wide     *budget.Budget // accounts for the rows where they are wide; nil elsewhere
}

func (b *batch) row(i int) []ID { return b.ids[i*b.width : (i+1)*b.width : (i+1)*b.width] }

// add appends a copy of a row, and gives it. The first row says how wide the batch is.
func (b *batch) add(row []ID) []ID { return b.copies(row, 1) }

// copies appends n copies of a row, and gives them, one behind the other.
func (b *batch) copies(row []ID, n int) []ID {
	b.width = len(row)
	b.n += n
	at, end := len(b.ids), len(b.ids)+n*len(row)
	b.reserve(end)
	b.ids = b.ids[:end] // and not by append, which writes a pointer, of which a garbage collector wants to know
	out := b.ids[at:end:end]
	for to := out; len(to) > 0; to = to[len(row):] {
		copy(to, row)
	}
	return out
}

// reserve makes room for n ids in all.
func (b *batch) reserve(n int) {
	had := cap(b.ids)
	if n <= had {
		return
	}
	b.ids = slices.Grow(b.ids, n-len(b.ids))
	if b.wide == nil {
		return
	}
	if err := b.wide.Grow(int64(cap(b.ids)-had) * idSize); err != nil {
		b.wide.Fail(err)
	}
}

func (b *batch) reset() { b.ids, b.n = b.ids[:0], 0 }

// copyOf makes b a copy of another batch.
func (b *batch) copyOf(c *batch) {
	b.reserve(len(c.ids))
	b.ids, b.n, b.width = append(b.ids[:0], c.ids...), c.n, c.width
}

// sink takes rows. push gives it some, which it may change, and which are its own until it
// returns. end says that no more will come: the sink hands on what it holds, tells the one
// behind it, and is then as new, ready for another run.
//
// errDone from either says that no more rows are wanted. Who gets it from push still
// calls end.
type sink interface {
	push(b *batch) error
	end() error
}

// Sizes of batches, in rows. The first ones are small, so that a query that wants a few
// rows stops soon; later ones are large, so that looking up in the order of an index
// pays. Of a query with many operators and variables, they are as small as it takes for
// allBatches to hold all of them.
const (
	firstBatch = 64
	lastBatch  = 2048
	allBatches = 32 << 20 // bytes
)

// wideRow is how many variables make a row wide. Batches of wide rows are accounted for.
const wideRow = 64

// batchOf returns an empty batch for the rows of the run.
func (r *Run) batchOf() batch {
	if len(r.query.Names) > wideRow {
		return batch{wide: r.budget}
	}
	return batch{}
}

// largestBatch returns how many rows a batch may have. An operator has up to three
// batches.
func (r *Run) largestBatch() int {
	row := int64(3*max(1, r.operators)) * int64(len(r.query.Names)+1) * idSize
	return int(min(max(1, allBatches/row), lastBatch))
}

// output gathers an operator's rows into batches for the next operator.
type output struct {
	next  sink
	buf   batch
	size  int  // how many rows make a batch
	last  int  // and how many they may get
	eager bool // hand on at the end of every push, because few rows may be wanted
	rows  int64
}

func newOutput(r *Run, next sink) output {
	return output{next: next, buf: r.batchOf(), size: min(firstBatch, r.largest), last: r.largest, eager: r.eager}
}

// add appends a copy of row for the caller to complete before the next call of this output.
// The caller calls full when it is complete.
func (o *output) add(row []ID) []ID { return o.buf.add(row) }

// drop takes back what add gave.
func (o *output) drop() {
	o.buf.n--
	o.buf.ids = o.buf.ids[:o.buf.n*o.buf.width]
}

// full hands a batch on if there is one.
func (o *output) full() error {
	if o.buf.n < o.size {
		return nil
	}
	o.size = min(2*o.size, max(o.size, o.last))
	return o.flush()
}

// pause is called at the end of a push.
func (o *output) pause() error {
	if o.eager {
		return o.flush()
	}
	return nil
}

func (o *output) flush() error {
	if o.buf.n == 0 {
		return nil
	}
	o.rows += int64(o.buf.n)
	err := o.next.push(&o.buf)
	o.buf.reset()
	return err
}

// end flushes and ends the next operator, also where that wants no more.
func (o *output) end() error {
	err := o.flush()
	if err != nil && err != errDone {
		return err
	}
	if endErr := o.next.end(); endErr != nil {
		return endErr
	}
	return err
}

// collector keeps the rows that it gets.
type collector struct {
	pieces[ID]
	r *Run
}

func (c *collector) push(b *batch) error {
	for i := range b.n {
		c.add(b.row(i))
	}
	return c.r.budget.Grow(int64(len(b.ids)) * idSize)
}

// forget lets go of the rows.
func (c *collector) forget() error {
	size := int64(c.n) * int64(c.width) * idSize
	c.pieces = pieces[ID]{}
	return c.r.budget.Grow(-size)
}

func (c *collector) end() error { return nil }

// keep moves row i to place to, which is not behind it; cut leaves the first n.
func (b *batch) keep(to, i int) {
	if to != i {
		copy(b.row(to), b.row(i))
	}
}

func (b *batch) cut(n int) { b.n, b.ids = n, b.ids[:n*b.width] }
