package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

const (
	// chunkRows is the largest number of rows evaluated at a time. Columns of that size stay
	// in the processor's cache.
	chunkRows = 512
	// partSize is the largest number of bytes of a part of an expression for a row: a value
	// with its term. allParts limits the parts of a query, times the rows that they are
	// evaluated for at a time.
	partSize = 96
	allParts = 1024 * chunkRows
	// maxShared is the number of parts up to which an operator looks for equal ones.
	maxShared = 256
	// allHeld limits the bytes of texts in the columns of all operators. Beyond it, fewer
	// rows are evaluated at a time, and in the end one by one.
	allHeld = 4 << 20
)

// allRows are the numbers of the rows of a chunk.
var allRows = func() (rows [chunkRows]int32) {
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}()

// newColumns returns columns for some expressions of an operator. A volatile function is
// called for one row after another.
func (r *Run) newColumns(exprs ...algebra.Expr) *columns {
	c := &columns{r: r, size: chunkRows, most: allHeld / max(1, r.operators)}
	once := true
	for _, e := range exprs {
		algebra.Walk(e, func(e algebra.Expr) {
			c.parts++
			once = once && !volatile(e)
		})
	}
	if !once {
		c.size = 1
	}
	c.shares = once && c.parts <= maxShared
	return c
}

// grow makes room for n rows. If that takes too much memory, it makes room for one and
// limits chunks to what there is room for.
func (c *columns) grow(n int) {
	room := min(max(n, 2*c.room), c.size)
	more := (room - c.room) * c.parts
	if c.r.parts+more > allParts || !c.r.budget.Room(int64(more)*partSize) {
		c.size = max(1, c.room)
		if room = c.size; room == c.room {
			return
		}
		more = c.parts
	}
	if err := c.r.budget.Grow(int64(more) * partSize); err != nil {
		c.r.budget.Fail(err)
	}
	c.room, c.r.parts = room, c.r.parts+more
}

// sized returns s, or a longer slice if s is too short for the rows of a chunk.
func sized[T any](c *columns, s []T) []T {
	if len(s) < c.n {
		return make([]T, c.room)
	}
	return s
}

// begin begins a chunk: the rows of a batch from first on, as many as there is room for. It
// returns their numbers in the columns.
func (c *columns) begin(b *batch, first int) (rows []int32) {
	n := min(b.n-first, c.size)
	if n > c.room {
		c.grow(n)
		n = min(n, c.size)
	}
	c.b, c.first, c.n, c.held = b, first, n, 0
	c.forget()
	return allRows[:n]
}

// forget makes leaves load the values of variables again when they are next used.
func (c *columns) forget() {
	c.serial++
	for _, l := range c.leaves {
		l.all, l.none = false, true
	}
}

// ok reports whether the results since begin are valid. They are not if their texts
// take too much memory. Then the caller must evaluate a smaller chunk.
func (c *columns) ok() bool { return c.held <= c.most || c.n == 1 }

// shrink makes the next chunks smaller.
func (c *columns) shrink() { c.size = max(1, c.n/8) }

func (c *columns) row(i int32) []ID { return c.b.row(c.first + int(i)) }

// chunks calls do for all rows of a batch, a chunk after another. work is that for a row.
// If the columns are not ok after evaluating, do must return without an effect. It is then
// called again for fewer rows.
func (c *columns) chunks(b *batch, work int, do func(first int, rows []int32) error) error {
	for first := 0; first < b.n; {
		rows := c.begin(b, first)
		if err := c.r.budget.Tick(work * len(rows)); err != nil {
			return err
		}
		if err := do(first, rows); err != nil {
			return err
		}
		if err := c.r.budget.Failed(); err != nil {
			return err
		}
		if c.ok() {
			first += len(rows)
		} else {
			c.shrink()
		}
	}
	return nil
}

// conditions are expressions that must all be true.
type conditions struct {
	*columns
	all    truthsOf // nil if there are none
	truths []value.Truth
	work   int // per row
}

func (r *Run) conditions(exprs []algebra.Expr) (*conditions, error) {
	x := &conditions{columns: r.newColumns(exprs...), work: workOf(exprs...)}
	if len(exprs) == 0 {
		return x, nil
	}
	tests := make([]truthsOf, len(exprs))
	for i, e := range exprs {
		var err error
		if tests[i], err = x.test(e); err != nil {
			return nil, err
		}
	}
	x.all = x.decided(tests, value.False, value.And)
	return x, nil
}

// keep drops the rows of a batch for which not all conditions are true.
func (x *conditions) keep(b *batch) error {
	if x.all == nil {
		return nil
	}
	kept := 0
	err := x.chunks(b, x.work, func(first int, rows []int32) error {
		x.truths = sized(x.columns, x.truths)
		if x.all(rows, x.truths); !x.ok() {
			return nil
		}
		for _, row := range rows {
			if x.truths[row] == value.True {
				b.keep(kept, first+int(row))
				kept++
			}
		}
		return nil
	})
	if err == nil {
		b.cut(kept)
	}
	return err
}

// oneRow evaluates an expression for one row at a time.
type oneRow struct {
	*columns
	values columnOf
	b      batch
}

func (r *Run) oneRow(e algebra.Expr, compile func(c *columns) (columnOf, error)) (*oneRow, error) {
	x := &oneRow{columns: r.newColumns(e)}
	var err error
	x.values, err = compile(x.columns)
	return x, err
}

// of returns the value for a row. Its text is valid until the next call.
func (x *oneRow) of(row []ID) value.Value {
	x.b = batch{width: len(row), n: 1, ids: row}
	return x.values(x.begin(&x.b, 0)).At(0)
}
