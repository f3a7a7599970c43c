package value

import "math"

// Quotient returns an operator that computes f(a / b) without the digits of the quotient,
// or nil if f is not FLOOR, CEIL or ROUND. Division rounds a quotient that does not
// terminate to 24 digits of fraction or more. That never changes the result, since the
// quotient of two cells is not that close to a number at which f jumps.
func (f *Unary) Quotient() *Binary { return f.quotient }

// roundedQuotient returns the Binary of a function f that rounds. up reports whether f
// rounds a quotient up. rest / by, at least 0 and less than 1, is how much the quotient
// exceeds a whole number.
func roundedQuotient(up func(rest, by int64) bool, f *Unary) *Binary {
	cells := func(out, a, b *Cell) bool {
		kind, ok := bothNumbers(a, b)
		if !ok || kind > KindDecimal || b.num == 0 || a.num == math.MinInt64 || b.num == math.MinInt64 {
			return false
		}
		dividend, divisor := a.num, b.num
		switch {
		case a.minor < b.minor:
			dividend, ok = times(dividend, powers[b.minor-a.minor])
		case a.minor > b.minor:
			divisor, ok = times(divisor, powers[a.minor-b.minor])
		}
		if !ok {
			return false
		}
		if divisor < 0 {
			dividend, divisor = -dividend, -divisor
		}
		whole, rest := floorDiv(dividend, divisor)
		if up(rest, divisor) {
			whole++
		}
		*out = Cell{kind: KindDecimal, num: whole}
		return true
	}
	return &Binary{cells: cells, rest: func(a, b Value) Value { return f.Of(Division.Of(a, b)) }}
}

var (
	floorQuotient = roundedQuotient(func(int64, int64) bool { return false }, &Unary{cells: floorCells, rest: floorLarge})
	ceilQuotient  = roundedQuotient(func(rest, _ int64) bool { return rest > 0 }, &Unary{cells: ceilCells, rest: ceilLarge})
	roundQuotient = roundedQuotient(func(rest, by int64) bool { return rest >= by-rest }, &Unary{cells: roundCells, rest: roundLarge})
)
