package rdf

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Limits on the digits of a duration's parts, so that all sums fit an int64. XSD 1.1 part
// 2, section 5.4, requires six digits of months and twelve of seconds.
const (
	maxMonths  = 1e12
	maxSeconds = 1e18
)

// Duration is a value of xsd:duration, xsd:yearMonthDuration or xsd:dayTimeDuration (XSD
// 1.1 part 2, section 3.3.6): months and seconds, kept separate because months differ in
// length. Compare for equality with ==.
type Duration struct {
	negative bool
	months   int64  // absolute value, like the parts below
	seconds  int64  // whole seconds
	fraction string // digits of the fraction of the seconds, without trailing zeros
}

// DurationOf returns d exactly, without months.
func DurationOf(d time.Duration) Duration {
	out := Duration{negative: d < 0, seconds: max(int64(d/time.Second), -int64(d/time.Second))}
	if nanos := int(d % time.Second); nanos != 0 {
		digits := strconv.Itoa(1e9 + max(nanos, -nanos))[1:]
		out.fraction = strings.TrimRight(digits, "0")
	}
	return out
}

// Std returns d as a time.Duration. ok is false if d has months, finer fractions than
// nanoseconds, or more than maxStdSeconds seconds.
func (d Duration) Std() (out time.Duration, ok bool) {
	if d.months != 0 || d.seconds > maxStdSeconds || len(d.fraction) > 9 {
		return 0, false
	}
	out = time.Duration(d.seconds)
	for i := range 9 {
		out *= 10
		if i < len(d.fraction) {
			out += time.Duration(d.fraction[i] - '0')
		}
	}
	if d.negative {
		out = -out
	}
	return out, true
}

// maxStdSeconds is less than the most seconds of a time.Duration.
const maxStdSeconds = 1 << 33

// ParseDuration parses a lexical form of one of the three types. ok is false above 10^12
// months, 10^18 seconds, or 1,000 digits of a fraction.
func ParseDuration(lexical, datatype string) (d Duration, ok bool) {
	s := fieldScanner{rest: lexical, ok: true}
	d.negative = s.accept('-')
	s.expect('P')
	ofDate, ofTime := 0, 0
	if datatype != XSDDayTimeDuration {
		ofDate += s.part('Y', 12, maxMonths, &d.months) + s.part('M', 1, maxMonths, &d.months)
	}
	if datatype != XSDYearMonthDuration {
		ofDate += s.part('D', 86400, maxSeconds, &d.seconds)
		if s.accept('T') {
			ofTime += s.part('H', 3600, maxSeconds, &d.seconds) + s.part('M', 60, maxSeconds, &d.seconds)
			ofTime += s.seconds(&d)
			if ofTime == 0 {
				return Duration{}, false
			}
		}
	}
	if !s.ok || s.rest != "" || ofDate+ofTime == 0 {
		return Duration{}, false
	}
	if d.months == 0 && d.seconds == 0 && d.fraction == "" {
		d.negative = false
	}
	return d, true
}

// part adds the next digits to sum, multiplied by factor, if their unit follows. It
// returns the number of parts scanned, 0 or 1.
func (s *fieldScanner) part(unit byte, factor int64, limit int64, sum *int64) int {
	before := s.rest
	digits := s.digits()
	if digits == "" || !s.accept(unit) {
		s.rest = before
		return 0
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > (limit-*sum)/factor {
		s.ok = false
		return 1
	}
	*sum += n * factor
	return 1
}

// seconds scans the seconds, with their fraction, and returns the number of parts scanned, 0 or 1.
func (s *fieldScanner) seconds(d *Duration) int {
	before := s.rest
	whole := s.digits()
	if s.accept('.') {
		d.fraction = s.fraction()
		if whole == "" || !s.accept('S') {
			s.ok = false
		}
		s.rest = whole + "S" + s.rest // for part, which reads no fraction
	} else {
		s.rest = before
	}
	return s.part('S', 1, maxSeconds, &d.seconds)
}

// Compare orders two durations. ok is false if XSD does not order them, as for a month
// and 30 days (XSD 1.1 part 2, section 3.3.6.1). Two durations without months, or of only
// months, are always ordered.
func (d Duration) Compare(e Duration) (order int, ok bool) {
	if d == e {
		return 0, true
	}
	// The dates that XSD uses for comparing: around leap years, and around century years
	// that are not leap years.
	for i, from := range [4]DateTime{{year: 1696, month: 9}, {year: 1697, month: 2}, {year: 1903, month: 3}, {year: 1903, month: 7}} {
		c := d.compareFrom(e, from)
		if i > 0 && c != order {
			return 0, false
		}
		order = c
	}
	return order, true
}

// Order compares two durations in a total order: by the time at which they end if they
// begin in September 1696, and then by months. September 1696 is the first of the dates at
// which Compare compares durations, so Order agrees with Compare where that is ok.
func (d Duration) Order(e Duration) int {
	return cmp.Or(d.compareFrom(e, DateTime{year: 1696, month: 9}), cmp.Compare(d.Months(), e.Months()))
}

func (d Duration) compareFrom(e Duration, from DateTime) int {
	return cmp.Compare(d.after(from).Cmp(e.after(from)), 0)
}

// after returns the seconds from 1970 to the first day of from's month, plus d.
func (d Duration) after(from DateTime) Decimal {
	months := d.Months() + from.year*12 + int64(from.month) - 1
	year := months / 12
	if months%12 < 0 {
		year--
	}
	return DecimalOf(DayNumber(year, uint8(months-year*12)+1, 1) * 86400).Add(d.Seconds())
}

// Seconds returns the seconds of d, with its sign.
func (d Duration) Seconds() Decimal {
	sign := ""
	if d.negative {
		sign = "-"
	}
	s, _ := ParseDecimal(sign + strconv.FormatInt(d.seconds, 10) + "." + d.fraction)
	return s
}

// Months returns the months of d, with its sign.
func (d Duration) Months() int64 {
	if d.negative {
		return -d.months
	}
	return d.months
}

// String returns the canonical form (XSD 1.1 part 2, section 3.3.6.2). An empty duration
// is PT0S.
func (d Duration) String() string { return d.format(XSDDuration) }

// format returns the canonical form. Zero has a form that depends on the datatype.
func (d Duration) format(datatype string) string {
	b := make([]byte, 0, 24)
	if d.negative {
		b = append(b, '-')
	}
	b = append(b, 'P')
	b = appendPart(b, d.months/12, 'Y')
	b = appendPart(b, d.months%12, 'M')
	b = appendPart(b, d.seconds/86400, 'D')
	if rest := d.seconds % 86400; rest != 0 || d.fraction != "" {
		b = append(b, 'T')
		b = appendPart(b, rest/3600, 'H')
		b = appendPart(b, rest/60%60, 'M')
		if d.fraction != "" {
			b = strconv.AppendInt(b, rest%60, 10)
			b = append(append(append(b, '.'), d.fraction...), 'S')
		} else {
			b = appendPart(b, rest%60, 'S')
		}
	}
	switch {
	case b[len(b)-1] != 'P':
		return string(b)
	case datatype == XSDYearMonthDuration:
		return "P0M"
	}
	return "PT0S"
}

func appendPart(b []byte, n int64, unit byte) []byte {
	if n == 0 {
		return b
	}
	return append(strconv.AppendInt(b, n, 10), unit)
}
