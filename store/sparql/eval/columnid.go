package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// identity compiles an expression to the ids of its terms. An id is 0 where there is no
// term.
func (c *columns) identity(e algebra.Expr) (columnIDs, error) {
	if ids, err := c.identityOnce(e); ids != nil || err != nil {
		return ids, err
	}
	return c.identityEvery(e)
}

// identityEvery is identity without a memo.
func (c *columns) identityEvery(e algebra.Expr) (columnIDs, error) {
	switch x := e.(type) {
	case *algebra.Var:
		return func(rows []int32, out []ID) {
			for _, row := range rows {
				out[row] = c.row(row)[x.Slot]
			}
		}, nil
	case *algebra.Const:
		id, err := c.r.terms.id(x.Term)
		return func(rows []int32, out []ID) {
			for _, row := range rows {
				out[row] = id
			}
		}, err
	case *algebra.Call:
		switch x.Op {
		case syntax.OpIf:
			return c.ifIdentity(x)
		case syntax.OpCoalesce:
			return c.coalesceIdentity(x)
		case syntax.OpSubject, syntax.OpPredicate, syntax.OpObject:
			if part, err := c.part(x); part != nil || err != nil {
				return part, err
			}
		}
	}
	v, err := c.value(e, true)
	return func(rows []int32, out []ID) {
		column := v(rows)
		for _, row := range rows {
			out[row] = c.r.idOfRow(column, row)
		}
	}, err
}

// idOfRow returns the id of the term of a row's value.
func (r *Run) idOfRow(column *value.Column, row int32) ID {
	cell, ok := column.Computed(row)
	if !ok {
		var id ID
		var err error
		if v := column.At(row); v.IsComputed() {
			id, err = r.terms.ofValue(v)
		} else {
			id, err = r.terms.idOfPassing(v.Term())
		}
		return r.orFail(id, err)
	}
	return r.orFail(r.terms.ofCell(cell))
}

// orFail returns id. An error ends the query.
func (r *Run) orFail(id ID, err error) ID {
	if err != nil {
		r.budget.Fail(err)
	}
	return id
}

// places maps a function of a triple term to the position of the part that it returns.
var places = map[syntax.Op]int{syntax.OpSubject: 0, syntax.OpPredicate: 1, syntax.OpObject: 2}

// part compiles SUBJECT, PREDICATE or OBJECT of a variable, or of another such call, to
// the ids of the parts. It reads no text. It returns nil for other arguments.
func (c *columns) part(x *algebra.Call) (columnIDs, error) {
	var term columnIDs
	var err error
	switch arg := x.Args[0].(type) {
	case *algebra.Var:
		term, err = c.identity(arg)
	case *algebra.Call:
		if _, ok := places[arg.Op]; ok {
			term, err = c.part(arg)
		}
	}
	if term == nil || err != nil {
		return nil, err
	}
	place := places[x.Op]
	return func(rows []int32, out []ID) {
		term(rows, out)
		for _, row := range rows {
			spo, _, err := c.r.terms.parts(out[row])
			out[row] = c.r.orFail(spo[place], err)
		}
	}, nil
}

func (c *columns) ifIdentity(x *algebra.Call) (columnIDs, error) {
	condition, err := c.test(x.Args[0])
	if err != nil {
		return nil, err
	}
	var branches [2]columnIDs // the second if the condition is true
	for i := range branches {
		if branches[i], err = c.identity(x.Args[2-i]); err != nil {
			return nil, err
		}
	}
	var truths []value.Truth
	var some []int32
	return func(rows []int32, out []ID) {
		truths = sized(c, truths)
		condition(rows, truths)
		for i, want := range []value.Truth{value.False, value.True} {
			if some = where(some[:0], rows, truths, want); len(some) > 0 {
				branches[i](some, out)
			}
		}
		for _, row := range rows {
			if truths[row] == value.TypeError {
				out[row] = 0
			}
		}
	}, nil
}

func (c *columns) coalesceIdentity(x *algebra.Call) (columnIDs, error) {
	args := make([]columnIDs, len(x.Args))
	for i, arg := range x.Args {
		var err error
		if args[i], err = c.identity(arg); err != nil {
			return nil, err
		}
	}
	var left []int32 // rows without a term so far
	return func(rows []int32, out []ID) {
		for _, row := range rows {
			out[row] = 0
		}
		left = append(left[:0], rows...)
		for _, arg := range args {
			if len(left) == 0 {
				return
			}
			arg(left, out)
			left = slices.DeleteFunc(left, func(row int32) bool { return out[row] != 0 })
		}
	}, nil
}
