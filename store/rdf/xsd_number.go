package rdf

import (
	"math"
	"strconv"
	"strings"
)

// IsInteger reports whether the datatype is xsd:integer or derived from it.
func IsInteger(datatype string) bool {
	_, _, ok := integerRange(datatype)
	return ok
}

// IsNumeric reports whether the datatype is numeric: xsd:integer and its derived types,
// xsd:decimal, xsd:float or xsd:double (SPARQL 1.1, section 17.1).
func IsNumeric(datatype string) bool {
	switch datatype {
	case XSDDecimal, XSDFloat, XSDDouble:
		return true
	}
	return IsInteger(datatype)
}

// integerRange returns the least and the greatest value of an integer type in canonical
// form, or "" if unbounded (XSD 1.1 part 2, sections 3.4.13 ff.).
func integerRange(datatype string) (least, greatest string, ok bool) {
	switch datatype {
	case XSDInteger:
		return "", "", true
	case XSDLong:
		return "-9223372036854775808", "9223372036854775807", true
	case XSDInt:
		return "-2147483648", "2147483647", true
	case XSDShort:
		return "-32768", "32767", true
	case XSDByte:
		return "-128", "127", true
	case XSDNonNegativeInteger:
		return "0", "", true
	case XSDPositiveInteger:
		return "1", "", true
	case XSDNonPositiveInteger:
		return "", "0", true
	case XSDNegativeInteger:
		return "", "-1", true
	case XSDUnsignedLong:
		return "0", "18446744073709551615", true
	case XSDUnsignedInt:
		return "0", "4294967295", true
	case XSDUnsignedShort:
		return "0", "65535", true
	case XSDUnsignedByte:
		return "0", "255", true
	}
	return "", "", false
}

// canonicalInteger returns the canonical form of an integer in the range of its datatype. It takes linear time.
func canonicalInteger(lexical, datatype string) (form string, ok bool) {
	if strings.Contains(lexical, ".") {
		return "", false
	}
	form, ok = canonicalDecimal(lexical)
	if !ok {
		return "", false
	}
	least, greatest, _ := integerRange(datatype)
	if least != "" && integerLess(form, least) || greatest != "" && integerLess(greatest, form) {
		return "", false
	}
	return form, true
}

// integerLess compares canonical forms of integers.
func integerLess(a, b string) bool {
	negative := strings.HasPrefix(a, "-")
	if negative != strings.HasPrefix(b, "-") {
		return negative
	}
	// Of negative numbers, the one with more or greater digits is less.
	if len(a) != len(b) {
		return len(a) < len(b) != negative
	}
	return a != b && a < b != negative
}

// canonicalDecimal returns the canonical form of a decimal or integer. It works on the digits, so that they may be
// any number.
func canonicalDecimal(lexical string) (form string, ok bool) {
	sign, whole, fraction, ok := decimalParts(lexical)
	if !ok {
		return "", false
	}
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return sign + whole, true
	}
	return sign + whole + "." + fraction, true
}

// ParseDouble parses a lexical form of xsd:double (XSD 1.1 part 2, section 3.3.5). It
// rounds to the nearest value, or to an infinity if out of range.
func ParseDouble(lexical string) (f float64, ok bool) { return parseFloat(lexical, 64) }

// ParseFloat parses a lexical form of xsd:float (XSD 1.1 part 2, section 3.3.4). It
// rounds as ParseDouble does.
func ParseFloat(lexical string) (float32, bool) {
	f, ok := parseFloat(lexical, 32)
	return float32(f), ok
}

// parseShort parses a decimal of up to 15 digits, with a point or without. It returns
// false for everything else. Such a number is the quotient of two integers that a double
// holds exactly, so it is rounded once.
func parseShort(lexical string) (f float64, ok bool) {
	digits, negative := lexical, false
	if signed := strings.HasPrefix(digits, "-") || strings.HasPrefix(digits, "+"); signed {
		digits, negative = digits[1:], digits[0] == '-'
	}
	if len(digits) > 16 { // 15 digits and a point
		return 0, false
	}
	n, point := uint64(0), -1
	for i := range len(digits) {
		switch c := digits[i] - '0'; {
		case c <= 9:
			n = 10*n + uint64(c)
		case digits[i] == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	count, fraction := len(digits), 0
	if point >= 0 {
		count, fraction = count-1, count-1-point
	}
	if count == 0 || count > 15 {
		return 0, false
	}
	f = float64(n) / powers[fraction]
	if negative {
		f = -f // also for -0
	}
	return f, true
}

// powers holds the powers of ten up to 10^15.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseFloat parses a lexical form of xsd:double, or with 32 bits of xsd:float. A number that is
// too large is an infinity.
func parseFloat(lexical string, bits int) (f float64, ok bool) {
	if bits == 64 {
		if f, ok := parseShort(lexical); ok {
			return f, true
		}
	}
	switch lexical {
	case "INF", "+INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	case "NaN":
		return math.NaN(), true
	}
	// strconv accepts more than XSD: hexadecimal, "inf", underscores.
	mantissa, exponent := lexical, "0"
	if i := strings.IndexAny(lexical, "eE"); i >= 0 {
		mantissa, exponent = lexical[:i], lexical[i+1:]
		if exponent != "" && (exponent[0] == '-' || exponent[0] == '+') {
			exponent = exponent[1:]
		}
	}
	if _, _, _, ok := decimalParts(mantissa); !ok || exponent == "" || !allDigits(exponent) {
		return 0, false
	}
	f, _ = strconv.ParseFloat(lexical, bits) // the only error is "out of range", with an infinity as value
	return f, true
}

// FormatDouble returns the canonical form of an xsd:double, such as 1.0E0, -0.0E0, INF or
// NaN (XSD 1.1 part 2, section 3.3.5.2), with as many digits as distinguish f from other
// values.
func FormatDouble(f float64) string { return formatFloat(f, 64) }

// FormatFloat returns the canonical form of an xsd:float, in the form of FormatDouble.
func FormatFloat(f float32) string { return formatFloat(float64(f), 32) }

// formatFloat returns the canonical form, such as 1.5E2, or INF.
func formatFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "INF"
	case math.IsInf(f, -1):
		return "-INF"
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, bits), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	sign := ""
	if exponent[0] == '-' {
		sign = "-"
	}
	exponent = strings.TrimLeft(exponent[1:], "0")
	if exponent == "" {
		return mantissa + "E0"
	}
	return mantissa + "E" + sign + exponent
}
