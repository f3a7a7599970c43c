package value

import (
	"cmp"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// A date or time without a time zone may be meant in any: XSD 1.1 part 2, appendix D.2.1,
// knows zones of up to 14 hours.
const maxZoneSeconds = 14 * 3600

// compareMoments compares two dates or times of one type; where one has a time zone and
// the other has none, the order is decided only if any zone would give it (XSD 1.1 part
// 2, section 3.3.7).
func compareMoments(a, b Cell, instants func(a, b Cell) int) order {
	if a.zoned() == b.zoned() {
		return orderOf(instants(a, b))
	}
	a.num += maxZoneSeconds
	if instants(a, b) < 0 {
		return orderLess
	}
	a.num -= 2 * maxZoneSeconds
	if instants(a, b) > 0 {
		return orderGreater
	}
	return orderUndecided
}

// compareFine is compareMoments of moments that may be finer than nanoseconds.
func compareFine(a, b Value) order {
	return compareMoments(a.Cell, b.Cell, func(x, y Cell) int { return compareInstants(Of(x, a.term), Of(y, b.term)) })
}

// compareInstants compares moments, and takes those without a time zone to be in UTC.
func compareInstants(a, b Value) int {
	if c := compareNanos(a.Cell, b.Cell); c != 0 || (a.flags|b.flags)&flagFine == 0 {
		return c
	}
	return strings.Compare(a.finePart(), b.finePart())
}

// compareNanos is compareInstants to the nanosecond.
func compareNanos(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.num, b.num), cmp.Compare(a.nanos, b.nanos))
}

// finePart returns the digits of the seconds' fraction after the ninth, without zeros at
// the end.
func (v Value) finePart() string {
	if v.flags&flagFine == 0 {
		return ""
	}
	_, fraction := v.dateTime().Unix()
	return fraction[9:]
}

// dateTime returns a date or time in its parts.
func (v Value) dateTime() rdf.DateTime {
	t := v.Term()
	d, _ := rdf.ParseDateTime(t.Value(), t.Datatype()) // FromTerm has seen that it is one
	return d
}

// dateTimeText returns the canonical form of a xsd:dateTime that came from no term, or a
// xsd:date as one.
func (v Value) dateTimeText() string {
	t := time.Unix(v.num, int64(v.nanos)).In(time.FixedZone("", int(v.minor)*60))
	text := rdf.DateTimeOf(t).String()
	if !v.zoned() {
		text = strings.TrimSuffix(text, "Z")
	}
	return text
}

// castMoment returns the part of a xsd:dateTime that a xsd:date or xsd:time is, or the
// start of a xsd:date as a xsd:dateTime (XPath Functions and Operators, section 17.1.5).
func castMoment(v Value, kind Kind, datatype string) Value {
	if v.kind == kind {
		return literal(v.dateTime().String(), datatype)
	}
	text := v.dateTime().String()
	switch {
	case v.kind == KindDateTime && kind == KindDate:
		return literal(text[:strings.IndexByte(text, 'T')]+v.zoneText(), datatype)
	case v.kind == KindDateTime && kind == KindTime:
		return literal(text[strings.IndexByte(text, 'T')+1:], datatype)
	case v.kind == KindDate && kind == KindDateTime:
		zone := v.zoneText()
		return literal(strings.TrimSuffix(text, zone)+"T00:00:00"+zone, datatype)
	}
	return Error()
}

// zoneText returns the time zone in its canonical form: "Z", "+02:00", or "" for none.
func (v Value) zoneText() string {
	text := v.dateTime().String()
	switch {
	case !v.zoned():
		return ""
	case v.minor == 0:
		return "Z"
	}
	return text[len(text)-len("+00:00"):]
}

// literal returns the value of a literal that was computed, and an error if it is not in
// its datatype's lexical space.
func literal(lexical, datatype string) Value {
	v := FromTerm(rdf.NewLiteral(lexical, datatype))
	if v.kind == KindOther {
		return Error()
	}
	return v
}
