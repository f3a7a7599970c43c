package value

import "github.com/segraph/segraph/store/rdf"

// Column is the values of an expression for some rows, which are numbered from 0. The
// functions below compute columns of others, of the rows that they are given alone, and
// may be given the same column twice.
type Column struct {
	cells  []Cell
	values []Value // of those cells that are not all of a value
}

// kindHeld is the kind of a cell that has the number of a value among those that a column
// holds.
const kindHeld = KindOther + 1

// Reset makes c a column of n rows, all unbound.
func (c *Column) Reset(n int) {
	if cap(c.cells) < n {
		c.cells = make([]Cell, n)
	}
	c.cells = c.cells[:n]
	clear(c.cells)
	c.forget()
}

// forget lets go of the values that c holds, whose rows will be set again.
func (c *Column) forget() {
	if len(c.values) > 0 {
		clear(c.values)
		c.values = c.values[:0]
	}
}

// Cells returns the cells for the caller to set, each to all of a value.
func (c *Column) Cells() []Cell { return c.cells }

// At returns the value of a row.
func (c *Column) At(row int32) Value {
	if cell := &c.cells[row]; cell.kind != kindHeld {
		return Value{Cell: *cell}
	}
	return c.values[c.cells[row].num]
}

// Fill makes c a column of n rows with the same value. If exact, it has its lexical form.
func (c *Column) Fill(n int, v Value, exact bool) {
	c.Reset(n)
	switch {
	case n == 0:
	case exact:
		c.Hold(0, v)
	default:
		c.Set(0, v)
	}
	for i := 1; i < n; i++ {
		c.cells[i] = c.cells[0]
	}
}

// Copy sets the value of a row to that of another column.
func (c *Column) Copy(row int32, from *Column) {
	if cell := from.cells[row]; cell.kind != kindHeld {
		c.cells[row] = cell
		return
	}
	c.Hold(row, from.At(row))
}

// CopyRow sets the value of a row to that of another one.
func (c *Column) CopyRow(row, from int32) { c.cells[row] = c.cells[from] }

// SetTruth sets the value of a row to a xsd:boolean, or an error.
func (c *Column) SetTruth(row int32, t Truth) {
	if t == TypeError {
		c.cells[row] = Cell{kind: KindError}
		return
	}
	c.cells[row] = booleanCell(t == True)
}

// Set sets the value of a row. The lexical form of a number, a boolean or a xsd:dateTime
// may get lost.
func (c *Column) Set(row int32, v Value) {
	tells := v.kind <= KindError || KindBoolean <= v.kind && v.kind <= KindDateTime && v.flags&flagFine == 0
	if tells && v.large == nil {
		c.cells[row] = v.Cell
		return
	}
	c.Hold(row, v)
}

// Hold sets the value of a row, with its lexical form.
func (c *Column) Hold(row int32, v Value) {
	if v.term.IsZero() && v.large == nil {
		c.cells[row] = v.Cell
		return
	}
	c.cells[row] = Cell{kind: kindHeld, num: int64(len(c.values))}
	c.values = append(c.values, v)
}

// HoldTerm sets the value of a row to that of a term, which is a cell unless that is the
// zero Cell.
func (c *Column) HoldTerm(row int32, cell Cell, t rdf.Term) {
	c.cells[row] = Cell{kind: kindHeld, num: int64(len(c.values))}
	if cell.kind == KindUnbound {
		if t.Language() == "" {
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

// Text returns the text of a row's value, if that is a string.
func (c *Column) Text(row int32) (text string, ok bool) {
	cell := &c.cells[row]
	if cell.kind != kindHeld {
		return "", false
	}
	v := &c.values[cell.num]
	return v.term.Value(), v.isString()
}

// Kind returns the kind of a row's value.
func (c *Column) Kind(row int32) Kind { return c.at(row).kind }

// Computed returns the cell of a row's value, if that is all of it.
func (c *Column) Computed(row int32) (Cell, bool) {
	cell := c.cells[row]
	return cell, cell.kind != kindHeld
}

// Truth is Value.Truth of a row's value.
func (c *Column) Truth(row int32) Truth {
	switch cell := &c.cells[row]; cell.kind {
	case KindBoolean:
		return truth(cell.num != 0)
	case KindUnbound, KindError:
		return TypeError
	}
	return c.At(row).Truth()
}

// Lengths sets rows of out to the STRLEN of those of a.
func Lengths(out, a *Column, rows []int32) {
	for _, row := range rows {
		if text, ok := a.Text(row); ok {
			out.cells[row] = Cell{kind: KindInteger, num: int64(characters(text))}
		} else {
			out.cells[row] = Cell{kind: KindError}
		}
	}
}

// Unary is an operator or a function of one value.
type Unary struct {
	cells    func(out, a *Cell) bool // false where cells do not tell
	rest     func(v Value) Value     // for those
	quotient *Binary                 // see Quotient
}

// Column sets rows of out to the operator's values.
func (f *Unary) Column(out, a *Column, rows []int32) {
	for _, row := range rows {
		if !f.cells(&out.cells[row], a.at(row)) {
			out.Hold(row, f.rest(a.At(row)))
		}
	}
}

// Binary is an operator of two values.
type Binary struct {
	cells func(out, a, b *Cell) bool // false where cells do not tell
	rest  func(a, b Value) Value     // for those
}

// Column sets rows of out to the operator's values.
func (f *Binary) Column(out, a, b *Column, rows []int32) {
	for _, row := range rows {
		if !f.cells(&out.cells[row], a.at(row), b.at(row)) {
			out.Hold(row, f.rest(a.At(row), b.At(row)))
		}
	}
}

// Relation is an operator that compares two values.
type Relation struct {
	truths *[orderUnknown]Truth
	rest   func(a, b Value) Truth // where cells do not tell
}

var (
	equalities = [orderUnknown]Truth{orderEqual: True, orderUndecided: TypeError}
	lesses     = [orderUnknown]Truth{orderLess: True, orderUndecided: TypeError}
	atMosts    = [orderUnknown]Truth{orderLess: True, orderEqual: True, orderUndecided: TypeError}
)

// The operators =, < and <=. The others are these of exchanged operands, or their Not.
var (
	EqualTo  = &Relation{&equalities, equal}
	LessThan = &Relation{&lesses, func(a, b Value) Truth { return lesses[compare(a, b)] }}
	AtMost   = &Relation{&atMosts, func(a, b Value) Truth { return atMosts[compare(a, b)] }}
)

// Of reports whether two values are in the relation.
func (r *Relation) Of(a, b *Value) Truth {
	if o := compareCells(&a.Cell, &b.Cell); o != orderUnknown {
		return r.truths[o]
	}
	return r.rest(*a, *b)
}

// Column sets rows of out to whether a and b are in the relation.
func (r *Relation) Column(out []Truth, a, b *Column, rows []int32) {
	for _, row := range rows {
		if o := compareCells(a.at(row), b.at(row)); o != orderUnknown {
			out[row] = r.truths[o]
		} else {
			out[row] = r.rest(a.At(row), b.At(row))
		}
	}
}
