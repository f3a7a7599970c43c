package expr

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// Identity compiles an expression to the ids of its terms. An id is 0 where there is no
// term.
func (c *Columns) Identity(e algebra.Expr) (IDs, error) {
	if ids, err := c.identityOnce(e); ids != nil || err != nil {
		return ids, err
	}
	return c.identityEvery(e)
}

// identityEvery compiles an expression to ids that are computed for every row; compare
// identityOnce.
func (c *Columns) identityEvery(e algebra.Expr) (IDs, error) {
	switch x := e.(type) {
	case *algebra.Var:
		return func(rows []int32, out []source.ID) {
			for _, row := range rows {
				out[row] = c.Row(row)[x.Slot]
			}
		}, nil
	case *algebra.Const:
		id, err := c.q.Terms.ID(x.Term)
		return func(rows []int32, out []source.ID) {
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
			return c.part(x)
		}
	}
	v, err := c.Value(e, ExactForm)
	return func(rows []int32, out []source.ID) {
		column := v(rows)
		for _, row := range rows {
			out[row] = c.q.idOfRow(column, row)
		}
	}, err
}

// idOfRow returns the id of the term of a row's value.
func (q *Query) idOfRow(column *value.Column, row int32) source.ID {
	cell, ok := column.Computed(row)
	if !ok {
		var id source.ID
		var err error
		if v := column.At(row); v.IsComputed() {
			id, err = q.Terms.ofValue(v)
		} else {
			id, err = q.Terms.idOfPassing(v.Term())
		}
		return q.orFail(id, err)
	}
	return q.orFail(q.Terms.ofCell(cell))
}

// places maps a function of a triple term to the position of the part that it returns.
var places = map[syntax.Op]int{syntax.OpSubject: 0, syntax.OpPredicate: 1, syntax.OpObject: 2}

// part compiles SUBJECT, PREDICATE or OBJECT to the ids of the parts. It reads no text.
func (c *Columns) part(x *algebra.Call) (IDs, error) {
	term, err := c.Identity(x.Args[0])
	place := places[x.Op]
	return func(rows []int32, out []source.ID) {
		term(rows, out)
		for _, row := range rows {
			spo, _, err := c.q.Terms.Parts(out[row])
			out[row] = c.q.orFail(spo[place], err)
		}
	}, err
}

// ifIdentity compiles IF to the ids of its terms.
func (c *Columns) ifIdentity(x *algebra.Call) (IDs, error) {
	branches, err := each(x.Args[1:], c.Identity)
	if err != nil {
		return nil, err
	}
	var found []source.ID // out of the current call
	choose, err := c.choose(x.Args[0], func(branch int, rows []int32) { branches[branch](rows, found) }, func(row int32) { found[row] = 0 })
	return func(rows []int32, out []source.ID) {
		found = out
		choose(rows)
	}, err
}

// coalesceIdentity compiles COALESCE to the ids of its terms.
func (c *Columns) coalesceIdentity(x *algebra.Call) (IDs, error) {
	args, err := each(x.Args, c.Identity)
	var left []int32 // rows without a term so far
	return func(rows []int32, out []source.ID) {
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
	}, err
}
