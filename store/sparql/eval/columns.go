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
// The result is the same as row by row. It is for one goroutine.
//
// Numbers, booleans, dates and times are computed a column at a time, and other values
// row by row. An expensive expression of one variable is computed once per term (memo).
type columns struct {
	r      *Run
	b      *batch
	first  int     // row of the batch that is row 0 of the columns
	n      int     // rows of the columns
	size   int     // the largest n
	all    []int32 // the numbers of these rows
	leaves []*leaf
	read   []toRead // scratch space of leaves, as are ids and terms
	ids    []ID
	terms  []rdf.Term
	inMemo bool // compiling a part of an expression that has a memo
	shared []*sharedColumn
	serial int // changes with the rows and with the values of their variables
	held   int // bytes of texts in columns
	most   int // the limit of held
}

// An expression is compiled to one of three functions of rows. They compute the same as
// expression, test and identity do for one row. Rows are in ascending order. Each part
// of an expression is evaluated at most once per chunk, for all or some of its rows.
type (
	columnOf  func(rows []int32) *value.Column
	truthsOf  func(rows []int32, out []value.Truth)
	columnIDs func(rows []int32, out []ID)
)

const (
	// chunkRows is the number of rows evaluated at a time. Columns of that size stay in
	// the processor's cache.
	chunkRows = 512
	// minRows is the number of rows from which compiling an expression pays.
	minRows = 16
	// partSize is the largest number of bytes of a part of an expression: a column of
	// values with their terms. maxParts limits the parts that an operator evaluates in
	// columns, and allParts those of a query.
	partSize = chunkRows * 96
	maxParts = 256
	allParts = 4 * maxParts
	// allHeld limits the bytes of texts in the columns of all operators. Beyond it, fewer
	// rows are evaluated at a time, and in the end one by one.
	allHeld = 4 << 20
)

// begin begins a chunk: the rows of a batch from first on, at most size of them. It
// returns their numbers in the columns.
func (c *columns) begin(b *batch, first int) (rows []int32) {
	c.b, c.first, c.n, c.held = b, first, min(b.n-first, c.size), 0
	c.forget()
	return c.all[:c.n]
}

// forget makes leaves load the values of variables again when they are next used.
func (c *columns) forget() {
	c.serial++
	for _, l := range c.leaves {
		l.all, l.none = false, true
	}
}

// ok reports whether the results since begin are valid. They are not if their texts
// take too much memory. Then the caller must evaluate a smaller chunk, or row by row.
func (c *columns) ok() bool { return c.held <= c.most }

func (c *columns) row(i int32) []ID { return c.b.row(c.first + int(i)) }

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
			f, err := c.r.value(x, exact)
			if err != nil {
				return nil, err
			}
			return c.constant(f(nil), exact), c.r.budget.Failed()
		}
		return c.call(x, exact)
	}
	t, err := c.test(e) // *algebra.In or *algebra.Exists
	return c.ofTruths(t), err
}

func (c *columns) constant(v value.Value, exact bool) columnOf {
	out := &value.Column{}
	out.Fill(chunkRows, v, exact)
	return func([]int32) *value.Column { return out }
}

func (c *columns) ofTruths(t truthsOf) columnOf {
	truths, out := make([]value.Truth, chunkRows), &value.Column{}
	return func(rows []int32) *value.Column {
		t(rows, truths)
		out.Reset(c.n)
		for _, i := range rows {
			out.SetTruth(i, truths[i])
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
	truths, out := make([]value.Truth, chunkRows), &value.Column{}
	var some []int32
	return func(rows []int32) *value.Column {
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
