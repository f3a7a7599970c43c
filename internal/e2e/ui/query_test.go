package ui

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/logs"
	core "github.com/segraph/segraph/service"
)

const allMessages = `PREFIX schema: <http://schema.org/>
SELECT ?message ?text { ?message schema:text ?text } ORDER BY ?message`

// slowQuery takes far longer than the time limit on the log of the two robots.
const slowQuery = `SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(STR(?c) < STR(?f) && STR(?f) < STR(?i)) }`

// write enters a query into the editor, or into the plain field without scripts.
func (b *tab) write(l look, query string) {
	b.t.Helper()
	if l.noScripts {
		b.fill("#query", query)
		return
	}
	b.run(chromedp.WaitVisible(chromedp.CSS(".cm-content")))
	value[any](b, `getSelection().selectAllChildren(document.querySelector(".cm-content"))`)
	b.run(chromedp.Focus(chromedp.CSS(".cm-content")))
	value[any](b, `getSelection().selectAllChildren(document.querySelector(".cm-content"))`)
	tell(b, input.InsertText, input.InsertTextParams{Text: query})
}

func (b *tab) text() string {
	b.t.Helper()
	return value[string](b, `document.querySelector("#query").value`)
}

func TestOneAsksReadsPagesAndDownloads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/query")
		b.write(l, allMessages)
		b.click("#run")
		b.see("#count", "8 rows in ")
		if !l.noScripts {
			b.see("#answered", "8 rows in ")
		}
		if l.phone { // names stand alone there
			b.see("#answer td.iri", "why?")
		} else {
			b.see("#answer td.iri", "message")
		}
		if got := strings.Join(b.all("#answer td.text"), "\n"); !strings.Contains(got, "ARI, I feel sad because I just received bad news.") || !strings.Contains(got, "en") {
			t.Errorf("the texts are %s", got)
		}
		file := value[string](b, `(() => { const f = document.querySelector("form[action='/query/download']");
			return fetch(f.action, {method: "POST", body: new URLSearchParams({query: f.elements.query.value, format: "csv"})}).then(r => r.text()) })()`)
		if !strings.HasPrefix(file, "message,text\r\n") || strings.Count(file, "\r\n") != 9 {
			t.Errorf("the file is %s", file)
		}
		if !strings.Contains(b.path(), "/query?query=PREFIX") {
			t.Errorf("the address is %s", b.path())
		}

		b.goTo("/query")
		b.write(l, "SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 170")
		b.click("#run")
		b.see("#count", "170 rows")
		b.click(".pager a[rel=next]")
		b.see(".pager", "101–170 of 170")
	})
}

func TestAnErrorStandsAtItsPlaceAndAMissingPrefixIsDeclared(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.expect("status of 400")
		b.goTo("/query")
		b.write(l, "SELECT ?m\n{ ?m a schema:Message }")
		if !l.noScripts {
			b.see("#checked", "Line 2, column 8: the prefix schema: is not declared")
			b.see(".cm-lintRange-error", "schema:Message")
		}
		b.click("#run")
		b.see("#answer .notice.bad", "line 2, column 8")
		b.see("#answer mark", "s")
		b.click("#answer [data-declare] button")
		b.see("#count", "8 rows")
		if got := b.text(); !strings.HasPrefix(got, "PREFIX schema: <http://schema.org/>\nSELECT") {
			t.Errorf("the query is %q", got)
		}
	})
}

func TestNothingFoundSaysWhyAndATimeOutDoesNotLookLikeIt(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/query")
		b.write(l, strings.Replace(allMessages, "schema:text", "schema:txt", 1))
		b.click("#run")
		b.see("#count", "0 rows")
		b.see(".why", "Why is it empty?")
		b.see(".why", "did you mean schema:text?")
		b.see(".why tr.kills", "schema:txt")
		if got := b.all("#answer .downloads"); len(got) > 0 {
			t.Errorf("no rows can be downloaded: %q", got)
		}
		b.write(l, "ASK { ?x a <http://nowhere.test/> }")
		b.click("#run")
		b.see(".verdict.bad", "false")
		b.see(".why", "Nothing is of the class <http://nowhere.test/>")
		b.write(l, "ASK {}")
		b.click("#run")
		b.see(".verdict.good", "true")
		b.write(l, allMessages)
		b.click("button[value=plan]")
		b.see(".plan", "order ?message")
		b.see(".plan", "?message schema:text ?text")
		b.write(l, "DESCRIBE <https://gsi.upm.es/segb/robots/ari/v1/robot_ari1>")
		b.click("#run")
		b.see("#count", "triples in ")
		b.click("#answer .tabs a:nth-child(2)")
		b.see("#turtle", "@prefix ")
	})
}

// TestEachEndOfAQueryHasItsOwnPage uses a service with low limits. An empty answer, a
// timeout, a memory limit and a cancellation have different titles. Only the first is
// called an answer.
func TestEachEndOfAQueryHasItsOwnPage(t *testing.T) {
	suite.Slow(t, "it waits for time limits")
	t.Parallel()
	s := start(t, setup{limits: core.Limits{QueryTime: time.Second, QueryMemory: 1 << 20}})
	s.publishDemo()
	for _, l := range usual([]look{{}, {phone: true, noScripts: true}}) {
		t.Run(l.String(), func(t *testing.T) {
			b := open(t, s.ui, l)
			b.expect("status of 50")
			for _, ends := range []struct{ query, title, status string }{
				{`ASK { ?x a <http://nowhere.test/> }`, "false", ""},
				{`SELECT * { ?x a <http://nowhere.test/> }`, "Why is it empty?", ""},
				{slowQuery, "Time limit reached: no result", "504"},
				{`SELECT DISTINCT ?a ?b ?d ?e { ?a ?b ?c . ?d ?e ?f } ORDER BY ?c ?f`, "Memory limit reached: no result", "503"},
			} {
				b.goTo("/query")
				b.write(l, ends.query)
				b.click("#run")
				seen := b.see("#answer", ends.title)
				if ends.status != "" && (strings.Contains(seen, "Why is it empty?") || strings.Contains(seen, "0 rows") || !strings.Contains(seen, "Status "+ends.status) || len(b.all("#answer table")) > 0) {
					t.Errorf("%s looks like an answer: %s", ends.title, seen)
				}
				if ends.status != "" && len(b.all("#answer .notice.warn")) != 1 {
					t.Errorf("%s has no colour of its own", ends.title)
				}
			}
			b.goTo("/query")
			b.write(l, slowQuery)
			b.click("#run")
			b.see("#answer", "Time limit reached")
			b.follow2(l, "#answer a[data-view]")
			b.see("#answer", "partial counts")
		})
	}
}

func TestCancelStopsTheEngine(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo("/query")
	b.write(look{}, slowQuery)
	b.click("#run")
	b.see("#checked", "Running for ")
	b.click("#cancel")
	b.see("#answer .notice.warn", "Cancelled")
	b.eventually("the request has ended", func() bool {
		for _, e := range s.log.Query(logs.Filter{Limit: 1000}) {
			if strings.Contains(e.Raw, "path=/query ") && strings.Contains(e.Raw, "the client disconnected") {
				return true
			}
		}
		return false
	}, func() string { return "no line of the log says so" })
}

func TestTheEditorCompletesNamesOfThisGraph(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo("/query")
	b.write(look{}, "SELECT * { ?m a ")
	typed := func(text string) {
		for _, c := range text {
			b.press(string(c))
		}
	}
	typed("Messag")
	b.see(".cm-tooltip-autocomplete", "schema:Message")
	b.eventually("the class comes first", func() bool {
		return strings.HasPrefix(strings.Join(b.all(".cm-tooltip-autocomplete li"), "\n"), "schema:Message")
	}, func() string { return strings.Join(b.all(".cm-tooltip-autocomplete li"), " | ") })
	if got := b.all(".cm-tooltip-autocomplete li")[0]; !strings.Contains(got, "class · 8") {
		t.Errorf("first is %q", got)
	}
	b.run(chromedp.Click(chromedp.CSS(".cm-tooltip-autocomplete li")))
	if got := b.text(); got != "PREFIX schema: <http://schema.org/>\nSELECT * { ?m a schema:Message" {
		t.Errorf("the text is %q", got)
	}
	typed(" }")
	value[any](b, `document.querySelector("#run").click()`)
	b.see("#count", "8 rows")
}

func TestDraftsOutliveASignInAndQueriesAreSaved(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.signIn(s, "auditor")
	b.goTo("/query")
	b.see(".sheets", "What kinds of things")
	b.write(look{}, "# my draft\nSELECT * { ?s ?p ?o } LIMIT 3")
	b.leave()
	b.click("#run")
	b.see("main", "Sign in with a token")
	b.fill("#token", s.token("auditor"))
	b.click("form[action='/session'] button.primary")
	b.see(".sheets", "my draft")
	if got := b.text(); got != "# my draft\nSELECT * { ?s ?p ?o } LIMIT 3" {
		t.Errorf("the draft is %q", got)
	}
}

// TestAQueryIsSavedOnTheServerAndShared saves a query in one browser and opens it in
// another.
func TestAQueryIsSavedOnTheServerAndShared(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/query")
		b.write(l, "SELECT * { ?s ?p ?o } LIMIT 3")
		b.click("#save summary")
		b.fill("#save-as", "three "+l.String())
		b.follow("#save button")
		b.see("#count", "3 rows")
		b.see(".saved a[aria-current]", "three "+l.String())
		shared := b.path()

		other := open(t, s.ui, l)
		other.goTo(shared)
		other.see("#count", "3 rows")
		other.goTo("/query")
		other.follow(".saved a[href*='" + l.String() + "']")
		other.see("#count", "3 rows")
		other.follow("button[aria-label='Forget three " + l.String() + "']")
		if left := strings.Join(other.all(".saved"), ""); strings.Contains(left, l.String()) {
			t.Errorf("a forgotten query is listed: %s", left)
		}
	})
}

// TestOneDrawsAnAnswerAndMendsAName draws an answer with one click, and lets the page
// correct a misspelt name with another click.
func TestOneDrawsAnAnswerAndMendsAName(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	const query = "PREFIX prov: <http://www.w3.org/ns/prov#>\nSELECT ?who ?at (STRLEN(STR(?x)) AS ?n) { ?x prov:startdAtTime ?at ; prov:wasAssociatedWith ?who }"
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/query")
		b.write(l, query)
		b.click("#run")
		b.see(".why", "did you mean prov:startedAtTime?")
		b.click(".why form button")
		b.see("#count", "18 rows")
		b.see("#answer td.iri", "ARI")
		b.click("#answer .tabs a[href*='view=chart']")
		b.see("#answer .points", "n by at")
		b.see("#count", "18 rows")
		if !l.noScripts {
			b.accessible()
		}
		b.click("#answer .charts a[href*='as=timeline']")
		b.see("#answer .lane", "ARI")
		if !l.noScripts {
			b.accessible()
		}
	})
}

func TestTheQueryPageLooksRight(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.expect("status of 400")
		b.signIn(s, "auditor")
		b.goTo("/query?example=who-talked-to-whom-and-how-often")
		b.see("#count", "3 rows")
		b.see("#checked", "Valid: SELECT")
		b.accessible()
		b.shot("query", l)
		shown := func(query, more string) { b.goTo("/query?query=" + url.QueryEscape(query) + more) }
		shown(allMessages, "&view=plan")
		b.see(".plan", "order ?message")
		b.accessible()
		b.shot("query-plan", l)
		if high := value[float64](b, `document.querySelector(".editor").clientHeight`); high > 5*19.5 {
			t.Errorf("the editor of a query of two lines is %v pixels high", high)
		}
		shown(strings.Replace(allMessages, "schema:text", "schema:txt", 1), "")
		b.see(".why", "did you mean")
		b.accessible()
		b.shot("query-empty", l)
		shown("SELECT ?m {\n  ?m a schema:Message }", "")
		b.see("#answer .notice.bad", "line 2")
		b.see("#answer [data-line]", "line 2")
		b.accessible()
		b.shot("query-error", l)
	})
}
