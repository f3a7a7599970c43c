package value

import (
	"strconv"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// maxYear is the last year that rdf.ParseDateTime accepts.
const maxYear = 99_999_999_999

func (v Value) duration() rdf.Duration {
	if v.flags&flagShort != 0 {
		return rdf.DurationOf(time.Duration(v.num))
	}
	d, _ := rdf.ParseDuration(v.term.Value(), v.term.Datatype()) // FromTerm has parsed it before
	return d
}

// durationOf returns a duration of the given months and seconds. It returns an error if
// their signs differ, because a lexical form has only one sign. It also returns an
// error beyond the limits of rdf.ParseDuration.
func durationOf(months int64, seconds rdf.Decimal, datatype string) Value {
	sign := ""
	if months < 0 || seconds.Sign() < 0 {
		if months > 0 || seconds.Sign() > 0 {
			return Error()
		}
		sign = "-"
	}
	text := sign + "P"
	if datatype != rdf.XSDDayTimeDuration {
		text += strconv.FormatUint(uint64(max(months, -months)), 10) + "M"
	}
	if datatype != rdf.XSDYearMonthDuration {
		text += "T" + seconds.Abs().String() + "S"
	}
	text, ok := rdf.Canonical(text, datatype)
	if !ok {
		return Error()
	}
	return literal(text, datatype)
}

// addTime returns a + b of values that are not both numbers. It implements XPath's
// operators on durations, dates and times (Functions and Operators, sections 10.6 to
// 10.8), which SPARQL allows as extensions.
func addTime(a, b Value) Value {
	switch {
	case a.kind == KindDuration && b.kind == KindDuration:
		return addDurations(a, b.duration().Months(), b.duration().Seconds(), b.datatype())
	case a.kind == KindDuration:
		a, b = b, a
	}
	if b.kind != KindDuration {
		return Error()
	}
	return shift(a, b.duration().Months(), b.duration().Seconds(), b.datatype())
}

// maxCellSeconds limits the differences that subtractCells computes as a time.Duration,
// in seconds, to avoid overflow.
const maxCellSeconds = 1 << 33

// haveDifference reports whether the difference of two values is an
// xsd:dayTimeDuration: they are dates or times of one type, both with a time zone or both
// without, and neither has fractions of nanoseconds.
func haveDifference(a, b *Cell) bool {
	return a.kind == b.kind && KindDateTime <= a.kind && a.kind <= KindTime && a.zoned() == b.zoned() && (a.flags|b.flags)&flagFine == 0
}

// between sets out to a - b, for values that satisfy haveDifference. It returns false
// if the whole seconds differ by maxCellSeconds or more.
func between(out, a, b *Cell) bool {
	seconds := a.num - b.num
	if seconds <= -maxCellSeconds || seconds >= maxCellSeconds {
		return false
	}
	*out = durationCell(time.Duration(seconds)*time.Second + time.Duration(a.nanos) - time.Duration(b.nanos))
	return true
}

// subtractTime subtracts a duration from a duration or a time, or a time from a time.
func subtractTime(a, b Value) Value {
	switch {
	case a.kind == KindDuration && b.kind == KindDuration:
		return addDurations(a, -b.duration().Months(), b.duration().Seconds().Neg(), b.datatype())
	case b.kind == KindDuration:
		return shift(a, -b.duration().Months(), b.duration().Seconds().Neg(), b.datatype())
	case haveDifference(&a.Cell, &b.Cell): // too far apart for subtractCells
		nanos := Decimal(int64(a.nanos)-int64(b.nanos), 9)
		seconds := rdf.DecimalOf(a.num).Sub(rdf.DecimalOf(b.num)).Add(nanos.decimal())
		return durationOf(0, seconds, rdf.XSDDayTimeDuration)
	}
	return Error()
}

func addDurations(a Value, months int64, seconds rdf.Decimal, datatype string) Value {
	if a.datatype() != datatype {
		datatype = rdf.XSDDuration
	}
	d := a.duration()
	return durationOf(d.Months()+months, d.Seconds().Add(seconds), datatype)
}

// shift adds a duration of a datatype to an xsd:dateTime, xsd:date or xsd:time. It adds
// the months first, limits the day to the month's last day, and then adds the seconds (XSD
// 1.1 part 2, appendix E.3.3). A date moves by whole days. A time starts again after
// midnight, so months do not move it; it is an error to add an xsd:yearMonthDuration. The
// result is also an error if its year has more than 11 digits or if it needs fractions of
// nanoseconds.
func shift(v Value, months int64, seconds rdf.Decimal, datatype string) Value {
	isTime := v.kind == KindTime
	inMonths := isTime && datatype == rdf.XSDYearMonthDuration
	if v.kind < KindDateTime || v.kind > KindTime || v.flags&flagFine != 0 || inMonths {
		return Error()
	}
	local := v.num + int64(v.minor)*60
	days, ofDay := floorDiv(local, 86400)
	if months != 0 && !isTime {
		year, month, day := civil(days)
		toYear, toMonth := floorDiv(year*12+month-1+months, 12)
		if toYear < -maxYear || toYear > maxYear {
			return Error()
		}
		first := rdf.DayNumber(toYear, uint8(toMonth+1), 1)
		nextYear, nextMonth := floorDiv(toYear*12+toMonth+1, 12)
		days = first + min(day, rdf.DayNumber(nextYear, uint8(nextMonth+1), 1)-first) - 1
	}
	whole := seconds.Floor()
	nanos, ok := seconds.Sub(whole).Mul(rdf.DecimalOf(1e9)).Int64()
	add, _ := whole.Int64() // within the limits of rdf.ParseDuration
	if !ok {
		return Error()
	}
	nanos += int64(v.nanos)
	if isTime {
		days, add = 0, add%86400
	}
	local = days*86400 + ofDay + add + nanos/1e9
	days, _ = floorDiv(local, 86400)
	if year, _, _ := civil(days); year < -maxYear || year > maxYear {
		return Error()
	}
	moved := DateTime(local-int64(v.minor)*60, int(nanos%1e9), int(v.minor), v.zoned())
	switch v.kind {
	case KindDate:
		return castDateTime(moved, KindDate, rdf.XSDDate)
	case KindTime:
		return castDateTime(moved, KindTime, rdf.XSDTime)
	}
	return moved
}

// floorDiv divides a by b, which is positive, and rounds down.
func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		return quotient - 1, rest + b
	}
	return quotient, rest
}

// civil is the inverse of rdf.DayNumber.
func civil(days int64) (year, month, day int64) {
	y, m, d := time.Unix(days*86400, 0).UTC().Date()
	return int64(y), int64(m), int64(d)
}

// zoneDuration returns a time zone as the xsd:dayTimeDuration that TIMEZONE returns.
func zoneDuration(minutes int) Value {
	return literal(rdf.DurationOf(time.Duration(minutes)*time.Minute).String(), rdf.XSDDayTimeDuration)
}

// castDuration casts a duration to another type and drops the parts that the type lacks.
func castDuration(v Value, datatype string) Value {
	d := v.duration()
	months, seconds := d.Months(), d.Seconds()
	switch datatype {
	case rdf.XSDYearMonthDuration:
		seconds = rdf.Decimal{}
	case rdf.XSDDayTimeDuration:
		months = 0
	}
	return durationOf(months, seconds, datatype)
}
