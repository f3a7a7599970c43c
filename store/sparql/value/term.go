package value

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// FromTerm returns the value of a term. A literal of unknown datatype or outside its
// datatype's lexical space is KindOther. The zero Term is unbound.
func FromTerm(t rdf.Term) Value {
	switch t.Kind() {
	case rdf.KindNone:
		return Value{}
	case rdf.KindBlank:
		return Value{Cell: Cell{kind: KindBlank}, term: t}
	case rdf.KindIRI:
		return Value{Cell: Cell{kind: KindIRI}, term: t}
	case rdf.KindTriple:
		return Value{Cell: Cell{kind: KindTriple}, term: t}
	}
	if t.Tag() != "" {
		return Value{Cell: Cell{kind: KindLangString}, term: t}
	}
	datatype := t.Datatype()
	name, isXSD := strings.CutPrefix(datatype, rdf.XSD)
	if !isXSD {
		return Value{Cell: Cell{kind: KindOther}, term: t}
	}
	if name == "string" {
		return Value{Cell: Cell{kind: KindString}, term: t}
	}
	v, ok := parseXSD(name, t.Value(), datatype)
	if !ok {
		v = Value{Cell: Cell{kind: KindOther}}
	}
	v.term = t
	return v
}

// parseXSD parses a lexical form of the datatype with a name in the namespace of XML Schema.
func parseXSD(name, lexical, datatype string) (v Value, ok bool) {
	switch name {
	case "boolean":
		b, ok := rdf.ParseBoolean(lexical)
		return Boolean(b), ok
	case "integer":
		return parseInteger(lexical)
	case "decimal":
		return parseDecimal(lexical)
	case "double":
		f, ok := rdf.ParseDouble(lexical)
		return Double(f), ok
	case "float":
		f, ok := rdf.ParseFloat(lexical)
		return Float(f), ok
	case "duration", "yearMonthDuration", "dayTimeDuration":
		d, ok := rdf.ParseDuration(lexical, datatype)
		v.kind = KindDuration
		if short, isShort := d.Std(); isShort {
			v.Cell = durationCell(short)
		}
		return v, ok
	}
	if kind, isTime := temporalKinds[name]; isTime {
		return parseTemporal(kind, lexical, datatype)
	}
	if rdf.IsInteger(datatype) {
		if ok, _ := rdf.ValidLexical(lexical, datatype); ok {
			return parseInteger(lexical)
		}
	}
	return v, false
}

// temporalKinds has the kinds of the datatypes of times and of parts of dates.
var temporalKinds = map[string]Kind{"dateTime": KindDateTime, "dateTimeStamp": KindDateTime, "date": KindDate, "time": KindTime,
	"gYear": KindGYear, "gYearMonth": KindGYearMonth, "gMonth": KindGMonth, "gMonthDay": KindGMonthDay, "gDay": KindGDay}

func parseTemporal(kind Kind, lexical, datatype string) (v Value, ok bool) {
	d, ok := rdf.ParseDateTime(lexical, datatype)
	if !ok {
		return Value{}, false
	}
	return temporal(kind, d), true
}

// temporal returns the value of d. The caller sets the term.
func temporal(kind Kind, d rdf.DateTime) Value {
	v := Value{Cell: Cell{kind: kind}}
	var fraction string
	v.num, fraction = d.Unix()
	if zone, zoned := d.Offset(); zoned {
		v.minor, v.flags = int16(zone), flagZoned
	}
	if len(fraction) > 9 {
		v.flags |= flagFine
		fraction = fraction[:9]
	}
	for i := range 9 {
		v.nanos *= 10
		if i < len(fraction) {
			v.nanos += uint32(fraction[i] - '0')
		}
	}
	return v
}

// Term returns the term that v came from. For a computed value it returns the canonical
// literal, and for an error or an unbound value the zero Term.
func (v Value) Term() rdf.Term {
	if !v.term.IsZero() {
		return v.term
	}
	var text string
	switch v.kind {
	case KindBoolean:
		text = rdf.FormatBoolean(v.num != 0)
	case KindInteger, KindDecimal:
		text = v.decimalText()
	case KindDouble:
		text = rdf.FormatDouble(v.double())
	case KindFloat:
		text = rdf.FormatFloat(v.float())
	case KindDateTime:
		text = v.dateTimeText()
	case KindDate:
		text = strings.Replace(v.dateTimeText(), "T00:00:00", "", 1)
	case KindDuration:
		text = v.duration().String()
	default:
		return rdf.Term{}
	}
	return rdf.NewLiteral(text, v.datatype())
}

// datatypes has the datatypes of computed values.
var datatypes = [KindTriple + 1]string{KindBoolean: rdf.XSDBoolean, KindInteger: rdf.XSDInteger, KindDecimal: rdf.XSDDecimal,
	KindDouble: rdf.XSDDouble, KindFloat: rdf.XSDFloat, KindDateTime: rdf.XSDDateTime, KindDate: rdf.XSDDate, KindDuration: rdf.XSDDayTimeDuration}

// datatype returns the datatype IRI of a literal.
func (v Value) datatype() string {
	if !v.term.IsZero() {
		return v.term.Datatype()
	}
	return datatypes[v.kind]
}
