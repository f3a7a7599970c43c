package value

import (
	"encoding/hex"
	"hash"
	"math"
	"math/rand/v2"

	"github.com/segraph/segraph/store/rdf"
)

// absCells is ABS (SPARQL 1.1, section 17.4.4.1).
func absCells(out, a *Cell) (ok bool) {
	switch {
	case a.isFloating():
		*out = floatingCell(a.kind, math.Abs(a.double()))
		return true
	case a.isExact() && a.num < 0:
		return negateCells(out, a)
	}
	return plusCells(out, a)
}

// absLarge computes ABS of numbers that a cell can't hold.
func absLarge(v Value) Value {
	if !v.IsNumeric() {
		return Error() // of a duration, Plus is none
	}
	if v.isExact() && (v.num < 0 || v.large != nil && v.large.Sign() < 0) {
		return negateExact(v)
	}
	return Plus(v)
}

// roundCells is ROUND: the nearest integer, and of two equally near ones the larger
// (17.4.4.2).
func roundCells(out, a *Cell) (ok bool) {
	nearest := func(f float64) float64 {
		whole := math.Floor(f)
		if f-whole >= 0.5 {
			whole++
		}
		return math.Copysign(whole, f) // -0.4 becomes -0
	}
	return toWhole(out, a, nearest, powers[a.scale()]/2)
}

// ceilCells is CEIL (17.4.4.3).
func ceilCells(out, a *Cell) (ok bool) { return toWhole(out, a, math.Ceil, powers[a.scale()]-1) }

// floorCells is FLOOR (17.4.4.4).
func floorCells(out, a *Cell) (ok bool) { return toWhole(out, a, math.Floor, 0) }

// scale returns the number of fraction digits of an integer or decimal, and 0 for other
// values.
func (c *Cell) scale() int16 {
	if c.isExact() {
		return c.minor
	}
	return 0
}

// toWhole applies round to an xsd:double or xsd:float. To an integer or decimal it adds a
// number of units in the last digit, and rounds down: 0 is FLOOR, and one less than 1 is
// CEIL. ok is false if a is no number, or does not fit into a cell.
func toWhole(out, a *Cell, round func(float64) float64, add int64) (ok bool) {
	if a.isFloating() {
		*out = floatingCell(a.kind, round(a.double()))
		return true
	}
	if !a.isExact() || a.flags&flagLarge != 0 {
		return false
	}
	// Adding to a.num itself could overflow.
	whole, fraction := floorDiv(a.num, powers[a.minor])
	if fraction+add >= powers[a.minor] {
		whole++
	}
	*out = Cell{kind: a.kind, num: whole}
	return true
}

// rounded returns ROUND of v as an xsd:double.
func rounded(v *Value) float64 {
	var c Cell
	if roundCells(&c, &v.Cell) {
		return c.double()
	}
	return roundLarge(*v).double()
}

func mapLarge(v Value, f func(rdf.Decimal) rdf.Decimal) Value {
	if v.large == nil {
		return Error()
	}
	return exact(v.kind, f(*v.large))
}

func ceilLarge(v Value) Value  { return mapLarge(v, rdf.Decimal.Ceil) }
func floorLarge(v Value) Value { return mapLarge(v, rdf.Decimal.Floor) }
func roundLarge(v Value) Value { return mapLarge(v, rdf.Decimal.Round) }

func fromFloat(kind Kind, f float64) Value { return Value{Cell: floatingCell(kind, f)} }

// random is RAND: an xsd:double of at least 0 and less than 1 (17.4.4.5).
func random(*Context, []Value) (Value, error) { return Double(rand.Float64()), nil }

// hashed returns a function that hashes the UTF-8 of an xsd:string, in lower-case
// hexadecimal digits (17.4.6).
func hashed(hash func() hash.Hash) func(*Context, []Value) (Value, error) {
	return one(func(v Value) Value {
		if v.kind != KindString {
			return Error()
		}
		h := hash()
		h.Write([]byte(v.text())) // never fails
		return String(hex.EncodeToString(h.Sum(nil)))
	})
}
