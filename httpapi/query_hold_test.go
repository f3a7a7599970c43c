package httpapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// If the client's preferred format can't express an answer, the next one is used.
func TestAnAnswerMovesOnToTheClientsNextChoice(t *testing.T) {
	t.Parallel()
	const (
		asJSON = "application/sparql-results+json"
		asXML  = "application/sparql-results+xml"
		asCSV  = "text/csv; charset=utf-8"
	)
	s := newQueryService(t, `<http://e/s> <http://e/p> "a\u0001b" .`)
	few := "SELECT * { ?s ?p ?o }"
	// The term comes after more text than a writer buffers.
	late := "SELECT * { VALUES ?v { " + strings.Repeat("'an ordinary value' ", 2000) + " '\\u0001' } }"
	for _, tt := range []struct{ query, accept, want string }{
		{few, "application/sparql-results+xml, application/sparql-results+json;q=0.5", asJSON},
		{few, "application/sparql-results+xml, text/csv;q=0.9, application/sparql-results+json;q=0.5", asCSV},
		{few, "application/xml, */*;q=0.1", asJSON},
		{few, "application/sparql-results+xml;q=0.1, application/json", "application/json"},
		{late, "application/sparql-results+xml, application/sparql-results+json;q=0.5", asJSON},
		{"SELECT ?s { ?s ?p ?o }", "application/sparql-results+xml, application/sparql-results+json;q=0.5", asXML},
		{few, "application/sparql-results+xml", ""},
		{few, "application/sparql-results+xml, application/sparql-results+json;q=0", ""},
	} {
		w := s.do(t, call{method: "POST", path: "/query", body: tt.query, contentType: "application/sparql-query", header: map[string]string{"Accept": tt.accept}})
		if tt.want == "" {
			wantProblem(t, w, http.StatusNotAcceptable, "U+0001")
			continue
		}
		if w.Code != 200 || w.Header().Get("Content-Type") != tt.want {
			t.Errorf("%.40s, %s: %d %s, want %s", tt.query, tt.accept, w.Code, w.Header().Get("Content-Type"), tt.want)
		}
		if strings.HasSuffix(tt.want, "json") && !json.Valid(w.Body.Bytes()) || tt.want == asCSV && w.Body.String() != "s,p,o\r\nhttp://e/s,http://e/p,a\u0001b\r\n" {
			t.Errorf("%.40s, %s: %.200s", tt.query, tt.accept, w.Body)
		}
	}
	wantProblem(t, s.ask(t, few, "format=xml"), http.StatusNotAcceptable, "U+0001")
	if n := s.service.Stats().QueriesRunning; n > 0 {
		t.Errorf("%d places are taken", n)
	}
}

// The next format is also used with compression, over a connection.
func TestANextChoiceIsCompressedToo(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, `<http://e/s> <http://e/p> "a\u0001b" .`)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	request, err := http.NewRequest("GET", server.URL+queryPath("SELECT * { ?s ?p ?o }"), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/sparql-results+xml, application/sparql-results+json;q=0.5")
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	unzipped, err := gzip.NewReader(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(unzipped)
	if err != nil || !json.Valid(body) || !bytes.Contains(body, []byte(`a\u0001b`)) || response.Header.Get("Content-Type") != "application/sparql-results+json" {
		t.Errorf("%v %s %v", response.Header, body, err)
	}
}
