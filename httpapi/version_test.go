package httpapi

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
)

// RDF says version=1.2 if RDF 1.1 can't hold it, and only then. A client that accepts only
// version=1.1 gets it if it fits, and 406 otherwise.
func TestRDFSaysItsVersion(t *testing.T) {
	t.Parallel()
	everything := "/query?query=" + url.QueryEscape("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }")
	about := "/query?query=" + url.QueryEscape("DESCRIBE <http://e/s>")
	rows := "/query?query=" + url.QueryEscape("SELECT * { ?s ?p ?o }")
	for text, data := range map[string]rdf.Version{
		`<http://e/s> <http://e/p> "a"@en .`:                                   rdf.RDF11,
		`<http://e/s> <http://e/p> "a"@en--rtl .`:                              rdf.RDF12Basic,
		`<http://e/s> <http://e/p> <<( <http://e/s> <http://e/p> "a"@en )>> .`: rdf.RDF12,
	} {
		rdf12 := data != rdf.RDF11
		s := newQueryService(t, "", withJournal)
		var log struct {
			ID string `json:"log_id"`
		}
		if err := json.Unmarshal(s.do(t, call{method: "POST", path: "/ttl", body: ttl(text, nil)}).Body.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		version, basicVersion, refused, refusedBasic := "", "", 200, 200
		if rdf12 {
			version, basicVersion, refused = "; version=1.2", "; version=1.2-basic", 406
		}
		if data == rdf.RDF12 {
			refusedBasic = 406
		}
		get := func(method, path, accept string, code int, kind string) {
			t.Helper()
			w := s.do(t, call{method: method, path: path, header: map[string]string{"Accept": accept}})
			if got := w.Header().Get("Content-Type"); w.Code != code || code == 200 && got != kind {
				t.Errorf("%s\n%s %s as %s: %d %s, want %d %s", text, method, path, accept, w.Code, got, code, kind)
			}
			if code == 406 && method == "GET" && !strings.Contains(w.Body.String(), "version=1.2") && !strings.Contains(w.Body.String(), "version may be 1.1, 1.2-basic or 1.2") {
				t.Errorf("%s %s: %s", method, path, w.Body)
			}
		}
		for _, path := range []string{"/events", "/rdf-graph-store?default", "/logs/" + log.ID, everything, about, rows} {
			for media, rest := range map[string]string{
				"text/turtle": "; charset=utf-8", "application/n-triples": "", "application/trig": "", "application/n-quads": "",
			} {
				if path == rows && media != "text/turtle" || strings.HasPrefix(path, "/logs/") && rest == "" && media != "application/n-triples" {
					continue // it has no such format
				}
				get("GET", path, media, 200, media+rest+version)
				get("GET", path, media+";version=1.2", 200, media+rest+version)
				get("GET", path, media+"; version=1.1", refused, media+rest)
				get("GET", path, media+"; version=1.2-basic", refusedBasic, media+rest+basicVersion)
				get("GET", path, media+"; version=2.0", 406, "")
				get("GET", path, media+"; version=2.0, "+media+"; version=1.2; q=0.1", 200, media+rest+version)
				if !strings.HasPrefix(path, "/query") {
					get("HEAD", path, media, 200, media+rest+version)
					get("HEAD", path, media+"; version=1.1", refused, media+rest)
					get("HEAD", path, media+"; version=1.2-basic", refusedBasic, media+rest+basicVersion)
					get("HEAD", path, media+"; version=2.0", 406, "")
				}
			}
		}
		if strings.Contains(text, "<<(") { // which JSON-LD can't hold
			for _, path := range []string{"/rdf-graph-store?default", everything, about} {
				wantProblem(t, s.do(t, call{method: "GET", path: path, header: map[string]string{"Accept": "application/ld+json"}}), 406, "triple terms of RDF 1.2; request Turtle")
			}
		}
		if rdf12 { // the next accepted form that can hold it
			get("GET", everything, "text/turtle;version=1.1, application/n-triples;q=0.5", 200, "application/n-triples; version=1.2")
		}
	}
}

// The rest of a long answer is unknown when its header is sent. Then the header says
// version=1.2, unless neither the store nor the query has anything of RDF 1.2.
func TestALongAnswerSaysVersion12(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	long := `<http://e/s> <http://e/p> "` + strings.Repeat("long ", 1<<18) + `"@en`
	all := "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }"
	for _, tt := range []struct {
		stored, query string
		rdf12         bool
	}{
		{query: all},
		{query: "DESCRIBE <http://e/s>"},
		{query: `CONSTRUCT { ?s ?p ?o, "b"@en--ltr } { ?s ?p ?o }`, rdf12: true},
		{stored: `, "b"@en--rtl`, query: all, rdf12: true},
		{stored: `, <<( <http://e/s> <http://e/p> 1 )>>`, query: "SELECT * { ?s ?p ?o }", rdf12: true},
	} {
		s := newQueryService(t, long+tt.stored+" .")
		want := map[string]string{"text/turtle": "text/turtle; charset=utf-8; version=1.2"}
		if !tt.rdf12 {
			want = map[string]string{"text/turtle": "text/turtle; charset=utf-8", "text/turtle;version=1.1": "text/turtle; charset=utf-8"}
		}
		for accept, kind := range want {
			w := s.do(t, call{method: "GET", path: queryPath(tt.query), header: map[string]string{"Accept": accept}})
			if got := w.Header().Get("Content-Type"); w.Code != 200 || got != kind || w.Body.Len() < 1<<20 {
				t.Errorf("%s with %s for %s: %d %s, want %s", tt.query, tt.stored, accept, w.Code, got, kind)
			}
		}
	}
}

func TestADocumentOfRDF11MustBeOne(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, "", withJournal)
	for _, tt := range []struct{ kind, text, found string }{
		{"text/turtle", `<http://e/s> <http://e/p> "a"@en--rtl .`, "--"},
		{"text/turtle", `<http://e/s> <http://e/p> <<( <http://e/s> <http://e/p> 1 )>> .`, "triple term"},
		{"text/turtle", `<http://e/s> <http://e/p> 1 {| <http://e/q> 2 |} .`, "annotation"},
		{"application/n-triples", `<http://e/s> <http://e/p> <<( <http://e/s> <http://e/p> "1" )>> .`, "triple term"},
		{"application/n-triples", `<http://e/s> <http://e/p> "1" .`, ""},
	} {
		for _, version := range []string{"", "; version=1.2", "; version=1.2-basic", "; version=1.1"} {
			header := map[string]string{"Content-Type": tt.kind + version}
			refused := tt.found != "" && (version == "; version=1.1" || version == "; version=1.2-basic" && tt.found != "--")
			w := s.do(t, call{method: "POST", path: "/ttl/validate?user=ari", body: tt.text, header: header})
			if got := strings.Contains(w.Body.String(), `"syntax_ok":false`); got != refused || refused && !strings.Contains(w.Body.String(), tt.found) {
				t.Errorf("validate %s as %s%s: %s", tt.text, tt.kind, version, w.Body)
			}
			w = s.do(t, call{method: "POST", path: "/ttl?user=ari", body: tt.text, header: header})
			if (w.Code == 400) != refused || !refused && w.Code != 201 || refused && !strings.Contains(w.Body.String(), tt.found) {
				t.Errorf("%s as %s%s: %d %s", tt.text, tt.kind, version, w.Code, w.Body)
			}
		}
	}
}

func TestALogComesInNoOtherFormat(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, "", withJournal)
	var log struct {
		ID string `json:"log_id"`
	}
	if err := json.Unmarshal(s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)}).Body.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	for accept, want := range map[string]int{"text/html": 406, "application/trig": 406, "text/html, */*;q=0.8": 200, "application/json": 200, "": 200} {
		if w := s.do(t, call{method: "GET", path: "/logs/" + log.ID, header: map[string]string{"Accept": accept}}); w.Code != want {
			t.Errorf("Accept %q: %d %s", accept, w.Code, w.Body)
		}
	}
}

// A version that RDF and SPARQL do not have is refused, wherever it is announced.
func TestAnUnknownVersionIsRefused(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, "")
	ask := "query=" + url.QueryEscape("ASK {}")
	for _, tt := range []struct {
		request call
		status  int
		detail  string
	}{
		{call{method: "POST", path: "/ttl?user=ari", body: "<x:s> <x:p> 1 .", contentType: "text/turtle; version=2.0"}, 415, `version="2.0", which is unknown here`},
		{call{method: "POST", path: "/ttl/validate?user=ari", body: "<x:s> <x:p> 1 .", contentType: "application/n-triples; version=1.2-Basic"}, 415, "known are 1.1, 1.2-basic and 1.2"},
		{call{method: "POST", path: "/ttl?user=ari", body: `VERSION "9.9" <x:s> <x:p> 1 .`, contentType: "text/turtle"}, 400, `RDF has no version "9.9"`},
		{call{method: "POST", path: "/query", body: "ASK {}", contentType: mediaQuery + "; version=9.9"}, 415, `version="9.9"`},
		{call{method: "GET", path: "/query?version=9.9&" + ask}, 422, `SPARQL has no version "9.9"`},
		{call{method: "POST", path: "/query", body: "version=9.9&" + ask, contentType: front.MediaForm}, 422, `SPARQL has no version "9.9"`},
		{call{method: "GET", path: queryPath(`VERSION "9.9" ASK {}`)}, 400, `SPARQL has no version "9.9"`},
	} {
		wantProblem(t, s.do(t, tt.request), tt.status, tt.detail)
	}
	for _, version := range []string{"1.1", "1.2-basic", "1.2"} {
		for _, request := range []call{
			{method: "GET", path: "/query?version=" + version + "&" + ask},
			{method: "POST", path: "/query", body: "ASK {}", contentType: mediaQuery + "; version=" + version},
			{method: "GET", path: queryPath(`VERSION "` + version + `" ASK { ?s ?p <<( <x:s> <x:p> 1 )>> }`)}, // a hint
		} {
			if w := s.do(t, request); w.Code != 200 {
				t.Errorf("%s: %d %s", request.path, w.Code, w.Body)
			}
		}
	}
}

// withJournal takes the journal from the store of the graph.
func withJournal(c *settings) { c.Journal = c.Graph.(service.Journal) }
