package expr

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

const (
	// ChunkRows is the largest number of rows evaluated at a time. Columns of that size stay
	// in the processor's cache.
	ChunkRows = 512
	// partSize is the largest number of bytes of a part of an expression for a row: a value
	// with its term. allParts limits the parts of a query, times the rows that they are
	// evaluated for at a time.
	partSize = 96
	allParts = 1024 * ChunkRows
	// allHeld limits the bytes of texts in the columns of all operators. Beyond it, fewer
	// rows are evaluated at a time, and in the end one by one.
	allHeld = 4 << 20
)

// allRows are the numbers of the rows of a chunk.
var allRows = func() (rows [ChunkRows]int32) {
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}()

// NewColumns returns columns for some expressions of an operator. A volatile function is
// called for one row after another.
func (q *Query) NewColumns(exprs ...algebra.Expr) *Columns {
	c := &Columns{q: q, size: ChunkRows, most: allHeld / max(1, q.operators)}
	for _, e := range exprs {
		algebra.Walk(e, func(e algebra.Expr) {
			c.parts++
			c.volatile = c.volatile || volatile(e)
		})
	}
	if c.volatile {
		c.size = 1
	}
	return c
}

// grow makes room for n rows. If that takes too much memory, chunks are from now on as large
// as there is room for, with room for one row at least.
func (c *Columns) grow(n int) {
	room := min(max(n, 2*c.room), c.size)
	more := (room - c.room) * c.parts
	if c.q.parts+more > allParts || !c.q.budget.Room(int64(more)*partSize) {
		c.size = max(1, c.room)
		if room = c.size; room == c.room {
			return
		}
		more = c.parts
	}
	c.q.grow(int64(more) * partSize)
	c.room, c.q.parts = room, c.q.parts+more
}

// Sized returns s, or a longer slice if s is too short for the rows of a chunk.
func Sized[T any](c *Columns, s []T) []T {
	if len(s) < c.n {
		return make([]T, c.room)
	}
	return s
}

// begin begins a chunk: the rows of a batch from first on, as many as there is room for. It
// returns their numbers in the columns.
func (c *Columns) begin(b *table.Batch, first int) (rows []int32) {
	n := min(b.N-first, c.size)
	if n > c.room {
		c.grow(n)
		n = min(n, c.size)
	}
	if c.counted > 0 {
		c.q.grow(-c.counted)
	}
	c.b, c.first, c.n, c.held, c.counted = b, first, n, 0, 0
	if c.volatile {
		c.q.Terms.NextSolution() // for BNODE("label"): the chunk has one row
	}
	c.Forget()
	return allRows[:n]
}

// Forget makes leaves load the values of variables again when they are next used.
func (c *Columns) Forget() {
	for _, l := range c.leaves {
		l.all, l.none = false, true
	}
}

// Valid reports whether the results since begin are valid. They are not if their texts
// take too much memory. Then the caller must evaluate a smaller chunk.
func (c *Columns) Valid() bool { return c.held <= c.most || c.n == 1 }

// shrink makes the next chunks smaller.
func (c *Columns) shrink() { c.size = max(1, c.n/8) }

// Row returns the row of the batch with number i in the columns.
func (c *Columns) Row(i int32) []source.ID { return c.b.Row(c.first + int(i)) }

// Chunks calls do for all rows of a batch, a chunk after another. work is that for a row.
// If the columns are not Valid after evaluating, do must return without an effect. It is then
// called again for fewer rows.
func (c *Columns) Chunks(b *table.Batch, work int, do func(first int, rows []int32) error) error {
	for first := 0; first < b.N; {
		rows := c.begin(b, first)
		if err := c.q.budget.Tick(work * len(rows)); err != nil {
			return err
		}
		if err := do(first, rows); err != nil {
			return err
		}
		if err := c.q.budget.Failed(); err != nil {
			return err
		}
		if c.Valid() {
			first += len(rows)
		} else {
			c.shrink()
		}
	}
	return nil
}

// Conditions are expressions that must all be true.
type Conditions struct {
	*Columns
	all    Truths // nil if there are none
	truths []value.Truth
	work   int // per row
}

// NewConditions compiles conditions.
func (q *Query) NewConditions(exprs []algebra.Expr) (*Conditions, error) {
	x := &Conditions{Columns: q.NewColumns(exprs...), work: Work(exprs...)}
	if len(exprs) == 0 {
		return x, nil
	}
	tests, err := each(exprs, x.test)
	x.all = x.decided(tests, value.False, value.And)
	return x, err
}

// Keep drops the rows of a batch for which not all conditions are true.
func (x *Conditions) Keep(b *table.Batch) error {
	if x.all == nil {
		return nil
	}
	kept := 0
	err := x.Chunks(b, x.work, func(first int, rows []int32) error {
		x.truths = Sized(x.Columns, x.truths)
		x.all(rows, x.truths)
		if !x.Valid() { // Chunks calls again, for fewer rows
			return nil
		}
		for _, row := range rows {
			if x.truths[row] == value.True {
				b.Keep(kept, first+int(row))
				kept++
			}
		}
		return nil
	})
	if err == nil {
		b.Cut(kept)
	}
	return err
}

// OneRow evaluates an expression for one row at a time.
type OneRow struct {
	*Columns
	values Values
	b      table.Batch
}

// NewOneRow compiles an expression by compile.
func (q *Query) NewOneRow(e algebra.Expr, compile func(c *Columns) (Values, error)) (*OneRow, error) {
	x := &OneRow{Columns: q.NewColumns(e)}
	var err error
	x.values, err = compile(x.Columns)
	return x, err
}

// Of returns the value for a row. Its text is valid until the next call.
func (x *OneRow) Of(row []source.ID) value.Value {
	x.b = table.Batch{Width: len(row), N: 1, IDs: row}
	return x.values(x.begin(&x.b, 0)).At(0)
}
