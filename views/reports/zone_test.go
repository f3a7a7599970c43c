package reports

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	v "github.com/segraph/segraph/vocabulary"
)

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	z, ok := views.Zone(name)
	if !ok {
		t.Fatal(name)
	}
	return z
}

// TestHoursAreThoseOfTheReadersClock compares what the queries count, and what their links lead to, with the calendar of package time.
func TestHoursAreThoseOfTheReadersClock(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	var times []time.Time
	for i := range 60 {
		at := time.Date(2026, 3, 20, 0, 7, 0, 0, time.UTC).Add(time.Duration(i) * 400_500 * time.Second) // beyond both changes of Madrid
		if i%2 == 0 {
			at = time.Date(2026, 10, 24, 21, 10, 0, 0, time.UTC).Add(time.Duration(i) * 10 * time.Minute) // around one
		}
		times = append(times, at)
		form := []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04:05", "2006-01-02T15:04:05-07:00"}[i%3]
		fmt.Fprintf(&text, `<urn:a%[1]d> a <%[2]sLoggedActivity> ; <%[2]swasPerformedBy> <urn:ari> ; <http://www.w3.org/ns/prov#startedAtTime> "%[3]s"^^<%[4]s> .
			<urn:m%[1]d> a <http://schema.org/Message> ; <http://www.w3.org/ns/prov#wasGeneratedBy> <urn:a%[1]d> .`+"\n", i, v.Segb, at.In(time.FixedZone("", 3600*(i%3/2))).Format(form), rdf.XSDDateTime)
	}
	s.Publish(text.String())
	for _, name := range []string{"Asia/Kolkata", "Europe/Madrid", "America/St_Johns", "UTC"} {
		z := zoneOf(t, name)
		day := map[string]int{}
		for _, at := range times {
			day[strconv.Itoa(at.In(z).Hour())]++
		}
		r := &Report{Ask: s.UI.Ask, Now: s.Now, Zone: z, Limit: 100}
		out := ReportSection{}
		if err := r.hourCard(t.Context(), &out); err != nil || out.About != name {
			t.Fatal(name, out.About, err)
		}
		for hour, cell := range out.Card.Heat.Rows[0].Cells {
			if cell.N != day[strconv.Itoa(hour)] {
				t.Errorf("%s: %d messages at %d, want %d", name, cell.N, hour, day[strconv.Itoa(hour)])
			}
			s.leadsTo(t, cell.Href, cell.N)
		}
	}
}

// TestALongRangeNamesFewChangesOfAClock has ranges of an address that begin and end as far away as can be said.
func TestALongRangeNamesFewChangesOfAClock(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	for _, given := range []string{"", "&to=9999-12-31T00:00:00Z", "&from=-0044-03-15T00:00:00Z", "&from=9999-12-30T00:00:00Z&to=99999-12-31T00:00:00Z"} {
		to, err := url.Parse(b.Get("/reports/rows?q=robot-hour-rows&clock=Europe/Madrid&hour=3" + given).Header().Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		query := to.Query().Get("query")
		if n := strings.Count(query, "IF(COALESCE("); n > 60 {
			t.Errorf("%s: %d changes", given, n)
		}
		if _, err := s.UI.Ask(t.Context(), query); err != nil || query == "" {
			t.Errorf("%s: %v in %s", given, err, query)
		}
	}
}

// leadsTo follows a link of a number as a reader in another zone.
func (s *fixture) leadsTo(t *testing.T, href string, want int) {
	t.Helper()
	if want == 0 {
		return
	}
	b := s.NewVisitor()
	b.Cookies["segraph_zone"] = &http.Cookie{Name: "segraph_zone", Value: "Asia/Tokyo"}
	to, err := url.Parse(b.Get(href).Header().Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.UI.Ask(t.Context(), to.Query().Get("query"))
	if err != nil || len(rows) != want {
		t.Errorf("%s leads to %d rows, want %d: %v in %s", href, len(rows), want, err, to.Query().Get("query"))
	}
}

// TestPagesShowTheReadersTimes chooses a zone by form, without scripts, and returns to UTC.
func TestPagesShowTheReadersTimes(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(fmt.Sprintf(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <%s> . @prefix schema: <http://schema.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
		<http://e/a> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-10-25T00:59:59Z"^^xsd:dateTime .
		<http://e/b> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-10-25T01:00:01Z"^^xsd:dateTime .
		<http://e/m> a schema:Message ; schema:text "hello there" ; schema:sender <http://e/p> ; prov:wasGeneratedBy <http://e/a> .`, v.Segb))
	b := s.NewVisitor()
	replayed := "/replay?from=2026-10-25T00:59:59Z&to=2026-10-25T01:00:02Z"
	for _, c := range []struct {
		zone string
		want map[string][]string
	}{
		{"Europe/Madrid", map[string][]string{
			"/reports": {"02:59 to 02:00", "When <span class=\"muted\">Europe/Madrid</span>"}, "/reports?section=activity": {"25 Oct 2026, 02:59:59", "Hour, Europe/Madrid"},
			replayed: {"25 Oct 2026, 02:59 CEST to 25 Oct 2026, 02:00 CET", "25 Oct 2026, 02:59:59 CEST", `href="/case-file?from=2026-10-25T00:59:59Z`}, replayed + "&view=table": {">02:59:59<"},
			"/search?q=hello": {">02:59:59<", "25 Oct 02:59 to 02:00|25 Oct 2026"}, "/reports?from=2026-10-25T02:59:59&zone=Europe/Madrid": {`name="from" type="datetime-local" step="1" value="2026-10-25T02:59:59"`, `name="zone" value="Europe/Madrid"`},
			"/reports?from=2026-10-25T00:59:59": {`value="2026-10-25T02:59:59"`}, "/evidence?from=2026-10-25T00:59:59&to=2026-10-25T01:00:02": {"From (UTC)", `value="2026-10-25T01:00:02"`},
		}},
		{"Asia/Kolkata", map[string][]string{"/reports": {"06:29 to 06:30"}, replayed: {"25 Oct 2026, 06:29:59 to 06:30:01 IST"}}},
		{"America/St_Johns", map[string][]string{"/reports": {"22:29 to 22:30", "24 Oct 2026"}, "/reports?section=activity": {"24 Oct 2026, 22:00"}}},
		{"UTC", map[string][]string{"/reports": {"00:59 to 01:00"}, replayed: {"25 Oct 2026, 00:59:59 to 01:00:01 UTC", "25 Oct 2026, 00:59:59 UTC"}, "/reports?section=activity": {"Hour, UTC"}}},
	} {
		if w := b.Post("/session/zone", url.Values{"zone": {c.zone}}); w.Code != http.StatusSeeOther {
			t.Fatal(w.Code, w.Body)
		}
		for path, parts := range c.want {
			page := b.Get(path).Body.String()
			if strings.Contains(page, "%2B0") || strings.Contains(page, "+0") {
				t.Errorf("%s: %s has a link with another zone than UTC", c.zone, path)
			}
			for _, part := range parts {
				found := false
				for _, either := range strings.Split(part, "|") {
					found = found || strings.Contains(page, either)
				}
				if !found {
					t.Errorf("%s: %s has no %q", c.zone, path, part)
				}
			}
		}
		for _, name := range []string{"day", "week"} {
			if w := b.Get("/reports?last=" + name); c.zone == "Europe/Madrid" && !strings.Contains(w.Header().Get("Location"), "to=2026-10-25T23%3A00%3A00") {
				t.Errorf("the last %s of %s is %s", name, c.zone, w.Header().Get("Location"))
			}
		}
	}
	madrid, script := s.NewVisitor(), "/replay/events?from=2026-10-25T00:59:59Z&to=2026-10-25T01:00:02Z"
	madrid.Cookies["segraph_zone"] = &http.Cookie{Name: "segraph_zone", Value: "Europe/Madrid"}
	if w := madrid.Get(script).Body.String(); !strings.Contains(w, `"zones":[{"from":1792889999000,"ahead":7200000,"name":"CEST"},{"from":1792890000000,"ahead":3600000,"name":"CET"}]`) {
		t.Errorf("the script has %s", w)
	}
}
