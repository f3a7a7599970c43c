package eval

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// test compiles an expression to its effective boolean value.
func (r *Run) test(e algebra.Expr) (test, error) {
	switch x := e.(type) {
	case *algebra.Exists:
		slot := x.Slot
		return func(row []ID) value.Truth {
			if row[slot] == isTrue {
				return value.True
			}
			return value.False
		}, nil
	case *algebra.In:
		return r.in(x)
	case *algebra.Call:
		switch x.Op {
		case syntax.OpAnd, syntax.OpOr:
			return r.connective(x)
		case syntax.OpNot:
			t, err := r.test(x.Args[0])
			return not(t), err
		case syntax.OpEqual:
			return r.equal(x.Args[0], x.Args[1])
		case syntax.OpNotEqual:
			t, err := r.equal(x.Args[0], x.Args[1])
			return not(t), err
		case syntax.OpLess, syntax.OpLessEqual, syntax.OpGreater, syntax.OpGreaterEqual:
			return r.compare(x)
		case syntax.OpSameTerm:
			return r.sameTerm(x.Args[0], x.Args[1])
		case syntax.OpBound:
			return r.bound(x)
		case syntax.OpIsIRI:
			return r.isKind(x.Args[0], rdf.KindIRI)
		case syntax.OpIsBlank:
			return r.isKind(x.Args[0], rdf.KindBlank)
		case syntax.OpIsLiteral:
			return r.isKind(x.Args[0], rdf.KindLiteral)
		case syntax.OpIsTriple:
			return r.isKind(x.Args[0], rdf.KindTriple)
		}
	}
	v, err := r.value(e, false)
	if err != nil {
		return nil, err
	}
	return func(row []ID) value.Truth { return v(row).Truth() }, nil
}

func not(t test) test {
	return func(row []ID) value.Truth { return value.Not(t(row)) }
}

// connective compiles && and ||, which need not evaluate all operands.
func (r *Run) connective(x *algebra.Call) (test, error) {
	decides, combine, begin := value.False, value.And, value.True
	if x.Op == syntax.OpOr {
		decides, combine, begin = value.True, value.Or, value.False
	}
	var operands []test
	for _, arg := range x.Args {
		t, err := r.test(arg)
		if err != nil {
			return nil, err
		}
		operands = append(operands, t)
	}
	return func(row []ID) value.Truth {
		outcome := begin
		for _, t := range operands {
			if outcome = combine(outcome, t(row)); outcome == decides {
				break
			}
		}
		return outcome
	}, nil
}

// equal compiles a = b. It compares IRIs and blank nodes by their ids.
func (r *Run) equal(a, b algebra.Expr) (test, error) {
	if _, ok := a.(*algebra.Const); ok {
		a, b = b, a
	}
	if v, ok := a.(*algebra.Var); ok {
		switch x := b.(type) {
		case *algebra.Const:
			if x.Term.IsIRI() {
				id, err := r.terms.id(x.Term)
				return r.isNode(v.Slot, id), err
			}
		case *algebra.Var:
			return r.equalVars(v.Slot, x.Slot), nil
		}
	}
	x, y, err := r.both(a, b)
	if err != nil {
		return nil, err
	}
	return func(row []ID) value.Truth { return value.Equal(x(row), y(row)) }, nil
}

// isNode tests whether a variable is the IRI with an id. No other term equals an IRI.
func (r *Run) isNode(slot algebra.Slot, id ID) test {
	return func(row []ID) value.Truth {
		switch row[slot] {
		case 0:
			return value.TypeError
		case id:
			return value.True
		}
		return value.False
	}
}

func (r *Run) equalVars(a, b algebra.Slot) test {
	terms := r.terms
	return func(row []ID) value.Truth {
		x, y := row[a], row[b]
		if x == 0 || y == 0 {
			return value.TypeError
		}
		if kind := terms.kind(x); kind >= rdf.KindLiteral && kind == terms.kind(y) {
			return value.Equal(terms.value(x), terms.value(y))
		}
		if x == y {
			return value.True
		}
		return value.False
	}
}

// sameTerm compiles sameTerm(a, b). It compares ids: only equal terms have the same id.
func (r *Run) sameTerm(a, b algebra.Expr) (test, error) {
	x, err := r.identity(a)
	if err != nil {
		return nil, err
	}
	y, err := r.identity(b)
	return func(row []ID) value.Truth {
		i, j := x(row), y(row)
		switch {
		case i == 0 || j == 0:
			return value.TypeError
		case i == j:
			return value.True
		}
		return value.False
	}, err
}

func (r *Run) both(a, b algebra.Expr) (x, y expression, err error) {
	if x, err = r.value(a, false); err != nil {
		return nil, nil, err
	}
	y, err = r.value(b, false)
	return x, y, err
}

func (r *Run) compare(c *algebra.Call) (test, error) {
	x, y, err := r.both(c.Args[0], c.Args[1])
	if err != nil {
		return nil, err
	}
	holds := comparison(c.Op)
	return func(row []ID) value.Truth { return holds(x(row), y(row)) }, nil
}

// comparison returns the function of a comparison operator.
func comparison(op syntax.Op) func(a, b value.Value) value.Truth {
	switch op {
	case syntax.OpEqual:
		return value.Equal
	case syntax.OpNotEqual:
		return func(a, b value.Value) value.Truth { return value.Not(value.Equal(a, b)) }
	case syntax.OpLess:
		return value.Less
	case syntax.OpGreater:
		return func(a, b value.Value) value.Truth { return value.Less(b, a) }
	case syntax.OpLessEqual:
		return value.LessOrEqual
	}
	return func(a, b value.Value) value.Truth { return value.LessOrEqual(b, a) }
}

func (r *Run) bound(x *algebra.Call) (test, error) {
	id, err := r.identity(x.Args[0])
	return func(row []ID) value.Truth {
		if id(row) != 0 {
			return value.True
		}
		return value.False
	}, err
}

// isKind compiles isIRI and the like. For a variable it needs only the id.
func (r *Run) isKind(e algebra.Expr, kind rdf.Kind) (test, error) {
	if v, ok := e.(*algebra.Var); ok {
		slot := v.Slot
		return func(row []ID) value.Truth {
			switch r.terms.kind(row[slot]) {
			case rdf.KindNone:
				return value.TypeError
			case kind:
				return value.True
			}
			return value.False
		}, nil
	}
	v, err := r.value(e, false)
	return func(row []ID) value.Truth {
		x := v(row)
		if x.IsError() {
			return value.TypeError
		}
		if x.Term().Kind() == kind {
			return value.True
		}
		return value.False
	}, err
}

// in compiles IN and NOT IN: the expression = each member of the list, joined by ||.
func (r *Run) in(x *algebra.In) (test, error) {
	var tests []test
	nodes := map[ID]bool{}
	v, isVar := x.Expr.(*algebra.Var)
	for _, e := range x.List {
		if c, ok := e.(*algebra.Const); ok && isVar && c.Term.IsIRI() {
			id, err := r.terms.id(c.Term)
			if err != nil {
				return nil, err
			}
			nodes[id] = true
			continue
		}
		t, err := r.equal(x.Expr, e)
		if err != nil {
			return nil, err
		}
		tests = append(tests, t)
	}
	if len(nodes) > 0 {
		tests = append(tests, func(row []ID) value.Truth {
			switch id := row[v.Slot]; {
			case id == 0:
				return value.TypeError
			case nodes[id]:
				return value.True
			}
			return value.False
		})
	}
	in := func(row []ID) value.Truth {
		outcome := value.False
		for _, t := range tests {
			if outcome = value.Or(outcome, t(row)); outcome == value.True {
				break
			}
		}
		return outcome
	}
	if x.Not {
		return not(in), nil
	}
	return in, nil
}
