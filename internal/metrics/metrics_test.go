package metrics

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func scrape(t *testing.T, s *Set) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.Local().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// A method sent by a client is counted under a known name or as "other".
func TestClientsCannotCreateMetricLabels(t *testing.T) {
	s := New("1.2.3")
	for _, method := range []string{"BREW", "GET ", "get", "\"}", strings.Repeat("X", 1000)} {
		s.Request("/ttl", method, 405, time.Millisecond)
	}
	s.Request("/ttl", "POST", 201, time.Millisecond)
	text := scrape(t, s)
	for _, want := range []string{`segraph_requests_total{method="other",route="/ttl",status="405"} 5`, `segraph_requests_total{method="POST",route="/ttl",status="201"} 1`,
		`segraph_request_seconds_count{route="/ttl"} 6`, `segraph_build{version="1.2.3"} 1`} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %s", want)
		}
	}
	if strings.Contains(text, "BREW") {
		t.Error("a method that a client made up is a label")
	}
}

func TestLimitsAreKnownBeforeTheyRefuse(t *testing.T) {
	s := New("x")
	s.Limits("disk", "queries")
	s.Refused("queries")
	s.Gauge("things", "Things.", func() float64 { return 7 })
	text := scrape(t, s)
	for _, want := range []string{`segraph_refusals_total{limit="disk"} 0`, `segraph_refusals_total{limit="queries"} 1`, "segraph_things 7"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %s", want)
		}
	}
}

func TestWithoutASetNothingIsCounted(t *testing.T) {
	var s *Set
	s.Limits("disk")
	s.Refused("disk")
	s.Request("/ttl", "GET", 200, time.Second)
}

// A page of another site can load nothing from here either: a trace of a day would take a processor.
func TestPagesOfOtherSitesLoadNothing(t *testing.T) {
	handler := New("1.2.3").Local()
	for site, want := range map[string]int{"cross-site": 403, "same-origin": 200, "none": 200, "": 200} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:9090/debug/pprof/cmdline", nil)
		r.Header.Set("Sec-Fetch-Site", site)
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%q: %d, want %d", site, w.Code, want)
		}
	}
}

// A page of another site whose name resolves to this machine can read nothing.
func TestOnlyWhoAsksForThisMachineIsAnswered(t *testing.T) {
	handler := New("1.2.3").Local()
	for host, want := range map[string]int{
		"127.0.0.1:9090": 200, "[::1]:9090": 200, "localhost:9090": 200, "localhost": 200, "127.0.0.1": 200, "[::1]": 200,
		"evil.test:9090": 403, "evil.test": 403, "": 403, "127.0.0.1.evil.test:9090": 403, "localhost.evil.test": 403,
	} {
		for _, path := range []string{"/metrics", "/debug/pprof/cmdline"} {
			r := httptest.NewRequest("GET", path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s of %q: %d, want %d", path, host, w.Code, want)
			}
		}
	}
}
