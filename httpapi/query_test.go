package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store/sparql"
)

// logOfTwo is the document that these tests query.
const logOfTwo = `@prefix ex: <http://example.org/> .
ex:m1 ex:text "Hello, \"Ari\""@en ; ex:sender ex:ari ; ex:size 2 .
ex:m2 ex:text "=SUM(A1)" ; ex:sender [ ex:name "x" ] .`

// newQueryService returns an API over an embedded store with a document.
func newQueryService(t testing.TB, content string, change ...func(*settings)) *fixture {
	t.Helper()
	db := openStore(t)
	s := newOpenService(t, append([]func(*settings){func(c *settings) { c.Graph, c.Queries = db, db }}, change...)...)
	if content != "" {
		if w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(content, nil)}); w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	return s
}

// ask sends a query with GET and further parameters.
func (s *fixture) ask(t testing.TB, query string, more ...string) *httptest.ResponseRecorder {
	t.Helper()
	return s.do(t, call{method: "GET", path: queryPath(query, more...)})
}

func queryPath(query string, more ...string) string {
	return strings.Join(append([]string{"/query?query=" + url.QueryEscape(query)}, more...), "&")
}

const prefix = "PREFIX ex: <http://example.org/>\n"

func TestEveryFormOfAnswerOfEveryFormOfQuery(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, logOfTwo)
	const (
		rows      = prefix + `SELECT ?m ?text ?size { ?m ex:text ?text OPTIONAL { ?m ex:size ?size } } ORDER BY ?m`
		yes       = prefix + `ASK { ex:m1 ex:size 2 }`
		construct = prefix + `CONSTRUCT { ?m ex:says ?text ; a ex:Message } WHERE { ?m ex:text ?text ; ex:sender ex:ari }`
		describe  = prefix + `DESCRIBE ex:m1`
		none      = `SELECT ?x { ?x <http://e/none> ?y }`

		srj, srx = "application/sparql-results+json", "application/sparql-results+xml"
		csv, tsv = "text/csv; charset=utf-8", "text/tab-separated-values; charset=utf-8"
		turtle   = "text/turtle; charset=utf-8"
	)
	for _, c := range []struct {
		name, query, format, contentType string
		want                             []string // parts of the answer, in order
	}{
		{"rows", rows, "", srj, []string{`"vars":["m","text","size"]`, `"value":"Hello, \"Ari\""`, `"xml:lang":"en"`, `XMLSchema#integer`, "m2"}},
		{"rows", rows, "json", srj, []string{`"vars":["m","text","size"]`}},
		{"rows", rows, "xml", srx, []string{`<variable name="m"/>`, `<literal xml:lang="en">Hello, `, "m2"}},
		{"rows", rows, "csv", csv, []string{"m,text,size\r\n", `"Hello, ""Ari""",2` + "\r\n", "=SUM(A1),\r\n"}},
		{"rows", rows, "tsv", tsv, []string{"?m\t?text\t?size\n", "\"Hello, \\\"Ari\\\"\"@en\t2\n", "=SUM(A1)"}},
		{"rows", rows, "ttl", turtle, []string{"ns:Result", "ns:m", "ns:text", `@en`}},
		{"no rows", none, "", srj, []string{`"vars":["x"]`, `"bindings":[`, "]"}},
		{"no rows", none, "csv", csv, []string{"x\r\n"}},
		{"ask", yes, "", srj, []string{`"boolean":true`}},
		{"ask", yes, "xml", srx, []string{"<boolean>true</boolean>"}},
		{"ask", yes, "csv", csv, []string{"true"}},
		{"ask", yes, "tsv", tsv, []string{"true"}},
		{"construct", construct, "", turtle, []string{"ex:m1 ", "ex:says ", `"Hello, \"Ari\""@en`}},
		{"construct", construct, "TTL", turtle, []string{"ex:m1 "}},
		{"construct", construct, "nt", "application/n-triples", []string{"<http://example.org/m1> <http://example.org/says> "}},
		{"construct", construct, "json", "application/ld+json", []string{`[{"@id":"http://example.org/m1"`, `"@language":"en"`}},
		{"describe", describe, "", turtle, []string{"ex:m1 ", "ex:sender ex:ari"}},
		{"describe", describe, "nt", "application/n-triples", []string{"<http://example.org/m1> "}},
		{"describe", describe, "json", "application/ld+json", []string{`"@id":"http://example.org/m1"`}},
	} {
		t.Run(c.name+" "+c.format, func(t *testing.T) {
			var more []string
			if c.format != "" {
				more = []string{"format=" + c.format}
			}
			w := s.ask(t, c.query, more...)
			if w.Code != 200 || w.Header().Get("Content-Type") != c.contentType || w.Header().Get("Vary") != "Accept" {
				t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
			}
			rest, ok := w.Body.String(), true
			for _, part := range c.want {
				if _, rest, ok = strings.Cut(rest, part); !ok {
					t.Errorf("%q is not there, or not in order:\n%s", part, w.Body)
				}
			}
		})
	}
}

func TestTheAnswerComesAsAcceptWantsIt(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	const turtle = "text/turtle; charset=utf-8"
	for _, c := range []struct{ query, accept, want string }{
		{"SELECT * {}", "", "application/sparql-results+json"},
		{"SELECT * {}", "*/*", "application/sparql-results+json"},
		{"SELECT * {}", "application/json", "application/json"},
		{"SELECT * {}", "application/json, text/plain, */*", "application/sparql-results+json"},
		{"SELECT * {}", "application/sparql-results+xml", "application/sparql-results+xml"},
		{"SELECT * {}", "application/xml", "application/xml"},
		{"SELECT * {}", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/xml"},
		{"SELECT * {}", "text/csv;q=0.5, text/tab-separated-values", "text/tab-separated-values; charset=utf-8"},
		{"SELECT * {}", "text/csv;q=0.5, text/tab-separated-values;q=0.4", "text/csv; charset=utf-8"},
		{"SELECT * {}", "text/turtle", turtle},
		{"SELECT * {}", "text/turtle;q=0.9, application/sparql-results+json;q=0.8", turtle},
		{"SELECT * {}", "image/png", ""},
		{"SELECT * {}", "application/trig, application/n-triples", ""},
		{"ASK {}", "text/turtle", ""},
		{"ASK {}", "text/turtle, application/sparql-results+xml;q=0.1", "application/sparql-results+xml"},
		{"DESCRIBE <a>", "", turtle},
		{"DESCRIBE <a>", "application/sparql-results+json", ""},
		{"DESCRIBE <a>", "application/trig", "application/trig"},
		{"DESCRIBE <a>", "application/n-quads, text/turtle;q=0.9", "application/n-quads"},
		{"DESCRIBE <a>", "application/n-triples", "application/n-triples"},
		{"DESCRIBE <a>", "application/ld+json", "application/ld+json"},
		{"DESCRIBE <a>", "application/json", "application/json"},
		{"DESCRIBE <a>", "application/rdf+xml", "application/rdf+xml"},
		{"DESCRIBE <a>", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", turtle},
		{"CONSTRUCT { <a> <b> 1 } {}", "application/n-triples;q=0.4, text/turtle;q=0.3", "application/n-triples"},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			request := call{method: method, path: queryPath(c.query)}
			if c.accept != "" {
				request.header = map[string]string{"Accept": c.accept}
			}
			w := s.do(t, request)
			if c.want == "" {
				wantProblem(t, w, http.StatusNotAcceptable, "Accept allows none of the available media types")
			} else if w.Code != 200 || w.Header().Get("Content-Type") != c.want || w.Header().Get("Vary") != "Accept" {
				t.Errorf("%s %s with %q: %d %v", method, c.query, c.accept, w.Code, w.Header())
			}
			if c.accept == "" {
				continue
			}
			request.path += "&format=" + map[bool]string{true: "ttl", false: "json"}[strings.HasPrefix(c.query, "DESC")]
			if w := s.do(t, request); !strings.HasPrefix(w.Header().Get("Content-Type"), map[bool]string{true: "text/turtle", false: "application/"}[strings.HasPrefix(c.query, "DESC")]) {
				t.Errorf("%s: Accept %q won over format: %v", c.query, c.accept, w.Header())
			}
		}
	}
}

func TestErrorsOfAQueryAreReportedBeforeItRuns(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	form, direct := mediaForm, mediaQuery
	for _, c := range []struct {
		name   string
		call   call
		status int
		detail string
		line   int
	}{
		{"no query", call{method: "GET", path: "/query?x=1"}, 422, `"query" is missing`, 0},
		{"no query, from a browser", call{method: "GET", path: "/query", header: map[string]string{"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}}, 422, `"query" is missing`, 0},
		{"no query, from a client of rows", call{method: "GET", path: "/query", header: map[string]string{"Accept": "application/sparql-results+json"}}, 422, `"query" is missing`, 0},
		{"two queries", call{method: "GET", path: queryPath("ASK {}", "query=ASK")}, 400, "2 queries", 0},
		{"an update as a parameter", call{method: "GET", path: "/query?update=CLEAR%20ALL"}, 400, "POST /ttl adds triples", 0},
		{"an update as a body", call{method: "POST", path: "/query", body: "CLEAR ALL", contentType: "application/sparql-update"}, 400, "runs no SPARQL Update: POST /ttl adds triples", 0},
		{"an unknown form", call{method: "GET", path: queryPath("ASK {}", "format=html")}, 422, "format must be json, xml, csv or tsv", 0},
		{"a graph's form for rows", call{method: "GET", path: queryPath("SELECT * {}", "format=nt")}, 422, "SELECT", 0},
		{"two forms that are none", call{method: "GET", path: queryPath("ASK {}", "format=rdf", "format=application/rdf%2Bxml")}, 422, "format must be json, xml, csv or tsv", 0},
		{"a query string that can't be parsed", call{method: "GET", path: "/query?query=%zz"}, 422, "can't be parsed", 0},
		{"bad syntax", call{method: "GET", path: queryPath("ASK\n{ ?s }")}, 400, "line 2, column 6", 2},
		{"an undeclared prefix", call{method: "GET", path: queryPath("ASK { ?s e:p 1 }")}, 400, "line 1, column 10", 1},
		{"INSERT", call{method: "GET", path: queryPath("INSERT DATA { <a> <b> 1 }")}, 400, "INSERT is an update", 1},
		{"DELETE", call{method: "POST", path: "/query", body: "DELETE WHERE { ?s ?p ?o }", contentType: direct}, 400, "DELETE is an update", 1},
		{"LOAD", call{method: "POST", path: "/query", body: "LOAD <http://127.0.0.1/>", contentType: direct}, 400, "LOAD is an update", 1},
		{"CLEAR", call{method: "POST", path: "/query", body: "query=CLEAR+ALL", contentType: form}, 400, "CLEAR is an update", 1},
		{"SERVICE", call{method: "GET", path: queryPath("SELECT * {\n SERVICE <http://127.0.0.1/> { ?s ?p ?o } }")}, 400, "SERVICE would query another server", 2},
		{"SERVICE in EXISTS", call{method: "GET", path: queryPath("ASK { FILTER NOT EXISTS { SERVICE SILENT ?x {} } }")}, 400, "SERVICE", 1},
		{"no UTF-8", call{method: "POST", path: "/query", body: "ASK { ?s ?p '\xff' }", contentType: direct}, 400, "UTF-8", 1},
		{"a body of another type", call{method: "POST", path: "/query", body: "ASK {}", contentType: "text/plain"}, 415, "application/sparql-query", 0},
		{"a body of no type", call{method: "POST", path: "/query", body: "ASK {}", contentType: "-"}, 415, "application/sparql-query", 0},
		{"a body in UTF-16", call{method: "POST", path: "/query", body: "ASK {}", contentType: direct + "; charset=utf-16"}, 415, "UTF-8", 0},
		{"a form that can't be read", call{method: "POST", path: "/query", body: "query=%zz", contentType: form}, 400, "form", 0},
		{"a form without a query", call{method: "POST", path: "/query", body: "x=1", contentType: form}, 422, "missing", 0},
		{"an update in a form", call{method: "POST", path: "/query", body: "query=ASK+{}&update=CLEAR+ALL", contentType: form}, 400, "POST /ttl/delete_all removes the graph", 0},
		{"a query in the body and one in the address", call{method: "POST", path: queryPath("ASK {}"), body: "ASK {}", contentType: direct}, 400, "2 queries", 0},
		{"more than a megabyte", call{method: "POST", path: "/query", body: "ASK {}" + strings.Repeat(" ", 1<<20), contentType: direct}, 413, "1 MiB", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := wantProblem(t, s.do(t, c.call), c.status, c.detail)
			if p.Line != c.line || (p.Column > 0) != (c.line > 0) {
				t.Errorf("line %d, column %d; want line %d", p.Line, p.Column, c.line)
			}
		})
	}
}

// A graph that is not stored is empty, however it is named. Nothing is fetched, and an
// explanation warns.
func TestAGraphThatIsNotStoredIsEmpty(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, logOfTwo)
	for _, query := range []string{
		"SELECT * FROM <http://127.0.0.1:1/x> { ?s ?p ?o }", "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
		"SELECT * FROM NAMED <http://127.0.0.1:1/x> { GRAPH ?g { ?s ?p ?o } }",
	} {
		_, name, _ := strings.Cut(query, "<")
		name, _, _ = strings.Cut(name, ">")
		if w := s.ask(t, query, "format=csv"); w.Code != 200 || strings.Count(w.Body.String(), "\n") != 1 {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
		x := asJSON[sparql.Explanation](t, s.do(t, call{method: "GET", path: explainPath(query)}))
		if len(x.Warnings) != 1 || x.Warnings[0].Name != name || x.Warnings[0].Line != 1 || x.Warnings[0].Column != strings.Index(query, "<")+1 {
			t.Errorf("%s: %+v", query, x.Warnings)
		}
	}
	if w := s.ask(t, "SELECT * FROM <urn:segraph:contexts> FROM NAMED <urn:segraph:contexts> { ?s ?p ?o }", "format=csv"); w.Code != 200 || strings.Count(w.Body.String(), "\n") != 1 {
		t.Errorf("the graph of contexts, which is empty: %d %s", w.Code, w.Body)
	}
	w := s.ask(t, "SELECT * { ?s ?p ?o }", "format=csv", "default-graph-uri=http%3A%2F%2F127.0.0.1%3A1%2Fx")
	if w.Code != 200 || strings.Count(w.Body.String(), "\n") != 1 {
		t.Errorf("a graph of the protocol that is not stored: %d %s", w.Code, w.Body)
	}
}

func TestAuditorsAskAndLoggersDoNot(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for role, want := range map[auth.Role]int{auth.Auditor: 200, auth.Admin: 200, auth.Logger: 403} {
		for _, request := range []call{sample("GET", "/query"), sample("POST", "/query")} {
			request.token = s.token(t, role)
			if w := s.do(t, request); w.Code != want {
				t.Errorf("%s %s: %d", request.method, role, w.Code)
			}
		}
	}
}

// Public clients use other names for formats, and send several at once.
func TestFormsByTheNamesThatPublicClientsSend(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, logOfTwo)
	const rows, construct = "SELECT * { ?s ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }"
	for _, c := range []struct{ query, formats, want string }{
		{rows, "format=tsv&format=text/tab-separated-values&output=tsv", "text/tab-separated-values; charset=utf-8"},
		{rows, "format=tab-separated-values", "text/tab-separated-values; charset=utf-8"},
		{rows, "format=application/sparql-results%2Bjson", "application/sparql-results+json"},
		{rows, "format=JSON", "application/sparql-results+json"},
		{rows, "format=", "application/sparql-results+json"},
		{construct, "format=turtle&format=application/turtle", "text/turtle; charset=utf-8"},
		{construct, "format=n3&format=text/n3", "text/turtle; charset=utf-8"},
		{construct, "format=json-ld&format=application/ld%2Bjson", "application/ld+json"},
		{construct, "format=n-triples", "application/n-triples"},
		{construct, "format=xml&output=xml&results=xml", "application/rdf+xml"},
	} {
		w := s.ask(t, c.query, c.formats)
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != c.want {
			t.Errorf("%s: %d %s, want %s", c.formats, w.Code, got, c.want)
		}
	}
}
