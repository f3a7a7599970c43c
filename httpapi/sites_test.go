package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// onBothListeners runs a test on the API's listener and on the UI's.
func onBothListeners(t *testing.T, test func(t *testing.T, prefix string, ui bool)) {
	t.Run("API", func(t *testing.T) { test(t, "", false) })
	t.Run("UI", func(t *testing.T) { test(t, "/api", true) })
}

// Without authentication, a page of another site may only link to this service, and not to
// what has effects.
func TestAPageOfAnotherSiteMayOnlyLinkHere(t *testing.T) {
	t.Parallel()
	trust := func(c *settings) { c.CORSOrigins = []string{"http://localhost:5173"} }
	open, closed := newOpenService(t, trust), newService(t, trust)
	picture := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
	link := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
	frame := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
	trusted := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty", "Origin": "http://localhost:5173"}
	stranger := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty", "Origin": "https://evil.example"}
	port := map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
	onBothListeners(t, func(t *testing.T, prefix string, ui bool) {
		for _, path := range []string{"/admin/backup", "/admin/person?iri=http://e.example/maria", "/query?query=ASK%7B%7D", "/events", "/healthz/live"} {
			for _, method := range []string{"GET", "HEAD"} {
				for _, header := range []map[string]string{picture, frame, stranger} {
					w := open.do(t, call{method: method, path: prefix + path, ui: ui, header: header})
					if w.Code != 403 || method == "GET" && !strings.Contains(w.Body.String(), "SEGRAPH_CORS_ORIGINS") {
						t.Errorf("%s %s with %v: %d %s", method, path, header, w.Code, w.Body)
					}
				}
				for _, header := range []map[string]string{nil, trusted, port, link} {
					want := 200
					if strings.HasPrefix(path, "/admin/") && (header["Sec-Fetch-Mode"] == "navigate" || header["Sec-Fetch-Site"] == "same-site") {
						want = 403
					}
					if w := open.do(t, call{method: method, path: prefix + path, ui: ui, header: header}); w.Code != want {
						t.Errorf("%s %s with %v: %d, want %d: %s", method, path, header, w.Code, want, w.Body)
					}
				}
			}
		}
		if w := closed.do(t, call{method: "GET", path: prefix + "/query?query=ASK%7B%7D", ui: ui, header: picture}); w.Code != 401 {
			t.Errorf("with authentication: %d %s", w.Code, w.Body)
		}
	})
	if names, err := open.service.ListBackups(); err != nil || len(names) == 0 {
		t.Errorf("%d backups, %v", len(names), err)
	}
}

func TestAPageOfAnotherSiteCanNotPostToEitherListener(t *testing.T) {
	t.Parallel()
	trust := func(c *settings) { c.CORSOrigins = []string{"http://localhost:5173"} }
	open, closed := newOpenService(t, trust), newService(t, trust)
	cases := []struct {
		header map[string]string
		ok     bool
	}{
		{nil, true}, // not a browser
		{map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://example.com"}, true},
		{map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "https://outside.example"}, true}, // a proxy changed Host
		{map[string]string{"Sec-Fetch-Site": "none"}, true},
		{map[string]string{"Origin": "http://example.com"}, true}, // no Sec-Fetch-Site over plain HTTP
		{map[string]string{"Origin": "http://EXAMPLE.com"}, true},
		{map[string]string{"Origin": "http://localhost:5173"}, true},
		{map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:5173"}, true},
		{map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, false},
		{map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "https://evil.example.com"}, false},
		{map[string]string{"Sec-Fetch-Site": "nonsense"}, false},
		{map[string]string{"Origin": "https://evil.example"}, false},
		{map[string]string{"Origin": "http://example.com:8080"}, false}, // another port is another origin
		{map[string]string{"Origin": "http://localhost:5174"}, false},
		{map[string]string{"Origin": "null"}, false},
		{map[string]string{"Origin": "null", "Sec-Fetch-Site": "cross-site"}, false},
		{map[string]string{"Origin": "://"}, false},
		{map[string]string{"Origin": "https://evil.example", "X-Forwarded-Host": "evil.example"}, false}, // not from a trusted proxy
	}
	onBothListeners(t, func(t *testing.T, prefix string, ui bool) {
		for _, r := range open.routes {
			if r.method != "POST" {
				continue
			}
			for _, c := range cases {
				request := sample("POST", r.path)
				request.path, request.header, request.ui = prefix+request.path, c.header, ui
				if w := open.do(t, request); !c.ok {
					wantProblem(t, w, 403, "SEGRAPH_CORS_ORIGINS")
				} else if w.Code >= 300 && !(w.Code == 409 && r.path == "/admin/tokens") { // without a key nothing signs tokens
					t.Errorf("%s with %v: %d %s", r.path, c.header, w.Code, w.Body)
				}
			}
		}
		for _, method := range []string{"PUT", "DELETE", "PATCH", "get", "TRACE"} {
			wantProblem(t, open.do(t, call{method: method, path: prefix + "/events", ui: ui, header: map[string]string{"Origin": "https://evil.example"}}), 403, "another site")
		}
		for _, method := range []string{"GET", "HEAD"} {
			if w := closed.do(t, call{method: method, path: prefix + "/events", ui: ui, token: closed.token(t, "auditor"), header: map[string]string{"Sec-Fetch-Site": "cross-site"}}); w.Code != 200 {
				t.Errorf("%s from another site: %d", method, w.Code)
			}
		}
		// A token makes no difference: only the service's own pages and robots have one.
		request := sample("POST", "/ttl")
		request.path, request.ui, request.token = prefix+"/ttl", ui, closed.token(t, "logger")
		request.header = map[string]string{"Origin": "https://evil.example"}
		wantProblem(t, closed.do(t, request), 403, "another site")
	})
}

func TestBehindATrustedProxyTheOriginIsThatOfTheHostThatItForwards(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
		c.Hosts = append(c.Hosts, "graph.example")
	})
	request := sample("POST", "/ttl")
	for host, want := range map[string]int{"graph.example": 201, "graph.example, proxy": 201, "other.local": 403} {
		request.header = map[string]string{"Origin": "https://graph.example", "X-Forwarded-Host": host}
		if w := s.do(t, request); w.Code != want {
			t.Errorf("X-Forwarded-Host %q: %d, want %d: %s", host, w.Code, want, w.Body)
		}
	}
	request.header = map[string]string{"X-Forwarded-Host": "evil.example"} // a browser resolves the name to the proxy's address
	wantProblem(t, s.do(t, request), 421, "SEGRAPH_HOSTS")
}

// A page can make its own host name resolve to this machine (DNS rebinding). The browser
// then sends that name.
func TestWithoutAuthenticationOnlyNamesOfThisServiceAreAnswered(t *testing.T) {
	t.Parallel()
	hosts := func(c *settings) { c.Hosts = []string{"Graph.example.org", "robot.example.com."} }
	open, closed := newOpenService(t, hosts), newService(t, hosts)
	onBothListeners(t, func(t *testing.T, prefix string, ui bool) {
		ask := func(s *fixture, method, path, host string) *httptest.ResponseRecorder {
			c := call{method: method, path: prefix + path, ui: ui}
			if method == "POST" {
				c = sample(method, path)
				c.path, c.ui = prefix+path, ui
			}
			r, w := c.request(), httptest.NewRecorder()
			r.Host = host
			handler := s.Handler()
			if ui {
				handler = s.UIHandler()
			}
			handler.ServeHTTP(w, r)
			return w
		}
		for _, host := range []string{
			"127.0.0.1:5000", "127.0.0.1", "192.168.1.7:5000", "8.8.8.8", "[::1]:5000", "[::1]", "[fe80::1%25eth0]:5000",
			"localhost:5000", "LOCALHOST", "localhost.", "backend", "backend:5000", "graph.localhost", "Robot.local:5000", "robot.local.",
			"host.docker.internal:5000", "robot.lan", "robot.home.arpa", "segraph.test", "graph.example.org", "GRAPH.example.org.:5000", "robot.example.com", "",
		} {
			for path, method := range map[string]string{"/events": "GET", "/healthz/ready": "GET", "/ttl": "POST"} {
				if w := ask(open, method, path, host); w.Code >= 300 {
					t.Errorf("%s %s of %q: %d %s", method, path, host, w.Code, w.Body)
				}
			}
		}
		for _, host := range []string{
			"evil.example", "evil.example:5000", "evil.example.", "127.0.0.1.evil.example", "localhost.evil.example", "evil-local.example",
			"xgraph.example.org", "sub.graph.example.org", "example.org", "127.1", "[::1].evil.example", strings.Repeat("a.", 500) + "example",
		} {
			for _, path := range []string{"/events", "/healthz/live", "/docs", "/nowhere"} {
				wantProblem(t, ask(open, "GET", path, host), 421, "SEGRAPH_HOSTS")
			}
			wantProblem(t, ask(open, "POST", "/ttl/delete_all", host), 421, "SEGRAPH_HOSTS")
			if w := ask(closed, "GET", "/healthz/live", host); w.Code != 200 {
				t.Errorf("with authentication, %q: %d %s", host, w.Code, w.Body)
			}
			if w := ask(closed, "GET", "/events", host); w.Code != http.StatusUnauthorized {
				t.Errorf("with authentication, %q: %d %s", host, w.Code, w.Body)
			}
		}
	})
}
