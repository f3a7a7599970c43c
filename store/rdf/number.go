package rdf

import "strings"

// ScanNumber returns the datatype and the length of the INTEGER, DECIMAL or DOUBLE at the
// start of text, with or without a sign, as Turtle and SPARQL write them. The length is 0 if there is none.
func ScanNumber(text string) (datatype string, length int) {
	digits := func(n int) int {
		for n < len(text) && '0' <= text[n] && text[n] <= '9' {
			n++
		}
		return n
	}
	sign := func(n int) int {
		if n < len(text) && (text[n] == '+' || text[n] == '-') {
			n++
		}
		return n
	}
	start := sign(0)
	n := digits(start)
	datatype, length = XSDInteger, n
	if n < len(text) && text[n] == '.' {
		if n = digits(n + 1); n > length+1 {
			datatype, length = XSDDecimal, n
		} // otherwise the dot belongs to the number only if an exponent follows
	}
	if length == start {
		return "", 0
	}
	if n < len(text) && text[n]|0x20 == 'e' {
		exponent := sign(n + 1)
		if end := digits(exponent); end > exponent {
			return XSDDouble, end
		}
	}
	return datatype, length
}

// NumberDatatype returns the datatype of s if all of it is a number as ScanNumber finds them, or "".
func NumberDatatype(s string) string {
	if datatype, length := ScanNumber(s); length == len(s) {
		return datatype
	}
	return ""
}

// IsBareNumber reports whether to write a literal without quotes, because it reads back as the same number. It is
// stricter than the grammar, because not all readers accept a number without digits on both sides of its point, or
// keep a "+".
func IsBareNumber(lexical, datatype string) bool {
	isNumber := datatype != "" && NumberDatatype(lexical) == datatype
	if !isNumber {
		return false
	}
	point := strings.IndexByte(lexical, '.')
	return allDigits(strings.TrimPrefix(lexical, "-")[:1]) && (point < 0 || allDigits(lexical[point+1:point+2]))
}
