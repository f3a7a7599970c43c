package explore

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/views/viewstest"
	v "github.com/segraph/segraph/vocabulary"
)

// TestCausesAndTheJournalFollowTheReadersClock chooses a zone by form and returns to UTC.
func TestCausesAndTheJournalFollowTheReadersClock(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(fmt.Sprintf(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <%s> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
		<http://e/a> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-10-25T01:30:00Z"^^xsd:dateTime ; segb:triggeredByActivity <http://e/b> .
		<http://e/b> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-10-24T22:30:00Z"^^xsd:dateTime .`, v.Segb))
	b := s.NewVisitor()
	log := "/log?id=" + s.LastLog()
	for zone, want := range map[string][4]string{
		"Europe/Madrid":    {"25 Oct 2026, 02:30:00 CET", "00:30:00 CEST", "25 Oct 2026, 00:30 CEST to 25 Oct 2026, 02:30 CET", "2026-10-25T02:30:00"},
		"Asia/Kolkata":     {"25 Oct 2026, 07:00:00 IST", "04:00:00 IST", "25 Oct 2026, 04:00:00 to 07:00:00 IST", "2026-10-25T07:00:00"},
		"America/St_Johns": {"24 Oct 2026, 23:00:00 NDT", "20:00:00 NDT", "24 Oct 2026, 20:00:00 to 23:00:00 NDT", "2026-10-24T23:00:00"},
		"UTC":              {"25 Oct 2026, 01:30:00 UTC", "24 Oct 2026, 22:30:00 UTC", "24 Oct 2026, 22:30 to 25 Oct 2026, 01:30 UTC", "2026-10-25T01:30:00"},
	} {
		b.Post("/session/zone", url.Values{"zone": {zone}})
		viewstest.WantPage(t, b.Get("/why?iri=http://e/a"), 200, "This happened on "+want[0])
		viewstest.WantPage(t, b.Get("/why?iri=http://e/a"), 200, want[1])
		viewstest.WantPage(t, b.Get(log), 200, want[2])
		viewstest.WantPage(t, b.Get("/journal"), 200, `Arrived <span class="muted">`+zone+"</span>")
		viewstest.WantPage(t, b.Get("/kg-graph?v=%2B+http://e/a&since=2026-10-25T01:30:00Z"), 200, `value="`+want[3]+`"`)
		viewstest.WantPage(t, b.Get("/kg-graph?v=%2B+http://e/a&since="+want[3]+"&zone="+zone), 200, `name="since" value="2026-10-25T01:30:00Z"`)
		if page := b.Get("/why?iri=http://e/a").Body.String(); !strings.Contains(page, "/replay?at=2026-10-25T01%3A30%3A00.999Z") {
			t.Errorf("%s: the link to the replay is not in UTC", zone)
		}
	}
}
