package rdf

// ValidLexical reports whether lexical is in the lexical space of a datatype (RDF 1.1
// Concepts, section 5; XSD 1.1 part 2). known is false if this package does not support
// the datatype. White space around a value is valid only in strings.
//
// There are limits, as XSD 1.1 part 2, section 5.4, allows: years of 11 digits, durations
// of 10^12 months and 10^18 seconds, 1,000 digits of a fraction of a second.
func ValidLexical(lexical, datatype string) (valid, known bool) {
	if isText(datatype) {
		return validText(lexical, datatype), true
	}
	_, valid, known = canonical(lexical, datatype)
	return valid, known
}

// Canonical returns the canonical form of lexical in a datatype, the same for all lexical forms
// of one value, according to XSD 1.1 part 2. ok is false if the datatype is unknown or lexical is
// not in its lexical space. Dates and times keep their time zone, so forms in different zones
// stay different. A derived type has the forms of its base: "5" as xsd:byte, as xsd:integer, and
// as xsd:decimal.
func Canonical(lexical, datatype string) (form string, ok bool) {
	form, valid, known := canonical(lexical, datatype)
	return form, valid && known
}

// canonical returns the canonical form of a lexical form, which means nothing unless valid. known is false if this
// package does not support the datatype.
func canonical(lexical, datatype string) (form string, valid, known bool) {
	switch datatype {
	case XSDBoolean:
		value, ok := ParseBoolean(lexical)
		return FormatBoolean(value), ok, true
	case XSDDecimal:
		form, valid = canonicalDecimal(lexical)
	case XSDDouble:
		value, ok := ParseDouble(lexical)
		return FormatDouble(value), ok, true
	case XSDFloat:
		value, ok := ParseFloat(lexical)
		return FormatFloat(value), ok, true
	case XSDDateTime, XSDDateTimeStamp, XSDDate, XSDTime, XSDGYear, XSDGYearMonth, XSDGMonth, XSDGMonthDay, XSDGDay:
		value, ok := ParseDateTime(lexical, datatype)
		return value.String(), ok, true
	case XSDDuration, XSDYearMonthDuration, XSDDayTimeDuration:
		value, ok := ParseDuration(lexical, datatype)
		return value.format(datatype), ok, true
	case XSDHexBinary:
		form, valid = canonicalHex(lexical)
	case XSDBase64Binary:
		form, valid = canonicalBase64(lexical)
	default:
		if IsInteger(datatype) {
			form, valid = canonicalInteger(lexical, datatype)
		} else if isText(datatype) {
			form, valid = lexical, validText(lexical, datatype)
		} else {
			return "", false, false
		}
	}
	return form, valid, true
}

// ParseBoolean parses a lexical form of xsd:boolean: true, false, 1 or 0.
func ParseBoolean(lexical string) (value, ok bool) {
	switch lexical {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	return false, false
}

// FormatBoolean returns the canonical form of an xsd:boolean.
func FormatBoolean(value bool) string {
	if value {
		return "true"
	}
	return "false"
}
