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
	hours := &HourChart{Size: time.Hour, Scale: NewScale([]views.Period{{From: at, To: at.Add(time.Hour)}, {From: viewstest.Now.AddDate(0, 0, 2), To: viewstest.Now.AddDate(0, 0, 2).Add(time.Hour)}}, false), Bars: []HourBar{{at, 4, "/query?bar=1"}, {viewstest.Now.AddDate(0, 0, 2), 1, "/query?bar=2"}}}
	hours.Week[3][11] = HourBar{N: 5, Href: "/query?hour=11"}
	m := Dashboard{
		From: "2026-06-04T00:00:00", Range: "From 2026-06-04", Quick: []views.Tab{{Name: "All", Href: "/reports", Current: false}}, Contents: []views.Link{{Path: "#totals", Name: "Totals"}},
		Body: ReportBody{Sections: []ReportSection{
			{Name: "totals", Title: "Totals", About: "What there is.", Load: "/reports?section=totals", Figures: []ReportFigure{{"1,234", "triples", "/query?query=SELECT"}}, Hours: hours,
				Tables: []ReportTable{{Name: "t", Title: "A <table>", Query: "/query", CSV: "/reports/table?table=t", Columns: []ReportColumn{{"Who", false}, {"Times", true}}, More: true,
					Rows: [][]ReportCell{{{Text: "<script>alert(1)</script>", Value: "x", Href: "/query", Badge: "silent", BadgeKind: "warn"}, {Text: "5", Value: "5", Share: 100}}, {{}, {Text: "\u202e1", Value: "1"}}}},
					{Name: "none", Title: "None", Columns: []ReportColumn{{"Who", false}}, Nothing: "There is none."}}},
			{Name: "talk", Title: "Talk", Load: "/reports?section=talk", Threads: []Thread{{Who: []string{"A", "B"}, From: at, Query: "/query", Logged: 3, Bubbles: []Bubble{{Who: "A", Text: "<b>hi</b>", Language: "en", Note: "heard by B", Href: "/query", Time: at}, {Who: "B", Text: "hello", Robot: true, Time: viewstest.Now}}}}},
			{Name: "drawn", Title: "Drawn", Scale: NewScale([]views.Period{{From: at, To: viewstest.Now}}, true), Legend: []LegendEntry{{1, "joy"}, {9, "fear"}},
				Emotions: []EmotionChart{{"A", "Human", []EmotionPoint{{at, 0.5, 1, "joy 50 %", "/query?point=1"}, {viewstest.Now, 1.2, 9, "too much", "/query?point=2"}}}},
				Legends:  []Legend{{"place", []LegendEntry{{1, "room"}, {2, "<b>hall</b>"}}}},
				Lanes:    []Lane{{"B", "place", []LanePart{{0, 40, 1, "room", "room, 11:00", "/query?part=1"}, {40, 100, 7, "<b>hall</b>", "hall", "/query?part=2"}}}}},
			{Name: "slow", Title: "Slow", Waits: true, Load: "/reports?section=slow"},
			{Name: "bad", Title: "Bad", Load: "/reports?section=bad", Problem: &views.Problem{Status: 504, Title: "Gateway Timeout", Detail: "It took too long.", RequestID: "r-1"}},
		}},
	}
	viewstest.Golden(t, "reports", ReportsPage(f, m))
	viewstest.Golden(t, "reports-empty", ReportsPage(f, Dashboard{Empty: true, Start: Start{Publish: views.Command{Text: "curl http://h/api/ttl", Role: "logger"}}}))
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

// TestATableIsShownInPartUntilItIsAlone has a section of three tables.
func TestATableIsShownInPartUntilItIsAlone(t *testing.T) {
	t.Parallel()
	s := ReportSection{Name: "s", Title: "S", Load: "/reports?section=s"}
	for _, name := range []string{"small", "large", "folded"} {
		table := ReportTable{Name: name, Title: name, Query: "/q", CSV: "/c", Columns: []ReportColumn{{"Who", false}, {"Times", true}, {"Last", false}}, Folded: name == "folded"}
		for i := range map[string]int{"small": 3, "large": 60, "folded": 60}[name] {
			table.Rows = append(table.Rows, []ReportCell{{Text: name}, {Text: strconv.Itoa(i)}, {}})
		}
		s.Tables = append(s.Tables, table)
	}
	for only, want := range map[string]map[string]int{"": {"small": 3, "large": tallRows, "folded": 0}, "folded": {"small": 0, "large": 0, "folded": 60}} {
		s.Only = only
		page := rendered(t, ReportPart(s))
		for name, n := range want {
			if got := strings.Count(page, "<bdi>"+name); got != n {
				t.Errorf("%q shows %d rows of %s, want %d\n%s", only, got, name, n, page)
			}
		}
		if strings.Contains(page, "Show all 60 rows") != (only == "") {
			t.Errorf("%q: %s", only, page)
		}
	}
	if s.HasBlock("") || s.HasBlock("none") || !s.HasBlock("large") {
		t.Error("wrong blocks")
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
