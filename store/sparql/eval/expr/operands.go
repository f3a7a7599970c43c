package expr

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// Operands evaluates expressions for one row of a batch after another. A valueJoin uses it
// for each side of its conditions, and an order for its keys.
type Operands struct {
	*Columns
	Exprs    []algebra.Expr
	values   []Values        // nil for a variable
	computed []*value.Column // of the rows of a chunk
	computes bool            // not all are variables
	row      int32           // the current row of the chunk
}

// NewOperands compiles expressions.
func (q *Query) NewOperands(exprs []algebra.Expr) (*Operands, error) {
	o := &Operands{Columns: q.NewColumns(exprs...), Exprs: exprs, computed: make([]*value.Column, len(exprs))}
	for _, e := range exprs {
		var v Values
		if _, isVar := e.(*algebra.Var); !isVar {
			var err error
			if v, err = o.Columns.Value(e, AnyForm); err != nil {
				return nil, err
			}
			o.computes = true
		}
		o.values = append(o.values, v)
	}
	return o, nil
}

// MoveTo makes row i of a batch the current one. Rows must come in order.
func (o *Operands) MoveTo(b *table.Batch, i int) error {
	o.row = int32(i - o.first)
	inChunk := i > 0 && int(o.row) < o.n // row 0 may be that of another batch
	if !o.computes || inChunk {
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
		if err := o.q.budget.Failed(); err != nil || o.Valid() {
			return err
		}
		o.shrink()
	}
}

// Value returns the value of an expression for the current row.
func (o *Operands) Value(expression int, row []source.ID) value.Value {
	if v, isVar := o.Exprs[expression].(*algebra.Var); isVar {
		return o.q.Terms.Value(row[v.Slot])
	}
	return o.computed[expression].At(o.row)
}
