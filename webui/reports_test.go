package webui

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	v "github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/webui/report"
)

// publishCapture stores what two real robots sent.
func (s *fixture) publishCapture() {
	s.t.Helper()
	text, err := os.ReadFile(suite.Shared(s.t, "data", "robot-capture.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var body struct {
			TTL string `json:"ttl_content"`
		}
		if err := json.Unmarshal([]byte(line), &body); err != nil {
			s.t.Fatal(err)
		}
		s.publish(body.TTL)
	}
}

// graphOf reads the triples of a data file without the engine.
func graphOf(t testing.TB, name string) map[string]map[string][]rdf.Term {
	t.Helper()
	f, err := os.Open(suite.Shared(t, "data", name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // already read
	syntax := turtle.Turtle
	if filepath.Ext(name) == ".nt" {
		syntax = turtle.NTriples
	}
	out := map[string]map[string][]rdf.Term{}
	for in := turtle.NewReader(f, syntax, turtle.Options{}); ; {
		q, err := in.Read()
		if errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		of := out[q.S.Value()]
		if of == nil {
			of = map[string][]rdf.Term{}
			out[q.S.Value()] = of
		}
		if !slices.Contains(of[q.P.Value()], q.O) {
			of[q.P.Value()] = append(of[q.P.Value()], q.O)
		}
	}
}

func is(of map[string][]rdf.Term, class string) bool {
	return slices.Contains(of[rdf.RDF+"type"], rdf.NewIRI(class))
}

// reckon returns a section for the service's graph.
func (s *fixture) reckon(name string, from, to time.Time) views.ReportSection {
	s.t.Helper()
	r := &report.Report{Ask: s.ui.ask, From: from, To: to, Now: s.now, Limit: reportRows}
	out, err := r.Section(s.t.Context(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func tableOf(t testing.TB, s views.ReportSection, name string) views.ReportTable {
	t.Helper()
	for _, table := range s.Tables {
		if table.Name == name {
			return table
		}
	}
	t.Fatalf("%s has no table %s", s.Name, name)
	return views.ReportTable{}
}

// column sums the numbers of a column, grouped by another column.
func column(t testing.TB, table views.ReportTable, by, number int) map[string]int {
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
	for _, name := range []string{"demo-two-robots.ttl", "robot-capture.nt"} {
		t.Run(name, func(t *testing.T) {
			s := openService(t)
			if name == "robot-capture.nt" {
				s.publishCapture()
			} else {
				s.publishDemo()
			}
			g := graphOf(t, name)
			triples, totals := 0, map[string]int{}
			robots, kinds, hours, sent, uses, feelings, sum := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, 0
			used := map[string]bool{}
			for _, of := range g {
				for _, list := range of {
					triples += len(list)
				}
				for what, class := range map[string]string{"activities": v.SegbLoggedActivity, "messages": v.SchemaMessage, "robots": v.OroRobot, "humans": v.OroHuman} {
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
					totals["emotions read"]++
					feelings[g[e.Value()][v.OnyxHasEmotionCategory][0].Value()]++
					if f, _ := strconv.ParseFloat(g[e.Value()][v.OnyxHasEmotionIntensity][0].Value(), 64); f >= 0.75 {
						sum++
					}
				}
			}
			totals["triples"], totals["models used"] = triples, len(used)
			for _, f := range s.reckon("totals", time.Time{}, time.Time{}).Figures {
				if f.What == "human" { // singular, because there is one
					f.What = "humans"
				}
				if f.Number != views.Count(totals[f.What]) {
					t.Errorf("%s %s, want %d", f.Number, f.What, totals[f.What])
				}
			}
			same := func(what string, got, want map[string]int) {
				t.Helper()
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s are %v, want %v", what, got, want)
				}
			}
			activity := s.reckon("activity", time.Time{}, time.Time{})
			same("activities by robot", column(t, tableOf(t, activity, "by-robot"), 0, 1), robots)
			same("activities by kind", column(t, tableOf(t, activity, "by-kind"), 0, 1), kinds)
			same("activities by hour", column(t, tableOf(t, activity, "by-hour"), 0, 1), hours)
			inBars, inWeek := 0, 0
			for _, b := range activity.Hours.Bars {
				inBars += b.N
			}
			for i := range 7 * 24 {
				inWeek += activity.Hours.Week[i/24][i%24].N
			}
			if inBars != totals["activities"] || inWeek != totals["activities"] {
				t.Errorf("the bars have %d activities, the week has %d", inBars, inWeek)
			}
			got := column(t, tableOf(t, s.reckon("people", time.Time{}, time.Time{}), "participants"), 0, 2)
			for who, n := range got {
				if n != sent[who] {
					t.Errorf("%s said %d messages, want %d", who, n, sent[who])
				}
			}
			same("uses of models", column(t, tableOf(t, s.reckon("ml", time.Time{}, time.Time{}), "ml-usage"), 1, 3), uses)
			emotions := s.reckon("emotions", time.Time{}, time.Time{})
			same("emotions", column(t, tableOf(t, emotions, "emotion-distribution"), 1, 2), feelings)
			if n := len(tableOf(t, emotions, "emotion-extremes").Rows); n != sum {
				t.Errorf("%d emotions of 75 %% and more, want %d", n, sum)
			}
		})
	}
}

func TestEverySectionHasContentOnTheDemo(t *testing.T) {
	s := openService(t)
	s.publishDemo()
	b := s.visitor()
	page := b.get("/reports").Body.String()
	for _, name := range report.Names() {
		section := s.reckon(name, time.Time{}, time.Time{})
		rows := len(section.Figures)
		for _, table := range section.Tables {
			if len(table.Rows) == 0 && !strings.HasPrefix(table.Name, "resolver-") {
				t.Errorf("%s: the table %s is empty", name, table.Name)
			}
			rows += len(table.Rows)
		}
		if rows == 0 || !strings.Contains(page, `id="`+name+`"`) {
			t.Errorf("%s has nothing", name)
		}
	}
}

func TestInteractionsAreThereInBothDirections(t *testing.T) {
	s := openService(t)
	s.publishDemo()
	section := s.reckon("people", time.Time{}, time.Time{})
	got := map[string]string{}
	for _, row := range tableOf(t, section, "said").Rows {
		got[row[0].Text+" to "+row[1].Text] = row[2].Text + " " + row[3].Text + " " + row[4].Text
	}
	// Maria said three things to ARI, one of which TIAGo heard too. ARI said four things to
	// her. What robots logged about her or her emotions counts as noticed.
	for pair, want := range map[string]string{"Maria to ARI": "3 3 0", "Maria to TIAGo": "0 1 0", "ARI to Maria": "4 0 14", "TIAGo to Maria": "0 0 3"} {
		if got[pair] != want {
			t.Errorf("%s: %q, want %q", pair, got[pair], want)
		}
	}
	with := map[string]string{}
	for _, row := range tableOf(t, section, "participants").Rows {
		with[row[0].Text] = row[4].Value + ";" + row[5].Value
	}
	if with["Maria"] != "ARI;TIAGo" || with["ARI"] != "Maria;" || with["TIAGo"] != ";Maria" {
		t.Errorf("interacted: %v", with)
	}
}

// TestAConversationHasABubbleForEveryMessage also checks the demo's two pauses, and a
// message that two robots heard.
func TestAConversationHasABubbleForEveryMessage(t *testing.T) {
	s := openService(t)
	s.publishDemo()
	threads := s.reckon("conversations", time.Time{}, time.Time{}).Threads
	if len(threads) != 2 || len(threads[0].Bubbles) != 2 || len(threads[1].Bubbles) != 5 {
		t.Fatalf("%+v", threads)
	}
	if b := threads[0].Bubbles[0]; b.Who != "Maria" || b.Robot || b.Note != "heard by ARI and TIAGo" {
		t.Errorf("%+v", b)
	}
	if b := threads[1].Bubbles[1]; b.Who != "ARI" || !b.Robot || !strings.HasPrefix(b.Text, "Here is one headline") {
		t.Errorf("%+v", b)
	}
	one := openService(t)
	var text strings.Builder
	for i, second := range []int{0, 119, 238, 300, 301, 302, 303, 423} { // the last comes after two minutes
		fmt.Fprintf(&text, "<urn:m%d> a <%s> ; <%s> \"hello\" ; <%s> <urn:h> ; <%s> <urn:a%d> . <urn:a%d> <%s> <urn:r> ; <%s> \"%s\"^^<%s> .\n",
			i, v.SchemaMessage, v.SchemaText, v.SchemaSender, v.ProvWasGeneratedBy, i, i, v.SegbWasPerformedBy, v.ProvStartedAtTime,
			time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC).Format(time.RFC3339), rdf.XSDDateTime)
	}
	one.publish(text.String())
	threads = one.reckon("conversations", time.Time{}, time.Time{}).Threads
	if len(threads) != 2 || len(threads[1].Bubbles) != 7 || len(threads[0].Bubbles) != 1 {
		t.Errorf("%+v", threads)
	}
}

func TestTimesOfAnyZoneAreCountedInTheirHourOfUTC(t *testing.T) {
	s := openService(t)
	for i, at := range []string{"2026-01-01T00:10:00+05:30", "2025-12-31T18:59:59Z", "2025-12-31T19:00:00.5+00:00", "2025-12-31T14:20:00-04:45", "2025-12-31T18:40:00"} {
		s.publish(fmt.Sprintf(`<urn:a%d> a <%s> ; <%s> "%s"^^<%s> .`, i, v.SegbLoggedActivity, v.ProvStartedAtTime, at, rdf.XSDDateTime))
	}
	got := column(t, tableOf(t, s.reckon("activity", time.Time{}, time.Time{}), "by-hour"), 0, 1)
	if got["2025-12-31T18:00:00Z"] != 3 || got["2025-12-31T19:00:00Z"] != 2 || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

func TestARobotThatFellSilentIsMarked(t *testing.T) {
	s := openService(t)
	for i, ago := range []time.Duration{5, 4, 3, 2, 1} {
		for robot, factor := range map[string]time.Duration{"talks": time.Minute, "silent": time.Hour} {
			at := s.now.Add(-ago * time.Minute)
			if robot == "silent" {
				at = s.now.Add(-factor + -ago*time.Minute)
			}
			s.publish(fmt.Sprintf(`<urn:%s%d> a <%s> ; <%s> <urn:%s> ; <%s> "%s"^^<%s> .`,
				robot, i, v.SegbLoggedActivity, v.SegbWasPerformedBy, robot, v.ProvStartedAtTime, at.UTC().Format(time.RFC3339), rdf.XSDDateTime))
		}
	}
	for _, row := range tableOf(t, s.reckon("activity", time.Time{}, time.Time{}), "by-robot").Rows {
		if want := row[0].Value == "urn:silent"; (row[4].Badge == "silent") != want {
			t.Errorf("%s: %+v", row[0].Value, row[4])
		}
	}
}

// TestSilenceOfOldDataCountsFromItsEnd has two robots that stopped months ago, one of
// them an hour before the other.
func TestSilenceOfOldDataCountsFromItsEnd(t *testing.T) {
	s := openService(t)
	s.now = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	s.publish(logged("ari 2026-02-01T12:00:00Z", "ari 2026-02-01T12:01:00Z", "ari 2026-02-01T12:02:00Z", "tiago 2026-02-01T12:00:00Z", "tiago 2026-02-01T13:02:00Z"))
	table := tableOf(t, s.reckon("activity", time.Time{}, time.Time{}), "by-robot")
	for _, row := range table.Rows {
		if row[0].Text == "tiago" && row[4].Badge != "" || row[0].Text == "ari" && row[4].Text != "for 60 minutes; usual pause 60 seconds" {
			t.Errorf("%s: %+v", row[0].Text, row[4])
		}
	}
	if !strings.Contains(table.About, "up to the newest activity, 2026-02-01 13:02:00") {
		t.Errorf("the table says %q", table.About)
	}
}

func TestEveryTableIsAFileToo(t *testing.T) {
	s := openService(t)
	s.publishDemo()
	b := s.visitor()
	for _, name := range report.Names() {
		for _, table := range s.reckon(name, time.Time{}, time.Time{}).Tables {
			w := b.get("/reports/table?section=" + name + "&table=" + table.Name)
			records, err := csv.NewReader(w.Body).ReadAll()
			if err != nil || w.Code != http.StatusOK || len(records) != len(table.Rows)+1 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/csv") {
				t.Errorf("%s: %d, %d records of %d rows, %v", table.Name, w.Code, len(records), len(table.Rows), err)
			}
		}
	}
	wantPage(t, b.get("/reports/table?section=totals&table=x"), http.StatusNotFound, "There is no table")
	wantPage(t, b.get("/reports?section=x"), http.StatusNotFound, "There is no section")
	if w := b.get("/reports?who=ari"); w.Code != 422 || !strings.Contains(w.Body.String(), "Who is &#34;ari&#34;, which is not an IRI") || strings.Contains(w.Body.String(), "aria-invalid") {
		t.Errorf("a name is no IRI: %d %s", w.Code, w.Body)
	}
	wantPage(t, b.get("/reports?from=yesterday"), http.StatusUnprocessableEntity, "is not a time")
	wantPage(t, b.get("/reports?from=2026-01-02&to=2026-01-01"), http.StatusUnprocessableEntity, "ends before it begins")
}

func TestAnEmptyGraphSaysHowToBegin(t *testing.T) {
	wantPage(t, openService(t).visitor().get("/reports"), http.StatusOK, "Healthy, and no data yet")
}

func TestASectionThatFailsIsNoEmptyOne(t *testing.T) {
	s := limitedService(t, 0, 14<<10) // enough for the page's own query, but not for those of the section
	s.publishDemo()
	w := s.visitor().get("/reports?section=people")
	wantPage(t, w, http.StatusOK, "notice bad")
	if strings.Contains(w.Body.String(), "<table") {
		t.Error("it shows a table")
	}
}

// TestQueriesOfReportsUseKnownNamesAlone compares the names in the query files with
// package vocabulary.
func TestQueriesOfReportsUseKnownNamesAlone(t *testing.T) {
	known := map[string]bool{}
	sources, err := filepath.Glob("../internal/vocabulary/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`= (\w+) \+ "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			known[strings.ToLower(m[1])+":"+m[2]] = true
		}
	}
	files, err := filepath.Glob("report/queries/*.rq")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`[a-z]+:\w+`).FindAllString(string(text), -1) {
			if !known[name] && !strings.HasPrefix(name, "urn:") && !strings.HasPrefix(name, "segraph:") && name != "xsd:integer" {
				t.Errorf("%s: %s is no name of the vocabulary", path, name)
			}
		}
	}
}

// TestARangeWithItsEndsReversedSaysSoBesideTheForm checks that the input is kept and no
// section is shown.
func TestARangeWithItsEndsReversedSaysSoBesideTheForm(t *testing.T) {
	s := openService(t)
	s.publish("<http://e/a> <http://e/b> 1 .")
	b := s.visitor()
	for address, want := range map[string]string{
		"/reports?from=2026-02-24T12:20:00&to=2026-02-24T12:00:00": "The range ends before it begins",
		"/reports?from=2026-02-24T12:20:00&to=2026-02-24T12:20:00": "The range ends before it begins",
		"/reports?from=tomorrow":                                   "&#34;tomorrow&#34; is not a time",
	} {
		w := b.get(address)
		wantPage(t, w, 422, `id="wrong-range" role="alert">`+want)
		wantPage(t, w, 422, `aria-describedby="wrong-range"`)
		from, _, _ := strings.Cut(strings.TrimPrefix(address, "/reports?from="), "&")
		wantPage(t, w, 422, `value="`+from+`"`)
		form, _, _ := strings.Cut(w.Body.String(), "</form>")
		if !strings.Contains(form, want) {
			t.Errorf("%s: the message is not in the form", address)
		}
		if strings.Contains(w.Body.String(), `id="totals"`) {
			t.Errorf("%s: it shows sections", address)
		}
	}
}
