package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// operands evaluates expressions for one row of a batch after another, in columns if
// that is faster. A valueJoin uses it for each side of its conditions, and an order for
// its keys.
type operands struct {
	exprs    []algebra.Expr
	ofRow    []expression
	columns  lazyColumns
	ofRows   []columnOf
	computed []*value.Column // of the rows of a chunk; empty if they are evaluated one by one
	row      int32           // the current row of the chunk
}

func (o *operands) add(r *Run, e algebra.Expr) error {
	v, err := r.value(e, false)
	o.exprs, o.ofRow = append(o.exprs, e), append(o.ofRow, v)
	return err
}

// moveTo makes row i of a batch the current one. Rows must come in order.
func (o *operands) moveTo(r *Run, b *batch, i int) error {
	o.row = int32(i % chunkRows)
	if o.row > 0 {
		return nil
	}
	o.computed = o.computed[:0]
	inColumns, err := o.columns.ready(r, b, computing(o.exprs), o.compile)
	if !inColumns || err != nil {
		return err
	}
	rows := o.columns.begin(b, i)
	for _, v := range o.ofRows {
		o.computed = append(o.computed, v(rows))
	}
	if !o.columns.ok() {
		o.computed = o.computed[:0]
	}
	return r.budget.Failed()
}

func (o *operands) compile(c *columns) error {
	for _, e := range o.exprs {
		v, err := c.value(e, false)
		if err != nil {
			return err
		}
		o.ofRows = append(o.ofRows, v)
	}
	return nil
}

// value returns the value of an expression for the current row.
func (o *operands) value(expression int, row []ID) value.Value {
	if len(o.computed) > 0 {
		return o.computed[expression].At(o.row)
	}
	return o.ofRow[expression](row)
}
