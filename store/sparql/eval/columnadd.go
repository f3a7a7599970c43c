package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// adder adds the values of an aggregate's expression, computed in columns.
type adder struct {
	evaluate func(rows []int32)
	add      func(rows []int32, groups []int) error // after evaluate; adds each row to its group
}

// paysInColumns reports whether an aggregate's argument is faster to compute in
// columns.
func paysInColumns(a algebra.Aggregate) bool {
	return a.Arg != nil && (a.Op == syntax.OpSum || a.Op == syntax.OpAvg || a.Op == syntax.OpGroupConcat || computing([]algebra.Expr{a.Arg}) != nil)
}

// adders compiles the aggregates of a group.
func (c *columns) adders(g *group) (adders []adder, err error) {
	for i, a := range g.distinct {
		add, err := c.adder(a, g.aggregates[i])
		if err != nil {
			return nil, err
		}
		adders = append(adders, add)
	}
	return adders, nil
}

// adder compiles an aggregate for an accumulator.
func (c *columns) adder(a algebra.Aggregate, to accumulator) (adder, error) {
	switch to := to.(type) {
	case *folding:
		return c.valueAdder(a, a.Op == syntax.OpGroupConcat, to.addOf)
	case *selection:
		if _, isVar := a.Arg.(*algebra.Var); !isVar && a.Op != syntax.OpSample {
			return c.valueAdder(a, true, to.addOf)
		}
		return c.identityAdder(a, func(group int, id ID, _ []ID) error { return to.addID(group, id) })
	case *distinctOnly:
		return c.identityAdder(a, to.addID)
	}
	return adder{
		evaluate: func([]int32) {},
		add: func(rows []int32, groups []int) error {
			for _, i := range rows {
				if err := to.add(groups[i], c.row(i)); err != nil {
					return err
				}
			}
			return nil
		},
	}, nil
}

func (c *columns) valueAdder(a algebra.Aggregate, exact bool, add func(group int, c *value.Column, row int32) error) (adder, error) {
	values, err := c.value(a.Arg, exact)
	var column *value.Column
	return adder{
		evaluate: func(rows []int32) { column = values(rows) },
		add: func(rows []int32, groups []int) error {
			for _, i := range rows {
				if err := add(groups[i], column, i); err != nil {
					return err
				}
			}
			return nil
		},
	}, err
}

func (c *columns) identityAdder(a algebra.Aggregate, add func(group int, id ID, row []ID) error) (adder, error) {
	identities, err := c.identity(a.Arg)
	ids := make([]ID, chunkRows)
	return adder{
		evaluate: func(rows []int32) { identities(rows, ids) },
		add: func(rows []int32, groups []int) error {
			for _, i := range rows {
				if err := add(groups[i], ids[i], c.row(i)); err != nil {
					return err
				}
			}
			return nil
		},
	}, err
}
