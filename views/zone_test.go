package views

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func zoned(t *testing.T, name, text string) time.Time {
	t.Helper()
	z, ok := Zone(name)
	at, also := ParseTimeIn(text, z)
	if !ok || !also {
		t.Fatal(name, text)
	}
	return at.In(z)
}

func TestOnlyNamesOfTimeZonesAreTimeZones(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Local", "Europe/Nowhere", "../zoneinfo/UTC", "Europe/../UTC", "/etc/localtime", "Europe/Madrid\x00", "Europe//Madrid", "posix/Europe/Madrid", "right/UTC", "localtime", "A" + strings.Repeat("a", 64), "Europe/Madrid; Path=/"} {
		if z, ok := Zone(name); ok || z != time.UTC {
			t.Errorf("%q is %v", name, z)
		}
	}
	for _, name := range []string{"UTC", "Asia/Kolkata", "Etc/GMT+5", "America/Argentina/Buenos_Aires"} {
		one, ok := Zone(name)
		if !ok || one.String() != name {
			t.Errorf("%q is %v", name, one)
		}
	}
}

// TestIntervalsFollowTheClocksOfAZone has half hours, and days of 23 and of 25 hours.
func TestIntervalsFollowTheClocksOfAZone(t *testing.T) {
	t.Parallel()
	const day, form = 24 * time.Hour, "2 15:04 MST"
	for _, c := range []struct {
		zone, at string
		size     time.Duration
		want     []string
	}{
		{"Asia/Kolkata", "2026-10-25T12:29:00Z", time.Hour, []string{"25 17:00 IST", "25 18:00 IST"}},
		{"America/St_Johns", "2026-07-01T02:31:00Z", day, []string{"1 00:00 NDT", "2 00:00 NDT"}},
		{"Europe/Madrid", "2026-10-25T00:30:00Z", time.Hour, []string{"25 02:00 CEST", "25 02:00 CET", "25 03:00 CET"}},
		{"Europe/Madrid", "2026-10-24T23:30:00Z", 6 * time.Hour, []string{"25 00:00 CEST", "25 06:00 CET", "25 12:00 CET", "25 18:00 CET", "26 00:00 CET"}},
		{"Europe/Madrid", "2026-10-25T12:00:00Z", day, []string{"25 00:00 CEST", "26 00:00 CET", "27 00:00 CET"}},
		{"Europe/Madrid", "2026-03-28T12:00:00Z", day, []string{"28 00:00 CET", "29 00:00 CET", "30 00:00 CEST"}},
		{"Australia/Lord_Howe", "2026-04-04T14:40:00Z", time.Hour, []string{"5 01:00 +11", "5 01:30 +1030", "5 02:00 +1030"}},
		{"America/Santiago", "2026-09-05T15:00:00Z", day, []string{"5 00:00 -04", "6 01:00 -03", "7 00:00 -03"}},
		{"UTC", "2026-10-25T12:29:00Z", 7 * day, []string{"19 00:00 UTC", "26 00:00 UTC"}},
	} {
		var got []string
		for at := Floor(zoned(t, c.zone, c.at), c.size); len(got) < len(c.want); at = Next(at, c.size) {
			got = append(got, at.Format(form))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s from %s by %v: %q, want %q", c.zone, c.at, c.size, got, c.want)
		}
	}
}

func TestAnAxisFollowsTheClocksOfAZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, from, to, words string
		ticks                 []string
	}{
		{"Asia/Kolkata", "2026-10-25T10:00", "2026-10-25T12:00", "25 Oct 2026, 10:00:00 to 12:00:00 IST", []string{"10:00", "11:00", "12:00"}},
		{"Europe/Madrid", "2026-10-24T00:00", "2026-10-27T00:00", "24 Oct 2026, 00:00 CEST to 27 Oct 2026, 00:00 CET", []string{"24 Oct", "25 Oct", "26 Oct", "27 Oct"}},
		{"Europe/Madrid", "2026-10-26T00:00", "2026-10-28T00:00", "26 Oct 2026 to 27 Oct 2026, CET", []string{"26 Oct", "27 Oct", "28 Oct"}},
		{"America/St_Johns", "2026-10-26T10:00", "2026-10-27T02:00", "26 Oct 2026, 10:00 to 27 Oct 2026, 02:00 NDT", []string{"12:00", "18:00", "27 Oct"}},
	} {
		s := Period{zoned(t, c.zone, c.from), zoned(t, c.zone, c.to)}
		var ticks []string
		for _, k := range s.Ticks(MaxTicks) {
			ticks = append(ticks, k.Text)
		}
		if got := s.Words(); got != c.words || !slices.Equal(ticks, c.ticks) {
			t.Errorf("%s: %q with %q, want %q with %q", c.zone, got, ticks, c.words, c.ticks)
		}
	}
}

func TestATimeOfAFormIsInItsZone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"2026-10-26T10:00": "2026-10-26T09:00:00Z", "2026-10-24 10:00:30": "2026-10-24T08:00:30Z", "2026-10-26": "2026-10-25T23:00:00Z", "2026-10-26T10:00Z": "2026-10-26T10:00:00Z"} {
		if at, ok := GivenTime(text, url.Values{ZoneField: {"Europe/Madrid"}}); !ok || Stamp(at) != want {
			t.Errorf("%s in Madrid is %v, want %s", text, at, want)
		}
	}
	if at, ok := GivenTime("2026-10-26T10:00", url.Values{ZoneField: {"../x"}}); !ok || Stamp(at) != "2026-10-26T10:00:00Z" {
		t.Errorf("without a zone: %v", at)
	}
}
