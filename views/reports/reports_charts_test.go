package reports

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// logged returns Turtle of robot logs. A line "robot time place" is a state; without a
// place it is an activity.
func logged(lines ...string) string {
	var out strings.Builder
	out.WriteString("@prefix e: <http://e/> . @prefix oro: <http://kb.openrobots.org#> . @prefix prov: <http://www.w3.org/ns/prov#> .\n" +
		"@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n")
	for _, line := range lines {
		robot, rest, _ := strings.Cut(line, " ")
		at, place, isState := strings.Cut(rest, " ")
		id := strings.NewReplacer(":", "", "+", "").Replace(robot + at)
		fmt.Fprintf(&out, "e:%s a oro:Robot .\n", robot)
		if isState {
			fmt.Fprintf(&out, "e:state%s a segb:Result ; prov:wasAttributedTo e:%s ; prov:generatedAtTime \"%s\"^^xsd:dateTime ; prov:atLocation e:%s .\n", id, robot, at, place)
		} else {
			fmt.Fprintf(&out, "e:activity%s a segb:LoggedActivity ; segb:wasPerformedBy e:%s ; prov:startedAtTime \"%s\"^^xsd:dateTime .\n", id, robot, at)
		}
	}
	return out.String()
}

// drawn returns the parts of a section's lanes as text, in minutes from the first state.
func drawn(s ReportSection) []string {
	var out []string
	minutes := func(text string) float64 {
		at, err := time.Parse(views.TimeForm, text)
		if err != nil {
			return -1
		}
		return at.Sub(s.Scale.Parts[0].From).Minutes()
	}
	for _, l := range s.Lanes {
		line := l.Who
		for _, p := range l.Parts {
			from, to, _ := strings.Cut(strings.TrimPrefix(p.Title, quoted.Value(p.Value)+", "), " to ")
			line += fmt.Sprintf(" %s %.0f-%.0f", p.Value, minutes(from), minutes(to))
		}
		out = append(out, line)
	}
	return out
}

// TestARobotStateEndsWhereItsLogEnds has a robot that logs for 40 minutes, logs nothing
// for four months, and then logs two more states. Another robot logs a single state.
func TestARobotStateEndsWhereItsLogEnds(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(logged(
		"ari 2026-02-01T12:00:00Z hall", "ari 2026-02-01T12:10:00Z lab", "ari 2026-02-01T12:20:00Z lab",
		"ari 2026-02-01T12:30:00Z", "ari 2026-02-01T14:40:00+02:00", // activities: the log continues until 12:40
		"ari 2026-06-01T12:00:00Z lab", "ari 2026-06-01T12:05:00Z hall",
		"tiago 2026-02-01T12:00:00Z hall",
	))
	section := s.reckon("states", time.Time{}, time.Time{})
	june := int(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC).Sub(time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)).Minutes())
	want := []string{fmt.Sprintf("ari hall 0-10 lab 10-40 lab %d-%d hall %d-%d", june, june+5, june+5, june+5), "tiago hall 0-0"}
	if got := drawn(section); !slices.Equal(got, want) {
		t.Errorf("drawn is %q, want %q", got, want)
	}
}

// Pauses of ten minutes do not end a state, and a longer silence does.
func TestAStateLastsWhileItsRobotLogsEveryTenMinutes(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(logged("ari 2026-02-01T12:00:00Z hall", "ari 2026-02-01T12:10:00Z", "ari 2026-02-01T12:20:00Z", "ari 2026-02-01T12:29:00Z lab", "ari 2026-02-01T12:40:00Z lab", "ari 2026-02-01T12:55:00Z"))
	if got := drawn(s.reckon("states", time.Time{}, time.Time{})); !slices.Equal(got, []string{"ari hall 0-29 lab 29-29 lab 40-40"}) {
		t.Errorf("drawn is %q", got)
	}
}

// TestBucketsGoDownToAMinute has an activity every 15 minutes, over increasing periods.
func TestBucketsGoDownToAMinute(t *testing.T) {
	t.Parallel()
	s := openService(t)
	first := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	lines := []string{"ari 2026-02-01T13:00:59+01:00"}
	for i := range 4 * 24 {
		lines = append(lines, "ari "+first.Add(time.Duration(i)*15*time.Minute+5*time.Second).Format(time.RFC3339))
	}
	s.Publish(logged(lines...))
	for long, want := range map[time.Duration]time.Duration{30 * time.Minute: time.Minute, 10 * time.Hour: 5 * time.Minute, 24 * time.Hour: 15 * time.Minute} {
		section := s.reckon("activity", first, first.Add(long))
		if section.Hours.Size != want {
			t.Errorf("of %s a bar is %s, want %s", long, section.Hours.Size, want)
		}
		sum := 0
		for _, b := range section.Hours.Bars {
			sum += b.N
		}
		if wanted := 1 + int(long/(15*time.Minute)); sum != wanted || section.Hours.Bars[0].N != 2 {
			t.Errorf("of %s the first bar has %d of %d, want 2 of %d", long, section.Hours.Bars[0].N, sum, wanted)
		}
		table := tableOf(t, section, "by-minute")
		if table.Rows[0][0].Text != "1 Feb 2026, 12:00" || table.Title != "By "+SizeName(want) {
			t.Errorf("of %s the table %s begins with %q", long, table.Title, table.Rows[0][0].Text)
		}
	}
}

// TestChartsCutPauses has two sessions of some minutes, three months apart.
func TestChartsCutPauses(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(logged("ari 2026-02-01T12:00:05Z hall", "ari 2026-02-01T12:20:05Z lab", "ari 2026-05-01T12:00:05Z hall",
		"ari 2026-02-01T12:00:05Z", "ari 2026-02-01T12:20:05Z", "ari 2026-05-01T12:00:05Z"))
	activity, states := s.reckon("activity", time.Time{}, time.Time{}), s.reckon("states", time.Time{}, time.Time{})
	if activity.Hours.Size != time.Minute || len(activity.Hours.Bars) != 3 || len(activity.Hours.Scale.Parts) != 2+1 {
		t.Errorf("bars of %s: %v on %v", activity.Hours.Size, activity.Hours.Bars, activity.Hours.Scale)
	}
	if got := states.Scale.Parts; len(got) != 3 || got[2].From.Month() != time.May {
		t.Errorf("the states are drawn on %v", got)
	}
	page := s.NewVisitor().Get("/reports?section=activity").Body.String()
	for _, text := range []string{"2 pauses cut", "Nothing for 88 days, from 1 Feb 2026"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
}

// TestAColourBelongsToAName shows the same places in ranges with other ranks, and after
// more data was stored.
func TestAColourBelongsToAName(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(logged("ari 2026-02-01T12:00:00Z zoo", "ari 2026-02-01T12:01:00Z hall", "ari 2026-02-01T12:02:00Z lab", "ari 2026-02-01T12:03:00Z attic"))
	colours := func(from string) map[string]int {
		at, err := time.Parse(time.RFC3339, from)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]int{}
		for _, l := range s.reckon("states", at, time.Time{}).Legends {
			for _, e := range l.List {
				out[e.Name] = e.Series
			}
		}
		return out
	}
	all := colours("2026-02-01T12:00:00Z")
	if len(all) != 4 || all["zoo"] == all["lab"] {
		t.Fatalf("%v", all)
	}
	s.Publish(logged("tiago 2026-02-01T13:00:00Z aisle", "tiago 2026-02-01T13:01:00Z bay"))
	for from, names := range map[string]int{"2026-02-01T12:00:00Z": 6, "2026-02-01T12:01:00Z": 5, "2026-02-01T12:03:00Z": 3} {
		got := colours(from)
		for name, n := range all {
			if got[name] != 0 && got[name] != n {
				t.Errorf("from %s %s has the colour %d, and %d before", from, name, got[name], n)
			}
		}
		if len(got) != names {
			t.Errorf("from %s there are %v", from, got)
		}
	}
}

// TestNamesOfOneColourHaveDifferentShapes has three places in a chart that would have the
// same number.
func TestNamesOfOneColourHaveDifferentShapes(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var names, lines []string
	for i := 0; len(names) < 3; i++ {
		if name := fmt.Sprint("place", i); views.SeriesOf("http://e/"+name) == views.SeriesOf("http://e/place0") {
			names, lines = append(names, name), append(lines, fmt.Sprintf("ari 2026-02-01T13:0%d:00Z %s", len(names), name))
		}
	}
	s.Publish(logged(lines...))
	seen := map[int]string{}
	for _, l := range s.reckon("states", time.Time{}, time.Time{}).Legends {
		for _, e := range l.List {
			if other := seen[e.Series]; other != "" {
				t.Errorf("%s and %s are both %d", other, e.Name, e.Series)
			}
			seen[e.Series] = e.Name
		}
	}
	if len(seen) != 3 || seen[views.SeriesOf("http://e/place0")] == "" {
		t.Errorf("%v", seen)
	}
}

// TestReportsDistinguishRobotsOfOneName has two labs with the same local names: a
// robot ari, a person maria, a hall, a kind and an emotion each.
func TestReportsDistinguishRobotsOfOneName(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	text.WriteString(`@prefix oro: <http://kb.openrobots.org#> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> .
@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix oa: <http://www.w3.org/ns/oa#> .
@prefix onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> .
`)
	for i, lab := range []string{"lab-a", "lab-b"} {
		fmt.Fprintf(&text, `@prefix l: <http://%s.example/ns/> .
l:ari a oro:Robot . l:maria a oro:Human . l:cnn schema:name "CNN" .
l:state a segb:Result ; prov:wasAttributedTo l:ari ; prov:generatedAtTime "2026-02-01T12:0%d:00Z"^^xsd:dateTime ; prov:atLocation l:hall .
l:activity a segb:LoggedActivity, l:Listening ; segb:wasPerformedBy l:ari ; prov:startedAtTime "2026-02-01T12:0%[2]d:30Z"^^xsd:dateTime ;
    segb:usedMLModel l:cnn ; segb:producedEntityResult l:annotation .
l:annotation onyx:hasEmotion l:emotion ; oa:hasTarget l:maria .
l:emotion onyx:hasEmotionCategory l:joy ; onyx:hasEmotionIntensity 0.9 .
l:message a schema:Message ; schema:text "Hello" ; schema:sender l:maria ; prov:wasGeneratedBy l:activity .
`, lab, i)
	}
	s.Publish(text.String())
	shown := map[string]bool{}
	for _, name := range []string{"activity", "people", "conversations", "ml", "emotions", "states"} {
		section := s.reckon(name, time.Time{}, time.Time{})
		for _, table := range section.Tables {
			for _, row := range table.Rows {
				for i, c := range row {
					shown[c.Text] = true
					if column := table.Columns[i].Name; strings.Contains(c.Value, ".example/ns/") && !strings.Contains(c.Value, "activity") && !strings.Contains(c.Value, "state") &&
						!strings.Contains(c.Value, "message") && strings.HasSuffix(c.Text, "(lab-b.example)") != strings.Contains(c.Value, "lab-b.example") {
						t.Errorf("%s of %s shows %s as %q", column, table.Name, c.Value, c.Text)
					}
				}
			}
		}
		for _, l := range slices.Concat(section.Lanes, section.Spread) {
			shown["lane of "+l.Who] = true
			for _, p := range l.Parts {
				shown["part "+p.Value] = true
			}
		}
		for _, e := range section.Emotions {
			shown["chart of "+e.Who] = true
		}
		for _, l := range append(section.Legends, Legend{List: section.Legend}) {
			for i, e := range l.List {
				shown["legend "+e.Name] = true
				if i > 0 && l.List[i-1].Series == e.Series {
					t.Errorf("%s and %s have one colour", l.List[i-1].Name, e.Name)
				}
			}
		}
		for _, thread := range section.Threads {
			for _, who := range thread.Who {
				shown["conversation of "+who] = true
			}
		}
	}
	for _, what := range []string{"ari", "maria", "hall", "listening", "lane of ari", "lane of maria", "part hall", "part joy", "chart of maria", "legend hall", "legend joy", "joy", "conversation of maria"} {
		if !shown[what] || !shown[what+" (lab-b.example)"] {
			t.Errorf("there is no %s, or none of lab-b.example", what)
		}
	}
}

// TestRangesAtTheEndOfTheDataAreNeverEmpty has two sessions, years ago, and an activity of a clock that was ahead.
func TestRangesAtTheEndOfTheDataAreNeverEmpty(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	if got := b.Get("/reports?last=session").Header().Get("Location"); got != "/reports" {
		t.Errorf("without data: %s", got)
	}
	s.Publish(logged("ari 2020-02-01T12:00:05Z", "ari 2020-02-01T12:10:05Z", "ari 2020-02-03T09:00:05.5Z", "ari 2020-02-03T09:01:05.5Z", "tiago "+s.Now.AddDate(5, 0, 0).UTC().Format(time.RFC3339)))
	for name, want := range map[string]string{
		"session": "/reports?from=2020-02-03T09%3A00%3A05&to=2020-02-03T09%3A01%3A06",
		"day":     "/reports?from=2020-02-03T00%3A00%3A00&to=2020-02-04T00%3A00%3A00",
		"week":    "/reports?from=2020-01-28T00%3A00%3A00&to=2020-02-04T00%3A00%3A00",
	} {
		w := b.Get("/reports?last=" + name)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != want {
			t.Errorf("%s: %d %s, want %s", name, w.Code, got, want)
		}
	}
	now := s.Now.UTC()
	for _, name := range []string{"today", "hours"} {
		at, _ := url.Parse(b.Get("/reports?last=" + name).Header().Get("Location"))
		from, _ := time.Parse(views.RangeTime, at.Query().Get("from"))
		to, _ := time.Parse(views.RangeTime, at.Query().Get("to"))
		if to.Sub(from) != 24*time.Hour || from.After(now.Add(time.Minute)) || to.Before(now) {
			t.Errorf("%s at %v is %v", name, now, at)
		}
	}
	viewstest.WantPage(t, b.Get("/reports?last=year"), 404, "There is no range")
	for _, text := range []string{">Today<", ">Last session<", ">Last day<", ">7 days<", ">30 days<"} {
		viewstest.Want(t, b.Get("/reports").Body.String(), text)
	}
}

// TestAnotherRangeKeepsTheRestOfTheAddress chooses each range on a page about one participant.
func TestAnotherRangeKeepsTheRestOfTheAddress(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(logged("ari 2020-02-01T12:00:05Z", "ari 2020-02-01T12:00:06Z"))
	b := s.NewVisitor()
	rest := url.Values{"section": {"people"}, "who": {"http://e/ari"}, "gap": {"5m"}}
	for _, asked := range []string{"/reports?" + rest.Encode(), "/reports?from=never&" + rest.Encode()} {
		page := html.UnescapeString(b.Get(asked).Body.String())
		for name := range rest {
			viewstest.Want(t, page, `<input type="hidden" name="`+name+`" value="`+rest.Get(name)+`">`)
		}
		viewstest.Want(t, page, `href="/reports?`+rest.Encode()+`"`)
		for _, last := range []string{"today", "session", "day", "week", "month"} {
			link := "/reports?" + url.Values{"last": {last}}.Encode() + "&" + url.Values{"section": rest["section"], "who": rest["who"]}.Encode()
			link = strings.Replace(link, "?", "?gap=5m&", 1)
			viewstest.Want(t, page, `href="`+link+`"`)
			at, err := url.Parse(b.Get(link).Header().Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			for name := range rest {
				if got := at.Query().Get(name); got != rest.Get(name) || !at.Query().Has("from") {
					t.Errorf("%s leads to %v", last, at)
				}
			}
		}
	}
	sessions := html.UnescapeString(b.Get("/reports?section=sessions").Body.String())
	viewstest.Want(t, sessions, `<option value="5m">5 min`, `<input type="hidden" name="section" value="sessions">`)
}

func TestTheBarsOfEmotionsAreAsLongAsTheyWereOften(t *testing.T) {
	t.Parallel()
	row := func(who, feels string, n int) []rdf.Term {
		return []rdf.Term{rdf.NewIRI("http://e/" + who), rdf.NewIRI("http://e/big6_" + feels), integer(n)}
	}
	r := &Report{people: map[string]person{}, distinctNames: map[string]string{}}
	lanes := r.spread([][]rdf.Term{row("cem", "joy", 1), row("maria", "joy", 3), row("maria", "fear", 1)}, series{"http://e/big6_joy": 1, "http://e/big6_fear": 2}, termNames{})
	var ends []float64
	for _, l := range lanes {
		ends = append(ends, l.Parts[len(l.Parts)-1].To)
	}
	if len(ends) != 2 || ends[0] != 100 || ends[1] != 25 {
		t.Errorf("the bars end at %v, want 100 and 25", ends)
	}
}
