package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// operands evaluates expressions for one row of a batch after another. A valueJoin uses it
// for each side of its conditions, and an order for its keys.
type operands struct {
	*columns
	exprs    []algebra.Expr
	values   []columnOf      // nil for a variable
	computed []*value.Column // of the rows of a chunk
	computes bool            // not all are variables
	row      int32           // the current row of the chunk
}

func (r *Run) operands(exprs []algebra.Expr) (*operands, error) {
	o := &operands{columns: r.newColumns(exprs...), exprs: exprs, computed: make([]*value.Column, len(exprs))}
	for _, e := range exprs {
		var v columnOf
		if _, isVar := e.(*algebra.Var); !isVar {
			var err error
			if v, err = o.columns.value(e, false); err != nil {
				return nil, err
			}
			o.computes = true
		}
		o.values = append(o.values, v)
	}
	return o, nil
}

// moveTo makes row i of a batch the current one. Rows must come in order.
func (o *operands) moveTo(b *batch, i int) error {
	if o.row = int32(i - o.first); !o.computes || i > 0 && int(o.row) < o.n {
		return nil
	}
	o.row = 0
	for {
		rows := o.begin(b, i)
		for k, v := range o.values {
			if v != nil {
				o.computed[k] = v(rows)
			}
		}
		if err := o.r.budget.Failed(); err != nil || o.ok() {
			return err
		}
		o.shrink()
	}
}

// value returns the value of an expression for the current row.
func (o *operands) value(expression int, row []ID) value.Value {
	if v, isVar := o.exprs[expression].(*algebra.Var); isVar {
		return o.r.terms.value(row[v.Slot])
	}
	return o.computed[expression].At(o.row)
}
