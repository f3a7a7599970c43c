package expr

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// Columns evaluates an operator's expressions for many rows of a batch at a time. It
// computes each part of an expression for all rows, into a column, before the next part.
// It is for one goroutine.
//
// Numbers, booleans, dates and times are computed a column at a time, and other values
// row by row. An expensive expression of one variable is computed once per term (memo).
type Columns struct {
	q       *Query
	parts   int // of the expressions
	b       *table.Batch
	first   int // row of the batch that is row 0 of the columns
	n       int // rows of the columns
	size    int // the largest n
	room    int // rows that there is room for
	leaves  []*leaf
	read    []toRead // scratch space of leaves, as are ids and terms
	ids     []source.ID
	terms   []rdf.Term
	inMemo  bool  // compiling a part of an expression that has a memo
	held    int   // bytes of texts in columns
	most    int   // the limit of held
	counted int64 // bytes of held that the budget counts

	volatile bool // a function's results differ from call to call
}

// An expression is compiled to one of three functions of rows. They compute its values, its
// effective boolean values, or the ids of its terms. A SPARQL error is a result:
// value.Error(), value.TypeError or 0. An error that ends the query is in budget.Failed().
// Rows are in ascending order. Each part of an expression is evaluated at most once per
// chunk, for all or some of its rows.
type (
	Values func(rows []int32) *value.Column
	Truths func(rows []int32, out []value.Truth)
	IDs    func(rows []int32, out []source.ID)
)

// hold sets the value of a row and accounts for its text. Beyond the limit it sets nothing (see
// Valid), but for a chunk of one row, whose texts the budget counts until the next chunk.
func (c *Columns) hold(out *value.Column, row int32, v value.Value) {
	if c.held += v.Size(); !c.Valid() {
		return
	}
	if c.held > c.most {
		c.counted += int64(v.Size())
		c.q.grow(int64(v.Size()))
	}
	out.Hold(row, v)
}

// computed returns a function that holds a value that an operator computed for a row of out. Operators on long numbers take
// more time than the bytes of their values say. It reports whether to go on with other rows.
func (c *Columns) computed(out *value.Column) func(row int32, v value.Value) bool {
	return func(row int32, v value.Value) bool {
		c.hold(out, row, v)
		return c.Valid() && !c.stop(expressionWork+v.Size())
	}
}

// each compiles each of some expressions.
func each[T any](exprs []algebra.Expr, compile func(algebra.Expr) (T, error)) (out []T, err error) {
	for _, e := range exprs {
		x, err := compile(e)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// valueOf returns Value as a function of the expression alone, for each.
func (c *Columns) valueOf(exact bool) func(algebra.Expr) (Values, error) {
	return func(e algebra.Expr) (Values, error) { return c.Value(e, exact) }
}

// Arguments of Columns.Value.
const ExactForm, AnyForm = true, false

// Value compiles an expression to its values. Unless exact is set, the values of
// variables may lose the lexical form of their terms.
func (c *Columns) Value(e algebra.Expr, exact bool) (Values, error) {
	v, err := c.valueOnce(e, exact)
	if v == nil && err == nil {
		return c.valueEvery(e, exact)
	}
	return v, err
}

// valueEvery compiles an expression to its values, which are computed for every row;
// compare valueOnce. In all functions of this file, exact is as in Value.
func (c *Columns) valueEvery(e algebra.Expr, exact bool) (Values, error) {
	switch x := e.(type) {
	case *algebra.Var:
		return c.leaf(x.Slot, exact).values, nil
	case *algebra.Const:
		return c.constant(value.FromTerm(x.Term), exact), nil
	case *algebra.Call:
		if foldable(x) {
			one, err := c.q.NewOneRow(x, func(c *Columns) (Values, error) { return c.call(x, exact) })
			if err != nil {
				return nil, err
			}
			v := one.Of(nil).Clone()
			c.q.grow(int64(v.Size()))
			return c.constant(v, exact), c.q.budget.Failed()
		}
		return c.call(x, exact)
	}
	t, err := c.test(e) // *algebra.In or *algebra.Exists
	return c.ofTruths(t), err
}

// constant returns the same value for every row of a chunk. It fills room rows at once, so that
// later chunks of that size need no more.
func (c *Columns) constant(v value.Value, exact bool) Values {
	out, n := &value.Column{}, 0
	return func([]int32) *value.Column {
		if n < c.n {
			n = c.room
			out.Fill(n, v, exact)
		}
		return out
	}
}

// ofTruths compiles a test to its values: booleans and errors.
func (c *Columns) ofTruths(t Truths) Values {
	var truths []value.Truth
	out := &value.Column{}
	return func(rows []int32) *value.Column {
		truths = Sized(c, truths)
		t(rows, truths)
		out.Reset(c.n)
		for _, i := range rows {
			out.SetTruth(i, truths[i])
		}
		return out
	}
}

// ofIDs returns the values of terms with the given ids. For id 0, which is no term, the value is
// an error.
func (c *Columns) ofIDs(ids IDs, exact bool) Values {
	var found []source.ID
	out := &value.Column{}
	return func(rows []int32) *value.Column {
		found = Sized(c, found)
		ids(rows, found)
		out.Reset(c.n)
		for _, i := range rows {
			switch id := found[i]; {
			case id == 0:
				out.SetTruth(i, value.TypeError)
			case exact:
				c.hold(out, i, c.q.Terms.exact(id))
			default:
				c.hold(out, i, c.q.Terms.Value(id))
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

// call compiles an operator or a function to its values.
func (c *Columns) call(x *algebra.Call, exact bool) (Values, error) {
	switch x.Op {
	case syntax.OpAdd, syntax.OpSubtract, syntax.OpMultiply, syntax.OpDivide:
		return c.binary(binaries[x.Op], x)
	case syntax.OpIf:
		return c.ifThenElse(x, exact)
	case syntax.OpCoalesce:
		return c.coalesce(x, exact)
	case syntax.OpUnaryMinus, syntax.OpUnaryPlus:
		return c.unary(unaries[x.Op], x.Args[0])
	case syntax.OpSubject, syntax.OpPredicate, syntax.OpObject:
		part, err := c.part(x)
		return c.ofIDs(part, exact), err
	case syntax.OpStrLen:
		return c.strLen(x.Args[0])
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

// text compiles an argument for a function that needs only its text. For STR(x), it compiles x.
// The function text returns the text of a row; ok is false if the row has none.
func (c *Columns) text(arg algebra.Expr) (v Values, text func(column *value.Column, row int32) (text string, ok bool), err error) {
	text = (*value.Column).Text
	if x, ok := arg.(*algebra.Call); ok && x.Op == syntax.OpStr && len(x.Args) == 1 && !foldable(x) {
		arg, text = x.Args[0], (*value.Column).Str
	}
	v, err = c.Value(arg, ExactForm)
	return v, text, err
}

// strLen compiles STRLEN.
func (c *Columns) strLen(arg algebra.Expr) (Values, error) {
	v, text, err := c.text(arg)
	out := &value.Column{}
	return func(rows []int32) *value.Column {
		column := v(rows)
		out.Reset(c.n)
		for _, row := range rows {
			text, ok := text(column, row)
			if !c.Valid() || c.stop(expressionWork+len(text)/partOfText) {
				break
			}
			if ok {
				out.Cells()[row] = value.StrLen(text).Cell
			} else {
				out.SetTruth(row, value.TypeError)
			}
		}
		return out
	}, err
}

// function compiles the call of a function that is computed row by row.
func (c *Columns) function(x *algebra.Call) (Values, error) {
	f, ok := functionOf(x)
	if !ok {
		return c.constant(value.Error(), false), nil
	}
	args, err := each(x.Args, c.valueOf(lexicalForm(x)))
	if err != nil {
		return nil, err
	}
	given, values, out := make([]*value.Column, len(args)), make([]value.Value, len(args)), &value.Column{}
	return func(rows []int32) *value.Column {
		for k, arg := range args {
			given[k] = arg(rows)
		}
		out.Reset(c.n)
		for _, i := range rows {
			work := expressionWork
			for k := range given {
				values[k] = given[k].At(i)
				work += values[k].Size() / partOfText
			}
			if !c.Valid() || c.stop(work) { // then the column is not used
				break
			}
			v, err := f.Call(c.q.functions, values)
			if err != nil {
				c.q.budget.Fail(err)
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

// unary compiles an operator with one operand. Some of a quotient, such as ROUND(?a / ?b), are
// computed in one step.
func (c *Columns) unary(u *value.Unary, arg algebra.Expr) (Values, error) {
	if x, ok := arg.(*algebra.Call); ok && x.Op == syntax.OpDivide && u.Quotient() != nil {
		return c.binary(u.Quotient(), x)
	}
	a, err := c.Value(arg, AnyForm)
	out := &value.Column{}
	hold := c.computed(out)
	return func(rows []int32) *value.Column {
		column := a(rows)
		out.Reset(c.n)
		u.Column(out, column, rows, hold)
		return out
	}, err
}

// binary compiles an operator with two operands.
func (c *Columns) binary(f *value.Binary, x *algebra.Call) (Values, error) {
	args, err := each(x.Args, c.valueOf(AnyForm))
	out := &value.Column{}
	hold := c.computed(out)
	return func(rows []int32) *value.Column {
		left, right := args[0](rows), args[1](rows)
		out.Reset(c.n)
		f.Column(out, left, right, rows, hold)
		return out
	}, err
}

// ifThenElse compiles IF to its values. It evaluates a branch only for the rows that need it.
func (c *Columns) ifThenElse(x *algebra.Call, exact bool) (Values, error) {
	branches, err := each(x.Args[1:], c.valueOf(exact))
	if err != nil {
		return nil, err
	}
	out := &value.Column{}
	choose, err := c.choose(x.Args[0], func(branch int, rows []int32) {
		column := branches[branch](rows)
		for _, row := range rows {
			out.Copy(row, column)
		}
	}, func(row int32) { out.SetTruth(row, value.TypeError) })
	return func(rows []int32) *value.Column {
		out.Reset(c.n)
		choose(rows)
		return out
	}, err
}

// choose compiles the condition of an IF. Its result calls evaluate for branch 0 with the rows
// for which the condition is true, and for branch 1 with those for which it is false, unless
// there are none. It calls fail for each row for which the condition is a type error.
func (c *Columns) choose(e algebra.Expr, evaluate func(branch int, rows []int32), fail func(row int32)) (func(rows []int32), error) {
	condition, err := c.test(e)
	var truths []value.Truth
	var some []int32
	return func(rows []int32) {
		truths = Sized(c, truths)
		condition(rows, truths)
		for branch, want := range []value.Truth{value.True, value.False} {
			if some = where(some[:0], rows, truths, want); len(some) > 0 {
				evaluate(branch, some)
			}
		}
		for _, row := range where(some[:0], rows, truths, value.TypeError) {
			fail(row)
		}
	}, err
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

// coalesce compiles COALESCE to the first value of its arguments that is no error.
func (c *Columns) coalesce(x *algebra.Call, exact bool) (Values, error) {
	args, err := each(x.Args, c.valueOf(exact))
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
	}, err
}
