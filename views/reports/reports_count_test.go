package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
	v "github.com/segraph/segraph/vocabulary"
)

func is(of map[string][]rdf.Term, class string) bool {
	return slices.Contains(of[rdf.RDF+"type"], rdf.NewIRI(class))
}

// reckon returns a section for the service's graph.
func (s *fixture) reckon(name string, from, to time.Time) ReportSection {
	s.T.Helper()
	r := &Report{Ask: s.UI.Ask, From: from, To: to, Now: s.Now, Limit: mostRows}
	out, err := r.Section(s.T.Context(), name)
	if err != nil {
		s.T.Fatal(err)
	}
	return out
}

func tableOf(t testing.TB, s ReportSection, name string) ReportTable {
	t.Helper()
	for _, table := range s.Tables {
		if table.Name == name {
			return table
		}
	}
	t.Fatalf("%s has no table %s", s.Name, name)
	return ReportTable{}
}

// columnOf sums the numbers of a column, grouped by another column.
func columnOf(t testing.TB, table ReportTable, by, number int) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, row := range table.Rows {
		n, err := strconv.Atoi(row[number].Value)
		if err != nil {
			t.Fatal(err)
		}
		out[row[by].Value] += n
	}
	return out
}

func TestReportsSayWhatTheTriplesSay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"demo-two-robots.ttl", "robot-capture.nt"} {
		t.Run(name, func(t *testing.T) {
			s := openService(t)
			if name == "robot-capture.nt" {
				s.PublishCapture()
			} else {
				s.PublishDemo()
			}
			g := viewstest.GraphOf(t, name)
			triples, totals := 0, map[string]int{}
			robots, kinds, hours, sent, uses, feelings, sum := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, 0
			used, robotsOf := map[string]bool{}, map[string]map[string]bool{} // the second by event
			for _, of := range g {
				for _, list := range of {
					triples += len(list)
				}
				for what, class := range map[string]string{"activities": v.SegbLoggedActivity, "messages": v.SchemaMessage, "robots": v.OroRobot, "people": v.OroHuman} {
					if is(of, class) {
						totals[what]++
					}
				}
				if is(of, v.SegbLoggedActivity) {
					robots[of[v.SegbWasPerformedBy][0].Value()]++
					var own []string
					for _, c := range of[rdf.RDF+"type"] {
						if c.Value() != v.SegbLoggedActivity && c.Value() != v.ProvActivity {
							own = append(own, c.Value())
						}
					}
					for _, event := range of[v.SchemaAbout] {
						if robotsOf[event.Value()] == nil {
							robotsOf[event.Value()] = map[string]bool{}
						}
						robotsOf[event.Value()][of[v.SegbWasPerformedBy][0].Value()] = true
					}
					kinds[slices.Min(own)]++
					at, err := time.Parse(time.RFC3339Nano, of[v.ProvStartedAtTime][0].Value())
					if err != nil {
						t.Fatal(err)
					}
					hours[at.UTC().Truncate(time.Hour).Format(time.RFC3339)]++
				}
				if is(of, v.SchemaMessage) {
					sent[of[v.SchemaSender][0].Value()]++
				}
				for _, m := range of[v.SegbUsedMLModel] {
					used[m.Value()] = true
					uses[m.Value()]++
				}
				for _, e := range of[v.OnyxHasEmotion] {
					totals["emotions"]++
					feelings[g[e.Value()][v.OnyxHasEmotionCategory][0].Value()]++
					if f, _ := strconv.ParseFloat(g[e.Value()][v.OnyxHasEmotionIntensity][0].Value(), 64); f >= 0.75 {
						sum++
					}
				}
			}
			totals["triples"], totals["models"], totals["shared events"], totals["to review"] = triples, len(used), 0, 0
			for _, by := range robotsOf {
				if len(by) > 1 {
					totals["shared events"]++
				}
			}
			activity := s.reckon("activity", time.Time{}, time.Time{})
			for _, f := range append(activity.Figures, s.reckon("overview-totals", time.Time{}, time.Time{}).Card.Tiles...) {
				what := strings.TrimSuffix(f.What, " in all")
				if what == "person" { // singular, because there is one
					what = "people"
				}
				if n, ok := totals[what]; !ok || f.Number != views.Count(n) {
					t.Errorf("%s %s, want %d, %t", f.Number, f.What, n, ok)
				}
			}
			same := func(what string, got, want map[string]int) {
				t.Helper()
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s are %v, want %v", what, got, want)
				}
			}
			same("activities by robot", columnOf(t, tableOf(t, activity, "by-robot"), 0, 1), robots)
			same("activities by kind", columnOf(t, tableOf(t, activity, "by-kind"), 0, 1), kinds)
			same("activities by hour", columnOf(t, tableOf(t, activity, "by-hour"), 0, 1), hours)
			inBars := 0
			for _, b := range activity.Hours.Bars {
				inBars += b.N
			}
			if inBars != totals["activities"] {
				t.Errorf("the bars have %d activities", inBars)
			}
			got := columnOf(t, tableOf(t, s.reckon("people", time.Time{}, time.Time{}), "participants"), 0, 2)
			for who, n := range got {
				if n != sent[who] {
					t.Errorf("%s said %d messages, want %d", who, n, sent[who])
				}
			}
			same("uses of models", columnOf(t, tableOf(t, s.reckon("ml", time.Time{}, time.Time{}), "ml-usage"), 1, 3), uses)
			emotions := s.reckon("emotions", time.Time{}, time.Time{})
			same("emotions", columnOf(t, tableOf(t, emotions, "emotion-distribution"), 1, 2), feelings)
			if n := len(tableOf(t, emotions, "emotion-extremes").Rows); n != sum {
				t.Errorf("%d emotions of 75 %% and more, want %d", n, sum)
			}
		})
	}
}
