package resolver

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/store/rdf"
)

// stamp is a point in time as a client wrote it.
type stamp struct {
	at       int64  // microseconds since 1970
	text     string // an xsd:dateTime: the text as sent if it is one, otherwise the same time in UTC
	fraction string // the digits of the fraction of a second, as written, or ""
}

// Times must be between these years, so that microseconds fit an integer with room for
// arithmetic.
const minYear, maxYear = 1900, 2200

// timeForms describes the valid forms of a time, for errors.
const timeForms = `must be a date and time such as "2026-02-11T09:12:13.150Z", or the seconds or milliseconds since 1970`

// readTime parses the time in a member of an observation: an xsd:dateTime, or a form that
// normalTime accepts. Without a zone it is UTC. The error is an *Error with code Invalid.
func readTime(member, sent string) (stamp, error) {
	s := stamp{text: sent}
	d, ok := rdf.ParseDateTime(sent, rdf.XSDDateTime)
	if !ok {
		s.text = normalTime(sent)
		d, ok = rdf.ParseDateTime(s.text, rdf.XSDDateTime)
	}
	if !ok {
		return s, invalid(member, "%s %s", member, timeForms)
	}
	if d.Year() < minYear || d.Year() >= maxYear {
		return s, invalid(member, "%s must be between the years %d and %d, such as 2026-02-11T09:12:13.150Z", member, minYear, maxYear)
	}
	_, behind, _ := strings.Cut(s.text, ".")
	s.fraction = behind[:len(behind)-len(strings.TrimLeft(behind, "0123456789"))]
	whole, fraction := d.Unix()
	s.at = whole * second
	digits := (fraction + "000000")[:6]
	for i, unit := 0, int64(100_000); i < 6; i, unit = i+1, unit/10 {
		s.at += int64(digits[i]-'0') * unit
	}
	return s, nil
}

// ReadTime parses a time in a form that an observation may have. Without a zone it is UTC.
// The error is an *Error with code Invalid.
func ReadTime(sent string) (time.Time, error) {
	s, err := readTime("observed_at", sent)
	return time.UnixMicro(s.at).UTC(), err
}

var (
	epochForm = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)$`)
	// The groups are the date, hours and minutes, seconds, their fraction, and the zone's
	// sign, hours and minutes.
	looseForm = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)(?:[Tt _](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+−-])([01]\d|2[0-3]):?([0-5]\d)?)?)?$`)
)

// normalTime returns the xsd:dateTime, in UTC, for a time in a looser form, or "": those
// that Python's pydantic accepts for a datetime, since clients of SEGB rely on them. "T"
// may be a space, "_" or lower case, and a comma may precede the fraction. A zone may be
// +0100 or +01. Seconds, or the time of day, may be missing. A number is seconds since 1970
// or, from 2e10 on, milliseconds.
func normalTime(sent string) string {
	if epochForm.MatchString(sent) {
		return epochTime(sent)
	}
	m := looseForm.FindStringSubmatch(sent)
	if m == nil {
		return ""
	}
	date, minute, seconds, fraction := m[1], m[2], m[3], m[4]
	if minute == "" {
		minute = "00:00"
	}
	if seconds == "" {
		seconds = "00"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	t, err := time.Parse("2006-01-02T15:04:05", date+"T"+minute+":"+seconds)
	if err != nil {
		return ""
	}
	if m[5] != "" {
		hours, _ := strconv.Atoi(m[6])
		minutes, _ := strconv.Atoi(m[7]) // 0 if there are none
		offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
		if m[5] != "+" {
			offset = -offset
		}
		t = t.Add(-offset)
	}
	return t.Format("2006-01-02T15:04:05") + fraction + "Z"
}

// millisecondsFrom is the number from which on an epoch is in milliseconds, as in pydantic.
// In seconds it would be in the year 2603.
const millisecondsFrom = 2e10

// epochTime returns the xsd:dateTime for a number of seconds or milliseconds since 1970.
// It has a fraction if the number has one.
func epochTime(number string) string {
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || math.Abs(n) > 1e15 {
		return ""
	}
	unit, exact := 1e6, strings.Contains(number, ".")
	if math.Abs(n) >= millisecondsFrom {
		unit, exact = 1e3, true
	}
	at := time.UnixMicro(int64(math.Round(n * unit))).UTC()
	switch {
	case !exact:
		return at.Format("2006-01-02T15:04:05Z")
	case at.Nanosecond()%1e6 == 0:
		return at.Format("2006-01-02T15:04:05.000Z")
	}
	return at.Format("2006-01-02T15:04:05.000000Z")
}

// timeText returns a member that is a time, a string or a number, in the form that
// readTime accepts. It returns "" if the member is missing or null.
func timeText(m *strictjson.Object, name string) string {
	value := m.Raw(name)
	switch {
	case value == nil:
		return ""
	case value[0] == '"':
		return m.OptionalText(name)
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.Abs(n) > 1e15 {
		m.Fault(name, "the member %q %s", name, timeForms)
		return ""
	}
	if strings.ContainsAny(string(value), "eE") {
		return strconv.FormatFloat(math.Round(n*1e6)/1e6, 'f', -1, 64) // short, even if n is tiny
	}
	return string(value)
}
