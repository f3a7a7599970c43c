package reports

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheReportsPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Reports", "/reports")
	f.Styles = []string{"reports.css"}
	at := viewstest.Now.Add(-time.Hour)
	first, last := at.Truncate(time.Hour), viewstest.Now.AddDate(0, 0, 2).Truncate(time.Hour)
	hours := &HourChart{Size: time.Hour, Scale: NewScale([]views.Period{{From: first, To: first.Add(time.Hour)}, {From: last, To: last.Add(time.Hour)}}, false), Bars: []HourBar{{first, 4, "/query?bar=1"}, {last, 1, "/query?bar=2"}}}
	m := Dashboard{
		From: "2026-06-04T00:00:00", Range: "From 2026-06-04", Quick: []views.Tab{{Name: "All", Href: "/reports", Current: false}}, Tabs: []views.Tab{{Name: "Activity", Href: "/reports?section=activity"}},
		Body: ReportBody{Sections: []ReportSection{
			{Name: "activity", Title: "Activity", About: "What there is.", Load: "/reports?section=activity", Figures: []ReportFigure{{"1,234", "triples", "/query?query=SELECT"}}, Hours: hours,
				Tables: []ReportTable{{Name: "t", Title: "A <table>", Query: "/query", CSV: "/reports/table?table=t", Columns: []ReportColumn{{"Who", false}, {"Times", true}}, More: true,
					Rows: [][]ReportCell{{{Text: "<script>alert(1)</script>", Value: "x", Href: "/query", Badge: "silent", BadgeKind: "warn"}, {Text: "5", Value: "5", Share: 100}}, {{}, {Text: "\u202e1", Value: "1"}}}},
					{Name: "none", Title: "None", Columns: []ReportColumn{{"Who", false}}, Nothing: "There is none."}}},
			{Name: "talk", Title: "Talk", Load: "/reports?section=talk", Threads: []Thread{{Who: []string{"A", "B"}, From: at, Query: "/query", Logged: 3, Bubbles: []Bubble{{Who: "A", Text: "<b>hi</b>", Language: "en", Note: "heard by B", Href: "/query", Time: at}, {Who: "B", Text: "hello", Robot: true, Time: viewstest.Now}}}}},
			{Name: "drawn", Title: "Drawn", Scale: NewScale([]views.Period{{From: at, To: viewstest.Now}}, true), Legend: []LegendEntry{{1, "joy"}, {9, "fear"}},
				Emotions: []EmotionChart{{"A", "Human", []EmotionPoint{{at, 0.5, 1, "joy 50 %", "/query?point=1"}, {at, 0.25, 1, "joy 25 %", "/query?point=3"}, {viewstest.Now, 1.2, 9, "too much", "/query?point=2"}}}, {"B", "Human", []EmotionPoint{{at, 0.5, 1, "joy, once", "/query?point=4"}}}},
				Legends:  []Legend{{"place", []LegendEntry{{1, "room"}, {2, "<b>hall</b>"}}}},
				Lanes:    []Lane{{"B", "place", []LanePart{{0, 40, 1, "room", "room, 11:00", "/query?part=1"}, {40, 100, 7, "<b>hall</b>", "hall", "/query?part=2"}}}}},
			{Name: "slow", Title: "Slow", Waits: true, Load: "/reports?section=slow"},
			{Name: "bad", Title: "Bad", Load: "/reports?section=bad", Problem: &views.Problem{Status: 504, Title: "Gateway Timeout", Detail: "It took too long.", RequestID: "r-1"}},
		}},
	}
	parts := m.Body.Sections
	viewstest.Golden(t, "hours", hourChart(hours))
	viewstest.Golden(t, "thread", thread(parts[1].Threads[0]))
	viewstest.Golden(t, "emotions", emotionCharts(parts[2]))
	viewstest.Golden(t, "lanes", laneChart(parts[2]))
	viewstest.Golden(t, "section-waits", ReportPart(parts[3]))
	viewstest.Golden(t, "section-problem", ReportPart(parts[4]))
	viewstest.Show(t, ReportPart(parts[0])).Golden("report-figures", `class="counts`).Golden("report-table", `class="scroll"`)
	viewstest.Show(t, ReportsPage(f, m)).Golden("report-range", `class="rangebar"`).Golden("report-bands", `class="visually-hidden" width="0"`).Golden("report-contents", `class="tabs"`).Holds(`
<section class="card report" id="activity" aria-labelledby="activity-title">
<section class="card report" id="talk" aria-labelledby="talk-title">
<section class="card report" id="drawn" aria-labelledby="drawn-title">
<div class="block narrow">
<h3 id="activity-t">
<a href="/query" aria-label="Query of A &lt;table&gt;">
<a href="/reports/table?table=t" aria-label="CSV of A &lt;table&gt;" download>
`).Reads(`
# Sessions
From 2026-06-04.
All → /reports
From…
form get /reports
From UTC [from=2026-06-04T00:00:00]
Until UTC [to=]
[Show]
From 2026-06-04, as of 4 Jun 2026, 11:53:18 UTC
Activity → /reports?section=activity
# Activity
What there is.
1,234 triples → /query?query=SELECT
Activities by hour 4 Jun 2026, 10:00 to 6 Jun 2026, 12:00 UTC, 1 pause cut
0
1
2
3
4
Nothing for 2 days, from 4 Jun 2026, 11:00:00 UTC to 6 Jun 2026, 11:00:00 UTC
4 Jun 2026, 10:00:00 UTC: 4 activities
→ /query?bar=1
6 Jun 2026, 11:00:00 UTC: 1 activity
→ /query?bar=2
4 Jun 10:00
6 Jun 11:00
# A <table>
Query → /query CSV → /reports/table?table=t
Who | Times
<script>alert(1)</script> → /query silent | 5
– | \u202e1
The first 2 rows. The file has more.
# None
Query →
There is none.
# Talk
# A, B
4 Jun 2026, 10:53:18 UTC · 2 sentences, logged as 3 messages → /query
A 10:53:18
<b>hi</b>
heard by B · details → /query
B 11:53:18
hello
details →
# Drawn
Strength over time 4 Jun 2026, 10:53:18 to 11:53:18 UTC · the dashed line is at 75 %, where an emotion is extreme
A Human
joy
fear
0 %
50 %
75 %
100 %
joy 50 %
→ /query?point=1
joy 25 %
→ /query?point=3
too much
→ /query?point=2
11:00
11:30
Seldom read
B joy, once → /query?point=4
States over time 4 Jun 2026, 10:53:18 to 11:53:18 UTC
place
room
<b>hall</b>
B place
room, 11:00
room
→ /query?part=1
hall
<b>hall</b>
→ /query?part=2
11:00
11:30
A state lasts until the robot’s next one, or until the robot logs nothing for 10 minutes. Silence is blank, and long pauses are cut out.
# Slow
Loading slow…
Show this section → /reports?section=slow
This section could not be loaded
The service did not answer. Try it again → /reports?section=slow
# Bad
This took too long
It took too long.
Try this section again → /reports?section=bad
Status 504 · request r-1
`)
	viewstest.Show(t, ReportsPage(f, Dashboard{Empty: true, Start: Start{Publish: views.Command{Text: "curl http://h/api/ttl", Role: "logger"}}})).Golden("reports-start", `class="start"`).Reads(`
# Sessions
What robots and people did.
From…
form get /reports
From UTC [from=]
Until UTC [to=]
[Show]
All times, as of 4 Jun 2026, 11:53:18 UTC
# Healthy, and no data yet
Begin in one of three ways.
# 1. Play the demo
Two hours in a museum: three robots, forty visitors, thirty cases to review. One click removes it.
Ask an admin to play it here.
# 2. Publish a log
Run this in a shell:
curl http://h/api/ttl
SEGRAPH_TOKEN must hold a token with the role logger, such as segraph token --user ari --role logger prints.
# 3. Connect a robot
Each program logs a short talk. Or log what a robot records (MCAP), or publishes by foxglove_bridge.
`)
}

func TestATimeLiesInItsSpan(t *testing.T) {
	t.Parallel()
	s := views.Period{From: viewstest.Now, To: viewstest.Now.Add(time.Hour)}
	for after, want := range map[time.Duration]float64{0: 0, 30 * time.Minute: 0.5, time.Hour: 1, -time.Hour: 0, 2 * time.Hour: 1} {
		if got := s.At(viewstest.Now.Add(after)); got != want {
			t.Errorf("%v after its beginning: %v, want %v", after, got, want)
		}
	}
	if got := (views.Period{From: viewstest.Now, To: viewstest.Now}).At(viewstest.Now); got != 0.5 {
		t.Errorf("in a span of nothing: %v", got)
	}
}

// TestALongTableScrollsOrIsFolded has a section of three tables.
func TestALongTableScrollsOrIsFolded(t *testing.T) {
	t.Parallel()
	s := ReportSection{Name: "s", Title: "S", Load: "/reports?section=s"}
	for _, name := range []string{"small", "large", "folded"} {
		table := ReportTable{Name: name, Title: name, Query: "/q", CSV: "/c", Columns: []ReportColumn{{"Who", false}, {"Times", true}, {"Last", false}}, Folded: name == "folded"}
		for i := range map[string]int{"small": 3, "large": 60, "folded": 60}[name] {
			table.Rows = append(table.Rows, []ReportCell{{Text: name}, {Text: strconv.Itoa(i)}, {}})
		}
		s.Tables = append(s.Tables, table)
	}
	page := rendered(t, ReportPart(s))
	for name, n := range map[string]int{"small": 3, "large": 60, "folded": 60} {
		if got := strings.Count(page, "<bdi>"+name); got != n {
			t.Errorf("%d rows of %s, want %d\n%s", got, name, n, page)
		}
	}
	if strings.Count(page, `class="scroll tall"`) != 2 || strings.Count(page, "<summary>60 rows</summary>") != 1 {
		t.Error(page)
	}
}

func rendered(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
