package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// columnKey identifies a column.
type columnKey struct {
	graph, predicate source.ID
	byObject         bool
}

// column returns a column of about n triples. It reads the column unless an earlier
// call did.
func (r *Run) column(k columnKey, n int64) (*table.Column, error) {
	if c, ok := r.columns[k]; ok {
		return c, nil
	}
	// The memory for reading is released; that of the column is kept until the query
	// ends.
	was := r.budget.Memory()
	if err := r.budget.Grow(n * table.ColumnSize); err != nil {
		return nil, err
	}
	if err := r.readPairs(k, n); err != nil {
		return nil, err
	}
	c, err := r.makeColumn(was)
	if err != nil {
		return nil, err
	}
	if r.columns == nil {
		r.columns = map[columnKey]*table.Column{}
	}
	r.columns[k] = c
	return c, nil
}

// makeColumn makes a column of the pairs that were read. was is the memory that the
// query took before reading them.
func (r *Run) makeColumn(was int64) (*table.Column, error) {
	c, err := table.NewColumn(r.budget, &r.pairs)
	if err != nil {
		return nil, err
	}
	was += r.pairs.Account()
	return c, r.budget.Grow(was + c.Size() - r.budget.Memory()) // the rest was needed only to make the column
}

// readPairs reads the subjects and objects of a predicate, about n triples, into r.pairs.
func (r *Run) readPairs(k columnKey, n int64) error {
	p := &r.pairs
	if int64(cap(p.Keys)) < n {
		p.Keys, p.Values = make([]source.ID, 0, n), make([]source.ID, 0, n)
	}
	// Appending to the fields of p would write a pointer each time and so need a write
	// barrier.
	keys, values := p.Keys[:0], p.Values[:0]
	least, greatest := ^source.ID(0), source.ID(0)
	scan := r.ds.Scan(k.graph, source.POS) // so that the values of each key come sorted
	scan.Seek(source.Prefix(source.Tuple{uint64(k.predicate)}, 1))
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := r.budget.Tick(len(tuples)); err != nil {
			return err
		}
		at := len(keys)
		keys, values = slices.Grow(keys, len(tuples))[:at+len(tuples)], slices.Grow(values, len(tuples))[:at+len(tuples)]
		for i := range tuples {
			value, key := source.ID(tuples[i][1]), source.ID(tuples[i][2])
			if k.byObject {
				key, value = value, key
			}
			keys[at+i], values[at+i] = key, value
			least, greatest = min(least, key), max(greatest, key)
		}
	}
	p.Keys, p.Values, p.Least, p.Greatest, p.InOrder = keys, values, least, greatest, k.byObject
	return scan.Err()
}
