package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// test compiles an expression to its effective boolean values.
func (c *columns) test(e algebra.Expr) (truthsOf, error) {
	if t, err := c.testOnce(e); t != nil || err != nil {
		return t, err
	}
	return c.testEvery(e)
}

// testEvery is test without a memo.
func (c *columns) testEvery(e algebra.Expr) (truthsOf, error) {
	switch x := e.(type) {
	case *algebra.Exists:
		return c.testEach(e)
	case *algebra.In:
		return c.in(x)
	case *algebra.Call:
		if isOfID(x) {
			return c.testID(x)
		}
		switch x.Op {
		case syntax.OpAnd, syntax.OpOr:
			return c.connective(x)
		case syntax.OpNot:
			t, err := c.test(x.Args[0])
			return opposite(t), err
		case syntax.OpEqual, syntax.OpNotEqual, syntax.OpLess, syntax.OpLessEqual, syntax.OpGreater, syntax.OpGreaterEqual:
			return c.compare(x)
		case syntax.OpSameTerm:
			return c.sameTerm(x)
		}
		if isTest(x.Op) {
			return c.testEach(x)
		}
		if t := c.textTest(x); t != nil {
			return c.testTexts(t, x.Args[0])
		}
	}
	v, err := c.value(e, false)
	return func(rows []int32, out []value.Truth) {
		column := v(rows)
		for _, row := range rows {
			out[row] = column.Truth(row)
		}
	}, err
}

// textTest returns a call as a test of the text of its first argument. It returns nil
// if the other arguments are not constant or the function cannot be computed that way.
func (c *columns) textTest(x *algebra.Call) func(text string) (bool, error) {
	f, ok := functionOf(x)
	if !ok || len(x.Args) < 2 {
		return nil
	}
	var rest []value.Value
	for _, arg := range x.Args[1:] {
		constant, ok := arg.(*algebra.Const)
		if !ok {
			return nil
		}
		rest = append(rest, value.FromTerm(constant.Term))
	}
	return f.Test(c.r.functions, rest)
}

func (c *columns) testTexts(t func(text string) (bool, error), arg algebra.Expr) (truthsOf, error) {
	v, err := c.value(arg, true)
	return func(rows []int32, out []value.Truth) {
		column := v(rows)
		for _, row := range rows {
			if !c.ok() || c.stop(expressionWork) {
				return
			}
			text, ok := column.Text(row)
			if !ok {
				out[row] = value.TypeError
				continue
			}
			isTrue, err := t(text)
			if err != nil {
				c.r.failFunction(err)
				return
			}
			if out[row] = value.False; isTrue {
				out[row] = value.True
			}
		}
	}, err
}

func opposite(t truthsOf) truthsOf {
	return func(rows []int32, out []value.Truth) {
		t(rows, out)
		for _, row := range rows {
			out[row] = value.Not(out[row])
		}
	}
}

// connective compiles && and ||. It tests an operand only for rows that the operands
// before it leave undecided.
func (c *columns) connective(x *algebra.Call) (truthsOf, error) {
	decides, combine := value.False, value.And
	if x.Op == syntax.OpOr {
		decides, combine = value.True, value.Or
	}
	operands := make([]truthsOf, len(x.Args))
	for i, arg := range x.Args {
		var err error
		if operands[i], err = c.test(arg); err != nil {
			return nil, err
		}
	}
	return c.decided(operands, decides, combine), nil
}

// decided combines the results of tests for each row, until the combined result is
// decides.
func (c *columns) decided(tests []truthsOf, decides value.Truth, combine func(s, t value.Truth) value.Truth) truthsOf {
	truths := make([]value.Truth, chunkRows)
	var left []int32 // undecided rows
	return func(rows []int32, out []value.Truth) {
		tests[0](rows, out)
		left = append(left[:0], rows...)
		for _, t := range tests[1:] {
			open := left[:0]
			for _, row := range left {
				if out[row] != decides {
					open = append(open, row)
				}
			}
			if left = open; len(left) == 0 {
				return
			}
			t(left, truths)
			for _, row := range left {
				out[row] = combine(out[row], truths[row])
			}
		}
	}
}

// compare compiles the operators =, !=, <, <=, > and >=.
func (c *columns) compare(x *algebra.Call) (truthsOf, error) {
	a, b := x.Args[0], x.Args[1]
	if areVars(a, b) && (x.Op == syntax.OpEqual || x.Op == syntax.OpNotEqual) {
		return c.testEach(x)
	}
	left, err := c.value(a, false)
	if err != nil {
		return nil, err
	}
	right, err := c.value(b, false)
	if err != nil {
		return nil, err
	}
	r := value.EqualTo
	switch x.Op {
	case syntax.OpLess:
		r = value.LessThan
	case syntax.OpLessEqual:
		r = value.AtMost
	case syntax.OpGreater:
		r, left, right = value.LessThan, right, left
	case syntax.OpGreaterEqual:
		r, left, right = value.AtMost, right, left
	}
	t := related(r, left, right)
	if x.Op == syntax.OpNotEqual {
		t = opposite(t)
	}
	return t, nil
}

func related(r *value.Relation, a, b columnOf) truthsOf {
	return func(rows []int32, out []value.Truth) {
		left := a(rows)
		r.Column(out, left, b(rows), rows)
	}
}

func areVars(a, b algebra.Expr) bool {
	_, ok := a.(*algebra.Var)
	_, also := b.(*algebra.Var)
	return ok && also
}

// in compiles IN and NOT IN: the expression = each member of the list, joined by ||.
func (c *columns) in(x *algebra.In) (truthsOf, error) {
	if len(x.List) == 0 {
		return c.testEach(x)
	}
	var tests []truthsOf
	v, err := c.value(x.Expr, false)
	if err != nil {
		return nil, err
	}
	var column *value.Column // of all rows
	for _, e := range x.List {
		if areVars(x.Expr, e) {
			return c.testEach(x)
		}
		member, err := c.value(e, false)
		if err != nil {
			return nil, err
		}
		tests = append(tests, related(value.EqualTo, func([]int32) *value.Column { return column }, member))
	}
	equal := c.decided(tests, value.True, value.Or)
	t := func(rows []int32, out []value.Truth) {
		column = v(rows)
		equal(rows, out)
	}
	if x.Not {
		return opposite(t), nil
	}
	return t, nil
}

func (c *columns) sameTerm(x *algebra.Call) (truthsOf, error) {
	a, err := c.identity(x.Args[0])
	if err != nil {
		return nil, err
	}
	b, err := c.identity(x.Args[1])
	left, right := make([]ID, chunkRows), make([]ID, chunkRows)
	return func(rows []int32, out []value.Truth) {
		a(rows, left)
		b(rows, right)
		for _, row := range rows {
			switch i, j := left[row], right[row]; {
			case i == 0 || j == 0:
				out[row] = value.TypeError
			case i == j:
				out[row] = value.True
			default:
				out[row] = value.False
			}
		}
	}, err
}

// testID tests rows one by one. It does not account for work, because it reads only
// ids.
func (c *columns) testID(e algebra.Expr) (truthsOf, error) {
	t, err := c.r.test(e)
	return func(rows []int32, out []value.Truth) {
		for _, row := range rows {
			out[row] = t(c.row(row))
		}
	}, err
}

// testEach tests rows one by one.
func (c *columns) testEach(e algebra.Expr) (truthsOf, error) {
	t, err := c.r.test(e)
	work := workOf(e)
	return func(rows []int32, out []value.Truth) {
		for _, row := range rows {
			if c.stop(work) {
				return
			}
			out[row] = t(c.row(row))
		}
	}, err
}

// stop accounts for the work of evaluating an expression for a row. It reports whether
// the query must end.
func (c *columns) stop(work int) bool {
	if err := c.r.budget.Tick(work); err != nil {
		c.r.budget.Fail(err)
		return true
	}
	return false
}
