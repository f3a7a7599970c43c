package value

import (
	"math"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// LookupCast returns the function that casts to a datatype (SPARQL 1.1, section 17.5;
// XPath Functions and Operators, section 17). It knows the types of that section of
// SPARQL, and xsd:date, xsd:time, the types derived from xsd:integer, and the
// durations.
func LookupCast(datatype string) (f *Function, ok bool) {
	f, ok = casts[datatype]
	return f, ok
}

// casts maps a datatype to its cast. It never changes.
var casts = byName(castFunctions())

// castFunctions returns the casts (section 17.5), each named by its datatype.
func castFunctions() []*Function {
	list := []*Function{
		castFunction(rdf.XSDString, castString),
		unary(rdf.XSDBoolean, booleanCells, castBoolean),
		unary(rdf.XSDDouble, doubleCells, castDouble),
		unary(rdf.XSDFloat, floatCells, castFloat),
		unary(rdf.XSDDecimal, decimalCells, castDecimal),
		unary(rdf.XSDInteger, integerCells, castInteger),
	}
	for _, f := range list {
		f.Min, f.Max = 1, 1
	}
	for _, name := range []string{"long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger",
		"nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"} {
		datatype := rdf.XSD + name
		list = append(list, castFunction(datatype, func(v Value) Value { return castDerived(v, datatype) }))
	}
	for kind, datatype := range map[Kind]string{KindDateTime: rdf.XSDDateTime, KindDate: rdf.XSDDate, KindTime: rdf.XSDTime} {
		cast := func(v Value) Value { return castDateTime(v, kind, datatype) }
		list = append(list, castFunction(datatype, func(v Value) Value { return castParsed(v, datatype, v.IsTemporal(), cast) }))
	}
	for _, datatype := range []string{rdf.XSDDuration, rdf.XSDYearMonthDuration, rdf.XSDDayTimeDuration} {
		cast := func(v Value) Value { return castDuration(v, datatype) }
		list = append(list, castFunction(datatype, func(v Value) Value { return castParsed(v, datatype, v.kind == KindDuration, cast) }))
	}
	return list
}

func castFunction(datatype string, f func(Value) Value) *Function {
	return &Function{Name: datatype, Min: 1, Max: 1, call: one(f)}
}

// trimmed returns the text of a string without leading and trailing white space, which
// casts ignore (XPath Functions and Operators, section 17.1.1).
func trimmed(v Value) string {
	text := v.text()
	if n := len(text); n > 0 && text[0] > ' ' && text[n-1] > ' ' {
		return text // as most are
	}
	return strings.Trim(text, " \t\r\n")
}

// castString casts to xsd:string. It writes numbers as XPath does, which is not always
// their canonical form. Literals of datatypes that XPath cannot cast keep their lexical
// form.
func castString(v Value) Value {
	switch {
	case v.kind == KindString:
		return v
	case v.kind == KindIRI:
		return String(v.text())
	case v.kind == KindBoolean:
		return String(rdf.FormatBoolean(v.num != 0))
	case v.isExact():
		return String(v.decimalText())
	case v.IsNumeric():
		return String(floatText(v))
	case v.IsTemporal():
		return String(v.dateTime().String())
	case v.kind == KindDuration:
		text, _ := rdf.Canonical(v.Term().Value(), v.datatype())
		return String(text)
	}
	return str(v)
}

// floatText returns the xsd:string to which XPath casts an xsd:double or xsd:float
// (Functions and Operators, section 17.1.2): a decimal from 0.000001 up to a million,
// and otherwise the canonical form.
func floatText(v Value) string {
	f := v.double()
	plain := f == 0 || math.Abs(f) >= 1e-6 && math.Abs(f) < 1e6
	switch {
	case plain && v.kind == KindFloat:
		return strconv.FormatFloat(f, 'f', -1, 32)
	case plain:
		return strconv.FormatFloat(f, 'f', -1, 64)
	case v.kind == KindFloat:
		return rdf.FormatFloat(v.float())
	}
	return rdf.FormatDouble(f)
}

// The functions named …Cells cast numbers and booleans that fit in a cell. Those named
// cast… cast everything else.

// booleanCells casts to xsd:boolean: 0 and NaN are false, all other numbers true.
func booleanCells(out, a *Cell) (ok bool) {
	switch {
	case a.kind == KindBoolean:
		*out = *a
	case a.isFloating():
		f := a.double()
		*out = booleanCell(f != 0 && f == f)
	case a.isExact():
		*out = booleanCell(a.num != 0 || a.flags&flagLarge != 0)
	default:
		return false
	}
	return true
}

func castBoolean(v Value) Value {
	if v.kind == KindString {
		if b, ok := rdf.ParseBoolean(trimmed(v)); ok {
			return Boolean(b)
		}
	}
	return Error()
}

func doubleCells(out, a *Cell) (ok bool) {
	f, ok := a.number()
	if ok {
		*out = doubleCell(f.double())
	}
	return ok
}

func castDouble(v Value) Value {
	switch {
	case v.kind == KindString:
		if f, ok := rdf.ParseDouble(trimmed(v)); ok {
			return Double(f)
		}
	case v.IsNumeric():
		return Double(v.double())
	}
	return Error()
}

func floatCells(out, a *Cell) (ok bool) {
	f, ok := a.number()
	if ok {
		*out = floatCell(f.float())
	}
	return ok
}

func castFloat(v Value) Value {
	switch {
	case v.kind == KindString:
		if f, ok := rdf.ParseFloat(trimmed(v)); ok {
			return Float(f)
		}
	case v.IsNumeric():
		return Float(v.float())
	}
	return Error()
}

// number returns c if it is a number that is not large. A boolean counts as the integer
// 0 or 1.
func (c *Cell) number() (n Cell, ok bool) {
	switch {
	case c.kind == KindBoolean:
		return Cell{kind: KindInteger, num: c.num}, true
	case c.IsNumeric() && c.flags&flagLarge == 0:
		return *c, true
	}
	return Cell{}, false
}

func decimalCells(out, a *Cell) (ok bool) {
	f, ok := a.number()
	if !ok || f.isFloating() {
		return false
	}
	*out = Cell{kind: KindDecimal, num: f.num, minor: f.minor}
	return true
}

// castDecimal casts strings and numbers to xsd:decimal. INF, NaN and other values are errors.
func castDecimal(v Value) Value {
	switch v.kind {
	case KindString:
		if d, ok := parseDecimal(trimmed(v)); ok {
			return d
		}
	case KindInteger, KindDecimal:
		v = v.computed()
		v.kind = KindDecimal
		return v
	case KindFloat, KindDouble:
		// The decimal with the fewest digits to which v is the nearest float. INF and
		// NaN have none.
		size := 64
		if v.kind == KindFloat {
			size = 32
		}
		if d, ok := parseDecimal(strconv.FormatFloat(v.double(), 'f', -1, size)); ok {
			return d
		}
	}
	return Error()
}

// integerCells casts to xsd:integer by dropping the fraction. For an xsd:double up to
// 2^53, the result is the same as if it were cast to xsd:decimal first. It returns false
// for other values, which castInteger casts.
func integerCells(out, a *Cell) (ok bool) {
	f, ok := a.number()
	switch {
	case ok && f.isExact():
		*out = Cell{kind: KindInteger, num: f.num / powers[f.minor]}
	case ok && f.kind == KindDouble && math.Abs(f.double()) <= 1<<53:
		*out = Cell{kind: KindInteger, num: int64(f.double())}
	default:
		return false
	}
	return true
}

// castInteger casts to xsd:integer. It drops a fraction.
func castInteger(v Value) Value {
	if v.kind == KindString {
		if i, ok := parseInteger(trimmed(v)); ok {
			return i
		}
		return Error()
	}
	d := castDecimal(v)
	switch {
	case d.IsError():
		return d
	case d.large == nil:
		d.num, d.minor = d.num/powers[d.minor], 0
	case d.large.Sign() < 0:
		d = ceilLarge(d)
	default:
		d = floorLarge(d)
	}
	d.kind = KindInteger
	return d
}

// castDerived casts to a datatype derived from xsd:integer. A number out of its range is an error.
func castDerived(v Value, datatype string) Value {
	var i Value
	if !integerCells(&i.Cell, &v.Cell) {
		i = castInteger(v)
	}
	if i.IsError() {
		return i
	}
	return literal(i.decimalText(), datatype)
}

// castParsed casts a string, which it parses as the datatype, and a value of its kind, as
// isOfKind says of v. Other values are errors.
func castParsed(v Value, datatype string, isOfKind bool, cast func(Value) Value) Value {
	switch {
	case v.kind == KindString:
		if v = literal(trimmed(v), datatype); v.IsError() {
			return v
		}
	case !isOfKind:
		return Error()
	}
	return cast(v)
}
