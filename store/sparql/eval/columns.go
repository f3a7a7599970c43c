package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// columns evaluates the expressions of an operator for many rows of a batch at a time:
// each part of an expression for all of them, in a column, before the next. What comes
// out is what evaluating them row by row would give. It is for one goroutine.
//
// Numbers, booleans and moments are computed in columns. A part that is a function of one
// variable's text is evaluated once for each of some terms (peeked), and what else there
// is row by row.
type columns struct {
	r      *Run
	b      *batch
	first  int     // row of the batch that is row 0 of the columns
	n      int     // rows of the columns
	all    []int32 // the numbers of these rows
	leaves []*leaf
	held   int // bytes of texts in columns
	most   int // that may be
}

// Expressions are compiled to one of three functions of rows, as they are for a single
// row. Rows are in order. Each part is evaluated once for the rows of a chunk, of which
// it may get some.
type (
	columnOf  func(rows []int32) *value.Column
	truthsOf  func(rows []int32, out []value.Truth)
	columnIDs func(rows []int32, out []ID)
)

const (
	// chunkRows is how many rows are evaluated at a time, so that columns stay in the
	// processor's cache.
	chunkRows = 512
	// leastRows are not worth compiling an expression for.
	leastRows = 16
	// mostParts bounds the parts of the expressions of an operator that are evaluated in
	// columns, since each has one of some ten thousand bytes. allParts is that for a
	// query.
	mostParts = 256
	allParts  = 4 * mostParts
	// allHeld bounds the bytes of texts in the columns of all operators. Rows that have
	// more are evaluated one by one.
	allHeld = 4 << 20
)

// Expressions says how the expressions of a Run are evaluated. What comes out is the same.
type Expressions uint8

const (
	AsPays     Expressions = iota // in columns where there are many rows
	RowByRow                      // one row after the other
	AllColumns                    // in columns also where there are few rows
)

// Evaluate says how expressions are evaluated; AsPays, but for tests. It is called before
// Select, Ask or Graph.
func (r *Run) Evaluate(e Expressions) { r.expressions = e }

// lazyColumns are the columns of an operator, which it has if it gets a batch for which
// they pay.
type lazyColumns struct {
	*columns      // nil until then
	refused  bool // they never will
}

// ready reports whether expressions are to be evaluated in columns for a batch. It calls
// compile before the first.
func (l *lazyColumns) ready(r *Run, b *batch, exprs []algebra.Expr, compile func(c *columns) error) (bool, error) {
	if l.columns != nil || l.refused || r.expressions == AsPays && b.n < leastRows {
		return l.columns != nil, nil
	}
	parts := partsOf(exprs)
	if l.refused = r.expressions == RowByRow || parts == 0 || parts > mostParts || r.parts+parts > allParts; l.refused {
		return false, nil
	}
	c := &columns{r: r, all: make([]int32, chunkRows), most: allHeld / max(1, r.operators)}
	for i := range c.all {
		c.all[i] = int32(i)
	}
	l.columns = c
	r.parts += parts
	return true, compile(c)
}

// partsOf counts the parts of expressions. Volatile functions, which have to be called in
// the order of rows, count as too many.
func partsOf(exprs []algebra.Expr) (n int) {
	for _, e := range exprs {
		algebra.Walk(e, func(e algebra.Expr) {
			n++
			if volatile(e) {
				n += mostParts
			}
		})
	}
	return n
}

// computing returns expressions, or none if ids tell the values of all.
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

// isOfID reports whether the id of a variable tells the value of an expression.
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

// begin makes up to chunkRows rows of a batch, from the first on, the rows of the
// columns, and returns their numbers.
func (c *columns) begin(b *batch, first int) (rows []int32) {
	c.b, c.first, c.n, c.held = b, first, min(b.n-first, chunkRows), 0
	c.forget()
	return c.all[:c.n]
}

// forget has the values of variables loaded again.
func (c *columns) forget() {
	for _, l := range c.leaves {
		l.all, l.none = false, true
	}
}

// ok reports whether what was evaluated since begin is good. If not, the rows must be
// evaluated one by one.
func (c *columns) ok() bool { return c.held <= c.most }

func (c *columns) row(i int32) []ID { return c.b.row(c.first + int(i)) }

// hold sets the value of a row, and accounts for its text.
func (c *columns) hold(out *value.Column, row int32, v value.Value) {
	if c.held += v.Size(); c.ok() {
		out.Set(row, v)
	}
}

// value compiles an expression for its values, which may have lost the lexical forms of
// their terms.
func (c *columns) value(e algebra.Expr) (columnOf, error) {
	switch x := e.(type) {
	case *algebra.Var:
		return c.leaf(x.Slot).values, nil
	case *algebra.Const:
		return c.constant(value.FromTerm(x.Term)), nil
	case *algebra.Call:
		if foldable(x) {
			f, err := c.r.value(x, false)
			if err != nil {
				return nil, err
			}
			return c.constant(f(nil)), c.r.budget.Failed()
		}
		return c.call(x)
	}
	t, err := c.test(e) // *algebra.In or *algebra.Exists
	return c.ofTruths(t), err
}

func (c *columns) constant(v value.Value) columnOf {
	out := &value.Column{}
	out.Fill(chunkRows, v)
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

// binaries and unaries are the operators that are computed in columns.
var (
	binaries = map[syntax.Op]*value.Binary{syntax.OpAdd: value.Addition, syntax.OpSubtract: value.Subtraction,
		syntax.OpMultiply: value.Multiplication, syntax.OpDivide: value.Division}
	unaries = map[syntax.Op]*value.Unary{syntax.OpUnaryMinus: value.Negation, syntax.OpUnaryPlus: value.UnaryPlus}
)

func (c *columns) call(x *algebra.Call) (columnOf, error) {
	switch x.Op {
	case syntax.OpAdd, syntax.OpSubtract, syntax.OpMultiply, syntax.OpDivide:
		return c.binary(x)
	case syntax.OpIf:
		return c.ifThenElse(x)
	case syntax.OpCoalesce:
		return c.coalesce(x)
	}
	if u := unaryOf(x); u != nil && !isText(x.Args[0]) {
		return c.unary(u, x.Args[0])
	}
	if isTest(x.Op) {
		t, err := c.test(x)
		return c.ofTruths(t), err
	}
	return c.valueAlone(x)
}

// unaryOf returns an operator or a function of one value that is computed in columns, nil
// for any other.
func unaryOf(x *algebra.Call) *value.Unary {
	if u, ok := unaries[x.Op]; ok {
		return u
	}
	name, iri := string(x.Op), false
	if x.Op == syntax.OpFunction {
		name, iri = x.Function, true
	}
	if f, ok := value.Lookup(name, iri); ok && f.Accepts(len(x.Args)) {
		return f.Unary
	}
	return nil
}

func (c *columns) unary(u *value.Unary, arg algebra.Expr) (columnOf, error) {
	a, err := c.value(arg)
	out := &value.Column{}
	return func(rows []int32) *value.Column {
		column := a(rows)
		out.Reset(c.n)
		u.Column(out, column, rows)
		return out
	}, err
}

func (c *columns) binary(x *algebra.Call) (columnOf, error) {
	a, err := c.value(x.Args[0])
	if err != nil {
		return nil, err
	}
	b, err := c.value(x.Args[1])
	f, out := binaries[x.Op], &value.Column{}
	return func(rows []int32) *value.Column {
		left, right := a(rows), b(rows)
		out.Reset(c.n)
		f.Column(out, left, right, rows)
		return out
	}, err
}

func (c *columns) ifThenElse(x *algebra.Call) (columnOf, error) {
	condition, err := c.test(x.Args[0])
	if err != nil {
		return nil, err
	}
	var branches [2]columnOf // by whether the condition is true
	for i := range branches {
		if branches[i], err = c.value(x.Args[2-i]); err != nil {
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

// where appends those rows to out that have a truth.
func where(out, rows []int32, truths []value.Truth, want value.Truth) []int32 {
	for _, row := range rows {
		if truths[row] == want {
			out = append(out, row)
		}
	}
	return out
}

func (c *columns) coalesce(x *algebra.Call) (columnOf, error) {
	args := make([]columnOf, len(x.Args))
	for i, arg := range x.Args {
		var err error
		if args[i], err = c.value(arg); err != nil {
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
