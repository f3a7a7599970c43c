package rdf

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func dateTime(t testing.TB, lexical, datatype string) DateTime {
	t.Helper()
	d, ok := ParseDateTime(lexical, datatype)
	if !ok {
		t.Fatalf("%q is not a %s", lexical, datatype)
	}
	return d
}

func TestDatesAndTimesHaveTheirForms(t *testing.T) {
	checkForms(t, []form{
		{XSDDateTime, map[string]string{
			"2024-02-29T12:30:45":                    "2024-02-29T12:30:45",
			"2024-02-29T12:30:45.100Z":               "2024-02-29T12:30:45.1Z",
			"2024-02-29T12:30:45.000":                "2024-02-29T12:30:45",
			"2024-02-29T12:30:45.123456789012345678": "2024-02-29T12:30:45.123456789012345678",
			"2024-02-29T12:30:45+00:00":              "2024-02-29T12:30:45Z",
			"2024-02-29T12:30:45-00:00":              "2024-02-29T12:30:45Z",
			"2024-02-29T12:30:45-05:30":              "2024-02-29T12:30:45-05:30",
			"2024-02-29T12:30:45+14:00":              "2024-02-29T12:30:45+14:00",
			"2024-02-28T24:00:00":                    "2024-02-29T00:00:00",
			"2024-02-29T24:00:00.0Z":                 "2024-03-01T00:00:00Z",
			"2023-12-31T24:00:00":                    "2024-01-01T00:00:00",
			"-0001-12-31T24:00:00":                   "0000-01-01T00:00:00",
			"0000-02-29T00:00:00":                    "0000-02-29T00:00:00",
			"-0004-02-29T00:00:00":                   "-0004-02-29T00:00:00",
			"-0000-01-01T00:00:00":                   "0000-01-01T00:00:00",
			"99999999999-12-31T23:59:59Z":            "99999999999-12-31T23:59:59Z",
			"-12345-01-01T00:00:00Z":                 "-12345-01-01T00:00:00Z",
			"0042-01-01T00:00:00Z":                   "0042-01-01T00:00:00Z",
		}, []string{
			"", "2024-02-29", "2024-02-30T00:00:00", "2023-02-29T00:00:00", "1900-02-29T00:00:00", "2024-13-01T00:00:00", "2024-00-01T00:00:00",
			"2024-04-31T00:00:00", "2024-01-00T00:00:00", "2024-01-01T24:00:01", "2024-01-01T24:01:00", "2024-01-01T24:00:00.1", "2024-01-01T25:00:00",
			"2024-01-01T00:60:00", "2024-01-01T00:00:60", "2024-01-01T00:00:00.", "2024-01-01T00:00", "2024-01-01t00:00:00", "2024-01-01 00:00:00",
			"2024-01-01T00:00:00z", "2024-01-01T00:00:00+14:01", "2024-01-01T00:00:00+15:00", "2024-01-01T00:00:00+0100", "2024-01-01T00:00:00+1:00",
			"2024-01-01T00:00:00+01:60", "24-01-01T00:00:00", "02024-01-01T00:00:00", "+2024-01-01T00:00:00", "2024-1-1T00:00:00", "2024-01-01T00:00:00 ",
			" 2024-01-01T00:00:00", "2024-01-01T00:00:00ZZ", "100000000000-01-01T00:00:00", "2024-01-01T00:00:00." + strings.Repeat("1", 1001),
		}},
		{XSDDateTimeStamp, map[string]string{"2024-01-01T00:00:00Z": "2024-01-01T00:00:00Z", "2024-01-01T00:00:00-01:00": "2024-01-01T00:00:00-01:00"},
			[]string{"2024-01-01T00:00:00"}},
		{XSDDate, map[string]string{"2024-02-29": "2024-02-29", "2024-01-01+00:00": "2024-01-01Z", "-0001-01-01-14:00": "-0001-01-01-14:00"},
			[]string{"2024-02-30", "2024-01-01T00:00:00", "2024-01", "--01-01"}},
		{XSDTime, map[string]string{"00:00:00": "00:00:00", "24:00:00Z": "00:00:00Z", "23:59:59.990-01:00": "23:59:59.99-01:00"},
			[]string{"24:00:01", "T00:00:00", "00:00", "1:00:00", "24:30:00"}},
		{XSDGYear, map[string]string{"2024": "2024", "-0044Z": "-0044Z", "12345+01:00": "12345+01:00", "0000": "0000"}, []string{"24", "02024", "2024-01", ""}},
		{XSDGYearMonth, map[string]string{"2024-02": "2024-02", "2024-02Z": "2024-02Z"}, []string{"2024-13", "2024", "2024-02-01"}},
		{XSDGMonth, map[string]string{"--02": "--02", "--12-05:00": "--12-05:00"}, []string{"--13", "--00", "-02", "02", "--02-", "--02--"}},
		{XSDGMonthDay, map[string]string{"--02-29": "--02-29", "--12-31Z": "--12-31Z"}, []string{"--02-30", "--04-31", "--4-1", "02-29"}},
		{XSDGDay, map[string]string{"---01": "---01", "---31+00:00": "---31Z"}, []string{"---32", "---00", "--01", "01"}},
	})
	if _, ok := ParseDateTime("", "http://example.org/t"); ok {
		t.Error("an unknown type has a value")
	}
}

func TestDateTimesCompareAsInstants(t *testing.T) {
	for _, c := range []struct {
		datatype, a, b string
		want           int
	}{
		{XSDDateTime, "2024-01-01T12:00:00Z", "2024-01-01T13:00:00+01:00", 0},
		{XSDDateTime, "2024-01-01T12:00:00", "2024-01-01T12:00:00Z", 0},
		{XSDDateTime, "2024-01-01T12:00:00", "2024-01-01T12:00:00-00:01", -1},
		{XSDDateTime, "2024-01-01T12:00:00.1", "2024-01-01T12:00:00.09", 1},
		{XSDDateTime, "2024-01-01T12:00:00.1", "2024-01-01T12:00:00.10", 0},
		{XSDDateTime, "2024-01-01T12:00:00.000000000000000001", "2024-01-01T12:00:00.000000000000000002", -1},
		{XSDDateTime, "10000-01-01T00:00:00", "9999-12-31T23:59:59", 1},
		{XSDDateTime, "-0002-01-01T00:00:00", "-0001-01-01T00:00:00", -1},
		{XSDDateTime, "-0001-12-31T24:00:00", "0000-01-01T00:00:00", 0},
		{XSDDateTime, "99999999999-12-31T23:59:59-14:00", "-99999999999-01-01T00:00:00+14:00", 1},
		{XSDDate, "2024-01-01", "2023-12-31", 1},
		{XSDDate, "2024-01-01+14:00", "2023-12-31-10:00", 0},
		{XSDTime, "12:00:00Z", "12:00:00+01:00", 1},
		{XSDGYear, "2024", "2025", -1},
		{XSDGYearMonth, "2024-01", "2023-12", 1},
		{XSDGMonthDay, "--02-28", "--02-29", -1},
		{XSDGMonth, "--02", "--03", -1},
		{XSDGDay, "---30", "---31", -1},
	} {
		a, b := dateTime(t, c.a, c.datatype), dateTime(t, c.b, c.datatype)
		s, f := a.Unix()
		u, g := b.Unix()
		if got := cmp.Or(cmp.Compare(s, u), cmp.Compare(f, g)); got != c.want {
			t.Errorf("%s and %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// Every time supported by package time has the same second and text there.
func TestDateTimeAgreesWithPackageTime(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 20_000 {
		zone := time.FixedZone("", (r.IntN(2*14*60+1)-14*60)*60)
		want := time.Unix(r.Int64N(2*250e9)-62e9, r.Int64N(1e9)).In(zone)
		d := DateTimeOf(want)
		if want.Year() > 0 && want.Year() < 10_000 {
			if text := want.Format(time.RFC3339Nano); d.String() != text {
				t.Fatalf("%s, want %s", d, text)
			}
		}
		back, ok := ParseDateTime(d.String(), XSDDateTime)
		if !ok || back != d {
			t.Fatalf("%s reads as %v, %v", d, back, ok)
		}
		if seconds, _ := d.Unix(); seconds != want.Unix() {
			t.Fatalf("%s is at %d, want %d", d, seconds, want.Unix())
		}
	}
	if got := DateTimeOf(time.Date(1890, 1, 1, 0, 0, 0, 0, time.FixedZone("LMT", 53*60+28))).String(); got != "1889-12-31T23:06:32Z" {
		t.Errorf("a zone with seconds: %s", got)
	}
}

func TestDateTimeParts(t *testing.T) {
	d := dateTime(t, "-12345-06-07T08:09:10.250-03:30", XSDDateTime)
	if d.Year() != -12345 || d.Month() != 6 || d.Day() != 7 || d.Hour() != 8 || d.Minute() != 9 || d.Second().String() != "10.25" {
		t.Errorf("%d %d %d %d %d %s", d.Year(), d.Month(), d.Day(), d.Hour(), d.Minute(), d.Second())
	}
	if minutes, zoned := d.Offset(); minutes != -210 || !zoned {
		t.Errorf("offset %d, %v", minutes, zoned)
	}
	if _, zoned := dateTime(t, "2024-01-01", XSDDate).Offset(); zoned {
		t.Error("a date without a zone has one")
	}
	if seconds, fraction := dateTime(t, "1970-01-01T00:00:01.50+00:01", XSDDateTime).Unix(); seconds != -59 || fraction != "5" {
		t.Errorf("Unix: %d, %q", seconds, fraction)
	}
}
