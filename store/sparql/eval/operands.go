package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// operands are expressions that are evaluated for one row of a batch after the other, in
// columns if that pays: on one side of a valueJoin's conditions, or keys of an order.
type operands struct {
	exprs    []algebra.Expr
	ofRow    []expression
	columns  lazyColumns
	ofRows   []columnOf
	computed []*value.Column // for the rows of a chunk, if they are good
	row      int32           // of these
}

func (o *operands) add(r *Run, e algebra.Expr) error {
	v, err := r.value(e, false)
	o.exprs, o.ofRow = append(o.exprs, e), append(o.ofRow, v)
	return err
}

// reach makes row i of a batch, whose rows come in order, the one that value is asked for.
func (o *operands) reach(r *Run, b *batch, i int) error {
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

// value returns the value of an expression for the row that was reached.
func (o *operands) value(expression int, row []ID) value.Value {
	if len(o.computed) > 0 {
		return o.computed[expression].At(o.row)
	}
	return o.ofRow[expression](row)
}
