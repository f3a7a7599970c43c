package reports

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/views/viewstest"
	"github.com/segraph/segraph/vocabulary"
)

const demoSession = "/replay?from=2026-02-24T12:20:50Z&to=2026-02-24T12:21:01Z"

// replay returns the events of a range of the store.
func (s *fixture) replay(from, to time.Time) *ReplayData {
	s.T.Helper()
	r := &Report{Ask: s.UI.Ask, From: from, To: to, Now: s.Now, Limit: mostRows}
	d, err := r.Replay(s.T.Context(), nil)
	if err != nil {
		s.T.Fatal(err)
	}
	return d
}

func TestTheListHasTheSessionsOfTheDemo(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	page := b.Get("/reports?section=sessions").Body.String()
	viewstest.Want(t, page, "Automatic, 2 min", "12:20 to 12:21", "12:10 to 12:14", "24 Feb 2026", "TIAGo", "Maria")
	if n := strings.Count(page, `href="/replay?from=`); n < 3 {
		t.Errorf("%d links lead to replays", n)
	}
	table := tableOf(t, s.reckon("sessions", time.Time{}, time.Time{}), "sessions")
	if len(table.Rows) != 3 {
		t.Fatalf("%d sessions", len(table.Rows))
	}
	for i, want := range []string{"10 s", "ARI, TIAGo", "Maria", "3", "3", "2", "2"} {
		if got := strings.NewReplacer("\u2068", "", "\u2069", "").Replace(table.Rows[0][i+1].Text); got != want {
			t.Errorf("%s is %q, want %q", table.Columns[i+1].Name, got, want)
		}
	}
	page = b.Get("/reports?section=sessions&gap=30m").Body.String()
	viewstest.Want(t, page, `<option value="30m" selected>`, "gap=30m&amp;section=sessions&amp;table=sessions")
	if !strings.Contains(page, ">11:50 to 12:21<") || strings.Contains(page, "12:20 to") {
		t.Error("with a gap of 30 minutes there is more than one session")
	}
	for gap, option := range map[string]string{"90s": `<option value="1m30s" selected>1 min 30 s<`, "10m10s": `<option value="10m10s" selected>10 min 10 s<`,
		"3630s": `<option value="1h0m30s" selected>1 h 30 s<`, "80m": `<option value="1h20m" selected>1 h 20 min<`, "60m": `<option value="1h" selected>1 h<`} {
		viewstest.Want(t, b.Get("/reports?section=sessions&gap="+gap).Body.String(), option)
	}
	viewstest.WantPage(t, b.Get("/reports?gap=1s"), http.StatusUnprocessableEntity, "is not a gap")
}

func TestATimeLeadsToItsSession(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	viewstest.WantPage(t, b.Get("/replay"), http.StatusOK, "No session yet")
	s.PublishDemo()
	for at, want := range map[string]string{
		"?at=2026-02-24T12:20:55Z": demoSession + "&t=2026-02-24T12:20:55Z",
		"?at=2026-02-24T12:12:00Z": "/replay?from=2026-02-24T12:10:50Z&to=2026-02-24T12:14:56Z&t=2026-02-24T12:12:00Z",
		"?at=2030-01-01T00:00:00Z": demoSession + "&t=2030-01-01T00:00:00Z",
		"":                         demoSession,
	} {
		w := b.Get("/replay" + at)
		got, err := url.QueryUnescape(w.Header().Get("Location"))
		if w.Code != http.StatusSeeOther || got != want || err != nil {
			t.Errorf("%q leads to %q, want %q", at, got, want)
		}
	}
}

func TestAReplayRefusesWhatItCanNotShow(t *testing.T) {
	t.Parallel()
	b := openService(t).NewVisitor()
	for query, words := range map[string]string{
		"?from=noon&to=2026-01-01T00:00:00Z":                           "is not a time",
		"?from=2026-01-01T00:00:00Z":                                   "needs a time from",
		"?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z":           "needs a time from",
		"?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z":           "at most 7 days",
		"?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&robot=%3E": "Robot must be an IRI",
	} {
		for _, part := range []string{"", "/feed", "/events"} {
			viewstest.WantPage(t, b.Get("/replay"+part+query), http.StatusUnprocessableEntity, words)
		}
	}
	viewstest.WantPage(t, b.Get("/replay?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"), http.StatusOK, "Nothing happened here")
}

func TestAReplaySaysWhoSaidWhatToWhomAndHowSureAModelWas(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	at := time.Date(2026, 2, 24, 12, 20, 50, 0, time.UTC)
	d := s.replay(at, at.Add(11*time.Second))
	var got []string
	for _, e := range d.Events {
		if e.Same {
			continue
		}
		line := e.Kind + ": " + e.Who + " to " + strings.Join(e.To, ", ") + ", heard by " + strings.Join(e.Heard, ", ") + ": " + e.Text
		if e.Kind == KindEmotion {
			line = fmt.Sprintf("%s %s %v %v by %s with %v", e.Who, e.Text, e.Intensity, e.Confidence, d.Robots[e.Lane], e.Models)
		} else if e.Kind == KindDecision {
			line = d.Robots[e.Lane] + " decides: " + e.What
		}
		got = append(got, line)
	}
	text := strings.Join(got, "\n")
	viewstest.Want(t, text, "message: Maria to ARI, heard by TIAGo: ARI, I feel sad because I just received bad news.",
		"message: ARI to Maria, heard by : Maria, I can see you feel sad.", "Maria sadness 0.84 0.92 by ARI with [Emotion Text Classifier 1.0]",
		"Maria happiness 0.74 0.93 by ARI with [Face Emotion CNN 1.2]", "ARI decides: ARI decides to provide emotional support",
		"TIAGo decides: Engagement check: Maria addressed ARI, TIAGo does not respond")
	if strings.Count(text, "I just received bad news") != 1 {
		t.Errorf("what two robots heard is listed twice:\n%s", text)
	}
	if d.IRIs["Maria"] != viewstest.Maria || d.IRIs["ARI"] != viewstest.ARI {
		t.Errorf("the names lead to %v", d.IRIs)
	}
	viewstest.WantPage(t, s.NewVisitor().Get("/replay?from=2026-02-24T12:20:50Z&to=2026-02-24T12:21:01Z"), http.StatusOK, `<p class="speaker"><a href="/why?iri=`+viewstest.Maria+`">`)
	viewstest.WantPage(t, s.NewVisitor().Get("/replay?from=2026-02-24T12:20:50Z&to=2026-02-24T12:21:01Z"), http.StatusOK, "shared event, and 1 more within it")
	if len(d.Shared) != 2 || d.Shared[1].Text != "ARI, I feel sad because I just received bad news." || len(d.Shared[1].Lanes) != 2 {
		t.Errorf("shared events are %+v", d.Shared)
	}
}

func TestOnlyAdminsSeePendingCasesInAReplay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
		<http://e/1> prov:startedAtTime "2026-02-11T09:00:00Z"^^xsd:dateTime ; segb:wasPerformedBy <https://ex/robot/ari> .
		<http://e/2> prov:startedAtTime "2026-02-11T09:00:01Z"^^xsd:dateTime ; segb:wasPerformedBy <https://ex/robot/tiago> .`)
	id := s.AddCases(1)[0]
	for role, sees := range map[auth.Role]bool{auth.Admin: true, auth.Auditor: false} {
		page := s.SignedIn(role).Get("/replay?from=2026-02-11T08:59:00Z&to=2026-02-11T09:01:00Z").Body.String()
		viewstest.Want(t, page, "ari", "tiago")
		for _, words := range []string{`href="/shared-context?case=` + id, "To review: "} {
			if got := strings.Contains(page, words); got != sees {
				t.Errorf("%s: %q is there: %v, want %v", role, words, got, sees)
			}
		}
	}
}

// publishSteps publishes activities of a robot, evenly from a time on.
func (s *fixture) publishSteps(robot string, from time.Time, n int, step time.Duration) {
	s.T.Helper()
	for begin := 0; begin < n; begin += 20_000 {
		var text strings.Builder
		text.WriteString("@prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <" + vocabulary.Segb + "> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n")
		for i := begin; i < min(n, begin+20_000); i++ {
			fmt.Fprintf(&text, "<http://e/%s/%d> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/%[1]s> ; prov:startedAtTime %[3]q^^xsd:dateTime .\n", robot, i, from.Add(time.Duration(i)*step).Format(time.RFC3339Nano))
		}
		s.Publish(text.String())
	}
}

// TestAReplayFindsASessionWhateverFollows has a short session before one of 12,000
// activities, and another long one.
func TestAReplayFindsASessionWhateverFollows(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	b := s.NewVisitor()
	day := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	s.publishSteps("early", day, 4, 10*time.Second)
	long := day.Add(time.Hour)
	s.publishSteps("busy", long, 12_000, time.Second)
	replayAt := func(at time.Time) (string, string) {
		w := b.Get("/replay?at=" + url.QueryEscape(at.Format(time.RFC3339Nano)))
		to, _ := url.QueryUnescape(w.Header().Get("Location"))
		page := b.Get(w.Header().Get("Location"))
		viewstest.WantPage(t, page, 200, "Replay")
		return to, page.Body.String()
	}
	if to, page := replayAt(day.Add(10 * time.Second)); !strings.HasPrefix(to, "/replay?from=2026-03-02T08:00:00Z&to=2026-03-02T08:00:31Z") || !strings.Contains(page, "early") {
		t.Errorf("a session that many activities follow is %s", to)
	}
	whole := "/replay?from=2026-03-02T09:00:00Z&to=2026-03-02T12:20:00Z"
	for _, at := range []time.Duration{0, time.Minute, 100 * time.Minute, 3*time.Hour + 19*time.Minute} {
		to, page := replayAt(long.Add(at))
		if !strings.HasPrefix(to, whole) || strings.Contains(to, "left=") {
			t.Errorf("a session of 12,000 activities is %s at %v", to, at)
		}
		viewstest.Want(t, page, "This session is too long for one replay", "/why?iri=http://e/busy/"+strconv.Itoa(int(at.Seconds())))
		if late := at > 3*time.Hour; late != strings.Contains(page, "Show what was before") || late == strings.Contains(page, "Show the rest") {
			t.Errorf("at %v the page says neither what is before nor what is after", at)
		}
	}
	if rows := tableOf(t, s.reckon("sessions", time.Time{}, time.Time{}), "sessions").Rows; len(rows) < 1 || rows[0][0].Text != "2 Mar 2026, 09:00:00" {
		t.Errorf("the list begins with %+v", rows[0][0])
	}
	s = openService(t)
	b = s.NewVisitor()
	days := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	s.publishSteps("tireless", days, 9*24*120, 30*time.Second)
	for at, part := range map[time.Duration]string{
		0:               "from=2026-05-01T00:00:00Z&left=after&to=2026-05-08T00:00:00Z",
		108 * time.Hour: "from=2026-05-02T00:00:00Z&left=before&left=after&to=2026-05-09T00:00:00Z",
		215 * time.Hour: "from=2026-05-02T23:59:31Z&left=before&to=2026-05-09T23:59:31Z",
	} {
		to, page := replayAt(days.Add(at))
		if !strings.HasPrefix(to, "/replay?"+part) || strings.Contains(part, "before") && !strings.Contains(page, "Show what was before") || strings.Contains(part, "after") && !strings.Contains(page, "Show the rest") {
			t.Errorf("a session of 9 days is %s at %v, want %s", to, at, part)
		}
	}
}
