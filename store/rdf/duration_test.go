package rdf

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestDurationsHaveTheirForms(t *testing.T) {
	checkForms(t, []form{
		{XSDDuration, map[string]string{
			"P1Y2M3DT4H5M6.70S": "P1Y2M3DT4H5M6.7S", "P14M": "P1Y2M", "-P1D": "-P1D", "PT36H": "P1DT12H", "PT90S": "PT1M30S", "PT3600S": "PT1H",
			"P0Y": "PT0S", "-PT0S": "PT0S", "PT0.0S": "PT0S", "PT0.5S": "PT0.5S", "P0Y0M0DT0H0M0.000S": "PT0S", "P1M": "P1M", "PT1M": "PT1M",
			"P1YT1S": "P1YT1S", "PT1000000000000000000S": "P11574074074074DT1H46M40S", "-P1Y1M1DT1H1M1.1S": "-P1Y1M1DT1H1M1.1S",
		}, []string{
			"", "P", "PT", "P1YT", "1Y", "P1", "P1S", "PT1D", "P1M1Y", "P-1Y", "+P1Y", "P1.5Y", "PT1.5H", "PT.5S", "PT1.S", "PT1.5", "P1Y1Y", "p1y", "P1Y ",
			"PT1000000000000000001S", "P1000000000001M", "P99999999999999999999Y", "PT0." + strings.Repeat("1", 1001) + "S",
		}},
		{XSDYearMonthDuration, map[string]string{"P1Y": "P1Y", "P12M": "P1Y", "P0M": "P0M", "-P0Y": "P0M", "-P13M": "-P1Y1M"}, []string{"P1D", "PT1S", "P1YT1S", "P"}},
		{XSDDayTimeDuration, map[string]string{"P1D": "P1D", "PT24H": "P1D", "-PT0S": "PT0S", "PT1.50S": "PT1.5S"}, []string{"P1Y", "P1M", "P1M1D", "PT"}},
	})
}

// The unordered pairs are those of XSD 1.1 part 2, section 3.3.6.1.
func TestDurationCompareIsPartial(t *testing.T) {
	for _, c := range []struct {
		a, b    string
		want    int
		decided bool
	}{
		{"P1Y", "P12M", 0, true},
		{"PT60S", "PT1M", 0, true},
		{"P1D", "PT24H", 0, true},
		{"P1Y", "P364D", 1, true},
		{"P1Y", "P365D", 0, false},
		{"P1Y", "P366D", 0, false},
		{"P1Y", "P367D", -1, true},
		{"P1M", "P27D", 1, true},
		{"P1M", "P28D", 0, false},
		{"P1M", "P30D", 0, false},
		{"P1M", "P31D", 0, false},
		{"P1M", "P32D", -1, true},
		{"P5M", "P149D", 1, true},
		{"P5M", "P150D", 0, false},
		{"P5M", "P153D", 0, false},
		{"P5M", "P154D", -1, true},
		{"PT0.1S", "PT0.09S", 1, true},
		{"-PT0.1S", "-PT0.09S", -1, true},
		{"-PT0.1S", "PT0.09S", -1, true},
		{"-PT1.1S", "-PT1S", -1, true},
		{"-P1M", "P1M", -1, true},
		{"P79191DT0.5S", "PT0S", 1, true}, // from 1696 to before 1970, and from 1903 to after it
		{"-P1000000000000M", "P1000000000000M", -1, true},
	} {
		a, ok := ParseDuration(c.a, XSDDuration)
		b, ok2 := ParseDuration(c.b, XSDDuration)
		if !ok || !ok2 {
			t.Fatalf("%s or %s is not a duration", c.a, c.b)
		}
		got, decided := a.Compare(b)
		back, _ := b.Compare(a)
		if got != c.want || decided != c.decided || back != -got {
			t.Errorf("%s and %s: %d, %v; want %d, %v", c.a, c.b, got, decided, c.want, c.decided)
		}
	}
}

func TestDurationParts(t *testing.T) {
	d, _ := ParseDuration("-P1Y2M3DT4.50S", XSDDuration)
	if d.Months() != -14 || d.Seconds().String() != "-259204.5" {
		t.Errorf("%d months, %s seconds", d.Months(), d.Seconds())
	}
	for minutes, want := range map[int]string{0: "PT0S", 90: "PT1H30M", -330: "-PT5H30M", 840: "PT14H"} {
		if got := DurationOf(time.Duration(minutes) * time.Minute).String(); got != want {
			t.Errorf("%d minutes: %s, want %s", minutes, got, want)
		}
		if parsed, ok := ParseDuration(want, XSDDayTimeDuration); !ok || parsed != DurationOf(time.Duration(minutes)*time.Minute) {
			t.Errorf("%s is not equal to %d minutes", want, minutes)
		}
	}
}

// The text of a duration in nanoseconds is correct and parses to the same duration.
func TestDurationOf(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "PT0S", time.Nanosecond: "PT0.000000001S", -time.Nanosecond: "-PT0.000000001S", 1500 * time.Millisecond: "PT1.5S", -90 * time.Minute: "-PT1H30M",
		25*time.Hour + 20*time.Microsecond: "P1DT1H0.00002S", math.MaxInt64: "P106751DT23H47M16.854775807S", math.MinInt64: "-P106751DT23H47M16.854775808S",
	} {
		got := DurationOf(d)
		back, ok := ParseDuration(got.String(), XSDDayTimeDuration)
		if got.String() != want || !ok || back != got {
			t.Errorf("%d is %v, and %v, %v from its text; want %s", d, got, back, ok, want)
		}
		if std, ok := got.Std(); ok && std != d || !ok && max(d, -d) < maxStdSeconds*time.Second && d != math.MinInt64 {
			t.Errorf("%d is %d, %v as a time.Duration", d, std, ok)
		}
	}
}

// A duration that a time.Duration cannot hold is not one.
func TestStd(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"PT0S": 0, "-PT0S": 0, "P1DT0.5S": 24*time.Hour + 500*time.Millisecond, "-PT1.000000001S": -time.Second - 1, "PT8589934592.999999999S": maxStdSeconds*time.Second + 999999999,
		"P0Y": 0, "P1M": -1, "PT8589934593S": -1, "-PT99999999999999S": -1, "PT0.0000000001S": -1, "P1MT1S": -1,
	} {
		d, parsed := ParseDuration(text, XSDDuration)
		if got, ok := d.Std(); !parsed || ok != (want != -1) || ok && (got != want || DurationOf(got) != d) {
			t.Errorf("%s is %v, %v; want %v", text, got, ok, want)
		}
	}
}
