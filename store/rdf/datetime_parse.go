package rdf

import "strings"

// maxYearDigits keeps DateTime.Unix within an int64. XSD 1.1 part 2, section 5.4,
// requires support for four digits of years and three of a fraction.
const (
	maxYearDigits     = 11
	maxFractionDigits = 1000
)

// ParseDateTime parses a lexical form of a date or time type: dateTime, dateTimeStamp,
// date, time, gYear, gYearMonth, gMonth, gMonthDay or gDay (XSD 1.1 part 2, sections
// 3.3.7 ff. and 3.4.28). 24:00:00 becomes 00:00:00 of the next day. ok is false for years
// of more than 11 digits and fractions of more than 1,000.
func ParseDateTime(lexical, datatype string) (d DateTime, ok bool) {
	s := fieldScanner{rest: lexical, ok: true}
	d.fields = fieldsOf(datatype)
	date := d.fields & (hasYear | hasMonth | hasDay)
	if date&hasYear != 0 {
		d.year = s.year()
	} else if date != 0 {
		s.expect('-')
	}
	if date&hasMonth != 0 {
		s.expect('-')
		d.month = s.two(1, 12)
	} else if date == hasDay {
		s.expect('-')
	}
	if date&hasDay != 0 {
		s.expect('-')
		d.day = s.two(1, d.lastDay())
	}
	if d.fields&hasTime != 0 {
		if date != 0 {
			s.expect('T')
		}
		s.time(&d)
	}
	s.zone(&d)
	lacksZone := datatype == XSDDateTimeStamp && !d.zoned
	if d.fields == 0 || !s.ok || s.rest != "" || lacksZone {
		return DateTime{}, false
	}
	return d, true
}

// lastDay returns the last day of the month, given the year and month if present.
func (d DateTime) lastDay() uint8 {
	switch {
	case d.month == 0: // no month, or an error already recorded
		return 31
	case d.fields&hasYear == 0:
		return DaysIn(1972, d.month)
	}
	return DaysIn(d.year, d.month)
}

// fieldScanner scans a text. After an error ok stays false.
type fieldScanner struct {
	rest string
	ok   bool
}

func (s *fieldScanner) expect(c byte) {
	if !s.accept(c) {
		s.ok = false
	}
}

func (s *fieldScanner) accept(c byte) (found bool) {
	if s.rest == "" || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// digits scans as many digits as there are.
func (s *fieldScanner) digits() string {
	n := 0
	for n < len(s.rest) && '0' <= s.rest[n] && s.rest[n] <= '9' {
		n++
	}
	digits := s.rest[:n]
	s.rest = s.rest[n:]
	return digits
}

// fraction scans the digits after a decimal point, without trailing zeros.
func (s *fieldScanner) fraction() string {
	digits := s.digits()
	if digits == "" || len(digits) > maxFractionDigits {
		s.ok = false
		return ""
	}
	return strings.TrimRight(digits, "0")
}

// two reads a number of two digits within bounds.
func (s *fieldScanner) two(least, greatest uint8) uint8 {
	if len(s.rest) < 2 || !allDigits(s.rest[:2]) {
		s.ok = false
		return 0
	}
	n := (s.rest[0]-'0')*10 + s.rest[1] - '0'
	s.rest = s.rest[2:]
	if n < least || n > greatest {
		s.ok = false
		return 0
	}
	return n
}

// year reads a year of at least four digits.
func (s *fieldScanner) year() int64 {
	negative := s.accept('-')
	digits := s.digits()
	if len(digits) < 4 || len(digits) > maxYearDigits || len(digits) > 4 && digits[0] == '0' {
		s.ok = false
		return 0
	}
	var year int64
	for i := range len(digits) {
		year = year*10 + int64(digits[i]-'0')
	}
	if negative {
		return -year
	}
	return year
}

// time scans hh:mm:ss with a fraction. 24:00:00 is the beginning of the next day.
func (s *fieldScanner) time(d *DateTime) {
	d.hour = s.two(0, 24)
	s.expect(':')
	d.minute = s.two(0, 59)
	s.expect(':')
	d.second = s.two(0, 59)
	if s.accept('.') {
		d.fraction = s.fraction()
	}
	if d.hour < 24 || !s.ok {
		return
	}
	if d.minute != 0 || d.second != 0 || d.fraction != "" {
		s.ok = false
		return
	}
	d.hour = 0
	if d.fields&hasDay != 0 {
		d.nextDay()
	}
}

func (d *DateTime) nextDay() {
	if d.day++; d.day <= DaysIn(d.year, d.month) {
		return
	}
	d.day = 1
	if d.month++; d.month <= 12 {
		return
	}
	d.month = 1
	d.year++
}

// zone reads the time zone, if there is one: Z, or an offset of at most 14 hours.
func (s *fieldScanner) zone(d *DateTime) {
	if s.rest == "" {
		return
	}
	d.zoned = true
	if s.accept('Z') {
		return
	}
	sign := int16(1)
	if s.accept('-') {
		sign = -1
	} else {
		s.expect('+')
	}
	hours := s.two(0, 14)
	s.expect(':')
	minutes := s.two(0, 59)
	if hours == 14 && minutes != 0 {
		s.ok = false
	}
	d.offset = sign * (int16(hours)*60 + int16(minutes))
}

// DaysIn returns the number of days of a month, from 1, in the proleptic Gregorian
// calendar.
func DaysIn(year int64, month uint8) uint8 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// DayNumber returns the days from 1970-01-01 to a date of the Gregorian calendar. month is
// from 1. It lets years begin in March, so that the leap day comes last, and counts in
// eras of 400 years, which all have 146,097 days.
func DayNumber(year int64, month, day uint8) int64 {
	m := int64(month) - 3
	if m < 0 {
		m += 12
		year--
	}
	era := year / 400
	if year%400 < 0 {
		era--
	}
	year -= era * 400
	// 153 days are five months from March on: 31, 30, 31, 30, 31.
	ofYear := (153*m+2)/5 + int64(day) - 1
	return era*146097 + year*365 + year/4 - year/100 + ofYear - 719468
}
