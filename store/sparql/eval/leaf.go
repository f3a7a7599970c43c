package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// leaf is the values of a variable, for all parts of expressions that ask for them.
type leaf struct {
	c       *columns
	slot    algebra.Slot
	column  value.Column
	loaded  []bool // by row
	all     bool   // rows are loaded
	none    bool   // is
	missing []int32
	ids     []ID
	cells   []value.Cell
}

// leaf returns the leaf of a variable.
func (c *columns) leaf(slot algebra.Slot) *leaf {
	for _, l := range c.leaves {
		if l.slot == slot {
			return l
		}
	}
	l := &leaf{c: c, slot: slot, none: true, loaded: make([]bool, chunkRows), ids: make([]ID, chunkRows), cells: make([]value.Cell, chunkRows)}
	c.leaves = append(c.leaves, l)
	return l
}

// values returns the column with the values of rows in it.
func (l *leaf) values(rows []int32) *value.Column {
	if l.all {
		return &l.column
	}
	if l.none {
		l.column.Reset(l.c.n)
		clear(l.loaded)
		l.none = false
	}
	l.missing = l.missing[:0]
	for _, row := range rows {
		if !l.loaded[row] {
			l.loaded[row] = true
			l.missing = append(l.missing, row)
		}
	}
	l.all = len(rows) == l.c.n
	l.load(l.missing)
	return &l.column
}

func (l *leaf) load(rows []int32) {
	ids, cells := l.ids[:len(rows)], l.cells[:len(rows)]
	for k, row := range rows {
		ids[k] = l.c.row(row)[l.slot]
	}
	clear(cells)
	terms := l.c.r.terms
	if terms.columnar != nil {
		terms.columnar.Cells(ids, cells)
	}
	column := l.column.Cells()
	for k, row := range rows {
		switch {
		case cells[k] != (value.Cell{}):
			column[row] = cells[k]
		case ids[k] != 0 && l.c.ok():
			l.c.hold(&l.column, row, terms.value(ids[k]))
		}
	}
}
