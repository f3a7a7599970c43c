package expr

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// leaf holds the values of a variable for all parts of expressions that use it. It
// keeps their texts in its own memory, which it reuses for the next chunk.
type leaf struct {
	c       *Columns
	slot    algebra.Slot
	exact   bool // values have the lexical form of their terms
	column  value.Column
	loaded  []bool // by row
	all     bool   // all rows are loaded
	none    bool   // no row is loaded
	missing []int32
	ids     []source.ID
	cells   []value.Cell
	texts   []byte
}

// leaf returns the leaf of a variable. With exact, its values have the lexical form of their terms.
func (c *Columns) leaf(slot algebra.Slot, exact bool) *leaf {
	for _, l := range c.leaves {
		if l.slot == slot && l.exact == exact {
			return l
		}
	}
	l := &leaf{c: c, slot: slot, exact: exact, none: true}
	c.leaves = append(c.leaves, l)
	return l
}

// values returns the column after loading the given rows.
func (l *leaf) values(rows []int32) *value.Column {
	if l.all {
		return &l.column
	}
	if l.none {
		l.column.Reset(l.c.n)
		l.loaded, l.ids, l.cells = Sized(l.c, l.loaded), Sized(l.c, l.ids), Sized(l.c, l.cells)
		clear(l.loaded)
		l.none, l.texts = false, l.texts[:0]
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

// load sets the values of rows. It takes values from ids that hold them, and reads the other terms
// in the order of their ids, which are near one another in the dictionary.
func (l *leaf) load(rows []int32) {
	terms := l.c.q.Terms
	ids, cells := l.ids[:len(rows)], l.cells[:len(rows)]
	for k, row := range rows {
		ids[k] = l.c.Row(row)[l.slot]
	}
	clear(cells)
	terms.ds.Cells(ids, cells)
	read, inOrder := l.c.read[:0], true
	for k, row := range rows {
		switch id := ids[k]; {
		case id == 0: // unbound
		case cells[k] != (value.Cell{}) && !l.exact:
			l.column.Cells()[row] = cells[k]
		case id < source.LocalFirst:
			inOrder = inOrder && (len(read) == 0 || read[len(read)-1].id <= id)
			read = append(read, toRead{id, int32(k)})
		case l.exact:
			l.c.hold(&l.column, row, terms.exact(id))
		default:
			l.c.hold(&l.column, row, terms.Value(id))
		}
	}
	if l.c.read = read; len(read) == 0 {
		return
	}
	if !inOrder {
		slices.SortFunc(read, func(a, b toRead) int { return cmp.Compare(a.id, b.id) })
	}
	if err := l.readTerms(read, rows, cells); err != nil {
		l.c.q.budget.Fail(err)
	}
}

// toRead is a term to read, for row k of the rows to load.
type toRead struct {
	id source.ID
	k  int32
}

// readTerms reads the terms in wanted, which is sorted by id, and sets the values of their rows. rows and cells are those
// of load: a zero cell is not known yet. If the texts are too long for a chunk, it sets no value, and the chunk is not valid.
func (l *leaf) readTerms(wanted []toRead, rows []int32, cells []value.Cell) error {
	ids := l.c.ids[:0]
	for i := range wanted {
		if i == 0 || wanted[i].id != wanted[i-1].id {
			ids = append(ids, wanted[i].id)
		}
	}
	if l.c.ids = ids; cap(l.c.terms) < len(ids) {
		l.c.terms = make([]rdf.Term, l.c.room)
	}
	terms := l.c.terms[:len(ids)]
	limit := l.c.most
	if l.c.n == 1 { // a single row is valid in any case
		limit = math.MaxInt
	}
	n, texts, err := l.c.q.Terms.ds.Terms(ids, terms, l.texts, limit)
	if l.texts = texts; err != nil {
		return err
	}
	if n < len(ids) { // the texts are too long
		l.c.held = l.c.most + 1 // so Valid returns false, and the caller takes a smaller chunk
		return nil
	}
	at := -1 // in terms
	for i := range wanted {
		if i == 0 || wanted[i].id != wanted[i-1].id {
			at++
			l.c.held += len(terms[at].Value())
		}
		k := wanted[i].k
		l.column.HoldTerm(rows[k], cells[k], terms[at])
	}
	return nil
}
