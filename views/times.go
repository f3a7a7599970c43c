package views

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// During returns a FILTER for times of a variable from a time up to another. A zero time is
// no bound; if both are zero, it returns "". Each end is written with a zone and without,
// since SPARQL can't compare the two. A time without a zone counts as UTC.
func During(variable string, from, to time.Time) string {
	var bounds []string
	for _, end := range []struct {
		op string
		at time.Time
	}{{">=", from}, {"<", to}} {
		if !end.at.IsZero() {
			at := end.at.UTC().Format(RangeTime)
			bounds = append(bounds, fmt.Sprintf(`(%s %s "%sZ"^^xsd:dateTime || %[1]s %[2]s "%[3]s"^^xsd:dateTime)`, variable, end.op, at))
		}
	}
	if len(bounds) == 0 {
		return ""
	}
	return "FILTER(" + strings.Join(bounds, " && ") + ")"
}

// DayNear is the form of a day: without the year if that is the year of now.
func DayNear(now, day time.Time) string {
	if now.Year() == day.Year() {
		return "2 Jan"
	}
	return DayForm
}

// Soon is the time before which something must have begun to be the last that happened: five to ten minutes after now. What
// begins later was logged with a clock that was ahead.
func Soon(now time.Time) time.Time {
	const step = 5 * time.Minute
	return now.UTC().Truncate(step).Add(2 * step)
}

// ParseTime parses a time of an address, or one that a reader typed: an xsd:dateTime or an
// xsd:date, also with a space for the T, or for the + of a zone, which an address turns
// into a space, and without seconds. Without a zone it is UTC.
func ParseTime(text string) (at time.Time, ok bool) { return ParseTimeIn(text, time.UTC) }

// ParseTimeIn parses a time as ParseTime does. Without a zone it is in z.
func ParseTimeIn(text string, z *time.Location) (at time.Time, ok bool) {
	if text = strings.TrimSpace(text); !strings.Contains(text, "T") {
		text = strings.Replace(text, " ", "T", 1)
	}
	text = strings.Replace(text, " ", "+", 1)
	if t, ok := instant(text, rdf.XSDDateTime, z); ok {
		return t, true
	}
	if at := strings.IndexByte(text, 'T') + len("T15:04"); at <= len(text) && at > len("T15:04") { // it has a time, maybe without seconds
		return instant(text[:at]+":00"+text[at:], rdf.XSDDateTime, z)
	}
	return instant(text, rdf.XSDDate, z)
}

// TimeOf parses an xsd:dateTime in any of its forms. Without a zone it is UTC.
func TimeOf(term rdf.Term) (at time.Time, ok bool) {
	return instant(term.Value(), rdf.XSDDateTime, time.UTC)
}

// instant returns the time of a lexical form. Without a zone of its own it is in z. The result is
// never the zero time.
func instant(text, datatype string, z *time.Location) (at time.Time, ok bool) {
	d, ok := rdf.ParseDateTime(text, datatype)
	if !ok {
		return time.Time{}, false
	}
	seconds, fraction := d.Unix()
	nanos, _ := strconv.Atoi((fraction + "000000000")[:9]) // digits only
	t := time.Unix(seconds, int64(nanos)).UTC()
	if _, zoned := d.Offset(); !zoned && z != time.UTC {
		t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), z).UTC()
	}
	if t.IsZero() {
		t = t.Add(1) // the zero time means that there is none
	}
	return t, true
}

// RangeTime is the format of times in addresses of reports.
const RangeTime = "2006-01-02T15:04:05.999999"
