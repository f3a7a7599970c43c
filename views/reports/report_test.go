package reports

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// noon is the time of the tests' clock.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// someActivities are of two robots, one of which writes times without a time zone.
const someActivities = `
<http://e/a1> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:00Z"^^xsd:dateTime .
<http://e/a2> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T09:30:00Z"^^xsd:dateTime .
<http://e/a3> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/tiago> ; prov:startedAtTime "2026-03-01T10:00:00"^^xsd:dateTime .
`

// reportOf returns a report on a document that uses the prefixes of the vocabulary.
func reportOf(t *testing.T, document string) *Report {
	t.Helper()
	for _, p := range vocabulary.Prefixes() {
		document = fmt.Sprintf("@prefix %s: <%s> .\n%s", p.Label, p.Namespace, document)
	}
	quads, err := turtle.Parse([]byte(document), turtle.TriG, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data := memory.New(quads)
	return &Report{Now: noon, Limit: 20, Ask: func(ctx context.Context, text string) ([][]rdf.Term, error) {
		q, err := sparql.Prepare(ctx, text, sparql.Options{})
		if err != nil {
			return nil, err
		}
		var rows [][]rdf.Term
		for solution, err := range q.Select(ctx, data, budget.Limits{}) {
			if err != nil {
				return nil, err
			}
			rows = append(rows, solution.Terms())
		}
		return rows, nil
	}}
}

func TestEveryQueryCanBeRunWithAndWithoutARange(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(queries, "queries/*.rq")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "queries/"), ".rq")
		for _, r := range []*Report{{Limit: 5}, {Limit: 5, From: noon}, {Limit: 5, From: noon.Add(-time.Hour), To: noon}, {Limit: 5, Persons: views.Persons{"http://e/a": {"http://e/a"}}}} {
			text := r.Query(name)
			if _, err := sparql.Prepare(t.Context(), text, sparql.Options{}); err != nil {
				t.Errorf("%s from %v to %v: %v\n%s", name, r.From, r.To, err, text)
			}
			if strings.Contains(text, "#range") || strings.Contains(text, "#limit") || strings.Contains(text, "#event") {
				t.Errorf("%s still has a line to fill in:\n%s", name, text)
			}
		}
	}
}

// docs/vocabulary.md explains every name of published logs that the queries use.
func TestTheDocumentationHasTheNamesOfTheQueries(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(suite.Root(t), "docs", "vocabulary.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(queries, "queries/*.rq")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := queries.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\b[a-z]+:[A-Za-z]\w*`).FindAllString(string(text), -1) {
			own := strings.HasPrefix(name, "sc:") || strings.HasPrefix(name, "xsd:") || name == "urn:segraph"
			if !own && !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/vocabulary.md lacks %s of %s", name, file)
			}
		}
	}
}

func TestARangeIsPartOfTheQueryAndOfItsLink(t *testing.T) {
	t.Parallel()
	open, bound := &Report{}, &Report{From: noon, To: noon.Add(time.Hour)}
	if open.Query("activities") == bound.Query("activities") {
		t.Error("a range changes nothing")
	}
	for _, want := range []string{`>= "2026-03-01T12:00:00Z"^^xsd:dateTime`, `< "2026-03-01T13:00:00Z"^^xsd:dateTime`} {
		if !strings.Contains(bound.Query("activities"), want) {
			t.Errorf("%s is missing in\n%s", want, bound.Query("activities"))
		}
	}
	if to := bound.href("activities"); to != "/reports/rows?q=activities&from=2026-03-01T12:00:00&to=2026-03-01T13:00:00" {
		t.Errorf("the link is %s", to)
	}
}

func TestEverySectionHasOneName(t *testing.T) {
	t.Parallel()
	names := Names()
	slices.Sort(names)
	if len(slices.Compact(names)) != len(sections) {
		t.Errorf("sections are %v", names)
	}
	if _, ok := Title("none"); ok {
		t.Error("there is a section without a name in the table")
	}
}

func TestASectionOfAnEmptyGraphHasNoRowsAndNoError(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		section, err := reportOf(t, "").Section(t.Context(), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, table := range section.Tables {
			if len(table.Rows) > 0 || table.Query == "" || table.Nothing == "" {
				t.Errorf("%s: %d rows in %q, whose query is %q and which is empty as %q", name, len(table.Rows), table.Name, table.Query, table.Nothing)
			}
		}
	}
}

func TestASectionThatCannotBeComputedIsAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("the store is away")
	for _, name := range Names() {
		r := &Report{Now: noon, Limit: 5, Ask: func(context.Context, string) ([][]rdf.Term, error) { return nil, broken }}
		if _, err := r.Section(t.Context(), name); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := reportOf(t, "").Section(t.Context(), "none"); err == nil {
		t.Error("a section that there is not is no error")
	}
}

func TestActivitiesAreCountedByRobotInTheRange(t *testing.T) {
	t.Parallel()
	counts := func(r *Report) map[string]string {
		t.Helper()
		section, err := r.Section(t.Context(), "activity")
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, table := range section.Tables {
			if table.Name == "by-robot" {
				for _, row := range table.Rows {
					out[row[0].Text] = row[1].Value
				}
			}
		}
		return out
	}
	r := reportOf(t, someActivities)
	if got := counts(r); got["ari"] != "2" || got["tiago"] != "1" {
		t.Errorf("of all: %v", got)
	}
	r = reportOf(t, someActivities)
	r.From = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	if got := counts(r); got["ari"] != "1" {
		t.Errorf("from 9:00 on: %v", got)
	}
}

func TestBarsAreAsShortAsTheirNumberAllows(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		span, want time.Duration
	}{
		{time.Hour, time.Minute}, {10 * time.Hour, 5 * time.Minute}, {40 * time.Hour, 15 * time.Minute},
		{6 * 24 * time.Hour, time.Hour}, {60 * 24 * time.Hour, 24 * time.Hour}, {20 * 365 * 24 * time.Hour, 30 * 24 * time.Hour * 365 / 30},
	} {
		quarters := tally{at.Add(c.span): 1}
		for t := at; t.Before(at.Add(c.span)); t = t.Add(max(15*time.Minute, c.span/1000)) {
			quarters[t.Truncate(15*time.Minute)]++
		}
		got := sizeOf(quarters)
		if bars := (c.span + 15*time.Minute) / got; bars > maxBars || c.span <= 60*24*time.Hour && got != c.want {
			t.Errorf("%v: bars of %v, want %v", c.span, got, c.want)
		}
	}
	if got := sizeOf(tally{at: 1, at.AddDate(1, 0, 0): 1}); got != time.Minute {
		t.Errorf("with a pause of a year a bar is %v", got)
	}
	if got := sizeOf(tally{}); got != time.Hour {
		t.Errorf("without a time: %v", got)
	}
	if got := (tally{at: 1, at.Add(time.Minute): 2, at.Add(time.Hour): 4}).into(time.Hour); got[at] != 3 || got[at.Add(time.Hour)] != 4 || len(got) != 2 {
		t.Errorf("by the hour: %v", got)
	}
}

// A name has one colour in every chart, and another shape than other names of that colour.
func TestANameKeepsItsColourInEveryChart(t *testing.T) {
	t.Parallel()
	var same []string // names of one colour
	for i := 0; len(same) <= views.MaxShapes; i++ {
		if name := fmt.Sprint("http://e/", i); views.ColourOf(name) == views.ColourOf("http://e/0") {
			same = append(same, name)
		}
	}
	few, shapes := newSeries(same[:views.MaxShapes]), map[int]bool{}
	for name, n := range few {
		if shapes[n] = true; views.OtherShape(views.OtherShape(views.OtherShape(n))) != n || (n-views.SeriesOf(name))%8 != 0 {
			t.Errorf("%s has the number %d, and %d by its name", name, n, views.SeriesOf(name))
		}
	}
	if len(shapes) != views.MaxShapes {
		t.Errorf("names of one colour have the numbers %v", few)
	}
	if alone := newSeries(same[2:3]); alone[same[2]] != views.SeriesOf(same[2]) {
		t.Errorf("alone, a name has the number %v", alone)
	}
	numbers := map[int]bool{}
	for _, n := range newSeries(same) { // one more than there are shapes
		numbers[n] = true
	}
	if len(numbers) != len(same) {
		t.Errorf("%d names have %d numbers", len(same), len(numbers))
	}
	var many []string
	for i := range 2 * views.MaxSeries {
		many = append(many, fmt.Sprint("place", i))
	}
	if s := newSeries(many); len(s) != len(many) {
		t.Errorf("%d names are numbered", len(s))
	}
}

func TestNumbersAndTimesAreReadFromTerms(t *testing.T) {
	t.Parallel()
	if n := parseCount(rdf.NewString("12")); n != 12 {
		t.Errorf("12 is %d", n)
	}
	if n := parseCount(rdf.NewString("many")); n != 0 {
		t.Errorf("no number is %d", n)
	}
	for text, want := range map[string]time.Time{
		"2026-03-01T12:00:00Z": noon, "2026-03-01T13:00:00+01:00": noon, "2026-03-01T12:00:00": noon, "2026-03-01T12:00:00.000": noon,
	} {
		if got, ok := views.TimeOf(rdf.NewString(text)); !ok || !got.Equal(want) {
			t.Errorf("%s is %v, %v", text, got, ok)
		}
	}
	if _, ok := views.TimeOf(rdf.NewString("noon")); ok {
		t.Error("noon is a time")
	}
	for iri, want := range map[string]string{"http://e/x": "x", "http://e/x#y": "y", "http://e/x/": "x", "urn:x": "urn:x", "http://e//": "e"} {
		if got := local(rdf.NewIRI(iri)); got != want {
			t.Errorf("<%s> is called %q, want %q", iri, got, want)
		}
	}
	if about(rdf.NewString("x")) != "" || about(rdf.NewIRI("http://e/x")) != link("DESCRIBE <http://e/x>") {
		t.Error("only an IRI can be described")
	}
}

func TestSharesAreOfTheLargest(t *testing.T) {
	t.Parallel()
	rows := [][]ReportCell{{{Value: "50"}}, {{Value: "200"}}, {{Value: "0"}}}
	shares(rows, 0)
	if a, b, c := rows[0][0].Share, rows[1][0].Share, rows[2][0].Share; a != 25 || b != 100 || c != 1 {
		t.Errorf("%d, %d, %d", a, b, c)
	}
}

// TestTotalsCountTheRobotsOfTheLists has two robots without a class, and one with a class that did
// nothing.
func TestTotalsCountTheRobotsOfTheLists(t *testing.T) {
	t.Parallel()
	r := reportOf(t, someActivities+"<http://e/pepper> a oro:Robot . <http://e/ari> a oro:Robot .")
	found, err := r.Section(t.Context(), "overview-totals")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Card.Tiles {
		if f.What == "robots" && f.Number != "3" {
			t.Errorf("%s robots", f.Number)
		}
	}
	if rows, err := r.rows(t.Context(), "robot-rows"); err != nil || len(rows) != 3 {
		t.Errorf("rows %v, %v", rows, err)
	}
}

func TestASilenceHasItsNumber(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration][2]string{time.Hour: {"1 hour", "hour"}, time.Minute: {"1 minute", "minute"}, 12 * time.Hour: {"12 hours", "12 hours"}, 24 * time.Hour: {"1 day", "day"}} {
		if length, size := Length(d), SizeName(d); length != want[0] || size != want[1] {
			t.Errorf("%s: %s, %s", d, length, size)
		}
	}
}

func TestOnlyNamesOfOneColourHaveAPattern(t *testing.T) {
	t.Parallel()
	for n, bands := range (series{"a": 9, "b": 2, "c": 10, "d": 20}).plain() {
		if want := map[string]int{"a": 1, "b": 2, "c": 10, "d": 4}[n]; bands != want {
			t.Errorf("%s has the number %d, want %d", n, bands, want)
		}
	}
}
