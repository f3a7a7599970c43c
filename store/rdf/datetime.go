package rdf

import (
	"strconv"
	"strings"
	"time"
)

// DateTime is a value of xsd:dateTime or of a related type: date, time, gYear and so on
// (XSD 1.1 part 2, appendix D.2.1). Parts that a type does not have are 0. Years follow
// ISO 8601, which has a year 0. The fraction of a second is exact. The zero DateTime is
// not a value.
type DateTime struct {
	year                             int64
	month, day, hour, minute, second uint8
	fields                           dateTimeFields
	zoned                            bool
	offset                           int16  // of the time zone, in minutes east of UTC
	fraction                         string // digits after the decimal point of the seconds, without trailing zeros
}

// dateTimeFields is the set of parts of a type.
type dateTimeFields uint8

const (
	hasYear dateTimeFields = 1 << iota
	hasMonth
	hasDay
	hasTime
)

// fieldsOf returns the fields that a datatype has, 0 for no datatype of times.
func fieldsOf(datatype string) dateTimeFields {
	switch datatype {
	case XSDDateTime, XSDDateTimeStamp:
		return hasYear | hasMonth | hasDay | hasTime
	case XSDDate:
		return hasYear | hasMonth | hasDay
	case XSDTime:
		return hasTime
	case XSDGYear:
		return hasYear
	case XSDGYearMonth:
		return hasYear | hasMonth
	case XSDGMonth:
		return hasMonth
	case XSDGMonthDay:
		return hasMonth | hasDay
	case XSDGDay:
		return hasDay
	}
	return 0
}

// DateTimeOf returns t, to the nanosecond, as an xsd:dateTime in t's zone. XSD supports
// zones of whole minutes up to 14 hours. In any other zone, t is converted to UTC.
func DateTimeOf(t time.Time) DateTime {
	_, seconds := t.Zone()
	if seconds%60 != 0 || seconds < -14*3600 || seconds > 14*3600 {
		t, seconds = t.UTC(), 0
	}
	d := DateTime{
		year: int64(t.Year()), month: uint8(t.Month()), day: uint8(t.Day()),
		hour: uint8(t.Hour()), minute: uint8(t.Minute()), second: uint8(t.Second()),
		fields: fieldsOf(XSDDateTime), zoned: true, offset: int16(seconds / 60),
	}
	if t.Nanosecond() != 0 {
		d.fraction = strings.TrimRight(strconv.Itoa(1e9 + t.Nanosecond())[1:], "0")
	}
	return d
}

// Year returns the year, which may be 0 or negative, or 0 if d's type has none.
func (d DateTime) Year() int64 { return d.year }

// Month returns the month, from 1, or 0 if d's type has none.
func (d DateTime) Month() int { return int(d.month) }

// Day returns the day of the month, from 1, or 0 if d's type has none.
func (d DateTime) Day() int { return int(d.day) }

// Hour returns the hour, from 0 to 23, or 0 if d's type has none.
func (d DateTime) Hour() int { return int(d.hour) }

// Minute returns the minute, from 0 to 59, or 0 if d's type has none.
func (d DateTime) Minute() int { return int(d.minute) }

// Second returns the seconds with their fraction, less than 60.
func (d DateTime) Second() Decimal {
	s, _ := ParseDecimal(strconv.Itoa(int(d.second)) + "." + d.fraction)
	return s
}

// Offset returns the time zone in minutes east of UTC, from -840 to 840. zoned is false
// if d has no zone.
func (d DateTime) Offset() (minutes int, zoned bool) { return int(d.offset), d.zoned }

// Unix returns the time since 1970-01-01T00:00:00Z, as whole seconds and the digits of
// the fraction to be added, without trailing zeros. A value without a time zone counts as
// UTC. Missing parts are those of 1972-12-31T00:00:00 (XSD 1.1 part 2, appendix E.3.4,
// timeOnTimeline).
func (d DateTime) Unix() (seconds int64, fraction string) {
	year, month, day := int64(1972), d.month, d.day
	if d.fields&hasYear != 0 {
		year = d.year
	}
	if d.fields&hasMonth == 0 {
		month = 12
	}
	if d.fields&hasDay == 0 {
		day = DaysIn(year, month)
	}
	seconds = DayNumber(year, month, day)*86400 + int64(d.hour)*3600 + int64(d.minute)*60 + int64(d.second)
	return seconds - int64(d.offset)*60, d.fraction
}

// String returns the canonical form (XSD 1.1 part 2, sections 3.3.7.2 ff.), in d's own
// time zone.
func (d DateTime) String() string { return string(d.append(make([]byte, 0, 32))) }

// append appends the lexical form. A missing year, or a missing month before a day, is a hyphen, as
// in --05-01.
func (d DateTime) append(b []byte) []byte {
	date := d.fields & (hasYear | hasMonth | hasDay)
	if date&hasYear != 0 {
		year := d.year
		if year < 0 {
			b, year = append(b, '-'), -year
		}
		for limit := int64(1000); limit > year && limit > 1; limit /= 10 { // at least four digits
			b = append(b, '0')
		}
		b = strconv.AppendInt(b, year, 10)
	} else if date != 0 {
		b = append(b, '-')
	}
	if date&hasMonth != 0 {
		b = appendTwo(append(b, '-'), d.month)
	} else if date == hasDay {
		b = append(b, '-')
	}
	if date&hasDay != 0 {
		b = appendTwo(append(b, '-'), d.day)
	}
	if d.fields&hasTime != 0 {
		if date != 0 {
			b = append(b, 'T')
		}
		b = appendTwo(b, d.hour)
		b = appendTwo(append(b, ':'), d.minute)
		b = appendTwo(append(b, ':'), d.second)
		if d.fraction != "" {
			b = append(append(b, '.'), d.fraction...)
		}
	}
	return d.appendZone(b)
}

// appendZone appends the zone. d.offset is in minutes.
func (d DateTime) appendZone(b []byte) []byte {
	switch {
	case !d.zoned:
		return b
	case d.offset == 0:
		return append(b, 'Z')
	}
	sign, offset := byte('+'), d.offset
	if offset < 0 {
		sign, offset = '-', -offset
	}
	b = appendTwo(append(b, sign), uint8(offset/60))
	return appendTwo(append(b, ':'), uint8(offset%60))
}

func appendTwo(b []byte, n uint8) []byte { return append(b, '0'+n/10, '0'+n%10) }
