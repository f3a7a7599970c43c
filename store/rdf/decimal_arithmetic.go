package rdf

import (
	"cmp"
	"math/big"
	"math/bits"
)

// quotientDigits is the least number of significant digits of an inexact quotient. XPath
// (Functions and Operators 3.1, section 4.2) requires at least 18.
const quotientDigits = 24

// Cmp returns a negative number if d < e, 0 if they are equal, and a positive number if d
// > e.
func (d Decimal) Cmp(e Decimal) int {
	if d.large == nil && e.large == nil && d.scale == e.scale {
		return cmp.Compare(d.coef, e.coef)
	}
	if d.Sign() != e.Sign() {
		return d.Sign() - e.Sign()
	}
	return d.Sub(e).Sign()
}

// Neg returns -d.
func (d Decimal) Neg() Decimal {
	if d.large == nil && d.coef != -1<<63 {
		return Decimal{coef: -d.coef, scale: d.scale}
	}
	return newDecimal(new(big.Int).Neg(d.unscaled()), d.scale)
}

// Abs returns the absolute value of d.
func (d Decimal) Abs() Decimal {
	if d.Sign() < 0 {
		return d.Neg()
	}
	return d
}

// Add returns d + e, exactly.
func (d Decimal) Add(e Decimal) Decimal {
	if d.large == nil && e.large == nil && d.scale == 0 && e.scale == 0 {
		if sum := d.coef + e.coef; sum > d.coef == (e.coef > 0) { // no overflow
			return Decimal{coef: sum}
		}
	}
	scale := max(d.scale, e.scale)
	return newDecimal(new(big.Int).Add(d.unscaledAt(scale), e.unscaledAt(scale)), scale)
}

// Sub returns d - e, exactly.
func (d Decimal) Sub(e Decimal) Decimal { return d.Add(e.Neg()) }

// Mul returns d × e, exactly.
func (d Decimal) Mul(e Decimal) Decimal {
	if d.large == nil && e.large == nil && d.scale == 0 && e.scale == 0 {
		if high, low := bits.Mul64(absolute(d.coef), absolute(e.coef)); high == 0 && low < 1<<63 { // no overflow
			return Decimal{coef: d.coef * e.coef}
		}
	}
	return newDecimal(new(big.Int).Mul(d.unscaled(), e.unscaled()), d.scale+e.scale)
}

func absolute(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

// Quo returns d / e. It is exact if 24 significant digits and 24 digits of fraction
// suffice. Otherwise it is rounded half to even, to 24 to 26 digits. ok is false if e is
// 0.
func (d Decimal) Quo(e Decimal) (quotient Decimal, ok bool) {
	if e.Sign() == 0 {
		return Decimal{}, false
	}
	// enough digits of fraction for 24 significant digits
	scale := max(quotientDigits, quotientDigits+e.magnitude()-d.magnitude()+1)
	numerator, denominator := d.unscaled(), e.unscaled()
	if shift := scale + e.scale - d.scale; shift >= 0 {
		numerator = new(big.Int).Mul(numerator, power10(shift))
	} else {
		denominator = new(big.Int).Mul(denominator, power10(-shift))
	}
	return newDecimal(divideHalfEven(numerator, denominator), scale), true
}

// magnitude returns the approximate number of digits before the decimal point, negative
// for small fractions. It may be one too large.
func (d Decimal) magnitude() int {
	return d.unscaled().BitLen()*30103/100000 + 1 - d.scale // a bit is 0.30103 digits
}

// divideHalfEven returns n / by, rounded to the nearest integer, and of two equally near ones to
// the even one.
func divideHalfEven(n, by *big.Int) *big.Int {
	quotient, rest := new(big.Int).QuoRem(n, by, new(big.Int))
	twice := new(big.Int).Lsh(rest, 1)
	if c := twice.CmpAbs(by); c > 0 || c == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(int64(n.Sign()*by.Sign())))
	}
	return quotient
}

// Floor returns the largest integer not greater than d.
func (d Decimal) Floor() Decimal {
	if d.scale == 0 {
		return d
	}
	// big.Int.Div rounds down for a positive divisor.
	return newDecimal(new(big.Int).Div(d.unscaled(), power10(d.scale)), 0)
}

// Ceil returns the smallest integer not less than d.
func (d Decimal) Ceil() Decimal { return d.Neg().Floor().Neg() }

// Round returns the integer nearest to d. If two are equally near, it returns the larger
// (XPath fn:round).
func (d Decimal) Round() Decimal { return d.Add(Decimal{coef: 5, scale: 1}).Floor() }

// unscaledAt returns d × 10^scale. scale must not be less than d's own.
func (d Decimal) unscaledAt(scale int) *big.Int {
	if scale == d.scale {
		return d.unscaled()
	}
	return new(big.Int).Mul(d.unscaled(), power10(scale-d.scale))
}

func power10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
