package httpapi

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/logs"
)

// serverLogs is the answer of GET /logs/server.
type serverLogs struct {
	LogFile string     `json:"log_file"`
	Count   int        `json:"count"`
	Filters logFilters `json:"filters"`
	Entries []logEntry `json:"entries"`
}

func TestTheServersLogIsFilteredAndOldestFirst(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for i := range 3000 {
		level, _ := logs.ParseLevel(logs.LevelNames()[i%5])
		s.log.Log(t.Context(), level, fmt.Sprintf("message %d", i))
	}
	for _, c := range []struct {
		query       string
		count       int
		first, last string
	}{
		{"", 200, "message 2800", "message 2999"},
		{"?limit=1&contains=message", 1, "message 2999", "message 2999"},
		{"?limit=2000&contains=message", 2000, "message 1000", "message 2999"},
		{"?limit=2&level=critical", 2, "message 2994", "message 2999"},
		{"?limit=3&level=ERROR&contains=message", 3, "message 2994", "message 2999"},
		{"?level=%20Warning%20&limit=3&contains=message", 3, "message 2997", "message 2999"},
		{"?contains=MESSAGE+1234&level=", 1, "message 1234", "message 1234"},
		{"?contains=absent&unknown=1", 0, "", ""},
	} {
		w := s.do(t, call{method: "GET", path: "/logs/server" + c.query})
		if w.Code != 200 {
			t.Fatalf("%s: %d %s", c.query, w.Code, w.Body)
		}
		got := asJSON[serverLogs](t, w)
		if got.Count != c.count || len(got.Entries) != c.count || got.LogFile != "stderr" {
			t.Errorf("%s: count %d of %d entries in %s", c.query, got.Count, len(got.Entries), got.LogFile)
		}
		if c.count > 0 && c.query != "" && (got.Entries[0].Message != c.first || got.Entries[c.count-1].Message != c.last) {
			t.Errorf("%s: from %q to %q", c.query, got.Entries[0].Message, got.Entries[c.count-1].Message)
		}
	}
}

func TestTheFiltersAreRepeatedAndWhatALineLacksIsNull(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.log.Info("first")
	w := s.do(t, call{method: "GET", path: "/logs/server"})
	for _, part := range []string{`"filters":{"limit":200,"level":null,"contains":null}`, `"request_id":null,"actor":null,"origin_ip":null,"message":"first"`} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("%s is not in %s", part, w.Body)
		}
	}
	w = s.do(t, call{method: "GET", path: "/logs/server?level=info&contains=+First+&limit=7", header: map[string]string{"X-Request-ID": "r7"}})
	if part := `"filters":{"limit":7,"level":"INFO","contains":"First"}`; !strings.Contains(w.Body.String(), part) {
		t.Errorf("%s is not in %s", part, w.Body)
	}
	w = s.do(t, call{method: "GET", path: "/logs/server?contains=rid=r7"})
	if part := `"request_id":"r7","actor":"anonymous_user","origin_ip":"192.0.2.1"`; !strings.Contains(w.Body.String(), part) {
		t.Errorf("%s is not in %s", part, w.Body)
	}
}

func TestParametersOutOfRangeAre422(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, c := range []struct{ query, detail, name string }{
		{"limit=0", "from 1 to 2000", "limit"},
		{"limit=2001", "from 1 to 2000", "limit"},
		{"limit=-1", "from 1 to 2000", "limit"},
		{"limit=", "from 1 to 2000", "limit"},
		{"limit=ten", "from 1 to 2000", "limit"},
		{"limit=1e2", "from 1 to 2000", "limit"},
		{"level=TRACE", "DEBUG, INFO, WARNING, ERROR, CRITICAL", "level"},
		{"level=a&limit=0", "and 1 more", "limit"},
		{"level=&level=TRACE", "DEBUG, INFO, WARNING, ERROR, CRITICAL", "level"},
		{"contains=" + strings.Repeat("x", 501), "500 characters", "contains"},
		{"contains=" + strings.Repeat("+", 501), "500 characters", "contains"},
	} {
		p := wantProblem(t, s.do(t, call{method: "GET", path: "/logs/server?" + c.query}), 422, c.detail)
		if len(p.Errors) == 0 || strings.Join(p.Errors[0].Loc, ".") != "query."+c.name {
			t.Errorf("%s: errors %+v", c.query, p.Errors)
		}
	}
	wantProblem(t, s.do(t, call{method: "GET", path: "/logs/server?limit=%"}), 422, "query")
}

func TestNothingThatIsSentForgesALogLine(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	forged := "x\n2026-01-01T00:00:00.000Z | CRITICAL | segraph | rid=- actor=root ip=- | forged"
	s.do(t, call{method: "GET", path: "/" + url.PathEscape(forged)})
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, forged)})
	s.do(t, call{method: "GET", path: "/healthz/live", header: map[string]string{"X-Request-ID": forged, "X-Forwarded-For": forged}})
	for _, e := range s.config.Log.Query(logs.Filter{Limit: 100}) {
		if strings.ContainsAny(e.Raw, "\n\r") || strings.Contains(e.Raw, "| CRITICAL |") || e.Actor == "root" {
			t.Errorf("forged: %q", e.Raw)
		}
	}
	if n := strings.Count(s.lines(), "\n"); n != 3 {
		t.Errorf("%d lines of 3 requests: %s", n, s.lines())
	}
}

func TestATokenIsFoundNowhereInTheLog(t *testing.T) {
	t.Parallel()
	s := newService(t)
	canary := s.token(t, auth.Auditor)
	broken := canary[:len(canary)-6]
	for _, r := range s.routes {
		for _, ui := range []bool{false, true} {
			path := strings.Replace(r.path, "{file}", "docs.js", 1)
			if ui {
				path = "/api" + path
			}
			for _, request := range []call{
				{method: r.method, path: path, token: canary},
				{method: r.method, path: path, token: broken},
				{method: r.method, path: path + "?user=" + canary + "&token=" + canary, token: canary, body: ttl(small, canary)},
				{method: r.method, path: path + "?user=" + canary, token: s.token(t, auth.Admin), body: small, contentType: "text/turtle"},
				{method: r.method, path: path + "/" + canary},
				{method: "PUT", path: path, token: canary, header: map[string]string{"X-Request-ID": canary, "Cookie": canary, "Origin": canary}},
			} {
				request.ui = ui
				if w := s.do(t, request); strings.Contains(w.Body.String(), canary[:30]) {
					t.Errorf("%s %s answers with it: %s", request.method, request.path, w.Body)
				}
			}
		}
	}
	for _, part := range append(strings.Split(canary, "."), canary[:30]) {
		if strings.Contains(s.lines(), part) {
			t.Errorf("the log holds %q", part)
		}
		if strings.Contains(fmt.Sprint(s.graph.entries()), part) {
			t.Errorf("the journal holds %q", part)
		}
	}
}
