package value

import "math"

// MaxDigits bounds the numbers that a product or quotient may be of: where the operands have
// more digits together, the outcome is an error, as XPath Functions and Operators, section 4.2,
// allows. So no query can make numbers that cost seconds to compute.
const MaxDigits = 1 << 16

// Add is a + b (SPARQL 1.1, section 17.3): of numbers, exact for xsd:integer and xsd:decimal
// whatever their size; of a xsd:dateTime or xsd:date and a duration; of two
// durations. Anything else is an error.
func Add(a, b Value) Value {
	switch kind := max(a.kind, b.kind); {
	case !a.IsNumeric() || !b.IsNumeric():
		return addTime(a, b)
	case kind == KindDouble:
		return Double(a.double() + b.double())
	case kind == KindFloat:
		return Float(a.float() + b.float())
	default:
		return addExact(kind, a, b)
	}
}

// Subtract is a - b, of what Add adds, and of two dates or times of one type, which gives a
// xsd:dayTimeDuration.
func Subtract(a, b Value) Value {
	switch kind := max(a.kind, b.kind); {
	case !a.IsNumeric() || !b.IsNumeric():
		return subtractTime(a, b)
	case kind == KindDouble:
		return Double(a.double() - b.double())
	case kind == KindFloat:
		return Float(a.float() - b.float())
	default:
		return addExact(kind, a, negateExact(b))
	}
}

func addExact(kind Kind, a, b Value) Value {
	if a.large == nil && b.large == nil {
		if a.minor < b.minor {
			a, b = b, a
		}
		if aligned, ok := times(b.num, powers[a.minor-b.minor]); ok {
			if sum, ok := plus(a.num, aligned); ok {
				return small(kind, sum, a.minor)
			}
		}
	}
	return exact(kind, a.decimal().Add(b.decimal()))
}

// Multiply is a × b of numbers, and otherwise an error.
func Multiply(a, b Value) Value {
	switch kind := max(a.kind, b.kind); {
	case !a.IsNumeric() || !b.IsNumeric():
		return Error()
	case kind == KindDouble:
		return Double(a.double() * b.double())
	case kind == KindFloat:
		return Float(a.float() * b.float())
	default:
		return multiplyExact(kind, a, b)
	}
}

func multiplyExact(kind Kind, a, b Value) Value {
	if a.large == nil && b.large == nil && a.minor+b.minor <= maxScale {
		if product, ok := times(a.num, b.num); ok {
			return small(kind, product, a.minor+b.minor)
		}
	}
	if tooLarge(a, b) {
		return Error()
	}
	return exact(kind, a.decimal().Mul(b.decimal()))
}

func tooLarge(a, b Value) bool {
	return (a.large != nil || b.large != nil) && len(a.decimalText())+len(b.decimalText()) > MaxDigits
}

// Divide is a / b of numbers. Integers give a xsd:decimal, which where it does not end has 24
// significant digits or some more; dividing those two by 0 is an error, floats give INF
// or NaN (XPath op:numeric-divide).
func Divide(a, b Value) Value {
	switch kind := max(a.kind, b.kind); {
	case !a.IsNumeric() || !b.IsNumeric():
		return Error()
	case kind == KindDouble:
		return Double(a.double() / b.double())
	case kind == KindFloat:
		return Float(a.float() / b.float())
	default:
		return divideExact(a, b)
	}
}

func divideExact(a, b Value) Value {
	if v, ok := divideSmall(a, b); ok {
		return v
	}
	if tooLarge(a, b) {
		return Error()
	}
	quotient, ok := a.decimal().Quo(b.decimal())
	if !ok {
		return Error()
	}
	return exact(KindDecimal, quotient)
}

// divideSmall does what comes out even with few digits, such as 1/2 and 19.5/3, as one divides by hand.
func divideSmall(a, b Value) (Value, bool) {
	if a.large != nil || b.large != nil || b.num == 0 || a.num == math.MinInt64 || b.num == math.MinInt64 {
		return Value{}, false
	}
	quotient, rest, scale := a.num/b.num, a.num%b.num, a.minor-b.minor
	for rest != 0 || scale < 0 {
		shifted, ok := times(rest, 10)
		if !ok || scale == maxScale {
			return Value{}, false
		}
		if quotient, ok = times(quotient, 10); !ok {
			return Value{}, false
		}
		if quotient, ok = plus(quotient, shifted/b.num); !ok {
			return Value{}, false
		}
		rest = shifted % b.num
		scale++
	}
	return small(KindDecimal, quotient, scale), true
}

// Negate is -v of a number, and otherwise an error.
func Negate(v Value) Value {
	switch v.kind {
	case KindInteger, KindDecimal:
		return negateExact(v)
	case KindFloat:
		return Float(-v.float())
	case KindDouble:
		return Double(-v.double())
	}
	return Error()
}

func negateExact(v Value) Value {
	if v.large == nil && v.num != math.MinInt64 {
		return Value{kind: v.kind, num: -v.num, minor: v.minor}
	}
	return exact(v.kind, v.decimal().Neg())
}

// Plus is +v of a number, and otherwise an error. What is derived from xsd:integer becomes one.
func Plus(v Value) Value {
	if !v.IsNumeric() {
		return Error()
	}
	return v.computed()
}

// computed is a number or boolean without the term that it came from.
func (v Value) computed() Value {
	return Value{kind: v.kind, minor: v.minor, num: v.num, large: v.large}
}
