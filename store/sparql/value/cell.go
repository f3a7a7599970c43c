package value

import (
	"cmp"
	"math"
	"strconv"
	"time"
)

// Cell is the part of a Value that needs no other memory. It holds a whole boolean,
// date, time, short duration, or number that is not large, but not the term that it
// came from. The zero Cell is unbound.
type Cell struct {
	kind  Kind
	flags flags
	// minor is the number of fraction digits of a decimal, or a time zone in minutes
	// east of UTC.
	minor int16
	nanos uint32 // of a date or time
	// num is an integer, a decimal times 10^minor, the bits of a float64 (also for
	// xsd:float), 0 or 1 for a boolean, seconds since 1970 for a date or time, or
	// nanoseconds for a short duration.
	num int64
}

type flags uint8

const (
	flagZoned flags = 1 << iota // the date or time has a time zone
	flagFine                    // the term has more than nine digits of fraction
	flagLarge                   // the number does not fit in num
	flagShort                   // the duration is num: see rdf.Duration.Std
)

// smallCell returns coefficient / 10^scale without trailing zeros in the fraction.
func smallCell(kind Kind, coefficient int64, scale int16) Cell {
	for scale > 0 && coefficient%10 == 0 {
		coefficient /= 10
		scale--
	}
	return Cell{kind: kind, num: coefficient, minor: scale}
}

func booleanCell(b bool) Cell {
	if b {
		return Cell{kind: KindBoolean, num: 1}
	}
	return Cell{kind: KindBoolean}
}

func doubleCell(f float64) Cell { return Cell{kind: KindDouble, num: int64(math.Float64bits(f))} }

func floatCell(f float32) Cell {
	return Cell{kind: KindFloat, num: int64(math.Float64bits(float64(f)))}
}

// Hash returns a hash of c. Equal cells have the same hash.
func (c Cell) Hash() uint64 {
	return (uint64(c.num) ^ uint64(c.nanos)<<24 ^ uint64(c.kind)<<56 ^ uint64(uint16(c.minor))<<40) * 0x9E3779B97F4A7C15
}

// Kind returns the kind of the value.
func (c Cell) Kind() Kind { return c.kind }

// IsError reports whether the value is a type error or unbound. An unbound operand is a
// type error.
func (c Cell) IsError() bool { return c.kind <= KindError }

// IsLiteral reports whether the value is a literal.
func (c Cell) IsLiteral() bool { return KindBoolean <= c.kind && c.kind <= KindOther }

// IsNumeric reports whether the value is a number. A literal outside the lexical space of
// its numeric datatype is not.
func (c Cell) IsNumeric() bool { return KindInteger <= c.kind && c.kind <= KindDouble }

// isExact reports whether the value is an xsd:integer or xsd:decimal.
func (c Cell) isExact() bool { return c.kind == KindInteger || c.kind == KindDecimal }

// isFloating reports whether the value is an xsd:double or xsd:float.
func (c Cell) isFloating() bool { return c.kind == KindDouble || c.kind == KindFloat }

// IsTemporal reports whether the value is a date, a time or a part of a date.
func (c Cell) IsTemporal() bool { return KindDateTime <= c.kind && c.kind <= KindGDay }

// durationCell returns a short duration.
func durationCell(d time.Duration) Cell {
	return Cell{kind: KindDuration, flags: flagShort, num: int64(d)}
}

// areShort reports whether both values are short durations.
func areShort(a, b *Cell) bool {
	return a.kind == KindDuration && b.kind == KindDuration && a.flags&b.flags&flagShort != 0
}

// isString reports whether the value is a string literal (SPARQL 1.1, section 17.4.3.1).
func (c Cell) isString() bool { return c.kind == KindString || c.kind == KindLangString }

func (c Cell) zoned() bool { return c.flags&flagZoned != 0 }

// bothNumbers returns the type that two numbers are promoted to. ok is false if one of
// them is large or not a number.
func bothNumbers(a, b *Cell) (kind Kind, ok bool) {
	kind = max(a.kind, b.kind)
	return kind, min(a.kind, b.kind) >= KindInteger && kind <= KindDouble && (a.flags|b.flags)&flagLarge == 0
}

// split splits a decimal that is not large. Both parts have its sign.
func (c *Cell) split() (whole, fraction int64) {
	return c.num / powers[c.minor], c.num % powers[c.minor]
}

// double promotes a number that is not large to xsd:double.
func (c *Cell) double() float64 {
	switch {
	case c.kind >= KindFloat:
		return math.Float64frombits(uint64(c.num))
	case c.minor == 0:
		return float64(c.num)
	case -1<<53 <= c.num && c.num <= 1<<53:
		// Both are exact, so the quotient is rounded only once.
		return float64(c.num) / float64(powers[c.minor])
	}
	return Value{Cell: *c}.decimal().Float64()
}

// float promotes or casts a number that is not large to xsd:float.
func (c *Cell) float() float32 {
	switch {
	case c.kind >= KindFloat:
		return float32(math.Float64frombits(uint64(c.num)))
	case c.minor == 0:
		return float32(c.num)
	case -1<<24 <= c.num && c.num <= 1<<24 && c.minor <= 10: // both are exact, as in double
		return float32(c.num) / float32(powers[c.minor])
	}
	var buffer [24]byte
	return parseFloat(string(c.appendSmall(buffer[:0])))
}

// as returns double or float, by kind. An operator that computes the sum, difference,
// product or quotient of two xsd:floats as an xsd:double, and then rounds, gets the
// nearest xsd:float.
func (c *Cell) as(kind Kind) float64 {
	if kind == KindDouble {
		return c.double()
	}
	return float64(c.float())
}

// floatingCell returns an xsd:double or xsd:float.
func floatingCell(kind Kind, f float64) Cell {
	if kind == KindDouble {
		return doubleCell(f)
	}
	return floatCell(float32(f))
}

// appendSmall appends the digits of a number that fits into the cell: c.num, with c.minor digits
// after the point.
func (c *Cell) appendSmall(b []byte) []byte {
	if c.minor == 0 {
		return strconv.AppendInt(b, c.num, 10)
	}
	if c.num < 0 {
		b = append(b, '-')
	}
	whole, fraction := c.split()
	b = strconv.AppendInt(b, max(whole, -whole), 10)
	b = append(b, '.')
	fraction = max(fraction, -fraction)
	for power := powers[c.minor-1]; power > 0; power /= 10 {
		b = append(b, byte('0'+fraction/power%10))
	}
	return b
}

// order is the result of comparing two values.
type order uint8

const (
	orderLess order = iota
	orderEqual
	orderGreater
	orderNaN       // one is NaN, the other a number
	orderUndecided // operators return a type error
	orderUnknown   // the cells are not enough to compare the values
)

// orderOf returns the order for a negative, zero or positive number.
func orderOf(c int) order { return order(1 + cmp.Compare(c, 0)) }

// compareCells compares two values. It returns orderUnknown if their cells are not
// enough.
func compareCells(a, b *Cell) order {
	switch kind, ok := bothNumbers(a, b); {
	case ok && kind <= KindDecimal:
		return orderOf(compareSmall(a, b))
	case ok:
		return compareFloats(a.as(kind), b.as(kind))
	case a.IsError() || b.IsError():
		return orderUndecided
	case a.kind != b.kind: // their cells do not tell
	case a.kind == KindBoolean, areShort(a, b):
		return orderOf(cmp.Compare(a.num, b.num))
	case a.IsTemporal() && (a.flags|b.flags)&flagFine == 0:
		return compareDateTimes(*a, *b, compareNanos)
	}
	return orderUnknown
}

// compareSmall compares integers and decimals that are not large.
func compareSmall(a, b *Cell) int {
	if a.minor == b.minor {
		return cmp.Compare(a.num, b.num)
	}
	aw, af := a.split()
	bw, bf := b.split()
	if aw != bw {
		return cmp.Compare(aw, bw)
	}
	scale := max(a.minor, b.minor) // the fractions are below 1, so the products do not overflow
	return cmp.Compare(af*powers[scale-a.minor], bf*powers[scale-b.minor])
}

func compareFloats(x, y float64) order {
	switch {
	case x < y:
		return orderLess
	case x > y:
		return orderGreater
	case x == y:
		return orderEqual
	}
	return orderNaN
}
