package views_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
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

// viewing are the parameters whose values make a page another page.
var viewing = []string{"view", "section", "kind", "table", "chart", "depth", "group"}

var titleOfPage = regexp.MustCompile("<title>([^<]*)</title>")

// subjectOf returns what an address shows: a page and what it is about. Views of it may share a
// title.
func subjectOf(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return address
	}
	name := map[string]string{"/why": "iri", "/log": "id", "/kg-graph": "node", "/shared-context/context": "uri", "/replay": "from"}[at.Path]
	return at.Path + " " + at.Query().Get(name)
}

// Units without their number, nouns that do not agree with theirs, and what a page's text is made
// of. A version such as "1.2" is no number.
var (
	unnumbered = regexp.MustCompile(`\b(?:for|after|within|of|at least|at most) (?:seconds?|minutes?|hours?|days?|KB|MB|ms)\b`)
	disagreed  = regexp.MustCompile(`(?:^|[^0-9.,:])(?:1 (?:\w+ )?(?:triples|activities|messages|robots|humans|people|cases|hours|minutes|seconds|days|lines|logs|rows|questions|events|nodes|edges|things|contexts|decisions|sessions)|(?:0|[2-9]|[1-9][0-9,]+) (?:triple|activity|message|robot|human|case|hour|minute|second|day|line|log|row|question|event|node|edge|thing|context|decision|session))(?:[^\w-]|$)`)
	scripting  = regexp.MustCompile(`(?s)<(?:script|pre|textarea|code)\b.*?</(?:script|pre|textarea|code)>|<q>.*?</q>|<bdi[^>]*>.*?</bdi>`)
	markup     = regexp.MustCompile(`<[^>]*>`)
)

// miscounted returns the words of a page that lack a number, or do not agree with it.
func miscounted(page string) []string {
	text := html.UnescapeString(markup.ReplaceAllString(scripting.ReplaceAllString(page, "|"), "\n"))
	return append(unnumbered.FindAllString(text, -1), disagreed.FindAllString(text, -1)...)
}

func TestWordsThatLackTheirNumberAreFound(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]int{
		"<p>A session ends when nothing happens for hour.</p>": 1, "<p>1 robots</p>": 1, "<p>12 case</p>": 1, "<p>for 1 hour, 2 robots, 1,000 cases</p>": 0,
		"<bdi>2 case</bdi>": 0, "<p>within a minute</p>": 0, "<p>Model 1.2 case</p>": 0, "<p>1 pending cases</p>": 1,
	} {
		if got := miscounted(page); len(got) != want {
			t.Errorf("%s: %q", page, got)
		}
	}
}

// complete are the addresses where the reader asks for more, however long it is: lines of
// the log beyond the first, one whole line, and a session for printing on one page.
var complete = regexp.MustCompile(`[?&](limit=|rows=all)|^/system/logs/line`)

// TestThePagesKeepTheirBudgets follows the links of the demo from the first page,
// one of each kind, and visits each page of the table. The log has long lines.
func TestThePagesKeepTheirBudgets(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	s.PlayDemo()
	s.Now = time.Now() // the demo ends now
	for i := range 200 {
		s.Log.Logger("segraph.test").Error("a long line", "request_id", fmt.Sprint("r-", i), "error", strings.Repeat("deep in the stack <&> ", 40), "path", strings.Repeat("/a", 60), "status", 500, "ms", i)
	}
	b := s.NewVisitor()
	_, said := demo.Sadness()
	waiting := []string{"/why?" + url.Values{"iri": {said}}.Encode(), "/kg-graph?node=" + url.QueryEscape("https://example.org/robot/ari"), "/log?id=" + s.LastLog(),
		"/classes?class=" + url.QueryEscape(v.ProvActivity), "/search?q=ari", "/query?query=" + url.QueryEscape("SELECT ?s ?p ?o { ?s ?p ?o }"), "/reports?last=session"}
	for _, p := range s.UI.Pages {
		waiting = append(waiting, p.Path)
	}
	links := regexp.MustCompile(`<a [^>]*href="(/[^"#]*)`)
	seen, kinds, sizes, titles := map[string]bool{}, map[string]int{}, map[string]int{}, map[string]string{}
	for len(waiting) > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		kind := kindOf(at)
		page, _, _ := strings.Cut(at, "?")
		if seen[at] || kinds[kind] == 1 || kinds[page] == 20 || complete.MatchString(at) {
			continue
		}
		seen[at] = true
		kinds[kind]++
		kinds[page]++
		w := b.Get(at)
		if to := w.Header().Get("Location"); w.Code == http.StatusSeeOther {
			waiting = append(waiting, to)
			continue
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || strings.HasPrefix(at, "/api/") {
			continue
		}
		n := viewstest.FirstLoad(t, w.Body.String())
		sizes[page] = max(sizes[page], n)
		if n > viewstest.MostBytes(at) || w.Code != http.StatusOK && w.Code != http.StatusNotFound && w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%.200s: %d, %d bytes, at most %d are allowed", at, w.Code, n, viewstest.MostBytes(at))
		}
		if wrong := miscounted(w.Body.String()); len(wrong) > 0 {
			t.Errorf("%.200s says %q", at, wrong)
		}
		if title := titleOfPage.FindStringSubmatch(w.Body.String()); title == nil {
			t.Errorf("%s has no title", at)
		} else if shown := subjectOf(at); w.Code == http.StatusOK && titles[title[1]] == "" {
			titles[title[1]] = shown
		} else if w.Code == http.StatusOK && titles[title[1]] != shown {
			t.Errorf("%q is the title of %s and of %s", title[1], titles[title[1]], shown)
		}
		for _, m := range links.FindAllStringSubmatch(w.Body.String(), -1) {
			waiting = append(waiting, html.UnescapeString(m[1]))
		}
	}
	for _, page := range slices.Sorted(maps.Keys(sizes)) {
		t.Logf("%-28s %6d bytes", page, sizes[page])
	}
	for _, p := range s.UI.Pages {
		if sizes[p.Path] == 0 && p.Path != "/demo" { // it only redirects
			t.Errorf("%s was not visited", p.Path)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d addresses were visited", len(seen))
	}
}

// TestAnEndlessTextMakesNoPageEndless has a message of five million characters, and visits the
// pages that show it, and their parts.
func TestAnEndlessTextMakesNoPageEndless(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	base := "https://example.org/ari/"
	s.Publish(fmt.Sprintf(`<%[1]sari> a <%[2]s> . <%[1]sact> a <%[3]s> ; <%[4]s> <%[1]sari> ; <%[5]s> "2026-03-01T10:00:00Z"^^<%[6]s> ; <%[7]s> %[8]q .
<%[1]smsg> a <%[9]s> ; <%[10]s> %[8]q ; <%[11]s> <%[1]smaria> ; <%[12]s> <%[1]sact> .`,
		base, v.OroRobot, v.SegbLoggedActivity, v.SegbWasPerformedBy, v.ProvStartedAtTime, rdf.XSDDateTime, v.RDFSLabel, strings.Repeat("word ", 1_000_000),
		v.SchemaMessage, v.SchemaText, v.SchemaSender, v.ProvWasGeneratedBy))
	b := s.NewVisitor()
	for _, path := range []string{
		"/kg-graph?node=" + url.QueryEscape(base+"msg"), "/kg-graph?node=" + url.QueryEscape(base+"msg") + "&table=1", "/kg-graph?q=word", "/why?iri=" + url.QueryEscape(base+"msg"),
		"/why?view=diagram&iri=" + url.QueryEscape(base+"msg"), "/query?query=" + url.QueryEscape("SELECT * { ?s ?p ?o }"), "/log?id=" + s.LastLog(), "/reports", "/reports?section=conversations",
		"/search?q=word", "/replay?from=2026-03-01T09:00:00Z&to=2026-03-01T11:00:00Z", "/replay?from=2026-03-01T09:00:00Z&to=2026-03-01T11:00:00Z&view=table", "/evidence?iri=" + url.QueryEscape(base+"msg"),
	} {
		w := b.Get(path)
		if n := w.Body.Len(); w.Code != http.StatusOK || n > 200_000 {
			t.Errorf("%s: %d, %d bytes", path, w.Code, n)
		}
	}
}

// TestAReplayOfFiveThousandEventsIsSmall has four robots, 30 people and 5,000 events of all
// kinds: messages, emotions, decisions and stays, most with a model, and 625 shared events.
func TestAReplayOfFiveThousandEventsIsSmall(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	s.Publish(fiveThousand())
	b := s.NewVisitor()
	to := b.Get("/replay?at=2026-03-01T10:00:00Z").Header().Get("Location")
	for _, more := range []string{"", "&silences=kept", "&view=table", "&view=table&kind=message", "&view=table&kind=shared", "&view=table&kind=shared&first=600", "&view=print", "&view=print&first=4900"} {
		page := b.Fits(to + more)
		if more == "" && (strings.Count(page, `<rect class="hull"`) != 12 || !strings.Contains(page, `<path class="hull"`) || !strings.Contains(page, `<path class="band`)) {
			t.Errorf("%d shared events have a name; %v %v", strings.Count(page, `<rect class="hull"`), strings.Contains(page, `<path class="hull"`), strings.Contains(page, `<path class="band`))
		}
		t.Logf("%s: %d bytes, compressed with its files %d", more, len(page), viewstest.FirstLoad(t, page))
		if rows := strings.Count(page, "<tr>"); more == "&view=table&kind=shared&first=600" && (rows != 26 || !strings.Contains(page, "625")) {
			t.Errorf("the last page of shared events has %d rows", rows)
		}
	}
}

// fiveThousand returns the log of a session with 5,000 events in Turtle.
func fiveThousand() string {
	var text strings.Builder
	const base = "https://example.org/ari/"
	for i := range 5 {
		fmt.Fprintf(&text, "<%[1]srobot%[2]d> a <%[3]s> . <%[1]smodel%[2]d> a <%[4]s> ; <%[5]s> \"Model for hearing %[2]d\" ; <%[6]s> \"1.%[2]d\" .\n", base, i, v.OroRobot, v.MLSModel, v.RDFSLabel, v.SchemaVersion)
	}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i := range 5000 {
		at = at.Add(time.Duration(500+i*7919%2200) * time.Millisecond)
		stamp, robot := fmt.Sprintf("%q^^<%s>", at.Format(time.RFC3339Nano), rdf.XSDDateTime), i*7%4
		act := fmt.Sprintf("<%srobot%d/activity_%d>", base, robot, i)
		if i%6 == 5 {
			fmt.Fprintf(&text, "<%[1]sstate%[2]d> a <%[9]s> ; <%[3]s> <%[1]srobot%[4]d> ; <%[5]s> %[6]s ; <%[7]s> <%[1]splace%[8]d> .\n", base, i, v.ProvWasAttributedTo, robot, v.ProvGeneratedAtTime, stamp, v.ProvAtLocation, (i/40+robot)%12, v.Prov+"Entity")
			continue
		}
		class := map[int]string{0: v.OroListeningEvent, 1: v.OroListeningEvent, 2: v.OroResponseAction, 3: v.OnyxEmotionAnalysis, 4: v.OroDecisionMakingAction}[i%6]
		fmt.Fprintf(&text, "%s a <%s>, <%s> ; <%s> <%srobot%d> ; <%s> %s ; <%s> <%[5]sevent_%[10]d> ; <%s> <%[5]smodel%[12]d> ; <%s> \"does thing number %[14]d\"@en .\n",
			act, v.SegbLoggedActivity, class, v.SegbWasPerformedBy, base, robot, v.ProvStartedAtTime, stamp, v.SchemaAbout, i/8, v.SegbUsedMLModel, i%5, v.RDFSLabel, i)
		switch who := fmt.Sprintf("human%d", i*31%30); i % 6 {
		case 0, 1, 2:
			if i%6 == 2 {
				who = fmt.Sprintf("robot%d", robot)
			}
			fmt.Fprintf(&text, "<%smsg%d> a <%s> ; <%s> \"Sentence number %[2]d with a good many words in it.\"@en ; <%s> <%[1]s%[6]s> ; <%s> %s .\n", base, i, v.SchemaMessage, v.SchemaText, v.SchemaSender, who, v.ProvWasGeneratedBy, act)
		case 3:
			fmt.Fprintf(&text, "%s <%s> <%sann%d> . <%[3]sann%[4]d> a <%s> ; <%s> <%[3]s%[7]s> ; <%s> [ <%s> <urn:mood%d> ; <%s> 0.%02d ; <%s> 0.%02d ] .\n",
				act, v.SegbProducedEntityResult, base, i, v.OAAnnotation, v.OAHasTarget, who, v.OnyxHasEmotion, v.OnyxHasEmotionCategory, i%5, v.OnyxHasEmotionIntensity, i*37%100, v.OnyxAlgorithmConfidence, i*53%100)
		}
	}
	return text.String()
}

// kindOf returns what addresses of the same page and view have in common.
func kindOf(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return address
	}
	var names []string
	for name, values := range at.Query() {
		if slices.Contains(viewing, name) {
			name += "=" + values[0]
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return at.Path + " " + strings.Join(names, "&")
}
