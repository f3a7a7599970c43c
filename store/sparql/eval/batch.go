package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/budget"
)

// batch holds rows of ids, all of the same width.
type batch struct {
	width, n int
	ids      []ID
	wide     *budget.Budget // accounts for wide rows; nil for others
}

func (b *batch) row(i int) []ID { return b.ids[i*b.width : (i+1)*b.width : (i+1)*b.width] }

// add appends a copy of a row and returns it. The first row sets the width of the batch.
func (b *batch) add(row []ID) []ID { return b.copies(row, 1) }

// copies appends n copies of a row and returns them as one slice.
func (b *batch) copies(row []ID, n int) []ID {
	b.width = len(row)
	b.n += n
	at, end := len(b.ids), len(b.ids)+n*len(row)
	b.reserve(end)
	b.ids = b.ids[:end] // not append, which writes a pointer and so needs a write barrier
	out := b.ids[at:end:end]
	for done := copy(out, row); 0 < done && done < len(out); done *= 2 {
		copy(out[done:], out[:done])
	}
	return out
}

// reserve makes room for n ids in total.
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

// copyOf makes b a copy of c.
func (b *batch) copyOf(c *batch) {
	b.reserve(len(c.ids))
	b.ids, b.n, b.width = append(b.ids[:0], c.ids...), c.n, c.width
}

// sink receives rows. push passes it a batch, which it may change until push returns.
// end says that no more rows follow. The sink then passes on the rows that it holds,
// ends the next sink, and is ready for another run.
//
// Either may return errDone, which means that no more rows are wanted. The caller of
// push still calls end after that.
type sink interface {
	push(b *batch) error
	end() error
}

// Sizes of batches, in rows. The first batches are small, so that a query that wants
// few rows stops soon. Later ones are large, so that it pays to sort look-ups in the
// order of an index. In a query with many operators and variables batches are smaller,
// so that all of them fit in allBatches.
const (
	firstBatch = 64
	lastBatch  = 2048
	allBatches = 32 << 20 // bytes
)

// wideRow is the largest number of variables of a row that is not wide. Batches of wide
// rows are accounted for.
const wideRow = 64

// batchOf returns an empty batch for the run's rows.
func (r *Run) batchOf() batch {
	if len(r.query.Names) > wideRow {
		return batch{wide: r.budget}
	}
	return batch{}
}

// largestBatch returns the largest number of rows of a batch. An operator has up to three
// batches.
func (r *Run) largestBatch() int {
	row := int64(3*max(1, r.operators)) * int64(len(r.query.Names)+1) * idSize
	return int(min(max(1, allBatches/row), lastBatch))
}

// output collects an operator's rows into batches for the next operator.
type output struct {
	next  sink
	buf   batch
	size  int  // rows of a full batch
	last  int  // the largest size
	eager bool // passes rows on at the end of every push, because few may be wanted
	rows  int64
}

func newOutput(r *Run, next sink) output {
	return output{next: next, buf: r.batchOf(), size: min(firstBatch, r.largest), last: r.largest, eager: r.eager}
}

// add appends a copy of row and returns it for the caller to complete before the next
// call. The caller then calls full.
func (o *output) add(row []ID) []ID { return o.buf.add(row) }

// drop removes the row that add returned.
func (o *output) drop() {
	o.buf.n--
	o.buf.ids = o.buf.ids[:o.buf.n*o.buf.width]
}

// full passes the batch on if that is full.
func (o *output) full() error {
	if o.buf.n < o.size {
		return nil
	}
	o.size = min(2*o.size, max(o.size, o.last))
	return o.flush()
}

// pause flushes an eager output. Operators call it at the end of push.
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

// end flushes the output and ends the next operator, even if that wants no more rows.
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

// collector keeps the rows that it receives.
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

// forget releases the rows.
func (c *collector) forget() error {
	size := int64(c.n) * int64(c.width) * idSize
	c.pieces = pieces[ID]{}
	return c.r.budget.Grow(-size)
}

func (c *collector) end() error { return nil }

// keep moves row i to position to, which is at most i. After the last keep, the caller
// calls cut to drop the other rows.
func (b *batch) keep(to, i int) {
	if to != i {
		copy(b.row(to), b.row(i))
	}
}

func (b *batch) cut(n int) { b.n, b.ids = n, b.ids[:n*b.width] }
