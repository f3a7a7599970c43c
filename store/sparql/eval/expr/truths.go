package expr

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// test compiles an expression to its effective boolean values.
func (c *Columns) test(e algebra.Expr) (Truths, error) {
	if t, err := c.testOnce(e); t != nil || err != nil {
		return t, err
	}
	return c.testEvery(e)
}

// testEvery compiles an expression to boolean values that are computed for every row; compare
// testOnce.
func (c *Columns) testEvery(e algebra.Expr) (Truths, error) {
	switch x := e.(type) {
	case *algebra.Exists:
		return c.testIDs(func(row []source.ID) value.Truth { return value.TruthOf(row[x.Slot] == True) }), nil
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
	v, err := c.Value(e, AnyForm)
	return func(rows []int32, out []value.Truth) {
		column := v(rows)
		for _, row := range rows {
			out[row] = column.Truth(row)
		}
	}, err
}

// textTest returns a call as a test of the text of its first argument. It returns nil
// if the other arguments are not constant or the function cannot be computed that way.
func (c *Columns) textTest(x *algebra.Call) func(text string) (bool, error) {
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
	return f.Test(c.q.functions, rest)
}

// testTexts compiles a test of the text of an argument. The test is a type error for an
// argument that is no string.
func (c *Columns) testTexts(t func(text string) (bool, error), arg algebra.Expr) (Truths, error) {
	v, text, err := c.text(arg)
	return func(rows []int32, out []value.Truth) {
		column := v(rows)
		for _, row := range rows {
			if !c.Valid() || c.stop(expressionWork) {
				return
			}
			text, ok := text(column, row)
			if !ok {
				out[row] = value.TypeError
				continue
			}
			isTrue, err := t(text)
			if err != nil {
				c.q.budget.Fail(err)
				return
			}
			out[row] = value.TruthOf(isTrue)
		}
	}, err
}

// opposite negates truth values; a type error stays one.
func opposite(t Truths) Truths {
	return func(rows []int32, out []value.Truth) {
		t(rows, out)
		for _, row := range rows {
			out[row] = value.Not(out[row])
		}
	}
}

// connective compiles && and ||. It tests an operand only for rows that the operands
// before it leave undecided.
func (c *Columns) connective(x *algebra.Call) (Truths, error) {
	decides, combine := value.False, value.And
	if x.Op == syntax.OpOr {
		decides, combine = value.True, value.Or
	}
	operands, err := each(x.Args, c.test)
	return c.decided(operands, decides, combine), err
}

// decided combines the results of tests for each row with combine, as && or || does, until the combined result is
// decides, which no further test can change.
func (c *Columns) decided(tests []Truths, decides value.Truth, combine func(s, t value.Truth) value.Truth) Truths {
	var truths []value.Truth
	var left []int32 // undecided rows
	return func(rows []int32, out []value.Truth) {
		tests[0](rows, out)
		if len(tests) == 1 {
			return
		}
		truths = Sized(c, truths)
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
func (c *Columns) compare(x *algebra.Call) (Truths, error) {
	a, b := x.Args[0], x.Args[1]
	if x.Op == syntax.OpEqual || x.Op == syntax.OpNotEqual {
		if t, err := c.equalIDs(a, b); t != nil || err != nil {
			if x.Op == syntax.OpNotEqual {
				t = opposite(t)
			}
			return t, err
		}
	}
	args, err := each(x.Args, c.valueOf(AnyForm))
	if err != nil {
		return nil, err
	}
	return c.related(value.Relations[x.Op], args[0], args[1]), nil
}

// related compiles a comparison of two columns.
func (c *Columns) related(r *value.Relation, a, b Values) Truths {
	stop := func(size int) bool { return c.stop(expressionWork + size/partOfText) }
	return func(rows []int32, out []value.Truth) {
		left := a(rows)
		r.Column(out, left, b(rows), rows, stop)
	}
}

// equalIDs compiles a = b for a variable and an IRI, or for two variables. It compares ids, and
// reads only the terms that are literals. It returns nil for other operands.
func (c *Columns) equalIDs(a, b algebra.Expr) (Truths, error) {
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
		return c.testIDs(func(row []source.ID) value.Truth {
			a, b, terms := row[v.Slot], row[x.Slot], c.q.Terms
			if a == 0 || b == 0 {
				return value.TypeError
			}
			if kind := terms.Kind(a); kind >= rdf.KindLiteral && kind == terms.Kind(b) {
				if c.stop(expressionWork) {
					return value.TypeError
				}
				return value.Equal(terms.Value(a), terms.Value(b))
			}
			return value.TruthOf(a == b)
		}), nil
	}
	return nil, nil
}

// oneOf tests whether a variable is one of some IRIs. No other term equals an IRI.
func (c *Columns) oneOf(slot algebra.Slot, iris []algebra.Expr) (Truths, error) {
	ids := map[source.ID]bool{}
	var id source.ID
	for _, e := range iris {
		var err error
		if id, err = c.q.Terms.ID(e.(*algebra.Const).Term); err != nil {
			return nil, err
		}
		ids[id] = true
	}
	has := func(row []source.ID) value.Truth {
		if row[slot] == 0 {
			return value.TypeError
		}
		return value.TruthOf(ids[row[slot]])
	}
	if len(ids) == 1 {
		has = func(row []source.ID) value.Truth {
			if row[slot] == 0 {
				return value.TypeError
			}
			return value.TruthOf(row[slot] == id)
		}
	}
	return c.testIDs(has), nil
}

// in compiles IN and NOT IN: the expression = each member of the list, joined by ||.
func (c *Columns) in(x *algebra.In) (Truths, error) {
	var tests []Truths
	v, isVar := x.Expr.(*algebra.Var)
	isIRI := func(e algebra.Expr) bool {
		constant, ok := e.(*algebra.Const)
		return ok && isVar && constant.Term.IsIRI()
	}
	var iris []algebra.Expr  // members that are compared by their ids
	var values Values        // of x.Expr, if it is compared by value with some members
	var column *value.Column // of values, computed once for all members
	for _, e := range x.List {
		if isIRI(e) {
			iris = append(iris, e)
			continue
		}
		t, err := c.equalIDs(x.Expr, e)
		if t == nil && err == nil {
			var member Values
			if values == nil {
				if values, err = c.Value(x.Expr, AnyForm); err != nil {
					return nil, err
				}
			}
			member, err = c.Value(e, AnyForm)
			t = c.related(value.EqualTo, func([]int32) *value.Column { return column }, member)
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
		return c.testIDs(func([]source.ID) value.Truth { return value.TruthOf(x.Not) }), nil
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

// sameTerm compiles sameTerm, which is an error if an operand is one.
func (c *Columns) sameTerm(x *algebra.Call) (Truths, error) {
	args, err := each(x.Args, c.Identity)
	var left, right []source.ID
	return func(rows []int32, out []value.Truth) {
		left, right = Sized(c, left), Sized(c, right)
		args[0](rows, left)
		args[1](rows, right)
		for _, row := range rows {
			if out[row] = value.TypeError; left[row] != 0 && right[row] != 0 {
				out[row] = value.TruthOf(left[row] == right[row])
			}
		}
	}, err
}

func (c *Columns) bound(x *algebra.Call) (Truths, error) {
	ids, err := c.Identity(x.Args[0])
	var found []source.ID
	return func(rows []int32, out []value.Truth) {
		found = Sized(c, found)
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
func (c *Columns) isKind(e algebra.Expr, kind rdf.Kind) (Truths, error) {
	if v, ok := e.(*algebra.Var); ok {
		return c.testIDs(func(row []source.ID) value.Truth {
			k := c.q.Terms.Kind(row[v.Slot])
			if k == rdf.KindNone {
				return value.TypeError
			}
			return value.TruthOf(k == kind)
		}), nil
	}
	values, err := c.Value(e, AnyForm)
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
func (c *Columns) testIDs(t func(row []source.ID) value.Truth) Truths {
	return func(rows []int32, out []value.Truth) {
		for _, row := range rows {
			out[row] = t(c.Row(row))
		}
	}
}

// stop accounts for the work of evaluating an expression for a row. It reports whether
// the query must end.
func (c *Columns) stop(work int) bool {
	if err := c.q.budget.Tick(work); err != nil {
		c.q.budget.Fail(err)
		return true
	}
	return false
}

// Results of EXISTS in a row.
const (
	False source.ID = iota + 1
	True
)
