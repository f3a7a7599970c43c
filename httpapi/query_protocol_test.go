package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Namespaces of the suite's manifest.
const (
	htNS    = "http://www.w3.org/2011/http#"
	cntNS   = "http://www.w3.org/2011/content#"
	rdfsNS  = "http://www.w3.org/2000/01/rdf-schema#"
	updates = "application/sparql-update"
)

type manifest struct{ *suite.Manifest }

func quads(t *testing.T, path string, f turtle.Format) (out []rdf.Quad) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := turtle.NewReader(file, f, turtle.Options{Base: "http://example.org/manifest"})
	for {
		q, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, q)
	}
}

// request returns the HTTP request to a server that a node describes.
func (m manifest) request(t *testing.T, node rdf.Term, server string) *http.Request {
	t.Helper()
	var body io.Reader
	if b := m.One(node, htNS+"body"); !b.IsZero() {
		text := m.One(b, cntNS+"chars").Value()
		if m.One(b, cntNS+"characterEncoding").Value() == "UTF-16" {
			var wide []byte
			for _, unit := range utf16.Encode([]rune(text)) {
				wide = append(wide, byte(unit>>8), byte(unit))
			}
			text = string(wide)
		}
		body = strings.NewReader(text)
	}
	path := strings.Replace(m.One(node, htNS+"absolutePath").Value(), "/sparql/", "/query", 1)
	request, err := http.NewRequest(m.One(node, htNS+"methodName").Value(), server+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range m.List(m.One(node, htNS+"headers")) {
		request.Header.Set(m.One(h, htNS+"fieldName").Value(), m.One(h, htNS+"fieldValue").Value())
	}
	return request
}

// TestW3CProtocol runs the query tests of the SPARQL 1.1 Protocol suite. It checks that
// every update in the other tests is refused.
func TestW3CProtocol(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	folder := suite.Shared(t, "w3c", "sparql", "sparql11", "protocol")
	m := manifest{suite.ReadManifest(t, "w3c", "sparql", "sparql11", "protocol", "manifest.ttl")}
	tests, refused := 0, 0
	for _, test := range m.Tests() {
		if test.Kind != "ProtocolTest" {
			continue
		}
		_, name, _ := strings.Cut(test.Node.Value(), "#")
		nodes := m.List(m.One(m.One(test.Node, suite.ManifestNS+"action"), htNS+"requests"))
		if len(nodes) == 0 {
			t.Errorf("%s has no requests", name)
		}
		if strings.Contains(name, "update") {
			refused += m.refuse(t, nodes)
			continue
		}
		tests++
		t.Run(name, func(t *testing.T) {
			s := newQueryService(t, "")
			for _, data := range m.All(test.Node, suite.UpdateNS+"graphData") {
				file := m.One(data, suite.UpdateNS+"graph").Value()
				addGraph(t, s, filepath.Join(folder, file[strings.LastIndex(file, "/")+1:]), m.One(data, rdfsNS+"label").Value())
			}
			server := httptest.NewServer(s.Handler())
			defer server.Close()
			for _, node := range nodes {
				m.compare(t, m.request(t, node, server.URL), m.One(node, htNS+"resp"))
			}
		})
	}
	if tests != 20 || refused == 0 {
		t.Errorf("%d query tests, want 20; %d updates", tests, refused)
	}
}

// compare sends a request and compares the answer with the expected one.
func (m manifest) compare(t *testing.T, request *http.Request, want rdf.Term) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	class := string("0123456789"[response.StatusCode/100]) + "xx"
	if !slices.ContainsFunc(m.All(want, suite.ManifestNS+"expectedStatus"), func(s rdf.Term) bool { return strings.HasSuffix(s.Value(), class) }) {
		t.Errorf("%d %s, want %v", response.StatusCode, body, m.All(want, suite.ManifestNS+"expectedStatus"))
	}
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	if format := m.One(want, suite.ManifestNS+"expectedFormat").Value(); format != "" {
		if !slices.Contains(map[string][]string{
			"tabular": {"application/sparql-results+json", "application/sparql-results+xml", "text/csv", "text/tab-separated-values"},
			"boolean": {"application/sparql-results+json", "application/sparql-results+xml"},
			"RDF":     {service.MediaTurtle, service.MediaNTriples, "application/rdf+xml", "application/xhtml+xml"},
		}[format], kind) {
			t.Errorf("Content-Type %q is not %s", kind, format)
		}
	}
	if boolean := m.One(want, suite.ManifestNS+"expectedBoolean").Value(); boolean != "" {
		var got struct{ Boolean *bool }
		if err := json.Unmarshal(body, &got); err != nil || got.Boolean == nil || *got.Boolean != (boolean == "true") {
			t.Errorf("%s, %v; want %s", body, err, boolean)
		}
	}
}

// refuse sends the updates among requests and returns their number.
func (m manifest) refuse(t *testing.T, nodes []rdf.Term) (n int) {
	t.Helper()
	server := httptest.NewServer(newOpenService(t).Handler())
	defer server.Close()
	for _, node := range nodes {
		request := m.request(t, node, server.URL)
		text := m.One(m.One(node, htNS+"body"), cntNS+"chars").Value()
		if request.Header.Get("Content-Type") == mediaQuery || strings.HasPrefix(text, "query=") {
			continue // it asks for the effect of an update
		}
		n++
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode/100 != 4 {
			t.Errorf("%s %q: %d", request.URL, text, response.StatusCode)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	return n
}

// addGraph stores a file as a named graph.
func addGraph(t *testing.T, s *fixture, path, name string) {
	t.Helper()
	d := &store.Document{}
	for _, q := range quads(t, path, turtle.NTriples) {
		q.G = rdf.NewIRI(name)
		d.Add(q)
	}
	storeDocument(t, s, d, name)
}

func storeDocument(t *testing.T, s *fixture, d *store.Document, logID string) {
	t.Helper()
	if _, err := s.config.Graph.Add(context.Background(), d, journal.Entry{LogID: logID}); err != nil {
		t.Fatal(err)
	}
}

// gone is the connection of a client that is gone.
type gone struct{ http.ResponseWriter }

func (gone) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// A client that hangs up while the description of the endpoint is sent is no error of the service.
func TestAClientThatLeavesTheDescriptionIsNoError(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	r := httptest.NewRequest("GET", "/query", nil)
	r.Header.Set("Accept", "text/turtle")
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("the request is aborted: %v", p)
		}
	}()
	s.Handler().ServeHTTP(gone{httptest.NewRecorder()}, r)
}
