package httpapi

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// TestAGraphThatAFormatCannotHoldIsNotAcceptable asks for graphs as RDF/XML and JSON-LD,
// which can't hold all of them. The answer must say so, however late the export finds out.
func TestAGraphThatAFormatCannotHoldIsNotAcceptable(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "<http://e/s%d> <http://e/p> \"%s\" .\n", i, strings.Repeat("x", 500))
	}
	for _, tt := range []struct{ text, accept, detail string }{
		{`<http://e/s> <http://e/p> "\u0001" .`, "application/rdf+xml", "a literal contains U+0001"},
		{`<http://e/s> <http://e/p/> 1 .`, "application/rdf+xml", "does not end in an XML name"},
		{"<http://e/s> <http://e/p> <http://e/\uFFFE> .", "application/rdf+xml", "an IRI contains U+FFFE"},
		{long.String() + `<http://e/z> <http://e/p/> 1 .`, "application/rdf+xml", "does not end in an XML name"},
		{long.String() + `<http://e/z> <http://e/p> <<( <http://e/s> <http://e/p/> 1 )>> .`, "application/rdf+xml", "does not end in an XML name"},
		{long.String() + `<http://e/z> <http://e/p> <<( <http://e/s> <http://e/p> 1 )>> .`, "application/ld+json", "request Turtle"},
	} {
		s := newQueryService(t, "", withJournal)
		var log struct {
			ID string `json:"log_id"`
		}
		if err := json.Unmarshal(s.do(t, call{method: "POST", path: "/ttl", body: ttl(tt.text, nil)}).Body.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/events", "/rdf-graph-store?default", "/logs/" + log.ID, "/query?query=" + url.QueryEscape("DESCRIBE <http://e/z> <http://e/s>")} {
			wantProblem(t, s.do(t, call{method: "GET", path: path, header: map[string]string{"Accept": tt.accept}}), 406, tt.detail)
			if tt.accept != "application/ld+json" || strings.HasPrefix(path, "/query") {
				continue
			}
			for _, method := range []string{"GET", "HEAD"} { // nothing is written for these
				if w := s.do(t, call{method: method, path: path, header: map[string]string{"Accept": tt.accept, "If-None-Match": "*"}}); w.Code != 406 || w.Header().Get("ETag") != "" {
					t.Errorf("%s %s: %d", method, path, w.Code)
				}
			}
		}
	}
}

// The answer to a query is written while the query runs. What does not fit is known before
// the answer begins if it is in the first MiB. After that, the answer visibly breaks off.
func TestAnAnswerThatAFormatCannotHoldIsRefusedOrBreaksOff(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	for _, tt := range []struct{ last, query, accept string }{
		{`<http://e/z> <http://e/p/> 1 .`, "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o } ORDER BY ?s", "application/rdf+xml"},
		{`<http://e/z> <http://e/p/> 1 .`, "DESCRIBE ?s { ?s ?p ?o } ORDER BY ?s", "application/rdf+xml"},
		{`<http://e/z> <http://e/p> <<( <http://e/z> <http://e/p> 1 )>> .`, "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o } ORDER BY ?s", "application/ld+json"},
		{`<http://e/z> <http://e/p> "\u0001" .`, "SELECT * { ?s ?p ?o } ORDER BY ?s", "application/sparql-results+xml"},
	} {
		for _, triples := range []int{100, 5000} {
			var text strings.Builder
			random := noise(triples * 300)
			for i := range triples { // gzip only halves them
				fmt.Fprintf(&text, "<http://e/s%06d> <http://e/p> \"%x\" .\n", i, random[i*300:(i+1)*300])
			}
			s := newQueryService(t, text.String()+tt.last)
			server := httptest.NewServer(s.Handler())
			for _, coding := range []string{"identity", "gzip"} {
				request, err := http.NewRequest("GET", server.URL+queryPath(tt.query), nil)
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Accept", tt.accept)
				request.Header.Set("Accept-Encoding", coding)
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				var body io.Reader = response.Body
				if response.Header.Get("Content-Encoding") == "gzip" {
					if body, err = gzip.NewReader(body); err != nil {
						t.Fatal(err)
					}
				}
				n, err := io.Copy(io.Discard, body)
				_ = response.Body.Close()
				if triples == 100 && (response.StatusCode != 406 || err != nil) || triples == 5000 && (response.StatusCode != 200 || err == nil || n < 1<<20) {
					t.Errorf("%s as %s in %s, %d triples: %d, %d bytes, %v", tt.query, tt.accept, coding, triples, response.StatusCode, n, err)
				}
			}
			server.Close()
		}
	}
}
