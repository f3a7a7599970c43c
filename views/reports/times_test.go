package reports

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	v "github.com/segraph/segraph/vocabulary"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// TestTimesOfEveryFormAreInAllPages has an activity of a robot of its own for each form of
// a time, which says a message.
func TestTimesOfEveryFormAreInAllPages(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	var logs []string
	for i, form := range viewstest.TimeForms {
		s.Publish(fmt.Sprintf(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <%s> . @prefix schema: <http://schema.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
			<http://e/a%[2]d> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/r%[2]d> ; prov:startedAtTime "%[3]s"^^xsd:dateTime .
			<http://e/m%[2]d> a schema:Message ; schema:text "word %[2]d" ; schema:sender <http://e/p%[2]d> ; prov:wasGeneratedBy <http://e/a%[2]d> .`, v.Segb, i, form.Written))
		logs = append(logs, s.LastLog())
	}
	for i, form := range viewstest.TimeForms {
		at, ok := views.ParseTime(form.At)
		if !ok {
			t.Fatal(form.At)
		}
		near := 0 // activities in its hour
		for _, other := range viewstest.TimeForms {
			if o, _ := views.ParseTime(other.At); o.Truncate(time.Hour).Equal(at.Truncate(time.Hour)) {
				near++
			}
		}
		from := at.Truncate(time.Hour)
		for _, to := range []time.Time{from.Add(time.Hour), from.Add(24 * time.Hour)} {
			totals := s.reckon("overview-totals", from, to).Card
			if slices.ContainsFunc(totals.Tiles, func(f ReportFigure) bool {
				return f.Number == "0" && (f.What == "messages" || f.What == "activities")
			}) {
				t.Errorf("%s: the totals of its hour are %+v", form.Written, totals.Tiles)
			}
		}
		activity := s.reckon("activity", from, from.Add(time.Hour))
		if got := columnOf(t, tableOf(t, activity, "by-hour"), 0, 1)[from.Format(time.RFC3339)]; got != near {
			t.Errorf("%s: %d activities in its hour, want %d", form.Written, got, near)
		}
		w := b.Get("/replay?at=" + url.QueryEscape(form.At))
		if page := b.Get(w.Header().Get("Location")).Body.String(); !strings.Contains(page, fmt.Sprintf("word %d", i)) {
			t.Errorf("%s: %s leads to %s, without its message", form.Written, form.At, w.Header().Get("Location"))
		}
		day := at.Format("2006-01-02")
		if page := b.Get("/log?id=" + logs[i]).Body.String(); !strings.Contains(page, day) || !strings.Contains(page, "/replay?at=") {
			t.Errorf("%s: its log has no time %s", form.Written, day)
		}
		if page := b.Get(fmt.Sprintf("/why?iri=http://e/a%d", i)).Body.String(); !strings.Contains(page, at.Format(views.TimeForm)) {
			t.Errorf("%s: its explanation has no time %s", form.Written, at.Format(views.TimeForm))
		}
		for _, q := range []string{form.Written, day} {
			if page := b.Part("/search?q=" + url.QueryEscape(q)).Body.String(); !strings.Contains(page, "Session at ") {
				t.Errorf("the search for %s finds no session", q)
			}
		}
	}
	all := s.reckon("activity", time.Time{}, time.Time{})
	sum := 0
	for _, n := range columnOf(t, tableOf(t, all, "by-hour"), 0, 1) {
		sum += n
	}
	if sum != len(viewstest.TimeForms) || all.Hours == nil {
		t.Errorf("%d activities by hour, want %d", sum, len(viewstest.TimeForms))
	}
	sessions := tableOf(t, s.reckon("sessions", time.Time{}, time.Time{}), "sessions").Rows
	if len(sessions) != len(viewstest.TimeForms) {
		t.Errorf("%d sessions, want %d", len(sessions), len(viewstest.TimeForms))
	}
	for _, name := range Names() {
		viewstest.WantPage(t, b.Get("/reports?section="+name), 200, `id="`+name+`"`)
	}
	chart := b.Get("/query?chart=bars&query=" + url.QueryEscape(`PREFIX prov: <http://www.w3.org/ns/prov#> SELECT ?t (1 AS ?n) { ?a prov:startedAtTime ?t }`))
	viewstest.WantPage(t, chart, 200, "12026")
}
