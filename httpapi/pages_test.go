package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/turtle"
)

// plainPages are pages that call do.
type plainPages struct {
	do func(http.ResponseWriter, *http.Request)
}

func (p plainPages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.do(w, r) }

func (p plainPages) Fail(w http.ResponseWriter, _ *http.Request, problem *front.Problem) {
	w.WriteHeader(problem.Status)
	_, _ = fmt.Fprintf(w, "page: %s %s", problem.Detail, problem.RequestID)
}

func newServiceWithPages(t *testing.T, do func(*front.Front, http.ResponseWriter, *http.Request)) *fixture {
	t.Helper()
	return newOpenService(t, func(c *settings) {
		c.Pages = func(a *front.Front) front.Pages {
			return plainPages{func(w http.ResponseWriter, r *http.Request) { do(a, w, r) }}
		}
	})
}

// A POST that a program sends to the web UI's port instead of the API's is answered with the
// place to send it to, and GET / of the API with that of the web UI.
func TestARequestAtTheWrongPortIsToldTheRightOne(t *testing.T) {
	t.Parallel()
	var refused int
	s := newOpenService(t, func(c *settings) {
		c.Pages = func(f *front.Front) front.Pages {
			return plainPages{func(w http.ResponseWriter, r *http.Request) {
				f.Fail(w, r, front.NewProblem(refused, "no page"))
			}}
		}
	})
	for _, r := range s.routes {
		if r.method != "POST" {
			continue
		}
		request := sample("POST", r.path)
		request.ui = true
		for _, refused = range []int{401, 404, 405, 415} {
			wantProblem(t, s.do(t, request), 404, "This is the web UI; the API is below /api: send this to \"/api"+request.path)
		}
		if refused = 422; s.do(t, request).Code != 422 {
			t.Errorf("%s, which a page takes, is said to miss the API", r.path)
		}
	}
	refused = 404
	for path, kind := range map[string]string{"/events": "text/turtle", "/logs/insert": "application/json"} { // routes without POST
		if w := s.do(t, call{method: "POST", path: path, ui: true, body: "x", contentType: kind}); w.Header().Get("Content-Type") == "application/problem+json" {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	refused = 422 // a page takes forms, too
	for _, path := range []string{"/query", "/query/explain"} {
		form := call{method: "POST", path: path, ui: true, body: "query=ASK+%7B%7D", contentType: "application/x-www-form-urlencoded; charset=utf-8"}
		wantProblem(t, s.do(t, form), 404, "the API is below /api: send this to \"/api"+path)
		for _, header := range []map[string]string{{"Origin": "http://example.com"}, {"Sec-Fetch-Site": "same-origin"}, {"Cookie": "session=x"}} {
			if form.header = header; s.do(t, form).Code != 422 {
				t.Errorf("a browser's form for %s with %v misses its page", path, header)
			}
		}
	}
	if w := s.do(t, call{method: "POST", path: "/evidence", ui: true, body: "iri=urn:a", contentType: "application/x-www-form-urlencoded"}); w.Code != 422 {
		t.Errorf("a form that the API does not take misses its page: %d %s", w.Code, w.Body)
	}
	refused = 404
	wantProblem(t, s.do(t, call{method: "GET", path: "/"}), 404, "the web UI has a port of its own")
	for _, header := range []map[string]string{{"Origin": "http://example.com"}, {"Sec-Fetch-Site": "same-origin"}} { // of a browser
		request := sample("POST", "/ttl")
		request.ui, request.header = true, header
		if w := s.do(t, request); w.Header().Get("Content-Type") == "application/problem+json" {
			t.Errorf("%v: %s", header, w.Body)
		}
	}
	server, err := s.front.Listen(t.Context(), front.ServerOptions{API: "127.0.0.1:0", UI: "127.0.0.1:0"}, front.Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	_, api, _ := net.SplitHostPort(server.APIAddr().String())
	_, ui, _ := net.SplitHostPort(server.UIAddr().String())
	request := sample("POST", "/ttl")
	request.ui = true
	wantProblem(t, s.do(t, request), 404, "at port "+api)
	wantProblem(t, s.do(t, call{method: "GET", path: "/"}), 404, "at port "+ui)
}

func TestPagesAreWhatTheUIServesBesidesTheAPI(t *testing.T) {
	t.Parallel()
	s := newServiceWithPages(t, func(_ *front.Front, w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, "page ", r.URL.Path)
	})
	for path, want := range map[string]string{"/": "page /", "/events": "page /events", "/apis": "page /apis", "/x/api/": "page /x/api/"} {
		if w := s.do(t, call{method: "GET", path: path, ui: true}); w.Body.String() != want || w.Header().Get("X-Request-ID") == "" {
			t.Errorf("%s: %s %v", path, w.Body, w.Header())
		}
		if w := s.do(t, call{method: "GET", path: path}); strings.HasPrefix(w.Body.String(), "page ") {
			t.Errorf("the API's listener serves the page %s", path)
		}
	}
	for _, path := range []string{"/api", "/api/", "/api/nowhere"} {
		wantProblem(t, s.do(t, call{method: "GET", path: path, ui: true}), 404, "/api/docs")
	}
}

func TestAPanicOfAPageIsAPageAndMakesTheServiceNotReady(t *testing.T) {
	t.Parallel()
	s := newServiceWithPages(t, func(*front.Front, http.ResponseWriter, *http.Request) { panic("secret") })
	w := s.do(t, call{method: "GET", path: "/", ui: true})
	if w.Code != 500 || !strings.HasPrefix(w.Body.String(), "page: The server failed") || strings.Contains(w.Body.String(), "secret") ||
		!strings.HasSuffix(w.Body.String(), w.Header().Get("X-Request-ID")) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if h := s.service.Health(t.Context()); h.Ready || !h.Panicked || !h.Store {
		t.Errorf("%+v", h)
	}
}

func TestAPageOfAProblemHasItsStatusAndHeaders(t *testing.T) {
	t.Parallel()
	s := newServiceWithPages(t, func(a *front.Front, w http.ResponseWriter, r *http.Request) {
		a.Fail(w, r, front.NewProblem(http.StatusMethodNotAllowed, "not so").With("Allow", "GET"))
	})
	w := s.do(t, call{method: "PUT", path: "/", ui: true})
	if w.Code != 405 || w.Header().Get("Allow") != "GET" || !strings.HasPrefix(w.Body.String(), "page: Not so. ") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestRepeatedRequestsAreNotLoggedAtInfo(t *testing.T) {
	t.Parallel()
	s := newServiceWithPages(t, func(a *front.Front, w http.ResponseWriter, r *http.Request) {
		front.Quiet(r)
		if r.URL.Path == "/bad" {
			a.Fail(w, r, context.DeadlineExceeded)
		}
	})
	s.do(t, call{method: "GET", path: "/quiet", ui: true})
	s.do(t, call{method: "GET", path: "/bad", ui: true})
	levels := map[string]slog.Level{}
	for _, e := range s.config.Log.Query(logs.Filter{Limit: 100, Level: slog.LevelDebug}) {
		for _, path := range []string{"/quiet", "/bad"} {
			if e.Text() == "request" && strings.Contains(e.Message, "path="+path) {
				levels[path] = e.Level
			}
		}
	}
	if levels["/quiet"] != slog.LevelDebug || levels["/bad"] != slog.LevelError {
		t.Errorf("%v", levels)
	}
}

func TestAFailedDownloadIsAPageWithoutTheFilesHeader(t *testing.T) {
	t.Parallel()
	s := newServiceWithPages(t, func(a *front.Front, w http.ResponseWriter, r *http.Request) {
		var err error
		if r.URL.Path == "/query" {
			err = a.Download(w, r, "SELECT * {}", "csv", "answer.csv")
		} else {
			err = a.Export(w, r, rdf.Term{}, turtle.Turtle)
		}
		if err != nil {
			a.Fail(w, r, err)
		}
	})
	broken := errors.New("the disk is broken")
	s.graph.query = func(context.Context, sparql.Answer, func(rdf.Triple) error) error { return broken }
	s.graph.export = func(context.Context, io.Writer) error { return broken }
	for _, path := range []string{"/query", "/events"} {
		w := s.do(t, call{method: "GET", path: path, ui: true, header: map[string]string{"Accept-Encoding": "gzip"}})
		if w.Code != 500 || !strings.HasPrefix(w.Body.String(), "page: ") {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
		for _, name := range []string{"Content-Disposition", "Content-Encoding", "ETag"} {
			if got := w.Header().Get(name); got != "" {
				t.Errorf("%s: %s %q", path, name, got)
			}
		}
	}
}
