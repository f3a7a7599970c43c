package eval

import (
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// An expression is compiled to one of three functions of a row. They return its value,
// its effective boolean value, or the id of its term. A SPARQL error is a result:
// value.Error(), value.TypeError or 0. An error that ends the query is in
// budget.Failed().
type (
	expression func(row []ID) value.Value
	test       func(row []ID) value.Truth
	identity   func(row []ID) ID
)

// value compiles an expression to its value. Unless exact is set, a variable's value may
// lose the lexical form of its term, which saves reading the term.
func (r *Run) value(e algebra.Expr, exact bool) (expression, error) {
	switch x := e.(type) {
	case *algebra.Var:
		slot, terms := x.Slot, r.terms
		if exact {
			return func(row []ID) value.Value { return terms.exact(row[slot]) }, nil
		}
		return func(row []ID) value.Value { return terms.value(row[slot]) }, nil
	case *algebra.Const:
		v := value.FromTerm(x.Term)
		return func([]ID) value.Value { return v }, nil
	case *algebra.Call:
		f, err := r.call(x, exact)
		if err != nil || !foldable(x) {
			return f, err
		}
		v := f(nil)
		return func([]ID) value.Value { return v }, r.budget.Failed()
	}
	t, err := r.test(e)
	return truthValue(t), err
}

func truthValue(t test) expression {
	return func(row []ID) value.Value { return t(row).Value() }
}

// foldable reports whether a call has the same value for every row.
func foldable(x *algebra.Call) bool {
	if f, ok := value.Lookup(string(x.Op), false); ok && f.Volatile {
		return false
	}
	for _, arg := range x.Args {
		switch a := arg.(type) {
		case *algebra.Const:
		case *algebra.Call:
			if !foldable(a) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (r *Run) call(x *algebra.Call, exact bool) (expression, error) {
	if isTest(x.Op) {
		t, err := r.test(x)
		return truthValue(t), err
	}
	switch x.Op {
	case syntax.OpSubject, syntax.OpPredicate, syntax.OpObject:
		if part, err := r.part(x); part != nil || err != nil {
			return r.valueOf(part, exact), err
		}
	case syntax.OpAdd, syntax.OpSubtract, syntax.OpMultiply, syntax.OpDivide:
		return r.arithmetic(x)
	case syntax.OpUnaryMinus, syntax.OpUnaryPlus:
		operand, err := r.value(x.Args[0], false)
		if x.Op == syntax.OpUnaryPlus {
			return func(row []ID) value.Value { return value.Plus(operand(row)) }, err
		}
		return func(row []ID) value.Value { return value.Negate(operand(row)) }, err
	case syntax.OpIf:
		return r.ifThenElse(x, exact)
	case syntax.OpCoalesce:
		return r.coalesce(x, exact)
	}
	return r.function(x)
}

// isTest reports whether an operator returns a boolean and is compiled to a test.
func isTest(op syntax.Op) bool {
	switch op {
	case syntax.OpAnd, syntax.OpOr, syntax.OpNot, syntax.OpEqual, syntax.OpNotEqual, syntax.OpLess, syntax.OpGreater,
		syntax.OpLessEqual, syntax.OpGreaterEqual, syntax.OpBound, syntax.OpSameTerm,
		syntax.OpIsIRI, syntax.OpIsBlank, syntax.OpIsLiteral, syntax.OpIsTriple:
		return true
	}
	return false
}

func (r *Run) arithmetic(x *algebra.Call) (expression, error) {
	a, err := r.value(x.Args[0], false)
	if err != nil {
		return nil, err
	}
	b, err := r.value(x.Args[1], false)
	if err != nil {
		return nil, err
	}
	var f func(a, b value.Value) value.Value
	switch x.Op {
	case syntax.OpAdd:
		f = value.Add
	case syntax.OpSubtract:
		f = value.Subtract
	case syntax.OpMultiply:
		f = value.Multiply
	default:
		f = value.Divide
	}
	return func(row []ID) value.Value { return f(a(row), b(row)) }, nil
}

// lexicalForm reports whether a function depends on the lexical form of its arguments.
// Strings always keep theirs.
func lexicalForm(x *algebra.Call) bool {
	switch x.Op {
	case syntax.OpAbs, syntax.OpRound, syntax.OpCeil, syntax.OpFloor, syntax.OpIsNumeric, syntax.OpDatatype,
		syntax.OpYear, syntax.OpMonth, syntax.OpDay, syntax.OpHours, syntax.OpMinutes, syntax.OpSeconds:
		return false
	}
	return true
}

// function compiles the call of a function that evaluates all its arguments. A call of an
// unknown function is an error for every row (section 17.6).
func (r *Run) function(x *algebra.Call) (expression, error) {
	f, ok := functionOf(x)
	if !ok {
		return func([]ID) value.Value { return value.Error() }, nil
	}
	exact := lexicalForm(x)
	args := make([]expression, len(x.Args))
	for i, arg := range x.Args {
		var err error
		if args[i], err = r.value(arg, exact); err != nil {
			return nil, err
		}
	}
	values := make([]value.Value, len(args))
	return func(row []ID) value.Value {
		for i, arg := range args {
			values[i] = arg(row)
		}
		v, err := f.Call(r.functions, values)
		if err != nil {
			r.failFunction(err)
		}
		return v
	}, nil
}

// functionOf returns the function of a call if it exists and accepts that number of
// arguments.
func functionOf(x *algebra.Call) (*value.Function, bool) {
	name, iri := string(x.Op), false
	if x.Op == syntax.OpFunction {
		name, iri = x.Function, true
	}
	f, ok := value.Lookup(name, iri)
	return f, ok && f.Accepts(len(x.Args))
}

func (r *Run) failFunction(err error) {
	var limit *value.LimitError
	if errors.As(err, &limit) {
		name := "string length"
		if limit.Unit == "levels" {
			name = tripleNesting
		}
		err = &LimitError{Limit: name, Detail: fmt.Sprintf("%d %s", limit.Limit, limit.Unit)}
	}
	r.budget.Fail(err)
}

func (r *Run) ifThenElse(x *algebra.Call, exact bool) (expression, error) {
	condition, err := r.test(x.Args[0])
	if err != nil {
		return nil, err
	}
	yes, err := r.value(x.Args[1], exact)
	if err != nil {
		return nil, err
	}
	no, err := r.value(x.Args[2], exact)
	return func(row []ID) value.Value {
		switch condition(row) {
		case value.True:
			return yes(row)
		case value.False:
			return no(row)
		}
		return value.Error()
	}, err
}

func (r *Run) coalesce(x *algebra.Call, exact bool) (expression, error) {
	var args []expression
	for _, arg := range x.Args {
		f, err := r.value(arg, exact)
		if err != nil {
			return nil, err
		}
		args = append(args, f)
	}
	return func(row []ID) value.Value {
		for _, f := range args {
			if v := f(row); !v.IsError() {
				return v
			}
		}
		return value.Error()
	}, nil
}

// identity compiles an expression to the id of its term, or 0 if there is none.
func (r *Run) identity(e algebra.Expr) (identity, error) {
	switch x := e.(type) {
	case *algebra.Var:
		slot := x.Slot
		return func(row []ID) ID { return row[slot] }, nil
	case *algebra.Const:
		id, err := r.terms.id(x.Term)
		return func([]ID) ID { return id }, err
	case *algebra.Call:
		switch x.Op {
		case syntax.OpIf:
			return r.ifIdentity(x)
		case syntax.OpCoalesce:
			return r.coalesceIdentity(x)
		case syntax.OpSubject, syntax.OpPredicate, syntax.OpObject:
			if part, err := r.part(x); part != nil || err != nil {
				return part, err
			}
		}
	}
	v, err := r.value(e, true)
	if err != nil {
		return nil, err
	}
	return func(row []ID) ID { return r.idOf(v(row)) }, nil
}

// part compiles SUBJECT, PREDICATE or OBJECT of a variable, or of another such call, to
// the id of the part. It reads no text. It returns nil for other arguments.
func (r *Run) part(x *algebra.Call) (identity, error) {
	var term identity
	var err error
	switch arg := x.Args[0].(type) {
	case *algebra.Var:
		term, err = r.identity(arg)
	case *algebra.Call:
		if _, ok := places[arg.Op]; ok {
			term, err = r.part(arg)
		}
	}
	if term == nil || err != nil {
		return nil, err
	}
	place := places[x.Op]
	return func(row []ID) ID {
		spo, _, err := r.terms.parts(term(row))
		if err != nil {
			r.budget.Fail(err)
		}
		return spo[place]
	}, nil
}

// places maps a function of a triple term to the position of the part that it returns.
var places = map[syntax.Op]int{syntax.OpSubject: 0, syntax.OpPredicate: 1, syntax.OpObject: 2}

// valueOf returns an expression for the value of the term whose id is of. No term is an
// error.
func (r *Run) valueOf(of identity, exact bool) expression {
	return func(row []ID) value.Value {
		id := of(row)
		switch {
		case id == 0:
			return value.Error()
		case exact:
			return r.terms.exact(id)
		}
		return r.terms.value(id)
	}
}

func (r *Run) idOf(v value.Value) ID {
	id, err := r.terms.ofValue(v)
	if err != nil {
		r.budget.Fail(err)
	}
	return id
}

// idOfPassing is idOf for a value whose text is only valid for now, such as that of a
// column.
func (r *Run) idOfPassing(v value.Value) ID {
	if v.IsComputed() {
		return r.idOf(v)
	}
	id, err := r.terms.idOfPassing(v.Term())
	if err != nil {
		r.budget.Fail(err)
	}
	return id
}

func (r *Run) ifIdentity(x *algebra.Call) (identity, error) {
	condition, err := r.test(x.Args[0])
	if err != nil {
		return nil, err
	}
	yes, err := r.identity(x.Args[1])
	if err != nil {
		return nil, err
	}
	no, err := r.identity(x.Args[2])
	return func(row []ID) ID {
		switch condition(row) {
		case value.True:
			return yes(row)
		case value.False:
			return no(row)
		}
		return 0
	}, err
}

func (r *Run) coalesceIdentity(x *algebra.Call) (identity, error) {
	var args []identity
	for _, arg := range x.Args {
		f, err := r.identity(arg)
		if err != nil {
			return nil, err
		}
		args = append(args, f)
	}
	return func(row []ID) ID {
		for _, f := range args {
			if id := f(row); id != 0 {
				return id
			}
		}
		return 0
	}, nil
}
