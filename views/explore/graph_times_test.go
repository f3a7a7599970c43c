package explore

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
	v "github.com/segraph/segraph/vocabulary"
)

// TestTheGraphFiltersTimesOfEveryForm has a message for each form of a time.
func TestTheGraphFiltersTimesOfEveryForm(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for i, form := range viewstest.TimeForms {
		s.Publish(fmt.Sprintf(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <%s> . @prefix schema: <http://schema.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
			<http://e/a%[2]d> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/r%[2]d> ; prov:startedAtTime "%[3]s"^^xsd:dateTime .
			<http://e/m%[2]d> a schema:Message ; schema:text "word %[2]d" ; schema:sender <http://e/p%[2]d> ; prov:wasGeneratedBy <http://e/a%[2]d> .`, v.Segb, i, form.Written))
		at, ok := views.ParseTime(form.At)
		if !ok {
			t.Fatal(form.At)
		}
		until := url.QueryEscape(at.Add(time.Second).Format(time.RFC3339Nano))
		for _, end := range []string{"since=" + url.QueryEscape(form.At), "until=" + until} {
			if p := s.picture(fmt.Sprintf("/kg-graph?node=http://e/m%d&%s", i, end)); !slices.ContainsFunc(p.nodes, func(n *graphNode) bool { return n.at.Equal(at) }) {
				t.Errorf("%s: the graph with %s lacks it", form.Written, end)
			}
		}
	}
}

// TestATimelineOverCenturiesSaysItsYears has a zero time, which some languages log for none, and days of two other years.
func TestATimelineOverCenturiesSaysItsYears(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	a := &artist{v: &views.Visit{Zone: time.UTC, Now: at}, d: &GraphDrawing{}}
	var ticks []drawing.Tick
	for i, day := range []time.Time{{}, at.AddDate(-1, 0, 0), at} {
		k := drawing.Tick{X: 200 * float64(i), At: float64(day.Unix())}
		if i > 0 {
			k.Silence = k.At - ticks[i-1].At
		}
		ticks = append(ticks, k)
	}
	a.writeTicks(ticks)
	var got []string
	for _, k := range a.d.Ticks {
		got = append(got, k.Text+" "+k.Silence)
	}
	if want := []string{"1 Jan 0001 00:00:00 ", "2 May 2025 10:00:00 739,372 days", "2 May 10:00:00 365 days"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	s := openService(t)
	s.Now = at
	s.Publish(fmt.Sprintf(`<http://e/1> a <%s> ; <http://www.w3.org/2000/01/rdf-schema#label> "wave" ; <%s> <http://e/ari> ; <%s> "2025-05-02T10:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .`, v.SegbLoggedActivity, v.SegbWasPerformedBy, v.ProvStartedAtTime))
	viewstest.Want(t, s.NewVisitor().Get("/kg-graph?layout=time&v=%2B+http://e/1").Body.String(), ">2 May 2025</text>")
	viewstest.Want(t, viewstest.WordsOf(s.NewVisitor().Get("/kg-graph?q=http://e/1").Body.String()), "2 May 2025, 10:00:00")
}
