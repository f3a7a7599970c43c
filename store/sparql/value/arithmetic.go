package value

import "math"

// MaxDigits bounds the numbers that a product or quotient may be of: where the operands
// have more digits together, the outcome is an error, as XPath Functions and Operators,
// section 4.2, allows. So no query can make numbers that cost seconds to compute.
const MaxDigits = 1 << 16

// The operators on columns.
var (
	Addition       = &Binary{addCells, addRest}
	Subtraction    = &Binary{subtractCells, subtractRest}
	Multiplication = &Binary{multiplyCells, multiplyRest}
	Division       = &Binary{divideCells, divideRest}
	Negation       = &Unary{cells: negateCells, rest: negateRest}
	UnaryPlus      = &Unary{cells: plusCells, rest: Plus}
)

// Add is a + b (SPARQL 1.1, section 17.3): of numbers, exact for xsd:integer and
// xsd:decimal whatever their size; of a xsd:dateTime or xsd:date and a duration; of two
// durations. Anything else is an error.
func Add(a, b Value) (sum Value) {
	if addCells(&sum.Cell, &a.Cell, &b.Cell) {
		return sum
	}
	return addRest(a, b)
}

func addCells(out, a, b *Cell) bool {
	switch kind, ok := bothNumbers(a, b); {
	case ok && kind <= KindDecimal:
		return addSmall(out, kind, a, b, b.num)
	case ok && kind >= KindFloat:
		*out = floatingCell(kind, a.as(kind)+b.as(kind))
		return true
	}
	return false
}

func addRest(a, b Value) Value {
	switch kind := max(a.kind, b.kind); {
	case !a.IsNumeric() || !b.IsNumeric():
		return addTime(a, b)
	case kind >= KindFloat:
		return fromFloat(kind, a.as(kind)+b.as(kind))
	default:
		return exact(kind, a.decimal().Add(b.decimal()))
	}
}

// addSmall adds n / 10^b.minor to a.
func addSmall(out *Cell, kind Kind, a, b *Cell, n int64) bool {
	m, scale := a.num, a.minor
	if a.minor != b.minor {
		ok := false
		if a.minor < b.minor {
			scale = b.minor
			m, ok = times(m, powers[b.minor-a.minor])
		} else {
			n, ok = times(n, powers[a.minor-b.minor])
		}
		if !ok {
			return false
		}
	}
	sum, ok := plus(m, n)
	if ok {
		*out = smallCell(kind, sum, scale)
	}
	return ok
}

// Subtract is a - b, of what Add adds, and of two dates or times of one type, which gives a
// xsd:dayTimeDuration.
func Subtract(a, b Value) (difference Value) {
	if subtractCells(&difference.Cell, &a.Cell, &b.Cell) {
		return difference
	}
	return subtractRest(a, b)
}

func subtractCells(out, a, b *Cell) bool {
	switch kind, ok := bothNumbers(a, b); {
	case ok && kind <= KindDecimal:
		return b.num != math.MinInt64 && addSmall(out, kind, a, b, -b.num)
	case ok && kind >= KindFloat:
		*out = floatingCell(kind, a.as(kind)-b.as(kind))
		return true
	}
	return false
}

func subtractRest(a, b Value) Value {
	switch kind := max(a.kind, b.kind); {
	case !a.IsNumeric() || !b.IsNumeric():
		return subtractTime(a, b)
	case kind >= KindFloat:
		return fromFloat(kind, a.as(kind)-b.as(kind))
	default:
		return exact(kind, a.decimal().Add(negateExact(b).decimal()))
	}
}

// Multiply is a × b of numbers, and otherwise an error.
func Multiply(a, b Value) (product Value) {
	if multiplyCells(&product.Cell, &a.Cell, &b.Cell) {
		return product
	}
	return multiplyRest(a, b)
}

func multiplyCells(out, a, b *Cell) bool {
	switch kind, ok := bothNumbers(a, b); {
	case ok && kind <= KindDecimal && a.minor+b.minor <= maxScale:
		product, ok := times(a.num, b.num)
		if ok {
			*out = smallCell(kind, product, a.minor+b.minor)
		}
		return ok
	case ok && kind >= KindFloat:
		*out = floatingCell(kind, a.as(kind)*b.as(kind))
		return true
	}
	return false
}

func multiplyRest(a, b Value) Value {
	switch kind := max(a.kind, b.kind); {
	case !a.IsNumeric() || !b.IsNumeric():
		return Error()
	case kind >= KindFloat:
		return fromFloat(kind, a.as(kind)*b.as(kind))
	case tooLarge(a, b):
		return Error()
	default:
		return exact(kind, a.decimal().Mul(b.decimal()))
	}
}

func tooLarge(a, b Value) bool {
	return (a.large != nil || b.large != nil) && len(a.decimalText())+len(b.decimalText()) > MaxDigits
}

// Divide is a / b of numbers. Integers give a xsd:decimal, which where it does not end
// has 24 significant digits or some more; dividing those two by 0 is an error, floats
// give INF or NaN (XPath op:numeric-divide).
func Divide(a, b Value) (quotient Value) {
	if divideCells(&quotient.Cell, &a.Cell, &b.Cell) {
		return quotient
	}
	return divideRest(a, b)
}

func divideCells(out, a, b *Cell) bool {
	switch kind, ok := bothNumbers(a, b); {
	case ok && kind <= KindDecimal:
		return divideSmall(out, a, b)
	case ok && kind >= KindFloat:
		*out = floatingCell(kind, a.as(kind)/b.as(kind))
		return true
	}
	return false
}

func divideRest(a, b Value) Value {
	switch kind := max(a.kind, b.kind); {
	case !a.IsNumeric() || !b.IsNumeric():
		return Error()
	case kind >= KindFloat:
		return fromFloat(kind, a.as(kind)/b.as(kind))
	case tooLarge(a, b):
		return Error()
	}
	quotient, ok := a.decimal().Quo(b.decimal())
	if !ok {
		return Error()
	}
	return exact(KindDecimal, quotient)
}

// divideSmall does what comes out even with few digits, such as 1/2 and 19.5/3, as one
// divides by hand.
func divideSmall(out, a, b *Cell) bool {
	if b.num == 0 || a.num == math.MinInt64 || b.num == math.MinInt64 {
		return false
	}
	quotient, rest, scale := a.num/b.num, a.num%b.num, a.minor-b.minor
	for rest != 0 || scale < 0 {
		shifted, ok := times(rest, 10)
		if !ok || scale == maxScale {
			return false
		}
		if quotient, ok = times(quotient, 10); !ok {
			return false
		}
		if quotient, ok = plus(quotient, shifted/b.num); !ok {
			return false
		}
		rest = shifted % b.num
		scale++
	}
	*out = smallCell(KindDecimal, quotient, scale)
	return true
}

// Negate is -v of a number, and otherwise an error.
func Negate(v Value) (negated Value) {
	if negateCells(&negated.Cell, &v.Cell) {
		return negated
	}
	return negateRest(v)
}

func negateCells(out, a *Cell) bool {
	switch {
	case a.isFloating():
		*out = floatingCell(a.kind, -a.double())
	case a.isExact() && a.flags&flagLarge == 0 && a.num != math.MinInt64:
		*out = Cell{kind: a.kind, num: -a.num, minor: a.minor}
	default:
		return false
	}
	return true
}

func negateRest(v Value) Value {
	if v.isExact() {
		return negateExact(v)
	}
	return Error()
}

func negateExact(v Value) Value { return exact(v.kind, v.decimal().Neg()) }

// Plus is +v of a number, and otherwise an error. What is derived from xsd:integer
// becomes one.
func Plus(v Value) Value {
	if !v.IsNumeric() {
		return Error()
	}
	return v.computed()
}

func plusCells(out, a *Cell) bool {
	if !a.IsNumeric() || a.flags&flagLarge != 0 {
		return false
	}
	*out = *a
	return true
}

// computed is a number or boolean without the term that it came from.
func (v Value) computed() Value {
	return Value{Cell: v.Cell, large: v.large}
}
