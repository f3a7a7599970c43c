package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service"
)

func TestEveryAnswerHasTheRequestsIDAndSoHasItsLogLine(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, given := range []string{"a", "A-Z_0.9", strings.Repeat("x", 64)} {
		w := s.do(t, call{method: "GET", path: "/healthz/live", header: map[string]string{"X-Request-ID": given}})
		if got := w.Header().Get("X-Request-ID"); got != given {
			t.Errorf("%q: got %q", given, got)
		}
		if len(s.config.Log.Query(logs.Filter{Limit: 10, Contains: "rid=" + given + " "})) != 1 {
			t.Errorf("%q is not in the log once: %s", given, s.lines())
		}
	}
	seen := map[string]bool{}
	for _, given := range []string{"", " ", "a b", "a\nb", "é", "a/b", strings.Repeat("x", 65), "\"", ""} {
		w := s.do(t, call{method: "GET", path: "/nowhere", header: map[string]string{"X-Request-ID": given}})
		p := wantProblem(t, w, 404, "othing exists at this path")
		if !uuidShape.MatchString(p.RequestID) || seen[p.RequestID] {
			t.Errorf("%q: got %q", given, p.RequestID)
		}
		seen[p.RequestID] = true
	}
}

func TestALogLineSaysWhoAskedForWhatAndWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.do(t, call{method: "POST", path: "/ttl?user=x", body: "# nothing", contentType: service.MediaTurtle, token: s.token(t, "logger"), header: map[string]string{"X-Request-ID": "r1"}})
	lines := s.config.Log.Query(logs.Filter{Limit: 10, Contains: "rid=r1"})
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	e := lines[0]
	if e.Actor != "ari" || e.Address != "192.0.2.1" || e.RequestID != "r1" || e.Logger != "segraph.http" {
		t.Errorf("got %+v", e)
	}
	for _, part := range []string{"method=POST", "path=/ttl ", "status=400", "ms=", "bytes=", `detail="The document has no triples."`} {
		if !strings.Contains(e.Message, part) {
			t.Errorf("%q is not in %q", part, e.Message)
		}
	}
}

func TestUnknownPathsAre404AndWrongMethods405WithAllow(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, path := range []string{"/", "/x", "/ttl/", "//ttl", "/ttl/../ttl", "/TTL", "/events/x", "/docs/", "/docs/x.js", "/docs/..%2fdocs.js", "/query/", "/shared-context/review/a/b/accept", "/api/events"} {
		wantProblem(t, s.do(t, call{method: "GET", path: path}), 404, "")
	}
	for _, r := range s.routes {
		allow := "POST"
		if r.path == "/query" || r.path == "/query/explain" || slices.Contains([]string{"/admin/revocations", "/admin/tokens", "/admin/keys", "/admin/holds", "/admin/erasures", "/forward"}, r.path) {
			allow = "GET, HEAD, POST"
		} else if r.path == "/logs/{log_id}" {
			allow = "DELETE, GET, HEAD"
		} else if r.method == "GET" {
			allow = "GET, HEAD"
		}
		path := strings.Replace(r.path, "{file}", "docs.js", 1)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "PROPFIND"} {
			if strings.Contains(allow, method) && method != "get" {
				continue
			}
			for _, prefix := range []string{"", "/api"} {
				w := s.do(t, call{method: method, path: prefix + path, ui: prefix != ""})
				wantProblem(t, w, 405, allow)
				if got := w.Header().Get("Allow"); got != allow {
					t.Errorf("%s %s: Allow %q, want %q", method, path, got, allow)
				}
			}
		}
	}
}

func TestHEADHasTheHeadersOfGETAndNoBody(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	for _, r := range s.routes {
		if r.method != "GET" {
			continue
		}
		path := sample("GET", r.path).path
		var heads [2]http.Header
		for i, method := range []string{"GET", "HEAD"} {
			request, err := http.NewRequest(method, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			// Otherwise the client requests a coding of its own for answers with a body.
			request.Header.Set("Accept-Encoding", "identity")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
			if response.StatusCode != 200 {
				t.Errorf("%s %s: %d", method, path, response.StatusCode)
			}
			heads[i] = response.Header
		}
		for _, h := range heads {
			for _, own := range []string{"Date", "X-Request-Id"} {
				h.Del(own)
			}
			if path == "/events" || r.path == "/rdf-graph-store" || r.path == "/query" || path == "/logs/server" { // the length depends on when the answer is made, or changes
				h.Del("Content-Length")
			}
		}
		for key := range heads[0] {
			if got, want := heads[1].Get(key), heads[0].Get(key); got != want {
				t.Errorf("%s: %s is %q, and %q by GET", path, key, got, want)
			}
		}
	}
}

func TestEveryAnswerHasTheHeadersThatKeepBrowsersSafe(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, path := range []string{"/healthz/live", "/events", "/nowhere", "/docs", "/docs/docs.js", "/openapi.json"} {
		h := s.do(t, call{method: "GET", path: path}).Header()
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") == "" {
			t.Errorf("%s: %v", path, h)
		}
		if strings.HasPrefix(path, "/docs") {
			csp := h.Get("Content-Security-Policy")
			if strings.Contains(csp, "unsafe") || !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("%s: %q", path, csp)
			}
		}
	}
}

func TestCORSIsOffUnlessOriginsAreConfigured(t *testing.T) {
	t.Parallel()
	const ours, other = "http://localhost:5173", "http://localhost:5174"
	off := newService(t)
	on := newService(t, func(c *settings) { c.CORSOrigins = []string{"https://segraph.example", ours} })
	preflight := map[string]string{"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
	for _, c := range []struct {
		s       *fixture
		origin  string
		allowed bool
	}{{off, ours, false}, {on, ours, true}, {on, other, false}, {on, "", false}, {on, "null", false}} {
		for _, method := range []string{"GET", "OPTIONS"} {
			request := call{method: method, path: "/events", header: map[string]string{}}
			if c.origin != "" {
				request.header["Origin"] = c.origin
			}
			if method == "OPTIONS" {
				for k, v := range preflight {
					request.header[k] = v
				}
			}
			w := c.s.do(t, request)
			h := w.Header()
			want := ""
			if c.allowed {
				want = c.origin
			}
			if got := h.Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("%s from %q: Access-Control-Allow-Origin %q", method, c.origin, got)
			}
			if h.Get("Access-Control-Allow-Credentials") != "" || c.s == on && h.Get("Vary") != "Origin" {
				t.Errorf("%s from %q: %v", method, c.origin, h)
			}
			switch {
			case method == "GET":
				wantProblem(t, w, 401, "")
			case c.allowed:
				if w.Code != 204 || !strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") ||
					!strings.Contains(h.Get("Access-Control-Allow-Headers"), "Idempotency-Key, If-Match, If-None-Match, List-Digest, Prefer, Range, Signature, Signature-Input") ||
					!strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST") {
					t.Errorf("preflight: %d %v", w.Code, h)
				}
			default:
				wantProblem(t, w, 405, "")
			}
		}
	}
}

func TestAPanicIs500WithoutAStackAndMakesTheServiceNotReady(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.add = func(context.Context) error { panic("a fault\nin the store") }
	w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil), header: map[string]string{"X-Request-ID": "r1"}})
	p := wantProblem(t, w, 500, "server failed")
	if p.RequestID != "r1" || strings.Contains(w.Body.String(), "fault") || strings.Contains(w.Body.String(), ".go") {
		t.Errorf("got %s", w.Body)
	}
	critical := s.config.Log.Query(logs.Filter{Limit: 10, Level: logs.LevelCritical})
	if len(critical) != 1 || critical[0].RequestID != "r1" || !strings.Contains(critical[0].Raw, `fault\\nin the store`) ||
		!strings.Contains(critical[0].Raw, "frame_test.go") {
		t.Errorf("the log says %+v", critical)
	}
	if w := s.do(t, call{method: "GET", path: "/healthz/ready"}); w.Code != 503 {
		t.Errorf("ready: %d %s", w.Code, w.Body)
	}
	if w := s.do(t, call{method: "GET", path: "/healthz/live"}); w.Code != 200 {
		t.Errorf("live: %d %s", w.Code, w.Body)
	}
}

func TestErrorsOfClientsAreNotWarnings(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *settings) { c.Limits.FailedTokens = 1 })
	wrong := map[string]string{"Authorization": "Bearer x"}
	for _, c := range []struct {
		call   call
		status int
		level  slog.Level
	}{
		{call{method: "GET", path: "/nowhere"}, 404, slog.LevelInfo},
		{call{method: "GET", path: "/events"}, 401, slog.LevelInfo},
		{call{method: "POST", path: "/api/ttl", ui: true, body: "{}", header: map[string]string{"Origin": "https://evil.example"}}, 403, slog.LevelInfo},
		{call{method: "GET", path: "/events", token: s.token(t, auth.Logger)}, 403, slog.LevelWarn},
		{call{method: "GET", path: "/events", header: wrong}, 401, slog.LevelWarn},
		{call{method: "GET", path: "/events", header: wrong}, 429, slog.LevelInfo},
	} {
		if w := s.do(t, c.call); w.Code != c.status {
			t.Errorf("%s: %d, want %d", c.call.path, w.Code, c.status)
		}
		lines := s.config.Log.Query(logs.Filter{Limit: 1, Level: slog.LevelDebug})
		if len(lines) != 1 || lines[0].Level != c.level || !strings.Contains(lines[0].Message, fmt.Sprintf("status=%d", c.status)) {
			t.Errorf("%d: the log says %+v", c.status, lines)
		}
	}
}

func TestTheLogHasTheAddressBehindTheProxy(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} })
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil), header: map[string]string{"X-Forwarded-For": "198.51.100.7"}})
	if got := s.graph.entries()[0].Address; got != "198.51.100.7" {
		t.Errorf("the journal has %q", got)
	}
}
