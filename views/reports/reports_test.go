package reports

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views/viewstest"
	v "github.com/segraph/segraph/vocabulary"
)

func TestEverySectionHasContentOnTheDemo(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	for _, name := range Names() {
		section := s.reckon(name, time.Time{}, time.Time{})
		rows := len(section.Figures)
		for _, table := range section.Tables {
			if faults := table.Name == "unplaced" || table.Name == "term-uses"; faults && len(table.Rows) > 0 {
				t.Errorf("%s: the demo has faults: %v", name, table.Rows)
			} else if len(table.Rows) == 0 && !faults && !strings.HasPrefix(table.Name, "resolver-") {
				t.Errorf("%s: the table %s is empty", name, table.Name)
			}
			rows += len(table.Rows)
		}
		if rows == 0 || !strings.Contains(b.Get("/reports?section="+name).Body.String(), `id="`+name+`"`) {
			t.Errorf("%s has nothing", name)
		}
	}
}

func TestInteractionsAreThereInBothDirections(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	section := s.reckon("people", time.Time{}, time.Time{})
	got := map[string]string{}
	for _, row := range tableOf(t, section, "said").Rows {
		got[row[0].Text+" to "+row[1].Text] = row[2].Text + " " + row[3].Text + " " + row[4].Text
	}
	// Maria said three things to ARI, one of which TIAGo heard too. ARI said four things to
	// her. What robots logged about her or her emotions counts as noticed. Humans log nothing, so
	// there is no number for what they heard or noticed.
	for pair, want := range map[string]string{"Maria to ARI": "3 3 ", "Maria to TIAGo": "0 1 ", "ARI to Maria": "4  14", "TIAGo to Maria": "0  3"} {
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

func TestAMessageIsSaidToThoseItsEventIsAbout(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(fmt.Sprintf(`@prefix : <urn:> . :ari a <%s> . :maria a <%s> . :event <%s> :maria .
		:message a <%s> ; <%s> :ari ; <%s> [ <%s> :event ] .`,
		v.OroRobot, v.OroHuman, v.SchemaAbout, v.SchemaMessage, v.SchemaSender, v.ProvWasGeneratedBy, v.SchemaAbout))
	said := tableOf(t, s.reckon("people", time.Time{}, time.Time{}), "said")
	if len(said.Rows) != 1 || said.Rows[0][1].Text != "maria" || said.Rows[0][2].Text != "1" {
		t.Errorf("%+v", said.Rows)
	}
}

// TestOneSeesAtFirstSightWithWhomARobotTalked checks the sentence above the tables.
func TestOneSeesAtFirstSightWithWhomARobotTalked(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	s.PlayDemo()
	page := s.NewVisitor().Get("/reports?section=people&gap=5m&who=" + demo.ARI()).Body.String()
	_, page, _ = strings.Cut(page, `<div class="stack reports">`)
	text := strings.Join(strings.Fields(html.UnescapeString(viewstest.AnyTag.ReplaceAllString(page, " "))), " ")
	if err := viewstest.InOrder(text, "Whom ARI met", "ARI talked with 19 people: Maria , Greta , Zoe", "Everybody", "Who met whom", "Each row tells what one did towards the other.", "What the words mean", "Robots and people"); err != nil {
		t.Error(err)
	}
	for _, link := range []string{`href="/why?iri=https://example.org/human/maria"`, `href="/reports?gap=5m&amp;section=people"`} {
		if !strings.Contains(page, link) {
			t.Errorf("there is no %s", link)
		}
	}
	if text := s.NewVisitor().Get("/reports?section=people&who=http://e/nobody").Body.String(); !strings.Contains(viewstest.AnyTag.ReplaceAllString(text, ""), "No log says that “nobody” met somebody.") {
		t.Error("it does not say that nobody was met")
	}
}

// TestAConversationHasABubbleForEveryMessage also checks the demo's two pauses, and a
// message that two robots heard.
func TestAConversationHasABubbleForEveryMessage(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
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
	one.Publish(text.String())
	threads = one.reckon("conversations", time.Time{}, time.Time{}).Threads
	if len(threads) != 2 || len(threads[1].Bubbles) != 7 || len(threads[0].Bubbles) != 1 {
		t.Errorf("%+v", threads)
	}
}

func TestTimesOfAnyZoneAreCountedInTheirHourOfUTC(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for i, at := range []string{"2026-01-01T00:10:00+05:30", "2025-12-31T18:59:59Z", "2025-12-31T19:00:00.5+00:00", "2025-12-31T14:20:00-04:45", "2025-12-31T18:40:00"} {
		s.Publish(fmt.Sprintf(`<urn:a%d> a <%s> ; <%s> "%s"^^<%s> .`, i, v.SegbLoggedActivity, v.ProvStartedAtTime, at, rdf.XSDDateTime))
	}
	got := columnOf(t, tableOf(t, s.reckon("activity", time.Time{}, time.Time{}), "by-hour"), 0, 1)
	if got["2025-12-31T18:00:00Z"] != 3 || got["2025-12-31T19:00:00Z"] != 2 || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

func TestARobotThatFellSilentIsMarked(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for i, ago := range []time.Duration{5, 4, 3, 2, 1} {
		for robot, factor := range map[string]time.Duration{"talks": time.Minute, "silent": time.Hour} {
			at := s.Now.Add(-ago * time.Minute)
			if robot == "silent" {
				at = s.Now.Add(-factor + -ago*time.Minute)
			}
			s.Publish(fmt.Sprintf(`<urn:%s%d> a <%s> ; <%s> <urn:%s> ; <%s> "%s"^^<%s> .`,
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
	t.Parallel()
	s := openService(t)
	s.Now = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	s.Publish(logged("pepper 2031-02-01T12:00:00Z")) // with a clock that was ahead
	s.Publish(logged("ari 2026-02-01T12:00:00Z", "ari 2026-02-01T12:01:00Z", "ari 2026-02-01T12:02:00Z", "tiago 2026-02-01T12:00:00Z", "tiago 2026-02-01T13:02:00Z"))
	table := tableOf(t, s.reckon("activity", time.Time{}, time.Time{}), "by-robot")
	for _, row := range table.Rows {
		if (row[4].Badge == "clock ahead") != (row[0].Text == "pepper") {
			t.Errorf("whose clock was ahead: %+v", row)
		}
		if row[0].Text == "tiago" && row[4].Badge != "" || row[0].Text == "ari" && row[4].Text != "for 60 minutes; usual pause 60 seconds" {
			t.Errorf("%s: %+v", row[0].Text, row[4])
		}
	}
	if !strings.Contains(table.About, "up to the newest activity, 1 Feb 2026, 13:02:00") {
		t.Errorf("the table says %q", table.About)
	}
}

func TestEveryTableIsAFileToo(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	for _, name := range Names() {
		for _, table := range s.reckon(name, time.Time{}, time.Time{}).Tables {
			w := b.Get("/reports/table?section=" + name + "&table=" + table.Name)
			records, err := csv.NewReader(w.Body).ReadAll()
			if err != nil || w.Code != http.StatusOK || len(records) != len(table.Rows)+1 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/csv") {
				t.Errorf("%s: %d, %d records of %d rows, %v", table.Name, w.Code, len(records), len(table.Rows), err)
			} else if slices.Contains(records[0], "Time IRI") || slices.Contains(records[0], "When IRI") {
				t.Errorf("%s has times as IRIs: %q", table.Name, records[0])
			}
		}
	}
	viewstest.WantPage(t, b.Get("/reports/table?section=activity&table=x"), http.StatusNotFound, "There is no table")
	viewstest.WantPage(t, b.Get("/reports?section=x"), http.StatusNotFound, "There is no section")
	if w := b.Get("/reports?who=ari"); w.Code != 422 || !strings.Contains(w.Body.String(), "Who is &#34;ari&#34;, which is not an IRI") || strings.Contains(w.Body.String(), "aria-invalid") {
		t.Errorf("a name is no IRI: %d %s", w.Code, w.Body)
	}
	viewstest.WantPage(t, b.Get("/reports?from=yesterday"), http.StatusUnprocessableEntity, "is not a time")
	viewstest.WantPage(t, b.Get("/reports?from=2026-01-02&to=2026-01-01"), http.StatusUnprocessableEntity, "ends before it begins")
}

func TestAnEmptyGraphSaysHowToBegin(t *testing.T) {
	t.Parallel()
	viewstest.WantPage(t, openService(t).NewVisitor().Get("/reports"), http.StatusOK, "Healthy, and no data yet")
}

func TestASectionThatFailsIsNoEmptyOne(t *testing.T) {
	t.Parallel()
	s := limitedService(t, 0, 14<<10) // enough for the page's own query, but not for those of the section
	s.PublishDemo()
	w := s.NewVisitor().Get("/reports?section=people")
	viewstest.WantPage(t, w, http.StatusOK, "notice bad")
	if strings.Contains(w.Body.String(), "<table") {
		t.Error("it shows a table")
	}
}

// TestQueriesOfReportsUseKnownNamesAlone compares the names in the query files with
// package vocabulary.
func TestQueriesOfReportsUseKnownNamesAlone(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	sources, err := filepath.Glob("../../vocabulary/*.go")
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
	files, err := filepath.Glob("queries/*.rq")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`[a-z]+:\w+`).FindAllString(string(text), -1) {
			if !known[name] && !strings.HasPrefix(name, "urn:") && !strings.HasPrefix(name, "segraph:") && !strings.HasPrefix(name, "xsd:") {
				t.Errorf("%s: %s is no name of the vocabulary", path, name)
			}
		}
	}
}

// TestARangeWithItsEndsReversedSaysSoBesideTheForm checks that the input is kept and no
// section is shown.
func TestARangeWithItsEndsReversedSaysSoBesideTheForm(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish("<http://e/a> <http://e/b> 1 .")
	b := s.NewVisitor()
	for address, want := range map[string]string{
		"/reports?from=2026-02-24T12:20:00&to=2026-02-24T12:00:00": "The range ends before it begins",
		"/reports?from=2026-02-24T12:20:00&to=2026-02-24T12:20:00": "The range ends before it begins",
		"/reports?from=tomorrow":                                   "&#34;tomorrow&#34; is not a time",
	} {
		w := b.Get(address)
		viewstest.WantPage(t, w, 422, `id="wrong-range" role="alert">`+want)
		viewstest.WantPage(t, w, 422, `aria-describedby="wrong-range"`)
		from, _, _ := strings.Cut(strings.TrimPrefix(address, "/reports?from="), "&")
		viewstest.WantPage(t, w, 422, `value="`+from+`"`)
		_, form, _ := strings.Cut(w.Body.String(), "<main")
		form, _, _ = strings.Cut(form, "</form>")
		if !strings.Contains(form, want) {
			t.Errorf("%s: the message is not in the form", address)
		}
		if strings.Contains(w.Body.String(), `id="overview-totals"`) {
			t.Errorf("%s: it shows sections", address)
		}
	}
}
