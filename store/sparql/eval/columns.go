package eval

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// columns evaluates an operator's expressions for many rows of a batch at a time. It
// computes each part of an expression for all rows, into a column, before the next part.
// It is for one goroutine.
//
// Numbers, booleans, dates and times are computed a column at a time, and other values
// row by row. An expensive expression of one variable is computed once per term (memo).
type columns struct {
	r      *Run
	parts  int // of the expressions
	b      *batch
	first  int // row of the batch that is row 0 of the columns
	n      int // rows of the columns
	size   int // the largest n
	room   int // rows that there is room for
	leaves []*leaf
	read   []toRead // scratch space of leaves, as are ids and terms
	ids    []ID
	terms  []rdf.Term
	inMemo bool // compiling a part of an expression that has a memo
	shares bool // equal parts of expressions share their values
	shared []*sharedColumn
	serial int // changes with the rows and with the values of their variables
	held   int // bytes of texts in columns
	most   int // the limit of held
}

// An expression is compiled to one of three functions of rows. They compute its values, its
// effective boolean values, or the ids of its terms. A SPARQL error is a result:
// value.Error(), value.TypeError or 0. An error that ends the query is in budget.Failed().
// Rows are in ascending order. Each part of an expression is evaluated at most once per
// chunk, for all or some of its rows.
type (
	columnOf  func(rows []int32) *value.Column
	truthsOf  func(rows []int32, out []value.Truth)
	columnIDs func(rows []int32, out []ID)
)

// hold sets the value of a row and accounts for its text. Beyond the limit it sets
// nothing (see ok).
func (c *columns) hold(out *value.Column, row int32, v value.Value) {
	if c.held += v.Size(); c.ok() {
		out.Hold(row, v)
	}
}

// value compiles an expression to its values. Unless exact is set, the values of
// variables may lose the lexical form of their terms.
func (c *columns) value(e algebra.Expr, exact bool) (columnOf, error) {
	v, err := c.valueOnce(e, exact)
	if v == nil && err == nil {
		return c.valueEvery(e, exact)
	}
	return c.share(e, exact, v), err
}

// valueEvery is value without a memo.
func (c *columns) valueEvery(e algebra.Expr, exact bool) (columnOf, error) {
	switch x := e.(type) {
	case *algebra.Var:
		return c.leaf(x.Slot, exact).values, nil
	case *algebra.Const:
		return c.constant(value.FromTerm(x.Term), exact), nil
	case *algebra.Call:
		if foldable(x) {
			one, err := c.r.oneRow(x, func(c *columns) (columnOf, error) { return c.call(x, exact) })
			if err != nil {
				return nil, err
			}
			return c.constant(one.of(nil).Clone(), exact), c.r.budget.Failed()
		}
		return c.call(x, exact)
	}
	t, err := c.test(e) // *algebra.In or *algebra.Exists
	return c.ofTruths(t), err
}

func (c *columns) constant(v value.Value, exact bool) columnOf {
	out, n := &value.Column{}, 0
	return func([]int32) *value.Column {
		if n < c.n {
			n = c.room
			out.Fill(n, v, exact)
		}
		return out
	}
}

func (c *columns) ofTruths(t truthsOf) columnOf {
	var truths []value.Truth
	out := &value.Column{}
	return func(rows []int32) *value.Column {
		truths = sized(c, truths)
		t(rows, truths)
		out.Reset(c.n)
		for _, i := range rows {
			out.SetTruth(i, truths[i])
		}
		return out
	}
}

// ofIDs returns the values of terms with the given ids. No term is an error.
func (c *columns) ofIDs(ids columnIDs, exact bool) columnOf {
	var found []ID
	out := &value.Column{}
	return func(rows []int32) *value.Column {
		found = sized(c, found)
		ids(rows, found)
		out.Reset(c.n)
		for _, i := range rows {
			switch id := found[i]; {
			case id == 0:
				out.SetTruth(i, value.TypeError)
			case exact:
				c.hold(out, i, c.r.terms.exact(id))
			default:
				c.hold(out, i, c.r.terms.value(id))
			}
		}
		return out
	}
}

// binaries and unaries are the operators that are computed a column at a time.
var (
	binaries = map[syntax.Op]*value.Binary{syntax.OpAdd: value.Addition, syntax.OpSubtract: value.Subtraction,
		syntax.OpMultiply: value.Multiplication, syntax.OpDivide: value.Division}
	unaries = map[syntax.Op]*value.Unary{syntax.OpUnaryMinus: value.Negation, syntax.OpUnaryPlus: value.UnaryPlus}
)

func (c *columns) call(x *algebra.Call, exact bool) (columnOf, error) {
	switch x.Op {
	case syntax.OpAdd, syntax.OpSubtract, syntax.OpMultiply, syntax.OpDivide:
		return c.binary(binaries[x.Op], x)
	case syntax.OpIf:
		return c.ifThenElse(x, exact)
	case syntax.OpCoalesce:
		return c.coalesce(x, exact)
	case syntax.OpUnaryMinus, syntax.OpUnaryPlus:
		return c.unary(unaries[x.Op], x.Args[0])
	case syntax.OpStrLen:
		return c.lengths(x)
	case syntax.OpSubject, syntax.OpPredicate, syntax.OpObject:
		if part, err := c.part(x); part != nil || err != nil {
			return c.ofIDs(part, exact), err
		}
	}
	if u := unaryOf(x); u != nil && !isText(x.Args[0]) {
		return c.unary(u, x.Args[0])
	}
	if isTest(x.Op) {
		t, err := c.test(x)
		return c.ofTruths(t), err
	}
	return c.function(x)
}

// function compiles the call of a function that is computed row by row.
func (c *columns) function(x *algebra.Call) (columnOf, error) {
	f, ok := functionOf(x)
	if !ok {
		return c.constant(value.Error(), false), nil
	}
	args, exact := make([]columnOf, len(x.Args)), lexicalForm(x)
	for i, arg := range x.Args {
		var err error
		if args[i], err = c.value(arg, exact); err != nil {
			return nil, err
		}
	}
	given, values, out := make([]*value.Column, len(args)), make([]value.Value, len(args)), &value.Column{}
	return func(rows []int32) *value.Column {
		for k, arg := range args {
			given[k] = arg(rows)
		}
		out.Reset(c.n)
		for _, i := range rows {
			if !c.ok() || c.stop(expressionWork) {
				break
			}
			for k := range given {
				values[k] = given[k].At(i)
			}
			v, err := f.Call(c.r.functions, values)
			if err != nil {
				c.r.failFunction(err)
				break
			}
			c.hold(out, i, v)
		}
		return out
	}, nil
}

// unaryOf returns the operator or function of one argument that computes a call a
// column at a time. It returns nil if there is none.
func unaryOf(x *algebra.Call) *value.Unary {
	if u, ok := unaries[x.Op]; ok {
		return u
	}
	if f, ok := functionOf(x); ok {
		return f.Unary
	}
	return nil
}

func (c *columns) unary(u *value.Unary, arg algebra.Expr) (columnOf, error) {
	if x, ok := arg.(*algebra.Call); ok && x.Op == syntax.OpDivide && u.Quotient() != nil {
		return c.binary(u.Quotient(), x)
	}
	a, err := c.value(arg, false)
	out := &value.Column{}
	return func(rows []int32) *value.Column {
		column := a(rows)
		out.Reset(c.n)
		u.Column(out, column, rows)
		return out
	}, err
}

func (c *columns) binary(f *value.Binary, x *algebra.Call) (columnOf, error) {
	a, err := c.value(x.Args[0], false)
	if err != nil {
		return nil, err
	}
	b, err := c.value(x.Args[1], false)
	out := &value.Column{}
	return func(rows []int32) *value.Column {
		left, right := a(rows), b(rows)
		out.Reset(c.n)
		f.Column(out, left, right, rows)
		return out
	}, err
}

func (c *columns) ifThenElse(x *algebra.Call, exact bool) (columnOf, error) {
	condition, err := c.test(x.Args[0])
	if err != nil {
		return nil, err
	}
	var branches [2]columnOf // the second if the condition is true
	for i := range branches {
		if branches[i], err = c.value(x.Args[2-i], exact); err != nil {
			return nil, err
		}
	}
	var truths []value.Truth
	var some []int32
	out := &value.Column{}
	return func(rows []int32) *value.Column {
		truths = sized(c, truths)
		condition(rows, truths)
		out.Reset(c.n)
		for i, want := range []value.Truth{value.False, value.True} {
			if some = where(some[:0], rows, truths, want); len(some) > 0 {
				column := branches[i](some)
				for _, row := range some {
					out.Copy(row, column)
				}
			}
		}
		for _, row := range rows {
			if truths[row] == value.TypeError {
				out.SetTruth(row, value.TypeError)
			}
		}
		return out
	}, nil
}

// where appends to out the rows whose truth value is want.
func where(out, rows []int32, truths []value.Truth, want value.Truth) []int32 {
	for _, row := range rows {
		if truths[row] == want {
			out = append(out, row)
		}
	}
	return out
}

func (c *columns) coalesce(x *algebra.Call, exact bool) (columnOf, error) {
	args := make([]columnOf, len(x.Args))
	for i, arg := range x.Args {
		var err error
		if args[i], err = c.value(arg, exact); err != nil {
			return nil, err
		}
	}
	out := &value.Column{}
	var left []int32 // rows without a value so far
	return func(rows []int32) *value.Column {
		out.Reset(c.n)
		left = append(left[:0], rows...)
		for _, arg := range args {
			if len(left) == 0 {
				break
			}
			column := arg(left)
			left = slices.DeleteFunc(left, func(row int32) bool {
				if column.Kind(row) <= value.KindError {
					return false
				}
				out.Copy(row, column)
				return true
			})
		}
		for _, row := range left {
			out.SetTruth(row, value.TypeError)
		}
		return out
	}, nil
}
