package httpapi

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/journal"
)

const testSecret = "a secret of thirty-two bytes, or more than that"

// fixture is an API over a graph in memory.
type fixture struct {
	*API
	config   settings
	graph    *memoryGraph
	contexts *scriptedContexts
	auth     *auth.Authenticator
	handlers front.Handlers
}

// settings configure a service for tests.
type (
	settings struct {
		serviceConfig
		frontConfig
		Config
		Pages func(*front.Front) front.Pages // nil means none
	}
	serviceConfig = service.Config
	frontConfig   = front.Config
)

// newService returns an API with authentication, as modified by change.
func newService(t testing.TB, change ...func(*settings)) *fixture {
	t.Helper()
	return newServiceWith(t, testSecret, change...)
}

// newOpenService returns an API without authentication.
func newOpenService(t testing.TB, change ...func(*settings)) *fixture {
	t.Helper()
	return newServiceWith(t, "", change...)
}

func newServiceWith(t testing.TB, secret string, change ...func(*settings)) *fixture {
	t.Helper()
	authenticator, err := auth.New(secret)
	if err != nil {
		t.Fatal(err)
	}
	s := &fixture{graph: &memoryGraph{}, contexts: &scriptedContexts{}, auth: authenticator}
	c := settings{
		serviceConfig: service.Config{
			Graph:       s.graph,
			Queries:     s.graph,
			Journal:     s.graph,
			Revocations: s.graph,
			Contexts:    s.contexts,
			Lines:       s.graph,
			Backups:     snapshots(t, s.graph),
			Auth:        authenticator,
			Log:         logs.New(logs.Options{Name: "stderr", Level: slog.LevelDebug}),
			StoreName:   "cayley",
			Translog:    scriptedLog{},
			Witness:     scriptedWitness{},
			Centre:      scriptedCentre{},
			Signers:     scriptedSigners{},
			Holds:       scriptedHolds{},
			Eraser:      scriptedEraser{},
			Notes:       &memoryNotes{},
			Bundles:     &scriptedBundles{},
			SpoolDir:    t.TempDir(),
			KeepFree:    func(int64) int64 { return 0 }, // the disk of a test machine may be almost full
		},
		frontConfig: front.Config{Hosts: []string{"example.com"}}, // the host that httptest uses
		Config:      Config{Version: "test"},
	}
	for _, f := range change {
		f(&c)
	}
	if m, ok := c.Notes.(*memoryNotes); ok {
		m.journal = c.Journal
	}
	c.Service = service.New(c.serviceConfig)
	c.serviceConfig = c.Service.Config()
	c.Front = front.New(c.frontConfig)
	s.API, s.config = New(c.Config), c
	var pages front.Pages
	if c.Pages != nil {
		pages = c.Pages(c.Front)
	}
	s.handlers = front.Handlers{API: c.Front.API(s.Routes("")), UI: c.Front.UI(s.Routes("/api"), pages)}
	if c.Metrics != nil {
		s.handlers.Metrics = s.MetricsHandler()
	}
	return s
}

// Handler and UIHandler return the handlers of the two listeners.
func (s *fixture) Handler() http.Handler   { return s.handlers.API }
func (s *fixture) UIHandler() http.Handler { return s.handlers.UI }

// token returns a token with the given roles.
func (s *fixture) token(t testing.TB, roles ...auth.Role) string {
	t.Helper()
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = string(r)
	}
	token, err := s.auth.Issue("ari", words, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// call describes a request.
type call struct {
	method, path string
	body         string
	contentType  string // "" means application/json if there is a body; "-" means none
	token        string
	header       map[string]string
	ui           bool // send to the UI's listener
}

// do sends a request to the handler, without a network.
func (s *fixture) do(t testing.TB, c call) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	handler := s.Handler()
	if c.ui {
		handler = s.UIHandler()
	}
	if strings.Contains(c.path, "/admin/erasures/hold/") && strings.Contains(c.path, "/api/") == c.ui { // one that waits
		x, err := s.config.Service.AskErasure(t.Context(), auth.Actor{}, "urn:p", "a letter", false)
		if err != nil {
			t.Fatal(err)
		}
		c.path = strings.Replace(c.path, "/hold/", "/"+x.ID+"/", 1)
	}
	if before, after, is := strings.Cut(c.path, "/admin/erasures/done/"); is && strings.Contains(c.path, "/api/") == c.ui {
		x, err := s.config.Service.AskErasure(t.Context(), auth.Actor{}, "urn:p", "a letter", false)
		if err == nil {
			_, err = s.config.Service.ConfirmErasure(t.Context(), auth.Actor{}, x.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.path = before + "/admin/erasures/" + x.ID + "/" + after
	}
	handler.ServeHTTP(w, c.request())
	return w
}

func (c call) request() *http.Request {
	var body io.Reader
	if c.body != "" {
		body = strings.NewReader(c.body)
	}
	r := httptest.NewRequest(c.method, c.path, body)
	if c.body != "" && c.contentType == "" {
		c.contentType = "application/json"
	}
	if c.contentType != "" && c.contentType != "-" {
		r.Header.Set("Content-Type", c.contentType)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	for key, value := range c.header {
		r.Header.Set(key, value)
	}
	return r
}

// asJSON decodes an answer's body.
func asJSON[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var out T
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return out
}

// wantProblem checks that an answer is a complete problem document with the given status
// and a detail that contains a text, and returns it.
func wantProblem(t testing.TB, w *httptest.ResponseRecorder, status int, detail string) front.Problem {
	t.Helper()
	if w.Code != status {
		t.Fatalf("status %d, want %d: %s", w.Code, status, w.Body)
	}
	if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type %q", got)
	}
	p := asJSON[front.Problem](t, w)
	if p.Type != "about:blank" || p.Status != status || p.Title != http.StatusText(status) ||
		p.RequestID == "" || p.RequestID != w.Header().Get("X-Request-ID") {
		t.Errorf("members are wrong: %s", w.Body)
	}
	if !strings.Contains(p.Detail, detail) {
		t.Errorf("detail %q does not say %q", p.Detail, detail)
	}
	if p.Detail != service.Sentence(p.Detail) || strings.ContainsAny(p.Detail, "\n\r") {
		t.Errorf("detail is not one sentence: %q", p.Detail)
	}
	return p
}

// ttl returns the JSON body that publishes a document.
func ttl(content string, user any) string {
	body, err := json.Marshal(map[string]any{"ttl_content": content, "user": user})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// sample returns a valid request for a route, without a token.
func sample(method, path string) call {
	c := call{method: method, path: strings.NewReplacer("{file}", "docs.css", "{log_id}", knownLog, "{case_id}", "review_1", "{key_id}", strings.Repeat("A", 43), "{id}", "hold", "entries/{tile}", "entries/000", "{tile}", "0/000").Replace(path)}
	switch {
	case (path == "/query" || path == "/query/explain") && method == "POST":
		c.body, c.contentType = "ASK {}", "application/sparql-query"
	case path == "/query" || path == "/query/explain":
		c.path += "?query=ASK%20%7B%7D"
	case path == "/rdf-graph-store":
		c.path += "?default"
	case path == "/shared-context/contexts":
		c.path += "?uri=urn:c"
	case method == "POST" && path == "/shared-context/clocks/confirm":
		c.body = `{"robot_uri":"urn:r"}`
	case method == "POST" && path == "/shared-context/subjects":
		c.body = `{"subject_uri":"urn:s","person":false}`
	case method == "POST" && path == "/shared-context/people":
		c.body = `{"subject_uris":["urn:s","urn:t"],"one_person":true}`
	case method == "POST" && path == "/shared-context/relays":
		c.body = `{"robot_uri":"urn:r","relay":true}`
	case path == "/logs/withdraw":
		c.body = `{"user":"ari"}`
	case path == "/evidence":
		c.body = `{"iri":"urn:a"}`
	case method == "POST" && path == "/shared-context/resolve":
		c.body = sighting
	case path == "/forward":
		if method == "GET" {
			c.path += "?log=box"
		} else {
			c.body, c.contentType = "pack", pack.MediaType
		}
	case path == "/add-checkpoint":
		c.body, c.contentType = "signed", "text/plain"
	case method == "POST" && (strings.HasPrefix(path, "/shared-context/") || strings.HasSuffix(path, "/remove") || strings.HasSuffix(path, "/lift")):
		c.body = "{}"
	case path == "/admin/backups/verify":
		c.body = "{}"
	case method == "POST" && path == "/admin/tokens":
		c.body = `{"username":"ari","roles":["logger"],"expires_in":60}`
	case method == "POST" && path == "/admin/revocations":
		c.body = `{"jti":"x"}`
	case method == "POST" && path == "/admin/keys":
		c.body = `{"user":"ari","public_key":` + strconv.Quote(journal.PublicPEM(robot(1).Public().(ed25519.PublicKey))) + `}`
	case path == "/admin/person":
		c.path += "?iri=urn:p"
	case path == "/admin/erasures/preview":
		c.body = `{"person":"urn:p"}`
	case method == "POST" && path == "/admin/erasures":
		c.body = `{"person":"urn:p","reason":"a letter"}`
	case method == "POST" && strings.HasPrefix(path, "/admin/erasures/"):
		c.path, c.body = strings.Replace(c.path, "/hold/receipt", "/done/receipt", 1), "{}"
	case method == "POST" && path == "/admin/holds":
		c.body = `{"person":"urn:p","reason":"a case"}`
	case path == service.LinesPath:
		c.body, c.contentType = suite.Line(0, true), linesTypes[0]
	case method == "POST" && path == "/query/validate":
		c.body = asQuery("ASK {}")
	case method == "POST":
		c.body = ttl(small, nil)
	}
	return c
}

// lines returns the log as text.
func (s *fixture) lines() string {
	var b bytes.Buffer
	for _, e := range s.config.Log.Query(logs.Filter{Limit: 1 << 20, Level: slog.LevelDebug}) {
		b.WriteString(e.Raw + "\n")
	}
	return b.String()
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(60 * time.Second) // enough for a busy machine
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("never came about: %s", what)
		}
		time.Sleep(time.Millisecond) // between two checks
	}
}
