package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/metrics"
)

const scrapeToken = "a-token-of-thirty-two-characters-or-more"

func fixedToken(t *testing.T) *auth.FixedToken {
	t.Helper()
	token, err := auth.NewFixedToken(scrapeToken)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (s *fixture) scrape(c call) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.MetricsHandler().ServeHTTP(w, c.request())
	return w
}

func TestMetricsOverANetworkWantAToken(t *testing.T) {
	t.Parallel()
	counted := func(c *settings) { c.Metrics = metrics.New("test") }
	fixed := func(c *settings) { counted(c); c.MetricsToken = fixedToken(t) }
	both, roles, one, none := newService(t, fixed), newService(t, counted), newOpenService(t, fixed), newOpenService(t, counted)
	auditor, logger := both.token(t, auth.Auditor), both.token(t, auth.Logger)
	for _, c := range []struct {
		name    string
		service *fixture
		call    call
		status  int
	}{
		{"the fixed token", both, call{token: scrapeToken}, 200},
		{"HEAD", both, call{method: "HEAD", token: scrapeToken}, 200},
		{"any name", both, call{token: scrapeToken, header: map[string]string{"Host": "segraph.example.org"}}, 200},
		{"an auditor", both, call{token: auditor}, 200},
		{"an admin", both, call{token: both.token(t, auth.Admin)}, 200},
		{"a logger", both, call{token: logger}, 403},
		{"nobody", both, call{}, 401},
		{"another token", both, call{token: scrapeToken[1:]}, 401},
		{"an auditor and no fixed token", roles, call{token: auditor}, 200},
		{"the fixed token of another service", roles, call{token: scrapeToken}, 401},
		{"a logger and no fixed token", roles, call{token: logger}, 403},
		{"without authentication", one, call{token: scrapeToken}, 200},
		{"nobody without authentication", one, call{}, 401},
		{"an auditor of nobody", one, call{token: auditor}, 401},
		{"without any token to be had", none, call{}, 403},
		{"without any token to be had, and one", none, call{token: scrapeToken}, 403},
		{"profiles", both, call{path: "/debug/pprof/", token: scrapeToken}, 404},
		{"the graph", both, call{path: "/events", token: auditor}, 404},
		{"another method", both, call{method: "POST", token: scrapeToken}, 405},
	} {
		if c.call.method == "" {
			c.call.method = "GET"
		}
		if c.call.path == "" {
			c.call.path = "/metrics"
		}
		w := c.service.scrape(c.call)
		if w.Code != c.status || (w.Code == 200) != strings.Contains(w.Body.String(), "segraph_build") {
			t.Errorf("%s: %d, want %d\n%.200s", c.name, w.Code, c.status, w.Body)
		}
		if challenge := w.Header().Get("WWW-Authenticate"); w.Code == 401 && !strings.HasPrefix(challenge, "Bearer") {
			t.Errorf("%s: WWW-Authenticate is %q", c.name, challenge)
		}
	}
}

func TestWrongTokensForMetricsAreCounted(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) {
		c.Metrics, c.MetricsToken, c.Limits.FailedTokens = metrics.New("test"), fixedToken(t), 3
	})
	for range 3 {
		if w := s.scrape(call{method: "GET", path: "/metrics", token: "x"}); w.Code != 401 {
			t.Errorf("%d, want 401", w.Code)
		}
	}
	if w := s.scrape(call{method: "GET", path: "/metrics", token: "x"}); w.Code != 429 {
		t.Errorf("%d, want 429", w.Code)
	}
	if w := s.scrape(call{method: "GET", path: "/metrics", token: scrapeToken}); w.Code != 200 ||
		!strings.Contains(w.Body.String(), `segraph_refusals_total{limit="failed_tokens"} 1`) {
		t.Errorf("the right token afterwards: %d\n%s", w.Code, w.Body)
	}
}
