package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// fewValues is the largest number of rows of VALUES that are tried one by one for every
// row.
const fewValues = 8

// values joins rows with VALUES.
type values struct {
	output
	r    *Run
	vars []algebra.Slot
	rows [][]source.ID
}

// buildValues builds VALUES: a join by hash if it has many rows.
func (r *Run) buildValues(x *algebra.Values, e env, next sink) (sink, error) {
	if len(x.Rows) > fewValues && e.unit == nil {
		return r.buildHashJoin(x, env{certain: e.certain}, next)
	}
	v := &values{output: newOutput(r, next), r: r, vars: x.Vars}
	for _, terms := range x.Rows {
		row := make([]source.ID, len(terms))
		for i, t := range terms {
			var err error
			if row[i], err = r.terms.ID(t); err != nil {
				return nil, err
			}
		}
		v.rows = append(v.rows, row)
	}
	return v, nil
}

// push joins each row with each row of VALUES that agrees with it.
func (v *values) push(b *table.Batch) error {
	for i := range b.N {
		for _, solution := range v.rows {
			if !merge(v.add(b.Row(i)), v.vars, solution) {
				v.drop()
				continue
			}
			if err := v.full(); err != nil {
				return err
			}
		}
		if err := v.r.budget.Tick(len(v.rows)); err != nil {
			return err
		}
	}
	return v.pause()
}
