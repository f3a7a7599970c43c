package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestHealthcheckReadsTheAnswer(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		code   int
	}{
		{"ready", 200, `{"ready":true,"triplestore":true}`, 0},
		{"not ready", 503, `{"ready":false,"triplestore":false}`, 1},
		{"not ready with 200", 200, `{"ready":false}`, 1},
		{"another service", 200, `<html>`, 1},
		{"nothing", 404, ``, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var path string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				path = r.URL.Path
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			defer server.Close()
			got := segraph("", []string{"HTTP_PROXY=http://127.0.0.1:1"}, "healthcheck", "--api", strings.TrimPrefix(server.URL, "http://"))
			if got.code != tt.code || (got.stdout == "ready\n") != (tt.code == 0) || (got.stderr == "") != (tt.code == 0) {
				t.Errorf("got %+v, want exit %d", got, tt.code)
			}
			if path != "/healthz/ready" {
				t.Errorf("asked for %s", path)
			}
		})
	}
}

// With --wait it asks until the service is ready, or until the time is over.
func TestHealthcheckWaits(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = fmt.Fprintf(w, `{"ready":%t}`, asked >= 3)
	}))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	if got := segraph("", nil, "healthcheck", "--api", address, "--wait", "30s"); got.code != 0 || got.stdout != "ready\n" || asked != 3 {
		t.Errorf("asked %d times: %+v", asked, got)
	}
	asked = -1_000_000
	began := time.Now()
	got := segraph("", nil, "healthcheck", "--api", address, "--wait", "300ms")
	if took := time.Since(began); got.code != exitFailed || !strings.Contains(got.stderr, "not ready") || took < 300*time.Millisecond {
		t.Errorf("after %v: %+v", took, got)
	}
	if got := segraph("", nil, "healthcheck", "--wait", "soon"); got.code != exitUsage {
		t.Errorf("a wrong time: %+v", got)
	}
}

func TestHealthcheckWithoutAService(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address := strings.TrimPrefix(server.URL, "http://")
	server.Close()
	got := segraph("", nil, "healthcheck", "--api", address)
	if got.code != exitFailed || !strings.Contains(got.stderr, address) {
		t.Errorf("got %+v, want exit 1 and the address", got)
	}
}
