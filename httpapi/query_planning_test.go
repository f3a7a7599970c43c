package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// alternating returns a query of n BINDs and patterns in turn, which takes long to plan.
func alternating(n int) string {
	var b strings.Builder
	b.WriteString("SELECT * { ?v0 <p:p> ?o ")
	for i := range n {
		fmt.Fprintf(&b, "BIND(STR(?v%d) AS ?w%d) ?v%d <p:p> ?v%d .", i, i, i, i+1)
	}
	b.WriteString(" }")
	return b.String()
}

// Parsing and planning count towards a query's time limit on every route.
func TestPlanningPastTheTimeOfAQueryIs504InTime(t *testing.T) {
	const limit = 10 * time.Millisecond
	s := newQueryService(t, logOfTwo, func(c *settings) { c.Limits.QueryTime, c.Limits.Queries = limit, 1 })
	text := alternating(10_000)
	for _, request := range []call{
		{method: "POST", path: "/query", body: text, contentType: "application/sparql-query"},
		{method: "POST", path: "/query/explain", body: text, contentType: "application/sparql-query"},
		{method: "POST", path: "/query/validate", body: asQuery(text)},
	} {
		t.Run(request.path, func(t *testing.T) {
			promptly(t, func() time.Duration {
				started := time.Now()
				wantProblem(t, s.do(t, request), http.StatusGatewayTimeout, "needs more time than its limit, which is 10ms; ask for fewer results, or split the query; /query/explain shows")
				return time.Since(started) - limit
			})
			if s.service.Stats().QueriesRunning > 0 {
				t.Error("its place is still taken")
			}
		})
	}
}

// Planning stops when the client disconnects, and the query's place becomes free.
func TestAClientThatHangsUpEndsPlanningWithin250ms(t *testing.T) {
	s := newQueryService(t, logOfTwo, func(c *settings) { c.Limits.Queries = 1 })
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	text := alternating(8000)
	for _, path := range []string{"/query", "/query/explain"} {
		request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-query\r\nContent-Length: %d\r\n\r\n%s", path, len(text), text)
		promptly(t, func() time.Duration {
			conn := stalled(t, server.Listener.Addr().String(), request)
			eventually(t, "the query has its place", func() bool { return s.service.Stats().QueriesRunning == 1 })
			started := time.Now()
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the place is free", func() bool { return s.service.Stats().QueriesRunning == 0 })
			return time.Since(started)
		})
	}
	if lines := s.lines(); strings.Contains(lines, "status=500") || strings.Contains(lines, `"status":500`) {
		t.Errorf("it is logged as a fault: %s", lines)
	}
}

// Parsing a long query waits for a place, like running one. Errors in short queries are
// reported at once.
func TestALongQueryIsReadInItsTurn(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Queries, c.Limits.QueryPatience = 1, 50*time.Millisecond })
	begun, release, ended := waiting(s)
	go s.ask(t, "ASK {}")
	<-begun
	long := "ASK {" + strings.Repeat(" ", 4<<10)
	for _, request := range []call{
		{method: "POST", path: "/query", body: long, contentType: "application/sparql-query"},
		{method: "POST", path: "/query/explain", body: long, contentType: "application/sparql-query"},
		{method: "POST", path: "/query/validate", body: asQuery(long)},
	} {
		wantProblem(t, s.do(t, request), http.StatusServiceUnavailable, "queries are waiting")
	}
	wantProblem(t, s.ask(t, "ASK {"), http.StatusBadRequest, "the text ends")
	if w := s.do(t, call{method: "POST", path: "/query/validate", body: asQuery("ASK {}")}); w.Code != 200 {
		t.Errorf("a short text is judged: %d", w.Code)
	}
	close(release)
	<-ended
	wantProblem(t, s.do(t, call{method: "POST", path: "/query", body: long, contentType: "application/sparql-query"}), http.StatusBadRequest, "the text ends")
}

// A query that is too large to plan is 400, with the limit and the position.
func TestAQueryOfTooManyPartsIs400ByName(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, logOfTwo)
	text := "SELECT * { ?s <p:p>" + strings.Repeat("/<p:p>", 40_000) + " ?o }"
	p := wantProblem(t, s.do(t, call{method: "POST", path: "/query", body: text, contentType: "application/sparql-query"}), http.StatusBadRequest, "more than 32768")
	if p.Line != 1 || p.Column == 0 {
		t.Errorf("line %d, column %d", p.Line, p.Column)
	}
}
