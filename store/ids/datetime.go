package ids

import (
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// Forms in which a time is written. XML Schema allows several forms of one time. An id
// stores one of three zones and the number of digits of the seconds' fraction.
const (
	zoneNone = iota // no time zone
	zoneZ           // Z
	zoneZero        // +00:00
	zones
)

const (
	formBits  = 5 // zone + zones × digits, at most 20
	dateBits  = 2
	maxMicros = 1<<(TagShift-1-formBits) - 1 // about 570 years before and after 1970
	maxDays   = 100_000_000
)

// parseZone parses the end of a date or dateTime.
func parseZone(s string) (zone int, ok bool) {
	switch s {
	case "":
		return zoneNone, true
	case "Z":
		return zoneZ, true
	case "+00:00":
		return zoneZero, true
	}
	return 0, false
}

var zoneText = [zones]string{"", "Z", "+00:00"}

// parseDay parses YYYY-MM-DD at the start of s, and returns the rest. ok is false unless it is a valid day.
func parseDay(s string) (year int, month time.Month, day int, rest string, ok bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return 0, 0, 0, "", false
	}
	y, ny := digits(s[:4])
	m, nm := digits(s[5:7])
	d, nd := digits(s[8:10])
	if ny != 4 || nm != 2 || nd != 2 || y == 0 || m < 1 || m > 12 || d < 1 || uint8(d) > rdf.DaysIn(int64(y), uint8(m)) {
		return 0, 0, 0, "", false
	}
	return int(y), time.Month(m), int(d), s[10:], true
}

// inlineDateTime returns the id of an xsd:dateTime between the years 1400 and 2540, to
// the microsecond, in UTC or without a zone, and false for others. A time without a zone
// counts as UTC, as everywhere in this project.
func inlineDateTime(lex string) (id ID, ok bool) {
	y, m, d, rest, ok := parseDay(lex)
	if !ok || len(rest) < 9 || rest[0] != 'T' || rest[3] != ':' || rest[6] != ':' {
		return 0, false
	}
	hour, nh := digits(rest[1:3])
	minute, nm := digits(rest[4:6])
	second, ns := digits(rest[7:9])
	if nh != 2 || nm != 2 || ns != 2 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	rest = rest[9:]
	var fraction int64
	fractionDigits := 0
	if rest != "" && rest[0] == '.' {
		if fraction, fractionDigits = digits(rest[1:]); fractionDigits == 0 || fractionDigits > maxDigits {
			return 0, false
		}
		rest = rest[1+fractionDigits:]
	}
	zone, ok := parseZone(rest)
	if !ok {
		return 0, false
	}
	micros := time.Date(y, m, d, int(hour), int(minute), int(second), 0, time.UTC).Unix()*million + fraction*powers[maxDigits-fractionDigits]
	if micros > maxMicros || micros < -maxMicros {
		return 0, false
	}
	return New(TagDateTime, uint64(micros<<formBits|int64(zone+zones*fractionDigits))+bias), true
}

// appendDateTime appends the lexical form of a payload. It reports false if
// inlineDateTime makes no such payload.
func appendDateTime(b []byte, payload int64) (all []byte, ok bool) {
	form := int(payload & (1<<formBits - 1))
	zone, f := form%zones, form/zones
	micros := payload >> formBits
	if f > maxDigits || micros%powers[maxDigits-f] != 0 {
		return nil, false
	}
	t := time.UnixMicro(micros).UTC()
	hour, minute, second := t.Clock()
	b = appendPadded(append(appendDay(b, t), 'T'), int64(hour), 2)
	b = appendPadded(append(b, ':'), int64(minute), 2)
	b = appendPadded(append(b, ':'), int64(second), 2)
	if f > 0 {
		b = appendPadded(append(b, '.'), int64(t.Nanosecond()/1000)/powers[maxDigits-f], f)
	}
	return append(b, zoneText[zone]...), true
}

// inlineDate returns the id of an xsd:date of the years 1 to 9999 without a zone or in
// UTC, and false for others.
func inlineDate(lex string) (id ID, ok bool) {
	y, m, d, s, ok := parseDay(lex)
	if !ok {
		return 0, false
	}
	zone, ok := parseZone(s)
	if !ok {
		return 0, false
	}
	days := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400
	return New(TagDate, uint64(days<<dateBits|int64(zone))+bias), true
}

func appendDate(b []byte, payload int64) (all []byte, ok bool) {
	zone, days := int(payload&(1<<dateBits-1)), payload>>dateBits
	if zone >= zones || days > maxDays || days < -maxDays {
		return nil, false
	}
	return append(appendDay(b, time.Unix(days*86400, 0).UTC()), zoneText[zone]...), true
}

// appendDay appends a day as YYYY-MM-DD.
func appendDay(b []byte, t time.Time) []byte {
	year, month, day := t.Date()
	b = appendPadded(b, int64(year), 4)
	b = appendPadded(append(b, '-'), int64(month), 2)
	return appendPadded(append(b, '-'), int64(day), 2)
}
