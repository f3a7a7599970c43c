package table

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// Batch holds rows of ids, all of the same width.
type Batch struct {
	Width, N int // ids of a row, and rows
	IDs      []source.ID
	Wide     *budget.Budget // accounts for wide rows; nil for others
}

// Row returns a row, which the caller may change.
func (b *Batch) Row(i int) []source.ID { return b.IDs[i*b.Width : (i+1)*b.Width : (i+1)*b.Width] }

// Add appends a copy of a row and returns it. The first row sets the width of the batch.
func (b *Batch) Add(row []source.ID) []source.ID { return b.Copies(row, 1) }

// Copies appends n copies of a row and returns them as one slice.
func (b *Batch) Copies(row []source.ID, n int) []source.ID {
	b.Width = len(row)
	b.N += n
	at, end := len(b.IDs), len(b.IDs)+n*len(row)
	b.reserve(end)
	b.IDs = b.IDs[:end] // not append, which writes a pointer and so needs a write barrier
	out := b.IDs[at:end:end]
	for done := copy(out, row); 0 < done && done < len(out); done *= 2 { // each copy doubles what is done
		copy(out[done:], out[:done])
	}
	return out
}

// reserve makes room for n ids in total.
func (b *Batch) reserve(n int) {
	had := cap(b.IDs)
	if n <= had {
		return
	}
	b.IDs = slices.Grow(b.IDs, n-len(b.IDs))
	if b.Wide == nil {
		return
	}
	if err := b.Wide.Grow(int64(cap(b.IDs)-had) * IdSize); err != nil {
		b.Wide.Fail(err)
	}
}

// Reset removes all rows.
func (b *Batch) Reset() { b.IDs, b.N = b.IDs[:0], 0 }

// CopyOf makes b a copy of c.
func (b *Batch) CopyOf(c *Batch) {
	b.reserve(len(c.IDs))
	b.IDs, b.N, b.Width = append(b.IDs[:0], c.IDs...), c.N, c.Width
}

// Keep moves row i to position to, which is at most i. After the last keep, the caller
// calls cut to drop the other rows.
func (b *Batch) Keep(to, i int) {
	if to != i {
		copy(b.Row(to), b.Row(i))
	}
}

// Cut keeps the first n rows.
func (b *Batch) Cut(n int) { b.N, b.IDs = n, b.IDs[:n*b.Width] }
