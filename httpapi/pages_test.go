package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/logbuf"
)

// plainPages are pages that say what they were asked.
type plainPages struct {
	do func(http.ResponseWriter, *http.Request)
}

func (p plainPages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.do(w, r) }

func (p plainPages) Fail(w http.ResponseWriter, _ *http.Request, problem *Problem) {
	w.WriteHeader(problem.Status)
	_, _ = fmt.Fprintf(w, "page: %s %s", problem.Detail, problem.RequestID)
}

func newServiceWithPages(t *testing.T, do func(*API, http.ResponseWriter, *http.Request)) *service {
	t.Helper()
	return newOpenService(t, func(c *Config) {
		c.Pages = func(a *API) Pages {
			return plainPages{func(w http.ResponseWriter, r *http.Request) { do(a, w, r) }}
		}
	})
}

func TestPagesAreWhatTheUIServesBesidesTheAPI(t *testing.T) {
	s := newServiceWithPages(t, func(_ *API, w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, "page ", r.URL.Path) })
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
	s := newServiceWithPages(t, func(*API, http.ResponseWriter, *http.Request) { panic("secret") })
	w := s.do(t, call{method: "GET", path: "/", ui: true})
	if w.Code != 500 || !strings.HasPrefix(w.Body.String(), "page: The server failed") || strings.Contains(w.Body.String(), "secret") ||
		!strings.HasSuffix(w.Body.String(), w.Header().Get("X-Request-ID")) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if h := s.Health(t.Context()); h.Ready || !h.Panicked || !h.Store {
		t.Errorf("%+v", h)
	}
}

func TestAPageTellsWhatTheClientIsToKnow(t *testing.T) {
	s := newServiceWithPages(t, func(a *API, w http.ResponseWriter, r *http.Request) {
		a.Fail(w, r, NewProblem(http.StatusMethodNotAllowed, "not so").With("Allow", "GET"))
	})
	w := s.do(t, call{method: "PUT", path: "/", ui: true})
	if w.Code != 405 || w.Header().Get("Allow") != "GET" || !strings.HasPrefix(w.Body.String(), "page: Not so. ") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestWhatIsAskedAgainAndAgainIsNoLineOfInfo(t *testing.T) {
	s := newServiceWithPages(t, func(a *API, w http.ResponseWriter, r *http.Request) {
		Quiet(r)
		if r.URL.Path == "/bad" {
			a.Fail(w, r, context.DeadlineExceeded)
		}
	})
	s.do(t, call{method: "GET", path: "/quiet", ui: true})
	s.do(t, call{method: "GET", path: "/bad", ui: true})
	levels := map[string]slog.Level{}
	for _, e := range s.config.Log.Query(logbuf.Filter{Limit: 100, Level: slog.LevelDebug}) {
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
