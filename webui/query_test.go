package webui

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	v "github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

func TestEveryExampleRunsAndFindsSomething(t *testing.T) {
	suite.NotShort(t)
	s := openService(t)
	s.playDemo()
	b, seen := s.visitor(), map[string]bool{}
	for _, g := range queryExamples() {
		for _, e := range g.List {
			if seen[e.Name] {
				t.Errorf("two examples are called %s", e.Name)
			}
			seen[e.Name] = true
			w := b.get("/query?example=" + e.Name)
			if w.Code != 200 || strings.Contains(w.Body.String(), "No results") || !strings.Contains(w.Body.String(), "data-state=") {
				t.Errorf("%s: %d %s", e.Title, w.Code, w.Body)
			}
		}
	}
	if len(seen) < 14 {
		t.Errorf("%d examples", len(seen))
	}
}

func TestErrorsOfQueriesLookDifferent(t *testing.T) {
	s := openService(t)
	s.publish("<http://e/a> <http://e/p> 1, 2, 3 .")
	b := s.visitor()
	for _, c := range []struct {
		query, want string
		status      int
	}{
		{"SELECT * {", "The query can&#39;t be run", 400},
		{"INSERT DATA { <http://e/a> <http://e/b> 1 }", "only SELECT, CONSTRUCT, ASK and DESCRIBE are allowed", 400},
		{"SELECT * { SERVICE <http://e/> { ?s ?p ?o } }", "SERVICE would query another server", 400},
		{"SELECT * { ?s <http://e/q> ?o }", "No results", 200},
		{"SELECT * { ?s <http://e/q> ?o }", "no triple has the predicate", 200},
		{"SELECT * { ?s ?p ?o }", "3 rows in ", 200},
		{"ASK { ?s ?p 4 }", "Why is it empty?", 200},
	} {
		w := b.get(queryPath(c.query))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d, want %d and %q: %s", c.query, w.Code, c.status, c.want, w.Body)
		}
	}
}

func TestATimeOutIsNoEmptyAnswer(t *testing.T) {
	s := limitedService(t, 30*time.Millisecond, 0)
	s.publish(manyTriples(300))
	w := s.visitor().get(queryPath("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(STR(?c) < STR(?f) && STR(?f) < STR(?i)) }"))
	wantPage(t, w, http.StatusGatewayTimeout, "Time limit reached: no result")
	if strings.Contains(w.Body.String(), "No results") {
		t.Error("it also says that there are no results")
	}
}

func TestTheMemoryLimitIsNoEmptyAnswer(t *testing.T) {
	s := limitedService(t, 0, 1<<20)
	s.publish(manyTriples(1000))
	w := s.visitor().get(queryPath("SELECT DISTINCT ?a ?d (CONCAT(STR(?c), STR(?f)) AS ?x) { ?a ?b ?c . ?d ?e ?f }"))
	wantPage(t, w, http.StatusServiceUnavailable, "Memory limit reached: no result")
}

func manyTriples(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "<http://e/s%d> <http://e/p> \"%d\" .\n", i, i)
	}
	return out.String()
}

func TestPagesOfAnAnswerHaveEveryRowOnce(t *testing.T) {
	s := openService(t)
	s.publish(manyTriples(250))
	b := s.visitor()
	seen := map[string]int{}
	const query = "SELECT ?s { ?s ?p ?o }"
	for from := 0; from < 250; from += queryRows {
		page := b.get(queryPath(query, fmt.Sprint("from=", from))).Body.String()
		for i := range 250 {
			seen[fmt.Sprint(i)] += strings.Count(page, fmt.Sprintf("<bdi>&lt;http://e/s%d&gt;</bdi>", i))
		}
	}
	for i := range 250 {
		if n := seen[fmt.Sprint(i)]; n != 1 {
			t.Errorf("row %d is there %d times", i, n)
		}
	}
	if w := b.get(queryPath(query, "from=1000000")); w.Code != 200 || !strings.Contains(w.Body.String(), "250 rows") {
		t.Errorf("behind the end: %d %s", w.Code, w.Body)
	}
}

func TestTripleTermsAndDirectionsInCells(t *testing.T) {
	page := openService(t).visitor().get(queryPath(`PREFIX : <http://e/> SELECT * { VALUES ?x { <<( :a :p "b <i>" )>> <<( :a :p <<( :a :q 1 )>> )>> "x"@he--rtl } }`)).Body.String()
	for _, want := range []string{"<bdi>&#34;b &lt;i&gt;&#34;</bdi>", "<bdi>1</bdi>", `<a href="/kg-graph?node=http%3A%2F%2Fe%2Fq" title="http://e/q"><bdi>:q</bdi></a>`, `<span class="note">he--rtl</span>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestTheCheckIsTheParsersOwnAndOffersAMissingPrefix(t *testing.T) {
	s := openService(t)
	s.publish("@prefix zoo: <http://zoo.test/> . zoo:a zoo:b zoo:c .")
	b := s.visitor()
	check := func(query string) (answer struct {
		Valid   bool
		Kind    string `json:"query_kind"`
		Message string
		Line    int
		Column  int
		Declare []struct{ Prefix, Namespace string }
	}) {
		w := b.post("/query/check", url.Values{"query": {query}})
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 {
			t.Fatalf("%d %s: %v", w.Code, w.Body, err)
		}
		return answer
	}
	if a := check("ASK {}"); !a.Valid || a.Kind != "ask" {
		t.Errorf("%+v", a)
	}
	a := check("ASK {\n ?x zoo:b ?y }")
	if a.Valid || a.Line != 2 || a.Column != 5 || len(a.Declare) != 1 || a.Declare[0].Namespace != "http://zoo.test/" || a.Declare[0].Prefix != "zoo:" {
		t.Errorf("%+v", a)
	}
	if a := check("ASK { ?x nobody:knows ?y }"); a.Valid || len(a.Declare) != 0 {
		t.Errorf("%+v", a)
	}
}

func TestCompletionKnowsWhatTheGraphHas(t *testing.T) {
	s := openService(t)
	s.publishDemo()
	b := s.visitor()
	var found queryTerms
	get := func() {
		w := b.get("/query/terms")
		if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	get()
	count := func(list []termCount, iri string) int {
		for _, c := range list {
			if c.IRI == iri {
				return c.Count
			}
		}
		return 0
	}
	if n := count(found.Classes, "http://schema.org/Message"); n != 8 {
		t.Errorf("%d messages", n)
	}
	if n := count(found.Predicates, "http://schema.org/text"); n != 8 {
		t.Errorf("%d texts", n)
	}
	if !slices.Contains(found.Functions, "STRDT") || !slices.Contains(found.Functions, "BOUND") {
		t.Errorf("functions: %q", found.Functions)
	}
	s.publish("<http://e/a> a <http://e/New> .")
	s.now = s.now.Add(termsLife)
	get()
	if n := count(found.Classes, "http://e/New"); n != 1 {
		t.Errorf("what is new is there %d times", n)
	}
}

func TestADownloadIsTheWholeAnswerAsAFile(t *testing.T) {
	s := openService(t)
	s.publish(manyTriples(500))
	b := s.visitor()
	for format, want := range map[string]string{"csv": "text/csv; charset=utf-8", "tsv": "text/tab-separated-values; charset=utf-8", "json": "application/sparql-results+json", "xml": "application/sparql-results+xml", "ttl": "text/turtle; charset=utf-8"} {
		w := b.post("/query/download", url.Values{"query": {"SELECT ?s\r\n{ ?s ?p ?o }"}, "format": {format}})
		if w.Code != 200 || w.Header().Get("Content-Type") != want || !strings.HasSuffix(w.Header().Get("Content-Disposition"), "."+format) || strings.Count(w.Body.String(), "http://e/s") != 500 {
			t.Errorf("%s: %d %v", format, w.Code, w.Header())
		}
	}
	w := b.post("/query/download", url.Values{"query": {"CONSTRUCT WHERE { ?s ?p ?o }"}, "format": {"json"}})
	if got := w.Header().Get("Content-Disposition"); !strings.HasSuffix(got, ".jsonld") {
		t.Errorf("JSON-LD is %s", got)
	}
	w = b.post("/query/download", url.Values{"query": {"SELECT ?s {"}, "format": {"csv"}})
	if wantPage(t, w, 400, "The query can"); w.Header().Get("Content-Disposition") != "" {
		t.Error("what went wrong is a file")
	}
}

// TestCellsOfDownloadsAreHarmless covers cells that a spreadsheet would execute. The
// API's answers and all numbers stay unchanged.
func TestCellsOfDownloadsAreHarmless(t *testing.T) {
	s := openService(t)
	s.publish(fmt.Sprintf(`<urn:r> a <%s> ; <%s> "=HYPERLINK(\"http://e\")" . <urn:m> a <%s> ; <%s> "+cmd" , "-5" , "\t=1" , "\r=1" , "@SUM(A1)" ; <%s> <urn:r> ; <%s> <urn:a> .
		<urn:a> <%s> <urn:r> ; <%s> "2026-01-01T00:00:00Z"^^<%s> .`,
		v.OroRobot, v.SchemaName, v.SchemaMessage, v.SchemaText, v.SchemaSender, v.ProvWasGeneratedBy, v.SegbWasPerformedBy, v.ProvStartedAtTime, rdf.XSDDateTime))
	b := s.visitor()
	cells := func(w *httptest.ResponseRecorder) []string {
		t.Helper()
		records, err := csv.NewReader(w.Body).ReadAll()
		if err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d, %v", w.Code, err)
		}
		return slices.Concat(records...)
	}
	text := "SELECT ?t { ?m <" + v.SchemaText + "> ?t }"
	for where, got := range map[string][]string{
		"query":  cells(b.post("/query/download", url.Values{"query": {text}, "format": {"csv"}})),
		"report": cells(b.get("/reports/table?section=conversations&table=conversations")),
	} {
		for _, want := range []string{"'+cmd", "-5", "'\t=1", "'\r=1", "'@SUM(A1)"} {
			if !slices.Contains(got, want) {
				t.Errorf("%s: no cell is %q: %q", where, want, got)
			}
		}
	}
	if got := cells(b.get("/reports/table?section=people&table=participants")); !slices.Contains(got, "'=HYPERLINK(\"http://e\")") {
		t.Errorf("a name: %q", got)
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/query?"+url.Values{"query": {text}, "format": {"csv"}}.Encode(), nil))
	if got := cells(w); !slices.Contains(got, "+cmd") || !slices.Contains(got, "@SUM(A1)") {
		t.Errorf("the API's answer: %q", got)
	}
}

func TestATripleLinksToTheLogsThatContributedIt(t *testing.T) {
	s := openService(t)
	s.publish(`<http://e/a> <http://e/p> "x"@en .`)
	s.publish(`<http://e/a> <http://e/p> "x"@en, 2 .`)
	b := s.visitor()
	page := b.get(queryPath("DESCRIBE <http://e/a>")).Body.String()
	if n := strings.Count(page, "/query/logs?triple="); n != 2 {
		t.Errorf("%d ways to logs", n)
	}
	w := b.get("/query/logs?" + url.Values{"triple": {`<http://e/a> <http://e/p> "x"@en`}}.Encode())
	if wantPage(t, w, 200, "anonymous_user"); strings.Count(w.Body.String(), `<td><bdi class="said">“anonymous_user”`) != 2 {
		t.Errorf("%s", w.Body)
	}
	wantPage(t, b.get("/query/logs?triple=x"), 422, "The address has no triple")
}

func TestTheCommandIsSafeInAShell(t *testing.T) {
	s := newService(t)
	b := s.signedIn("auditor")
	w := b.get(queryPath(`ASK { ?s ?p "it's; $(reboot)" }`))
	if got := w.Body.String(); !strings.Contains(got, `&#39;query=ASK { ?s ?p &#34;it&#39;\&#39;&#39;s; $(reboot)&#34; }&#39;`) || !strings.Contains(got, "Bearer $TOKEN") {
		t.Errorf("%s", got)
	}
}

// The page warns, with the position, of parts of a query that may not do what the author
// expects: with an answer, with a plan and for an empty result. It refuses, by name,
// parts that can only find nothing.
func TestThePageWarnsOfWhatMayNotDoWhatIsExpected(t *testing.T) {
	s := openService(t)
	s.publishDemo()
	b := s.visitor()
	for query, want := range map[string]string{
		`SELECT * { ?s ?p ?o FILTER REGEX(STR(?o), "\\ba") }`:      "Line 1, column 43: </span><bdi>The pattern has \\b",
		`SELECT * { ?s ?p ?o FILTER REGEX(STR(?o), "(?i)zzz") }`:   "Line 1, column 43: </span><bdi>The pattern has (?i)",
		"SELECT *\nFROM <urn:x:nowhere> { ?s ?p ?o }":              "Line 2, column 6: </span><bdi>There is no graph &lt;urn:x:nowhere&gt;",
		"SELECT * { ?s ?p ?o FILTER(<urn:x:f>(?o)) }":              "there is no function",
		`SELECT * { ?s ?p ?o FILTER REGEX(STR(?o), "\\b(unbal") }`: "missing closing )",
	} {
		for _, path := range []string{queryPath(query), queryPath(query, "view=plan")} {
			if body := strings.Join(strings.Fields(b.get(path).Body.String()), " "); !strings.Contains(strings.ReplaceAll(body, "> <", "><"), want) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
	}
	if body := b.get(queryPath("SELECT * { ?s ?p ?o } LIMIT 1")).Body.String(); strings.Contains(body, "may not do what you expect") {
		t.Error("it warns of a query that is right")
	}
}

// A triple term is shown with its parts shortened, and all of it on request.
func TestTheCellOfATripleTerm(t *testing.T) {
	s := rdf.NewIRI("http://ex/s")
	term := rdf.NewTripleTerm(rdf.Triple{S: s, P: rdf.NewIRI("http://ex/p"), O: rdf.NewTripleTerm(rdf.Triple{S: rdf.NewBlank("b"), P: rdf.NewIRI("urn:q"), O: rdf.NewString("x")})})
	got := cell(term, []turtle.Prefix{{Label: "ex", Namespace: "http://ex/"}})
	if got.Text != "<<( ex:s ex:p <<( _:b <urn:q> \"x\" )>> )>>" || got.Full != term.String() || got.Href != "" {
		t.Errorf("it is %+v", got)
	}
	var links []string
	for _, p := range got.Pieces {
		if p.Href != "" {
			links = append(links, p.Text+" "+p.IRI)
		}
	}
	if want := []string{"ex:s http://ex/s", "ex:p http://ex/p", "<urn:q> urn:q"}; !slices.Equal(links, want) {
		t.Errorf("links are %q, want %q", links, want)
	}
	long := rdf.NewTripleTerm(rdf.Triple{S: s, P: s, O: rdf.NewString(strings.Repeat("x", shortCell))})
	if got := cell(long, nil); got.Pieces != nil || !strings.HasSuffix(got.Text, "…") {
		t.Errorf("a long one is %+v", got)
	}
}
