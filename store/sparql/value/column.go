package value

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Column holds the values of an expression for a batch of rows, numbered from 0. The
// functions below compute a column from others, for the given rows only. Two of their
// arguments may be the same column.
type Column struct {
	cells  []Cell
	values []Value // of the rows whose cells are not enough
}

// kindHeld marks a cell whose value is in Column.values. The cell's num is its position
// there.
const kindHeld = KindTriple + 1

// Reset makes c a column of n rows, all unbound.
func (c *Column) Reset(n int) {
	if cap(c.cells) < n {
		c.cells = make([]Cell, n)
	}
	c.cells = c.cells[:n]
	clear(c.cells)
	clear(c.values)
	c.values = c.values[:0]
}

// Cells returns the cells of c for the caller to set. Each cell must hold all of its
// value.
func (c *Column) Cells() []Cell { return c.cells }

// At returns the value of a row.
func (c *Column) At(row int32) Value {
	if cell := &c.cells[row]; cell.kind != kindHeld {
		return Value{Cell: *cell}
	}
	return c.values[c.cells[row].num]
}

// Fill makes c a column of n rows with the value v. Unless exact is set, a number, a boolean
// or an xsd:dateTime may lose its lexical form, but not its datatype.
func (c *Column) Fill(n int, v Value, exact bool) {
	c.Reset(n)
	fits := v.kind <= KindError || KindBoolean <= v.kind && v.kind <= KindDateTime && v.flags&flagFine == 0
	switch {
	case n == 0: // no row has the value
	case exact || !fits || v.large != nil || v.datatype() != datatypes[v.kind]:
		c.Hold(0, v)
	default:
		c.cells[0] = v.Cell
	}
	for i := 1; i < n; i++ {
		c.cells[i] = c.cells[0]
	}
}

// Copy copies the value of a row from another column.
func (c *Column) Copy(row int32, from *Column) {
	if cell := from.cells[row]; cell.kind != kindHeld {
		c.cells[row] = cell
		return
	}
	c.Hold(row, from.At(row))
}

// CopyRow copies the value of one row to another.
func (c *Column) CopyRow(row, from int32) { c.cells[row] = c.cells[from] }

// SetTruth sets the value of a row to an xsd:boolean or an error.
func (c *Column) SetTruth(row int32, t Truth) {
	if t == TypeError {
		c.cells[row] = Cell{kind: KindError}
		return
	}
	c.cells[row] = booleanCell(t == True)
}

// Hold sets the value of a row and keeps its lexical form.
func (c *Column) Hold(row int32, v Value) {
	if v.term.IsZero() && v.large == nil {
		c.cells[row] = v.Cell
		return
	}
	c.cells[row] = Cell{kind: kindHeld, num: int64(len(c.values))}
	c.values = append(c.values, v)
}

// HoldTerm sets the value of a row to that of the term t. cell is the value's cell, if
// the caller knows it, which saves parsing t; otherwise it is the zero Cell.
func (c *Column) HoldTerm(row int32, cell Cell, t rdf.Term) {
	c.cells[row] = Cell{kind: kindHeld, num: int64(len(c.values))}
	if cell.kind == KindUnbound {
		if t.Tag() == "" {
			c.values = append(c.values, FromTerm(t))
			return
		}
		cell.kind = KindLangString
	}
	c.values = append(c.values, Value{Cell: cell, term: t})
}

// at returns the cell of a row's value.
func (c *Column) at(row int32) *Cell {
	cell := &c.cells[row]
	if cell.kind == kindHeld {
		return &c.values[cell.num].Cell
	}
	return cell
}

// Text returns the text of a row's value. ok is false if the value is not a string.
func (c *Column) Text(row int32) (text string, ok bool) {
	cell := &c.cells[row]
	if cell.kind != kindHeld {
		return "", false
	}
	v := &c.values[cell.num]
	return v.term.Value(), v.isString()
}

// Str returns the text of STR of a row's value. ok is false if that is an error.
func (c *Column) Str(row int32) (text string, ok bool) {
	if text, ok := c.Text(row); ok {
		return text, true
	}
	v := c.At(row)
	if v.IsError() {
		return "", false
	}
	v = str(v)
	return v.text(), v.isString()
}

// Kind returns the kind of a row's value.
func (c *Column) Kind(row int32) Kind { return c.at(row).kind }

// Computed returns the cell of a row's value, and whether it holds all of the value.
func (c *Column) Computed(row int32) (cell Cell, whole bool) {
	cell = c.cells[row]
	return cell, cell.kind != kindHeld
}

// Truth returns the effective boolean value of a row, as Value.Truth does.
func (c *Column) Truth(row int32) Truth {
	switch cell := &c.cells[row]; cell.kind {
	case KindBoolean:
		return TruthOf(cell.num != 0)
	case KindUnbound, KindError:
		return TypeError
	}
	return c.At(row).Truth()
}

// Unary is an operator or function of one value.
type Unary struct {
	cells    func(out, a *Cell) bool // returns false if the cell is not enough
	rest     func(v Value) Value     // computes values for which cells returned false
	quotient *Binary                 // see Quotient
}

// Of returns the operator's value for v.
func (f *Unary) Of(v Value) (out Value) {
	if !f.cells(&out.Cell, &v.Cell) {
		return f.rest(v)
	}
	return out
}

// Column sets the given rows of out to the operator's value for the same rows of a. It calls hold
// with a value that does not fit a cell, and ends if that returns false.
func (f *Unary) Column(out, a *Column, rows []int32, hold func(row int32, v Value) bool) {
	for _, row := range rows {
		if !f.cells(&out.cells[row], a.at(row)) && !hold(row, f.rest(a.At(row))) {
			return
		}
	}
}

// Binary is an operator on two values.
type Binary struct {
	cells func(out, a, b *Cell) bool // returns false if the cells are not enough
	rest  func(a, b Value) Value     // computes values for which cells returned false
}

// Of returns the operator's value for a and b.
func (f *Binary) Of(a, b Value) (out Value) {
	if !f.cells(&out.Cell, &a.Cell, &b.Cell) {
		return f.rest(a, b)
	}
	return out
}

// Column sets the given rows of out to the operator's value for the same rows of a
// and b. It calls hold as Unary.Column does.
func (f *Binary) Column(out, a, b *Column, rows []int32, hold func(row int32, v Value) bool) {
	for _, row := range rows {
		if !f.cells(&out.cells[row], a.at(row), b.at(row)) && !hold(row, f.rest(a.At(row), b.At(row))) {
			return
		}
	}
}

// Relation is an operator that compares two values.
type Relation struct {
	truths [orderUnknown]Truth
	rest   func(a, b Value) Truth // compares values whose cells are not enough
}

// EqualTo is the operator =; see Equal.
var EqualTo = &Relation{equalities, equal}

// Relations has the operators that compare values (SPARQL 1.1, section 17.3). Those on the
// order compare numbers, xsd:strings, xsd:booleans, dates and times of one type, and
// durations. Anything else is a type error, and so is an undecided order: see Equal about
// time zones, and rdf.Duration about months and days.
var Relations = map[syntax.Op]*Relation{
	syntax.OpEqual: EqualTo,
	syntax.OpNotEqual: {[orderUnknown]Truth{orderLess: True, orderGreater: True, orderNaN: True, orderUndecided: TypeError},
		func(a, b Value) Truth { return Not(equal(a, b)) }},
	syntax.OpLess:         relation(orderLess),
	syntax.OpLessEqual:    relation(orderLess, orderEqual),
	syntax.OpGreater:      relation(orderGreater),
	syntax.OpGreaterEqual: relation(orderGreater, orderEqual),
}

var equalities = [orderUnknown]Truth{orderEqual: True, orderUndecided: TypeError}

// relation returns the operator that is true of some orders.
func relation(orders ...order) *Relation {
	r := &Relation{truths: [orderUnknown]Truth{orderUndecided: TypeError}}
	for _, o := range orders {
		r.truths[o] = True
	}
	r.rest = func(a, b Value) Truth { return r.truths[compare(a, b)] }
	return r
}

// Of reports whether a and b are in the relation.
func (r *Relation) Of(a, b Value) Truth {
	if o := compareCells(&a.Cell, &b.Cell); o != orderUnknown {
		return r.truths[o]
	}
	return r.rest(a, b)
}

// Column sets the given rows of out to the truth of the relation for the same rows of a
// and b. It compares cells (at) or, where they are not enough, whole values (At). It calls stop with
// the size of these, and ends if that returns true.
func (r *Relation) Column(out []Truth, a, b *Column, rows []int32, stop func(size int) bool) {
	for _, row := range rows {
		if o := compareCells(a.at(row), b.at(row)); o != orderUnknown {
			out[row] = r.truths[o]
			continue
		}
		a, b := a.At(row), b.At(row)
		if out[row] = r.rest(a, b); stop(a.Size() + b.Size()) {
			return
		}
	}
}
