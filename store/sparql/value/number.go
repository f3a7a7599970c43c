package value

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// maxScale is the largest number of fraction digits of a decimal whose digits are in an
// int64.
const maxScale = 18

// powers holds 10^0 to 10^18.
var powers = [maxScale + 1]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// small returns coefficient / 10^scale without trailing zeros in the fraction.
func small(kind Kind, coefficient int64, scale int16) Value {
	return Value{Cell: smallCell(kind, coefficient, scale)}
}

// exact returns d as an integer or decimal.
func exact(kind Kind, d rdf.Decimal) Value {
	if i, ok := d.Int64(); ok {
		return Value{Cell: Cell{kind: kind, num: i}}
	}
	if !d.IsInteger() {
		if coefficient, scale, ok := parseSmall(d.String()); ok {
			return small(kind, coefficient, scale)
		}
	}
	return Value{Cell: Cell{kind: kind, flags: flagLarge}, large: &d}
}

// parseSmall parses a lexical form of xsd:decimal of at most 18 digits. If ok is false,
// the form may still be valid.
func parseSmall(lexical string) (coefficient int64, scale int16, ok bool) {
	rest, negative := lexical, false
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest, negative = rest[1:], rest[0] == '-'
	}
	if len(rest) > maxScale+1 || rest == "" || rest == "." {
		return 0, 0, false
	}
	point := false
	for i := range len(rest) {
		switch c := rest[i]; {
		case '0' <= c && c <= '9':
			coefficient = coefficient*10 + int64(c-'0')
			if point {
				scale++
			}
		case c == '.' && !point:
			point = true
		default:
			return 0, 0, false
		}
	}
	if len(rest) > maxScale && !point { // 19 digits
		return 0, 0, false
	}
	if negative {
		coefficient = -coefficient
	}
	return coefficient, scale, true
}

// parseInteger parses a lexical form of xsd:integer.
func parseInteger(lexical string) (v Value, ok bool) {
	if strings.IndexByte(lexical, '.') >= 0 {
		return Value{}, false
	}
	v, ok = parseDecimal(lexical)
	v.kind = KindInteger
	return v, ok
}

// parseDecimal parses a lexical form of xsd:decimal, without allocation if it is short.
func parseDecimal(lexical string) (v Value, ok bool) {
	if coefficient, scale, ok := parseSmall(lexical); ok {
		return small(KindDecimal, coefficient, scale), true
	}
	d, ok := rdf.ParseDecimal(lexical)
	if !ok {
		return Value{}, false
	}
	return exact(KindDecimal, d), true
}

// decimal returns an integer or decimal as an rdf.Decimal. It allocates if there is a
// fraction.
func (v Value) decimal() rdf.Decimal {
	switch {
	case v.large != nil:
		return *v.large
	case v.minor == 0:
		return rdf.DecimalOf(v.num)
	}
	d, _ := rdf.ParseDecimal(v.decimalText()) // valid, and of at most 20 digits
	return d
}

// decimalText returns the canonical form of an integer or decimal.
func (v Value) decimalText() string {
	if v.large != nil {
		return v.large.String()
	}
	var buffer [24]byte
	return string(v.appendSmall(buffer[:0]))
}

// double promotes a number to xsd:double.
func (v Value) double() float64 {
	if v.large != nil {
		return v.large.Float64()
	}
	return v.Cell.double()
}

// float promotes or casts a number to xsd:float.
func (v Value) float() float32 {
	if v.large != nil {
		return parseFloat(v.large.String())
	}
	return v.Cell.float()
}

// parseFloat returns the xsd:float nearest to a decimal, or infinity if it is out of
// range. Parsing it as an xsd:double first would round twice.
func parseFloat(decimal string) float32 {
	f, _ := strconv.ParseFloat(decimal, 32) // the only error is "out of range", and f is then infinite
	return float32(f)
}

// as returns double or float, by kind.
func (v Value) as(kind Kind) float64 {
	if kind == KindDouble {
		return v.double()
	}
	return float64(v.float())
}

// compareLarge compares two numbers, one of them large, after type promotion, as XPath's
// op:numeric-equal and op:numeric-less-than do.
func compareLarge(a, b Value) order {
	if kind := max(a.kind, b.kind); kind >= KindFloat {
		return compareFloats(a.as(kind), b.as(kind))
	}
	return orderOf(compareExact(a, b))
}

// compareExact compares integers and decimals.
func compareExact(a, b Value) int {
	if a.large != nil || b.large != nil {
		return a.decimal().Cmp(b.decimal())
	}
	return compareSmall(&a.Cell, &b.Cell)
}

// times returns a × b, and false if it overflows.
func times(a, b int64) (product int64, ok bool) {
	high, low := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	if high != 0 || low >= 1<<63 || a == math.MinInt64 || b == math.MinInt64 {
		return 0, false
	}
	return a * b, true
}

// plus returns a + b, and false if it overflows.
func plus(a, b int64) (sum int64, ok bool) {
	sum = a + b
	return sum, (a^sum)&(b^sum) >= 0 // it overflows if its sign is that of neither
}
