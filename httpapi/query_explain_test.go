package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/sparql"
)

func explainPath(query string) string { return "/query/explain?query=" + url.QueryEscape(query) }

func TestAnExplanationComesByAllWays(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, logOfTwo)
	const query = prefix + `SELECT ?m { ?m ex:text ?text }`
	form := url.Values{"query": {query}}.Encode()
	for _, c := range []call{
		{method: "GET", path: explainPath(query)},
		{method: "POST", path: "/query/explain", body: query, contentType: "application/sparql-query"},
		{method: "POST", path: "/query/explain", body: form, contentType: "application/x-www-form-urlencoded"},
	} {
		x := asJSON[sparql.Explanation](t, s.do(t, c))
		if x.Kind != "select" || x.Rows != 2 || x.Plan.Operator != "select" || *x.Plan.Operands[0].Rows != 2 {
			t.Errorf("%s %s: %+v", c.method, c.path, x)
		}
	}
}

func TestWhatQueryRefusesIsNotExplained(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, logOfTwo)
	for _, query := range []string{"DROP ALL", "ASK { SERVICE <http://e/> {} }", "SELECT"} {
		wantProblem(t, s.do(t, call{method: "GET", path: explainPath(query)}), http.StatusBadRequest, "")
	}
	wantProblem(t, s.do(t, call{method: "POST", path: "/query/explain", body: "{}"}), http.StatusUnsupportedMediaType, "")
}

// An explanation runs under the limits of a query. Beyond one, it reports how far it
// came.
func TestAnExplanationPastTheTimeOfQueriesSaysSoInTime(t *testing.T) {
	s := newQueryService(t, manyTriples(200), func(c *settings) { c.Limits.QueryTime = 200 * time.Millisecond })
	promptly(t, func() time.Duration {
		started := time.Now()
		x := asJSON[sparql.Explanation](t, s.do(t, call{method: "GET", path: explainPath(crossProduct)}))
		if !strings.Contains(x.Stopped, "200ms") || x.Plan.MS < 150 {
			t.Errorf("%+v", x)
		}
		return time.Since(started) - 200*time.Millisecond
	})
}

func TestAnExplanationTakesAPlaceForQueries(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Queries, c.Limits.QueryPatience = 1, 50*time.Millisecond })
	begun, release, ended := waiting(s)
	go s.ask(t, "ASK {}")
	<-begun
	wantProblem(t, s.do(t, call{method: "GET", path: explainPath("ASK {}")}), http.StatusServiceUnavailable, "queries are waiting")
	close(release)
	<-ended
	eventually(t, "the place is free", func() bool { return s.service.Stats().QueriesRunning == 0 })
	if w := s.do(t, call{method: "GET", path: explainPath("ASK {}")}); w.Code != 200 || s.service.Stats().QueriesRunning != 0 {
		t.Errorf("afterwards: %d, %d places taken", w.Code, s.service.Stats().QueriesRunning)
	}
}
