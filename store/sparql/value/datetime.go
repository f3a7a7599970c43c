package value

import (
	"cmp"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// maxZoneSeconds is the largest offset of a time zone (XSD 1.1 part 2, appendix D.2.1).
// A date or time without a time zone may be meant in any time zone up to this offset.
const maxZoneSeconds = 14 * 3600

// compareDateTimes compares two dates or times of one type by instants, which takes those
// without a time zone as UTC. If only one has a time zone, the order is decided only if it is
// the same for every zone (XSD 1.1 part 2, section 3.3.7).
func compareDateTimes(a, b Cell, instants func(a, b Cell) int) order {
	if a.zoned() == b.zoned() {
		return orderOf(instants(a, b))
	}
	a.num += maxZoneSeconds // it does not matter which of the two is moved
	if instants(a, b) < 0 {
		return orderLess
	}
	a.num -= 2 * maxZoneSeconds
	if instants(a, b) > 0 {
		return orderGreater
	}
	return orderUndecided
}

// compareFine compares times that may have fractions of nanoseconds.
func compareFine(a, b Value) order {
	return compareDateTimes(a.Cell, b.Cell, func(x, y Cell) int { return compareInstants(Of(x, a.term), Of(y, b.term)) })
}

// compareInstants compares dates or times. Those without a time zone count as UTC.
func compareInstants(a, b Value) int {
	if c := compareNanos(a.Cell, b.Cell); c != 0 || (a.flags|b.flags)&flagFine == 0 {
		return c
	}
	return strings.Compare(a.finePart(), b.finePart())
}

// compareNanos compares dates or times without fractions of nanoseconds. Those without a
// time zone count as UTC.
func compareNanos(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.num, b.num), cmp.Compare(a.nanos, b.nanos))
}

// finePart returns the digits after the ninth of the seconds' fraction, without
// trailing zeros.
func (v Value) finePart() string {
	if v.flags&flagFine == 0 {
		return ""
	}
	_, fraction := v.dateTime().Unix()
	return fraction[9:]
}

func (v Value) dateTime() rdf.DateTime {
	t := v.Term()
	d, _ := rdf.ParseDateTime(t.Value(), t.Datatype()) // FromTerm has parsed it before
	return d
}

// dateTimeText returns the canonical form of a computed xsd:dateTime. It writes an
// xsd:date as the xsd:dateTime of its start.
func (v Value) dateTimeText() string {
	t := time.Unix(v.num, int64(v.nanos)).In(time.FixedZone("", int(v.minor)*60))
	text := rdf.DateTimeOf(t).String()
	if !v.zoned() {
		text = strings.TrimSuffix(text, "Z")
	}
	return text
}

// castDateTime casts an xsd:dateTime to xsd:date or xsd:time, an xsd:date to the
// xsd:dateTime of its start, and each to its own type (XPath Functions and Operators, section
// 17.1.5). Any other cast is an error.
func castDateTime(v Value, kind Kind, datatype string) Value {
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

// zoneText returns the canonical form of the time zone: "Z", "+02:00", or "" if there is
// none.
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

// literal returns the value of a computed literal, or an error if the literal is outside
// its datatype's lexical space.
func literal(lexical, datatype string) Value {
	v := FromTerm(rdf.NewLiteral(lexical, datatype))
	if v.kind == KindOther {
		return Error()
	}
	return v
}
