package value

import "math"

// MaxDigits limits the total number of digits of the two operands of a product or
// quotient. Beyond it the result is an error, as XPath Functions and Operators, section
// 4.2, allows. This keeps a query from making numbers that take seconds to compute.
const MaxDigits = 1 << 16

// Arithmetic operators on columns.
var (
	Addition       = &Binary{addCells, addRest}
	Subtraction    = &Binary{subtractCells, subtractRest}
	Multiplication = &Binary{multiplyCells, multiplyRest}
	Division       = &Binary{divideCells, divideRest}
	Negation       = &Unary{cells: negateCells, rest: negateRest}
	UnaryPlus      = &Unary{cells: plusCells, rest: Plus}
)

// addCells and addRest compute a + b (SPARQL 1.1, section 17.3). The operands are two
// numbers, an xsd:dateTime, xsd:date or xsd:time and a duration, or two durations.
// Anything else is an error. The sum of two values of xsd:integer or xsd:decimal is exact.
func addCells(out, a, b *Cell) (ok bool) {
	switch kind, ok := bothNumbers(a, b); {
	case ok && kind <= KindDecimal:
		return addSmall(out, kind, a, b, b.num)
	case ok && kind >= KindFloat:
		*out = floatingCell(kind, a.as(kind)+b.as(kind))
		return true
	}
	return false
}

// addRest computes a + b for what addCells refuses.
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

// addSmall sets out to a + n / 10^b.minor. It returns false if the sum overflows.
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

// subtractCells and subtractRest compute a - b. They accept what addRest accepts. They also
// accept two dates or times of one type, both with a time zone or both without, and
// without fractions of nanoseconds; their difference is an xsd:dayTimeDuration.
func subtractCells(out, a, b *Cell) (ok bool) {
	switch kind, ok := bothNumbers(a, b); {
	case ok && kind <= KindDecimal:
		return b.num != math.MinInt64 && addSmall(out, kind, a, b, -b.num)
	case ok && kind >= KindFloat:
		*out = floatingCell(kind, a.as(kind)-b.as(kind))
		return true
	}
	return haveDifference(a, b) && between(out, a, b)
}

// subtractRest computes a - b for what subtractCells refuses.
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

// multiplyCells and multiplyRest compute a × b. It is an error unless both are numbers.
func multiplyCells(out, a, b *Cell) (ok bool) {
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

// multiplyRest computes a * b for what the cells can't hold.
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

// divideCells and divideRest compute a / b. It is an error unless both are numbers, and for
// an integer or decimal divided by 0; a float gives INF or NaN then (XPath
// op:numeric-divide). The quotient of two integers is an xsd:decimal. A decimal that does
// not terminate is rounded to 24 significant digits or a few more.
func divideCells(out, a, b *Cell) (ok bool) {
	switch kind, ok := bothNumbers(a, b); {
	case ok && kind <= KindDecimal:
		return divideSmall(out, a, b)
	case ok && kind >= KindFloat:
		*out = floatingCell(kind, a.as(kind)/b.as(kind))
		return true
	}
	return false
}

// divideRest computes a / b for what the cells can't hold. The quotient of integers is an
// xsd:decimal.
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

// divideSmall divides by long division. It returns false unless the quotient ends after a
// few digits, as 1/2 and 19.5/3 do.
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

// negateCells and negateRest compute -v. It is an error unless v is a number or a duration.
func negateCells(out, a *Cell) (ok bool) {
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

// negateRest computes -v for what the cells can't hold.
func negateRest(v Value) Value {
	if v.isExact() {
		return negateExact(v)
	}
	if v.kind == KindDuration {
		return durationOf(-v.duration().Months(), v.duration().Seconds().Neg(), v.datatype())
	}
	return Error()
}

func negateExact(v Value) Value { return exact(v.kind, v.decimal().Neg()) }

// Plus returns +v. It is an error unless v is a number or a duration. A type derived from
// xsd:integer becomes xsd:integer, and a duration gets its canonical form.
func Plus(v Value) Value {
	if v.kind == KindDuration {
		return durationOf(v.duration().Months(), v.duration().Seconds(), v.datatype())
	}
	if !v.IsNumeric() {
		return Error()
	}
	return v.computed()
}

func plusCells(out, a *Cell) (ok bool) {
	if !a.IsNumeric() || a.flags&flagLarge != 0 {
		return false
	}
	*out = *a
	return true
}

// computed returns the number or boolean v without the term that it came from.
func (v Value) computed() Value {
	return Value{Cell: v.Cell, large: v.large}
}
