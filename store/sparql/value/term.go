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
	v, ok := Value{}, false
	switch name {
	case "string":
		return Value{Cell: Cell{kind: KindString}, term: t}
	case "boolean":
		v, ok = parseBoolean(t.Value())
	case "integer":
		v, ok = parseInteger(t.Value())
	case "decimal":
		v, ok = parseDecimal(t.Value())
	case "double":
		var f float64
		f, ok = rdf.ParseDouble(t.Value())
		v = Double(f)
	case "float":
		var f float32
		f, ok = rdf.ParseFloat(t.Value())
		v = Float(f)
	case "dateTime", "dateTimeStamp":
		v, ok = parseTemporal(KindDateTime, t.Value(), datatype)
	case "date":
		v, ok = parseTemporal(KindDate, t.Value(), datatype)
	case "time":
		v, ok = parseTemporal(KindTime, t.Value(), datatype)
	case "gYear":
		v, ok = parseTemporal(KindGYear, t.Value(), datatype)
	case "gYearMonth":
		v, ok = parseTemporal(KindGYearMonth, t.Value(), datatype)
	case "gMonth":
		v, ok = parseTemporal(KindGMonth, t.Value(), datatype)
	case "gMonthDay":
		v, ok = parseTemporal(KindGMonthDay, t.Value(), datatype)
	case "gDay":
		v, ok = parseTemporal(KindGDay, t.Value(), datatype)
	case "duration", "yearMonthDuration", "dayTimeDuration":
		var d rdf.Duration
		d, ok = rdf.ParseDuration(t.Value(), datatype)
		v.kind = KindDuration
		if short, isShort := d.Std(); isShort {
			v.Cell = durationCell(short)
		}
	default:
		if rdf.IsInteger(datatype) {
			if ok, _ = rdf.ValidLexical(t.Value(), datatype); ok {
				v, ok = parseInteger(t.Value())
			}
		}
	}
	if !ok {
		return Value{Cell: Cell{kind: KindOther}, term: t}
	}
	v.term = t
	return v
}

func parseBoolean(lexical string) (Value, bool) {
	b, ok := rdf.ParseBoolean(lexical)
	return Boolean(b), ok
}

func parseTemporal(kind Kind, lexical, datatype string) (Value, bool) {
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
	switch v.kind {
	case KindBoolean:
		return rdf.NewLiteral(rdf.FormatBoolean(v.num != 0), rdf.XSDBoolean)
	case KindInteger:
		return rdf.NewLiteral(v.decimalText(), rdf.XSDInteger)
	case KindDecimal:
		return rdf.NewLiteral(v.decimalText(), rdf.XSDDecimal)
	case KindDouble:
		return rdf.NewLiteral(rdf.FormatDouble(v.double()), rdf.XSDDouble)
	case KindFloat:
		return rdf.NewLiteral(rdf.FormatFloat(v.float()), rdf.XSDFloat)
	case KindDateTime:
		return rdf.NewLiteral(v.dateTimeText(), rdf.XSDDateTime)
	case KindDate:
		return rdf.NewLiteral(strings.Replace(v.dateTimeText(), "T00:00:00", "", 1), rdf.XSDDate)
	case KindDuration:
		return rdf.NewLiteral(v.duration().String(), rdf.XSDDayTimeDuration)
	}
	return rdf.Term{}
}

// datatype returns the datatype IRI of a literal.
func (v Value) datatype() string {
	if !v.term.IsZero() {
		return v.term.Datatype()
	}
	switch v.kind {
	case KindBoolean:
		return rdf.XSDBoolean
	case KindInteger:
		return rdf.XSDInteger
	case KindDecimal:
		return rdf.XSDDecimal
	case KindDouble:
		return rdf.XSDDouble
	case KindFloat:
		return rdf.XSDFloat
	case KindDateTime:
		return rdf.XSDDateTime
	case KindDate:
		return rdf.XSDDate
	case KindDuration:
		return rdf.XSDDayTimeDuration
	}
	return ""
}
