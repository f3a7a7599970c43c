package eval

import (
	"errors"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// errDone says that no more rows are wanted. It never leaves the package.
var errDone = errors.New("no more rows are wanted")

// sink receives rows. push passes it a batch, which it may change until push returns.
// end says that no more rows follow. The sink then passes on the rows that it holds,
// ends the next sink, and is ready for another run.
//
// Either may return errDone, which means that no more rows are wanted. The caller of
// push still calls end after that.
type sink interface {
	push(b *table.Batch) error
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
func (r *Run) batchOf() table.Batch {
	if len(r.query.Names) > wideRow {
		return table.Batch{Wide: r.budget}
	}
	return table.Batch{}
}

// largestBatch returns the largest number of rows of a batch of a query with a number of
// operators. Most operators have up to three batches.
func (r *Run) largestBatch(operators int) int {
	row := int64(3*max(1, operators)) * int64(len(r.query.Names)+1) * table.IdSize
	return int(min(max(1, allBatches/row), lastBatch))
}

// output collects an operator's rows into batches for the next operator.
type output struct {
	next  sink
	buf   table.Batch
	size  int  // rows of a full batch
	last  int  // the largest size
	eager bool // passes rows on at the end of every push, because few may be wanted
}

func newOutput(r *Run, next sink) output {
	return output{next: next, buf: r.batchOf(), size: min(firstBatch, r.largest), last: r.largest, eager: r.eager}
}

// add appends a copy of row and returns it for the caller to complete before the next
// call. The caller then calls full.
func (o *output) add(row []source.ID) []source.ID { return o.buf.Add(row) }

// drop removes the row that add returned.
func (o *output) drop() {
	o.buf.N--
	o.buf.IDs = o.buf.IDs[:o.buf.N*o.buf.Width]
}

// full passes the batch on if that is full.
func (o *output) full() error {
	if o.buf.N < o.size {
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

// flush passes on the rows in the buffer.
func (o *output) flush() error {
	if o.buf.N == 0 {
		return nil
	}
	err := o.next.push(&o.buf)
	o.buf.Reset()
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

// collector keeps some variables of the rows that it receives.
type collector struct {
	table.Pieces[source.ID]
	r      *Run
	keep   []algebra.Slot
	record []source.ID
}

// push keeps the wanted columns of the rows.
func (c *collector) push(b *table.Batch) error {
	for i := range b.N {
		row := b.Row(i)
		c.record = c.record[:0]
		for _, slot := range c.keep {
			c.record = append(c.record, row[slot])
		}
		c.Add(c.record)
	}
	return c.r.budget.Grow(int64(b.N*len(c.keep)) * table.IdSize)
}

// take returns the records and empties the collector. The memory of the records remains
// counted in the budget.
func (c *collector) take() table.Pieces[source.ID] {
	taken := c.Pieces
	c.Pieces = table.Pieces[source.ID]{}
	return taken
}

// forget releases the records.
func (c *collector) forget() error {
	taken := c.take()
	return c.r.budget.Grow(-int64(taken.N*taken.Width) * table.IdSize)
}

func (c *collector) end() error { return nil }
