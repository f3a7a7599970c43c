package views

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
)

func TestTheReportsPage(t *testing.T) {
	f := testFrame("Reports", "/reports")
	f.Styles = []string{"reports.css"}
	at := testNow.Add(-time.Hour)
	hours := &HourChart{Size: time.Hour, Scale: NewScale([]Period{{at, at.Add(time.Hour)}, {testNow.AddDate(0, 0, 2), testNow.AddDate(0, 0, 2).Add(time.Hour)}}, false), Bars: []HourBar{{at, 4, "/query?bar=1"}, {testNow.AddDate(0, 0, 2), 1, "/query?bar=2"}}}
	hours.Week[3][11] = HourBar{N: 5, Href: "/query?hour=11"}
	m := Report{
		From: "2026-06-04T00:00:00", Range: "From 2026-06-04", Quick: []Tab{{"All", "/reports", false}}, Contents: []Link{{"#totals", "Totals"}},
		Body: ReportBody{Sections: []ReportSection{
			{Name: "totals", Title: "Totals", About: "What there is.", Load: "/reports?section=totals", Figures: []ReportFigure{{"1,234", "triples", "/query?query=SELECT"}}, Hours: hours,
				Tables: []ReportTable{{Name: "t", Title: "A <table>", Query: "/query", CSV: "/reports/table?table=t", Columns: []ReportColumn{{"Who", false}, {"Times", true}}, More: true,
					Rows: [][]ReportCell{{{Text: "<script>alert(1)</script>", Value: "x", Href: "/query", Badge: "silent", BadgeKind: "warn"}, {Text: "5", Value: "5", Share: 100}}, {{}, {Text: "\u202e1", Value: "1"}}}},
					{Name: "none", Title: "None", Columns: []ReportColumn{{"Who", false}}, Nothing: "There is none."}}},
			{Name: "talk", Title: "Talk", Load: "/reports?section=talk", Threads: []Thread{{Who: []string{"A", "B"}, From: at, Query: "/query", Logged: 3, Bubbles: []Bubble{{Who: "A", Text: "<b>hi</b>", Language: "en", Note: "heard by B", Href: "/query", Time: at}, {Who: "B", Text: "hello", Robot: true, Time: testNow}}}}},
			{Name: "drawn", Title: "Drawn", Scale: NewScale([]Period{{at, testNow}}, true), Legend: []LegendEntry{{1, "joy"}, {9, "fear"}},
				Emotions: []EmotionChart{{"A", "Human", []EmotionPoint{{at, 0.5, 1, "joy 50 %", "/query?point=1"}, {testNow, 1.2, 9, "too much", "/query?point=2"}}}},
				Legends:  []Legend{{"place", []LegendEntry{{1, "room"}, {2, "<b>hall</b>"}}}},
				Lanes:    []Lane{{"B", "place", []LanePart{{0, 40, 1, "room", "room, 11:00", "/query?part=1"}, {40, 100, 7, "<b>hall</b>", "hall", "/query?part=2"}}}}},
			{Name: "slow", Title: "Slow", Waits: true, Load: "/reports?section=slow"},
			{Name: "bad", Title: "Bad", Load: "/reports?section=bad", Problem: &Problem{Status: 504, Title: "Gateway Timeout", Detail: "It took too long.", RequestID: "r-1"}},
		}},
	}
	golden(t, "reports", ReportsPage(f, m))
	golden(t, "reports-empty", ReportsPage(f, Report{Empty: true, Start: Start{Publish: Command{"curl http://h/api/ttl", "logger"}}}))
}

func TestATimeLiesInItsSpan(t *testing.T) {
	s := Period{testNow, testNow.Add(time.Hour)}
	for after, want := range map[time.Duration]float64{0: 0, 30 * time.Minute: 0.5, time.Hour: 1, -time.Hour: 0, 2 * time.Hour: 1} {
		if got := s.at(testNow.Add(after)); got != want {
			t.Errorf("%v after its beginning: %v, want %v", after, got, want)
		}
	}
	if got := (Period{testNow, testNow}).at(testNow); got != 0.5 {
		t.Errorf("in a span of nothing: %v", got)
	}
}

// TestASectionFitsIntoItsRoom has three tables of which one fits, and opens the others alone.
func TestASectionFitsIntoItsRoom(t *testing.T) {
	s := ReportSection{Name: "s", Title: "S", Load: "/reports?section=s"}
	for _, name := range []string{"small", "large", "folded"} {
		table := ReportTable{Name: name, Title: name, Query: "/q", CSV: "/c", Columns: []ReportColumn{{"Who", false}, {"Times", true}, {"Last", false}}, Folded: name == "folded"}
		for i := range map[string]int{"small": 13, "large": 60, "folded": 60}[name] {
			text := strings.Repeat(name, map[string]int{"small": 1, "large": 50, "folded": 1}[name])
			table.Rows = append(table.Rows, []ReportCell{{Text: text}, {Text: strconv.Itoa(i)}, {}})
		}
		s.Tables = append(s.Tables, table)
	}
	rows := func(s ReportSection) (string, map[string]int) {
		page := rendered(t, ReportPart(s))
		n := map[string]int{}
		for _, table := range s.Tables {
			n[table.Name] = strings.Count(page, "<bdi>"+table.Name)
		}
		return page, n
	}
	s.Room = 4000
	if page, n := rows(s); n["small"] != tallRows || n["large"] != 0 || n["folded"] != 0 || strings.Count(page, `hx-trigger="load"`) != 1 || !strings.Contains(page, "rest=large") {
		t.Errorf("%v\n%s", n, page)
	}
	s.Rest = "large"
	if page, n := rows(s); n["small"] != 0 || n["large"] != tallRows || strings.Count(page, `hx-trigger="load"`) != 1 || !strings.Contains(page, "rest=folded") {
		t.Errorf("the rest, to a reader without scripts: %v\n%s", n, page)
	}
	s.Room = 0
	if page, n := rows(s); n["small"] != 0 || n["large"] != tallRows || n["folded"] != 0 || strings.Contains(page, `hx-trigger="load"`) || !strings.Contains(page, "Show all 60 rows") {
		t.Errorf("the rest, to a script: %v\n%s", n, page)
	}
	s.Rest = ""
	if page, n := rows(s); n["small"] != tallRows || n["large"] != tallRows || strings.Contains(page, `hx-trigger="load"`) {
		t.Errorf("without a limit: %v", n)
	}
	s.Only = "folded"
	if _, n := rows(s); n["folded"] != 60 || n["small"] != 0 {
		t.Errorf("a script gets %v", n)
	}
	s.Room = 1
	for first, want := range map[int]string{0: "1–25 of 60", 25: "26–50 of 60", 50: "51–60 of 60", 99: "51–60 of 60"} {
		s.First = first
		if page, n := rows(s); !strings.Contains(page, want) || n["folded"] != min(25, 60-min(first, 50)) {
			t.Errorf("from %d: %v\n%s", first, n, page)
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
