package value

import (
	"cmp"
	"strconv"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// maxYear is the last year that rdf.ParseDateTime takes.
const maxYear = 99_999_999_999

func (v Value) duration() rdf.Duration {
	d, _ := rdf.ParseDuration(v.term.Value(), v.term.Datatype()) // FromTerm has seen that it is one
	return d
}

// durationOf returns a duration of so many months and seconds. Their signs must agree, as
// in all lexical forms; else, and past the limits of rdf.ParseDuration, it is an error.
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

// addTime is + of what are not both numbers: XPath's operators on durations, dates and
// times (Functions and Operators, sections 10.6 to 10.8), which SPARQL lets in as
// extensions.
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
	return shift(a, b.duration().Months(), b.duration().Seconds())
}

// mostBetween bounds the seconds between two moments that a time.Duration has room for.
const mostBetween = 1 << 33

func subtractTime(a, b Value) Value {
	switch {
	case a.kind == KindDuration && b.kind == KindDuration:
		return addDurations(a, -b.duration().Months(), b.duration().Seconds().Neg(), b.datatype())
	case b.kind == KindDuration:
		return shift(a, -b.duration().Months(), b.duration().Seconds().Neg())
	case a.kind == b.kind && KindDateTime <= a.kind && a.kind <= KindTime && a.zoned() == b.zoned() && (a.flags|b.flags)&flagFine == 0:
		if seconds := a.num - b.num; -mostBetween < seconds && seconds < mostBetween {
			between := rdf.DurationOf(time.Duration(seconds)*time.Second + time.Duration(a.nanos) - time.Duration(b.nanos))
			return Value{Cell: Cell{kind: KindDuration}, term: rdf.NewLiteral(between.String(), rdf.XSDDayTimeDuration)}
		}
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

// shift moves a xsd:dateTime or xsd:date: first the month, with the day at most the
// month's last, then the seconds (XSD 1.1 part 2, appendix E.3.3). A date moves by whole
// days. It is an error if the outcome has a year of more than 11 digits or parts of
// nanoseconds.
func shift(v Value, months int64, seconds rdf.Decimal) Value {
	if v.kind != KindDateTime && v.kind != KindDate || v.flags&flagFine != 0 {
		return Error()
	}
	local := v.num + int64(v.minor)*60
	days, ofDay := floorDiv(local, 86400)
	if months != 0 {
		year, month, day := civil(days)
		toYear, toMonth := floorDiv(year*12+month-1+months, 12)
		if toYear < -maxYear || toYear > maxYear {
			return Error()
		}
		first := dayNumber(toYear, toMonth+1, 1)
		nextYear, nextMonth := floorDiv(toYear*12+toMonth+1, 12)
		days = first + min(day, dayNumber(nextYear, nextMonth+1, 1)-first) - 1
	}
	whole := seconds.Floor()
	nanos, ok := seconds.Sub(whole).Mul(rdf.DecimalOf(1e9)).Int64()
	add, _ := whole.Int64() // within the limits of rdf.ParseDuration
	if !ok {
		return Error()
	}
	nanos += int64(v.nanos)
	local = days*86400 + ofDay + add + nanos/1e9
	days, _ = floorDiv(local, 86400)
	if year, _, _ := civil(days); year < -maxYear || year > maxYear {
		return Error()
	}
	moved := DateTime(local-int64(v.minor)*60, int(nanos%1e9), int(v.minor), v.zoned())
	if v.kind == KindDate {
		return castMoment(moved, KindDate, rdf.XSDDate)
	}
	return moved
}

// floorDiv divides by a positive number and rounds down.
func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		return quotient - 1, rest + b
	}
	return quotient, rest
}

// dayNumber counts days from 1970-01-01 in the Gregorian calendar, for months from 1 to
// 12. Years begin in March here, so that a leap day is the last of its year.
func dayNumber(year, month, day int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	era, ofEra := floorDiv(year, 400)
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + (153*(month-3)+2)/5 + day - 1 - 719468
}

// civil returns the inverse of dayNumber.
func civil(days int64) (year, month, day int64) {
	era, ofEra := floorDiv(days+719468, 146097)
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (yearOfEra*365 + yearOfEra/4 - yearOfEra/100)
	fromMarch := (5*ofYear + 2) / 153
	day = ofYear - (153*fromMarch+2)/5 + 1
	year, month = era*400+yearOfEra, fromMarch+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// orderDurations puts all durations in one order: by how far they reach from September
// 1696, the first of the dates from which XSD compares them (part 2, section 3.3.6.2), so
// that it agrees with Less wherever that is decided, and then by their months.
func orderDurations(a, b rdf.Duration) int {
	return cmp.Or(reach(a).Cmp(reach(b)), cmp.Compare(a.Months(), b.Months()))
}

func reach(d rdf.Duration) rdf.Decimal {
	year, month := floorDiv(1696*12+8+d.Months(), 12)
	return rdf.DecimalOf(dayNumber(year, month+1, 1) * 86400).Add(d.Seconds())
}

// zoneDuration is a time zone as a xsd:dayTimeDuration, as TIMEZONE gives it.
func zoneDuration(minutes int) Value {
	return literal(rdf.DurationOf(time.Duration(minutes)*time.Minute).String(), rdf.XSDDayTimeDuration)
}

// castDuration returns a duration as one of another type, without what that does not
// have.
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
