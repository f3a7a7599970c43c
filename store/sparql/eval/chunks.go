package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// Expressions selects how a Run evaluates expressions. The result is the same.
type Expressions uint8

const (
	AsPays     Expressions = iota // in columns if there are many rows
	RowByRow                      // one row after another
	AllColumns                    // in columns even for few rows
)

// Evaluate sets how expressions are evaluated. The default is AsPays; tests use the
// others. Call it before Select, Ask or Graph.
func (r *Run) Evaluate(e Expressions) { r.expressions = e }

// lazyColumns are an operator's columns, made when it receives a batch large enough to
// pay for them.
type lazyColumns struct {
	*columns      // nil until then
	refused  bool // they will never be made
}

// ready reports whether to evaluate expressions in columns for batch b. It makes the
// columns if needed, and then calls compile.
func (l *lazyColumns) ready(r *Run, b *batch, exprs []algebra.Expr, compile func(c *columns) error) (bool, error) {
	if l.columns != nil || l.refused || r.expressions == AsPays && b.n < minRows {
		return l.columns != nil, nil
	}
	parts := partsOf(exprs)
	l.refused = r.expressions == RowByRow || parts == 0 || parts > maxParts || r.parts+parts > allParts
	if l.refused = l.refused || !r.budget.Room(int64(parts)*partSize); l.refused {
		return false, nil
	}
	if err := r.budget.Grow(int64(parts) * partSize); err != nil {
		return false, err
	}
	c := &columns{r: r, size: chunkRows, all: make([]int32, chunkRows), most: allHeld / max(1, r.operators)}
	for i := range c.all {
		c.all[i] = int32(i)
	}
	l.columns = c
	r.parts += parts
	return true, compile(c)
}

// partsOf returns the number of parts of expressions. A volatile function must be called
// in the order of rows, so it counts as too many parts.
func partsOf(exprs []algebra.Expr) (n int) {
	for _, e := range exprs {
		algebra.Walk(e, func(e algebra.Expr) {
			n++
			if volatile(e) {
				n += maxParts
			}
		})
	}
	return n
}

// computing returns exprs, or nil if ids are enough to evaluate all of them.
func computing(exprs []algebra.Expr) []algebra.Expr {
	for _, e := range exprs {
		switch x := e.(type) {
		case *algebra.In:
			return exprs
		case *algebra.Call:
			if !isOfID(x) {
				return exprs
			}
		}
	}
	return nil
}

// isOfID reports whether a call can be evaluated from the id of a variable, without its
// term.
func isOfID(x *algebra.Call) bool {
	if len(x.Args) == 0 {
		return false
	}
	if _, ok := x.Args[0].(*algebra.Var); !ok {
		return false
	}
	switch x.Op {
	case syntax.OpIsIRI, syntax.OpIsBlank, syntax.OpIsLiteral, syntax.OpIsTriple, syntax.OpBound:
		return true
	case syntax.OpEqual, syntax.OpNotEqual:
		c, ok := x.Args[1].(*algebra.Const)
		return ok && c.Term.IsIRI()
	}
	return false
}

func volatile(e algebra.Expr) bool {
	x, ok := e.(*algebra.Call)
	if !ok {
		return false
	}
	f, ok := value.Lookup(string(x.Op), false)
	return ok && f.Volatile
}

// inChunks evaluates expressions for all rows of a batch. inColumns evaluates the chunk
// that begins with row first, and reports false if that is too large. If even the
// smallest chunk is, one evaluates each of its rows.
func (l *lazyColumns) inChunks(b *batch, inColumns func(first int) (bool, error), one func(i int) error) error {
	for first := 0; first < b.n; {
		size := chunkRows
		if l.columns != nil {
			size = l.size
			done, err := inColumns(first)
			if err != nil {
				return err
			}
			if done {
				first += size
				continue
			}
			if l.size > minRows {
				l.size = max(minRows, l.size/8)
				continue
			}
		}
		last := min(b.n, first+size)
		for ; first < last; first++ {
			if err := one(first); err != nil {
				return err
			}
		}
	}
	return nil
}
