package eval

import (
	"github.com/segraph/segraph/store/rdf"
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
		return c.testIDs(func(row []ID) value.Truth { return value.TruthOf(row[x.Slot] == isTrue) }), nil
	case *algebra.In:
		return c.in(x)
	case *algebra.Call:
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
		case syntax.OpBound:
			return c.bound(x)
		}
		if kind, ok := tested[x.Op]; ok {
			return c.isKind(x.Args[0], kind)
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
			out[row] = value.TruthOf(isTrue)
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
	var truths []value.Truth
	var left []int32 // undecided rows
	return func(rows []int32, out []value.Truth) {
		if tests[0](rows, out); len(tests) == 1 {
			return
		}
		truths = sized(c, truths)
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
	if x.Op == syntax.OpEqual || x.Op == syntax.OpNotEqual {
		if t, err := c.equalIDs(a, b); t != nil || err != nil {
			if x.Op == syntax.OpNotEqual {
				t = opposite(t)
			}
			return t, err
		}
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

// equalIDs compiles a = b for a variable and an IRI, or for two variables. It compares ids, and
// reads only the terms that are literals. It returns nil for other operands.
func (c *columns) equalIDs(a, b algebra.Expr) (truthsOf, error) {
	if _, ok := a.(*algebra.Const); ok {
		a, b = b, a
	}
	v, ok := a.(*algebra.Var)
	if !ok {
		return nil, nil
	}
	switch x := b.(type) {
	case *algebra.Const:
		if x.Term.IsIRI() {
			return c.oneOf(v.Slot, []algebra.Expr{x})
		}
	case *algebra.Var:
		return c.testIDs(func(row []ID) value.Truth {
			a, b, terms := row[v.Slot], row[x.Slot], c.r.terms
			if a == 0 || b == 0 {
				return value.TypeError
			}
			if kind := terms.kind(a); kind >= rdf.KindLiteral && kind == terms.kind(b) {
				if c.stop(expressionWork) {
					return value.TypeError
				}
				return value.Equal(terms.value(a), terms.value(b))
			}
			return value.TruthOf(a == b)
		}), nil
	}
	return nil, nil
}

// oneOf tests whether a variable is one of some IRIs. No other term equals an IRI.
func (c *columns) oneOf(slot algebra.Slot, iris []algebra.Expr) (truthsOf, error) {
	ids := map[ID]bool{}
	var id ID
	for _, e := range iris {
		var err error
		if id, err = c.r.terms.id(e.(*algebra.Const).Term); err != nil {
			return nil, err
		}
		ids[id] = true
	}
	has := func(row []ID) value.Truth {
		if row[slot] == 0 {
			return value.TypeError
		}
		return value.TruthOf(ids[row[slot]])
	}
	if len(ids) == 1 {
		has = func(row []ID) value.Truth {
			if row[slot] == 0 {
				return value.TypeError
			}
			return value.TruthOf(row[slot] == id)
		}
	}
	return c.testIDs(has), nil
}

// in compiles IN and NOT IN: the expression = each member of the list, joined by ||.
func (c *columns) in(x *algebra.In) (truthsOf, error) {
	var tests []truthsOf
	v, isVar := x.Expr.(*algebra.Var)
	isIRI := func(e algebra.Expr) bool {
		constant, ok := e.(*algebra.Const)
		return ok && isVar && constant.Term.IsIRI()
	}
	var iris []algebra.Expr
	var values columnOf
	var column *value.Column // of all rows
	for _, e := range x.List {
		if isIRI(e) {
			iris = append(iris, e)
			continue
		}
		t, err := c.equalIDs(x.Expr, e)
		if t == nil && err == nil {
			var member columnOf
			if values == nil {
				if values, err = c.value(x.Expr, false); err != nil {
					return nil, err
				}
			}
			member, err = c.value(e, false)
			t = related(value.EqualTo, func([]int32) *value.Column { return column }, member)
		}
		if err != nil {
			return nil, err
		}
		tests = append(tests, t)
	}
	if len(iris) > 0 {
		t, err := c.oneOf(v.Slot, iris)
		if err != nil {
			return nil, err
		}
		tests = append(tests, t)
	}
	if len(tests) == 0 {
		return c.testIDs(func([]ID) value.Truth { return value.TruthOf(x.Not) }), nil
	}
	equal := c.decided(tests, value.True, value.Or)
	t := func(rows []int32, out []value.Truth) {
		if values != nil {
			column = values(rows)
		}
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
	var left, right []ID
	return func(rows []int32, out []value.Truth) {
		left, right = sized(c, left), sized(c, right)
		a(rows, left)
		b(rows, right)
		for _, row := range rows {
			switch i, j := left[row], right[row]; {
			case i == 0 || j == 0:
				out[row] = value.TypeError
			default:
				out[row] = value.TruthOf(i == j)
			}
		}
	}, err
}

func (c *columns) bound(x *algebra.Call) (truthsOf, error) {
	ids, err := c.identity(x.Args[0])
	var found []ID
	return func(rows []int32, out []value.Truth) {
		found = sized(c, found)
		ids(rows, found)
		for _, row := range rows {
			out[row] = value.TruthOf(found[row] != 0)
		}
	}, err
}

// tested has the kinds of terms that functions test for.
var tested = map[syntax.Op]rdf.Kind{syntax.OpIsIRI: rdf.KindIRI, syntax.OpIsBlank: rdf.KindBlank,
	syntax.OpIsLiteral: rdf.KindLiteral, syntax.OpIsTriple: rdf.KindTriple}

// isKind compiles isIRI and the like. For a variable it needs only the id.
func (c *columns) isKind(e algebra.Expr, kind rdf.Kind) (truthsOf, error) {
	if v, ok := e.(*algebra.Var); ok {
		return c.testIDs(func(row []ID) value.Truth {
			k := c.r.terms.kind(row[v.Slot])
			if k == rdf.KindNone {
				return value.TypeError
			}
			return value.TruthOf(k == kind)
		}), nil
	}
	values, err := c.value(e, false)
	return func(rows []int32, out []value.Truth) {
		column := values(rows)
		for _, row := range rows {
			if out[row] = value.TypeError; column.Kind(row) > value.KindError {
				out[row] = value.TruthOf(column.At(row).Term().Kind() == kind)
			}
		}
	}, err
}

// testIDs tests rows one by one. It does not account for work, because it reads only
// ids.
func (c *columns) testIDs(t func(row []ID) value.Truth) truthsOf {
	return func(rows []int32, out []value.Truth) {
		for _, row := range rows {
			out[row] = t(c.row(row))
		}
	}
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
