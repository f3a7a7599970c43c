package query

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

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
	v "github.com/segraph/segraph/vocabulary"
)

func TestEveryExampleRunsAndFindsSomething(t *testing.T) {
	suite.NotShort(t)
	s := openService(t)
	s.PlayDemo()
	b, seen := s.NewVisitor(), map[string]bool{}
	for _, g := range queryExamples() {
		for _, e := range g.List {
			if seen[e.Name] {
				t.Errorf("two examples are called %s", e.Name)
			}
			seen[e.Name] = true
			w := b.Get("/query?example=" + e.Name)
			if w.Code != 200 || strings.Contains(w.Body.String(), "Why is it empty?") || !strings.Contains(w.Body.String(), "data-state=") {
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
	s.Publish("<http://e/a> <http://e/p> 1, 2, 3 .")
	b := s.NewVisitor()
	for _, c := range []struct {
		query, want string
		status      int
	}{
		{"SELECT * {", "The query can’t be run", 400},
		{"INSERT DATA { <http://e/a> <http://e/b> 1 }", "only SELECT, CONSTRUCT, ASK and DESCRIBE are allowed", 400},
		{"SELECT * { SERVICE <http://e/> { ?s ?p ?o } }", "SERVICE would query another server", 400},
		{"SELECT * { ?s <http://e/q> ?o }", "Why is it empty?", 200},
		{"SELECT * { ?s <http://e/q> ?o }", "No triple has the predicate", 200},
		{"SELECT * { ?s ?p ?o }", "3 rows in ", 200},
		{"ASK { ?s ?p 4 }", "Why is it empty?", 200},
	} {
		w := b.Get(viewstest.QueryPath(c.query))
		for try := 1; w.Code == 200 && c.status != 200 && try < 5; try++ {
			w = b.Get(viewstest.QueryPath(c.query)) // on a busy machine, the page may be begun before the error is known
		}
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d, want %d and %q: %s", c.query, w.Code, c.status, c.want, w.Body)
		}
	}
}

func TestATimeOutIsNoEmptyAnswer(t *testing.T) {
	s := limitedService(t, 30*time.Millisecond, 0)
	s.Publish(manyTriples(300))
	w := s.NewVisitor().Get(viewstest.QueryPath("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(STR(?c) < STR(?f) && STR(?f) < STR(?i)) }"))
	viewstest.WantPage(t, w, http.StatusGatewayTimeout, "Time limit reached: no result")
	if strings.Contains(w.Body.String(), "Why is it empty?") {
		t.Error("it also says that there are no results")
	}
}

func TestTheMemoryLimitIsNoEmptyAnswer(t *testing.T) {
	s := limitedService(t, 0, 1<<20)
	s.Publish(manyTriples(1000))
	w := s.NewVisitor().Get(viewstest.QueryPath("SELECT (COUNT(DISTINCT ?x) AS ?n) { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?c), STR(?f)) AS ?x) }"))
	viewstest.WantPage(t, w, http.StatusServiceUnavailable, "Memory limit reached: no result")
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
	s.Publish(manyTriples(250))
	b := s.NewVisitor()
	seen := map[string]int{}
	const query = "SELECT ?s { ?s ?p ?o }"
	for from := 0; from < 250; from += pageRows {
		page := b.Get(viewstest.QueryPath(query, fmt.Sprint("from=", from))).Body.String()
		for i := range 250 {
			seen[fmt.Sprint(i)] += strings.Count(page, fmt.Sprintf("<bdi>&lt;http://e/s%d&gt;</bdi>", i))
		}
	}
	for i := range 250 {
		if n := seen[fmt.Sprint(i)]; n != 1 {
			t.Errorf("row %d is there %d times", i, n)
		}
	}
	if w := b.Get(viewstest.QueryPath(query, "from=1000000")); w.Code != 200 || !strings.Contains(w.Body.String(), "250 rows") {
		t.Errorf("behind the end: %d %s", w.Code, w.Body)
	}
}

func TestTripleTermsAndDirectionsInCells(t *testing.T) {
	page := openService(t).NewVisitor().Get(viewstest.QueryPath(`PREFIX : <http://e/> SELECT * { VALUES ?x { <<( :a :p "b <i>" )>> <<( :a :p <<( :a :q 1 )>> )>> "x"@he--rtl } }`)).Body.String()
	for _, want := range []string{"<bdi>&#34;b &lt;i&gt;&#34;</bdi>", "<bdi>1</bdi>", `<a href="/kg-graph?node=http%3A%2F%2Fe%2Fq" title="http://e/q"><bdi>:q</bdi></a>`, `<span class="note">he--rtl</span>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestTheCheckIsTheParsersOwnAndOffersAMissingPrefix(t *testing.T) {
	s := openService(t)
	s.Publish("@prefix zoo: <http://zoo.test/> . zoo:a zoo:b zoo:c .")
	b := s.NewVisitor()
	check := func(query string) (answer struct {
		Valid   bool
		Kind    string `json:"query_kind"`
		Message string
		Line    int
		Column  int
		Declare []struct{ Prefix, Namespace string }
	}) {
		w := b.Post("/query/check", url.Values{"query": {query}})
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
	s.PublishDemo()
	b := s.NewVisitor()
	var found queryTerms
	get := func() {
		w := b.Get("/query/terms")
		if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	get()
	count := func(list []views.TermCount, iri string) int {
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
	s.Publish("<http://e/a> a <http://e/New> .")
	s.Now = s.Now.Add(termsLife)
	get()
	if n := count(found.Classes, "http://e/New"); n != 1 {
		t.Errorf("what is new is there %d times", n)
	}
}

func TestADownloadIsTheWholeAnswerAsAFile(t *testing.T) {
	s := openService(t)
	s.Publish(manyTriples(500))
	b := s.NewVisitor()
	for format, want := range map[string]string{"csv": "text/csv; charset=utf-8", "tsv": "text/tab-separated-values; charset=utf-8", "json": "application/sparql-results+json", "xml": "application/sparql-results+xml", "ttl": "text/turtle; charset=utf-8"} {
		w := b.Post("/query/download", url.Values{"query": {"SELECT ?s\r\n{ ?s ?p ?o }"}, "format": {format}})
		if w.Code != 200 || w.Header().Get("Content-Type") != want || !strings.HasSuffix(w.Header().Get("Content-Disposition"), "."+format) || strings.Count(w.Body.String(), "http://e/s") != 500 {
			t.Errorf("%s: %d %v", format, w.Code, w.Header())
		}
	}
	w := b.Post("/query/download", url.Values{"query": {"CONSTRUCT WHERE { ?s ?p ?o }"}, "format": {"json"}})
	if got := w.Header().Get("Content-Disposition"); !strings.HasSuffix(got, ".jsonld") {
		t.Errorf("JSON-LD is %s", got)
	}
	w = b.Post("/query/download", url.Values{"query": {"SELECT ?s {"}, "format": {"csv"}})
	if viewstest.WantPage(t, w, 400, "The query can"); w.Header().Get("Content-Disposition") != "" {
		t.Error("what went wrong is a file")
	}
}

// TestCellsOfDownloadsAreHarmless covers cells that a spreadsheet would execute. The
// API's answers and all numbers stay unchanged.
func TestCellsOfDownloadsAreHarmless(t *testing.T) {
	s := openService(t)
	s.Publish(fmt.Sprintf(`<urn:r> a <%s> ; <%s> "=HYPERLINK(\"http://e\")" . <urn:m> a <%s> ; <%s> "+cmd" , "-5" , "\t=1" , "\r=1" , "@SUM(A1)" ; <%s> <urn:r> ; <%s> <urn:a> .
		<urn:a> <%s> <urn:r> ; <%s> "2026-01-01T00:00:00Z"^^<%s> .`,
		v.OroRobot, v.SchemaName, v.SchemaMessage, v.SchemaText, v.SchemaSender, v.ProvWasGeneratedBy, v.SegbWasPerformedBy, v.ProvStartedAtTime, rdf.XSDDateTime))
	b := s.NewVisitor()
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
		"query":  cells(b.Post("/query/download", url.Values{"query": {text}, "format": {"csv"}})),
		"report": cells(b.Get("/reports/table?section=conversations&table=conversations")),
	} {
		for _, want := range []string{"'+cmd", "-5", "'\t=1", "'\r=1", "'@SUM(A1)"} {
			if !slices.Contains(got, want) {
				t.Errorf("%s: no cell is %q: %q", where, want, got)
			}
		}
	}
	if got := cells(b.Get("/reports/table?section=people&table=participants")); !slices.Contains(got, "'=HYPERLINK(\"http://e\")") {
		t.Errorf("a name: %q", got)
	}
	w := httptest.NewRecorder()
	s.API.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/query?"+url.Values{"query": {text}, "format": {"csv"}}.Encode(), nil))
	if got := cells(w); !slices.Contains(got, "+cmd") || !slices.Contains(got, "@SUM(A1)") {
		t.Errorf("the API's answer: %q", got)
	}
}

func TestATripleLinksToTheLogsThatContributedIt(t *testing.T) {
	s := openService(t)
	s.Publish(`<http://e/a> <http://e/p> "x"@en .`)
	s.Publish(`<http://e/a> <http://e/p> "x"@en, 2 .`)
	b := s.NewVisitor()
	page := b.Get(viewstest.QueryPath("DESCRIBE <http://e/a>")).Body.String()
	if n := strings.Count(page, "/query/logs?triple="); n != 2 {
		t.Errorf("%d ways to logs", n)
	}
	w := b.Get("/query/logs?" + url.Values{"triple": {`<http://e/a> <http://e/p> "x"@en`}}.Encode())
	if viewstest.WantPage(t, w, 200, "anonymous_user"); strings.Count(w.Body.String(), `<td><bdi class="said">anonymous_user`) != 2 {
		t.Errorf("%s", w.Body)
	}
	early := url.Values{"triple": {`<http://e/a> <http://e/p> "x"@en`}, "before": {"1"}}
	viewstest.WantPage(t, b.Get("/query/logs?"+early.Encode()), 200, "No log contributed")
	viewstest.Show(t, TripleLogsPage(viewstest.Frame("Logs of a triple", "/query/logs"), TripleLogs{Older: "/query/logs?before=7"})).Lacks("No log contributed")
	viewstest.WantPage(t, b.Get("/query/logs?triple=x"), 422, "The address has no triple")
}

func TestTheCommandIsSafeInAShell(t *testing.T) {
	s := newService(t)
	b := s.SignedIn("auditor")
	w := b.Get(viewstest.QueryPath(`ASK { ?s ?p "it's; $(reboot)" }`))
	if got := w.Body.String(); !strings.Contains(got, `&#39;query=ASK { ?s ?p &#34;it&#39;\&#39;&#39;s; $(reboot)&#34; }&#39;`) || !strings.Contains(got, "Bearer $SEGRAPH_TOKEN") {
		t.Errorf("%s", got)
	}
}

// The page warns, with the position, of parts of a query that may not do what the author
// expects: with an answer, with a plan and for an empty result. It refuses, by name,
// parts that can only find nothing.
func TestThePageWarnsOfWhatMayNotDoWhatIsExpected(t *testing.T) {
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	for query, want := range map[string]string{
		`SELECT * { ?s ?p ?o FILTER REGEX(STR(?o), "\\ba") }`:      "Line 1, column 43: </span><bdi>The pattern has \\b",
		`SELECT * { ?s ?p ?o FILTER REGEX(STR(?o), "(?i)zzz") }`:   "Line 1, column 43: </span><bdi>The pattern has (?i)",
		"SELECT *\nFROM <urn:x:nowhere> { ?s ?p ?o }":              "Line 2, column 6: </span><bdi>There is no graph &lt;urn:x:nowhere&gt;",
		"SELECT * { ?s ?p ?o FILTER(<urn:x:f>(?o)) }":              "there is no function",
		`SELECT * { ?s ?p ?o FILTER REGEX(STR(?o), "\\b(unbal") }`: "missing closing )",
	} {
		for _, path := range []string{viewstest.QueryPath(query), viewstest.QueryPath(query, "view=plan")} {
			if body := strings.Join(strings.Fields(b.Get(path).Body.String()), " "); !strings.Contains(strings.ReplaceAll(body, "> <", "><"), want) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
	}
	if body := b.Get(viewstest.QueryPath("SELECT * { ?s ?p ?o } LIMIT 1")).Body.String(); strings.Contains(body, "may not do what you expect") {
		t.Error("it warns of a query that is right")
	}
}

// A triple term is shown with its parts shortened, and all of it on request.
func TestTheCellOfATripleTerm(t *testing.T) {
	s := rdf.NewIRI("http://ex/s")
	term := rdf.NewTripleTerm(rdf.Triple{S: s, P: rdf.NewIRI("http://ex/p"), O: rdf.NewTripleTerm(rdf.Triple{S: rdf.NewBlank("b"), P: rdf.NewIRI("urn:q"), O: rdf.NewString("x")})})
	got := views.CellOf(term, []turtle.Prefix{{Label: "ex", Namespace: "http://ex/"}})
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
	long := rdf.NewTripleTerm(rdf.Triple{S: s, P: s, O: rdf.NewString(strings.Repeat("x", views.ShortCell))})
	if got := views.CellOf(long, nil); got.Pieces != nil || !strings.HasSuffix(got.Text, "…") {
		t.Errorf("a long one is %+v", got)
	}
}

// The page tells what kept a query from its answer by the limit that was reached, not by the words of the problem.
func TestTheKindOfAProblemIsThatOfItsLimit(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for want, e := range map[string]*service.Error{
		"memory": {Kind: service.Unavailable, Detail: "It is too much.", Limit: "memory"},
		"busy":   {Kind: service.Unavailable, Detail: "The limit of waiting queries is reached.", Limit: "queries"},
		"other":  {Kind: service.Unavailable, Detail: "The graph store has no memory."},
		"time":   {Kind: service.TimedOut, Detail: "It takes too long.", Limit: "query_time"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/query", nil)
		if got := s.ui.problemResult(r, &views.Visit{}, queryAsked{text: "ASK {}"}, front.ProblemOf(e)); got.Kind != want {
			t.Errorf("%s with the limit %q is of the kind %q, want %q", e.Detail, e.Limit, got.Kind, want)
		}
	}
}
