package rdf

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// maxDecimalDigits keeps one literal from taking seconds to parse. XSD 1.1 part 2,
// section 5.4, requires at least 16 digits.
const maxDecimalDigits = 1 << 16

// Decimal is a value of xsd:decimal, including xsd:integer: an exact number with any
// number of digits. The zero Decimal is 0. Compare values with Cmp, not with ==.
type Decimal struct {
	// The value is coef / 10^scale or, if large is set, large / 10^scale. large is set
	// only if the coefficient does not fit an int64, and is immutable. A fraction has no
	// trailing zeros.
	coef  int64
	large *big.Int
	scale int
}

// DecimalOf returns the Decimal of an integer.
func DecimalOf(i int64) Decimal { return Decimal{coef: i} }

// ParseDecimal parses a lexical form of xsd:decimal (XSD 1.1 part 2, section 3.3.3),
// including those of xsd:integer. ok is false for more than 65,536 digits.
func ParseDecimal(lexical string) (d Decimal, ok bool) {
	sign, whole, fraction, ok := decimalParts(lexical)
	if !ok || len(whole)+len(fraction) > maxDecimalDigits {
		return Decimal{}, false
	}
	d.scale = len(fraction)
	if len(whole)+len(fraction) <= 18 { // they fit an int64
		for _, digits := range [2]string{whole, fraction} {
			for i := range len(digits) {
				d.coef = d.coef*10 + int64(digits[i]-'0')
			}
		}
		if sign == "-" {
			d.coef = -d.coef
		}
		return d, true
	}
	n, ok := new(big.Int).SetString(sign+whole+fraction, 10)
	return newDecimal(n, d.scale), ok
}

// decimalParts splits a lexical form into its sign ("-" or ""), the digits before the
// point without leading zeros, and those after it without trailing zeros. For zero all
// three are "".
func decimalParts(lexical string) (sign, whole, fraction string, ok bool) {
	rest := lexical
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		sign, rest = rest[:1], rest[1:]
	}
	whole, fraction, _ = strings.Cut(rest, ".")
	if whole == "" && fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return "", "", "", false
	}
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if sign == "+" || whole == "" && fraction == "" {
		sign = ""
	}
	return sign, whole, fraction, true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// newDecimal returns n / 10^scale in normal form; scale is at least 0. It may keep and change n.
func newDecimal(n *big.Int, scale int) Decimal {
	if scale > 0 && !n.IsInt64() { // dividing by ten for each zero would take quadratic time
		text := n.String()
		if zeros := min(scale, len(text)-len(strings.TrimRight(text, "0"))); zeros > 0 {
			n, scale = n.Quo(n, power10(zeros)), scale-zeros
		}
	}
	if !n.IsInt64() {
		return Decimal{large: n, scale: scale}
	}
	coef := n.Int64()
	if coef == 0 {
		scale = 0
	}
	for ; scale > 0 && coef%10 == 0; scale-- {
		coef /= 10
	}
	return Decimal{coef: coef, scale: scale}
}

// unscaled returns the coefficient, which the caller must not change.
func (d Decimal) unscaled() *big.Int {
	if d.large != nil {
		return d.large
	}
	return big.NewInt(d.coef)
}

// Size returns about how many bytes d takes beyond its fixed size.
func (d Decimal) Size() int {
	if d.large == nil {
		return 0
	}
	return d.large.BitLen() / 8
}

// Sign returns -1, 0 or 1.
func (d Decimal) Sign() int {
	if d.large != nil {
		return d.large.Sign()
	}
	return cmp.Compare(d.coef, 0)
}

// IsInteger reports whether d has no fraction.
func (d Decimal) IsInteger() bool { return d.scale == 0 }

// Int64 returns d if it is an integer that fits an int64.
func (d Decimal) Int64() (n int64, ok bool) { return d.coef, d.large == nil && d.scale == 0 }

// Float64 returns the nearest float64, or an infinity if d is out of range.
func (d Decimal) Float64() float64 {
	if d.large == nil && d.scale == 0 {
		return float64(d.coef)
	}
	f, _ := strconv.ParseFloat(d.String(), 64) // the only error is "out of range", with an infinity as value
	return f
}

// String returns the canonical form of XSD 1.1 (part 2, section 3.3.3.2): no needless
// zeros, no "+", and no decimal point in an integer.
func (d Decimal) String() string {
	var digits string
	if d.large != nil {
		digits = d.large.String()
	} else {
		digits = strconv.FormatInt(d.coef, 10)
	}
	if d.scale == 0 {
		return digits
	}
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	if missing := d.scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - d.scale
	return sign + digits[:point] + "." + digits[point:]
}
