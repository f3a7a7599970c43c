package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Requests that pages of other sites make a browser send are refused on both listeners,
// and delete nothing.
func TestOtherSitesCanNotUseAServiceWithoutAuthentication(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), []string{"SEGRAPH_HOSTS=graph.example.org"})
	body := `{"ttl_content":"<http://e/s> <http://e/p> 1 .","user":null}`
	if a := request(t, "POST", s.api+"/ttl", []byte(body), "Content-Type", "application/json"); a.status != 201 {
		t.Fatalf("a robot's post: %d %s", a.status, a.body)
	}
	ask := func(method, url, host, origin string) (status int) {
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(`{"user":null}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Content-Type", "text/plain") // a type that a form may send
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		return response.StatusCode
	}
	for _, base := range []string{s.api, s.ui + "/api"} {
		for _, path := range []string{"/ttl/delete_all", "/shared-context/reconcile", "/shared-context/review/review_1/accept"} {
			if got := ask("POST", base+path, "localhost:5000", "https://evil.example"); got != 403 {
				t.Errorf("a form of another site, %s: %d", path, got)
			}
			if got := ask("POST", base+path, "rebound.example:5000", "http://rebound.example:5000"); got != 421 {
				t.Errorf("a rebound name, %s: %d", path, got)
			}
		}
		for host, want := range map[string]int{"rebound.example:5000": 421, "graph.example.org": 200, "backend:5000": 200, "localhost": 200} {
			if got := ask("GET", base+"/events", host, ""); got != want {
				t.Errorf("/events of %s: %d, want %d", host, got, want)
			}
		}
	}
	if got := ask("GET", s.ui+"/reports", "rebound.example:8080", ""); got != 421 {
		t.Errorf("a page by a rebound name: %d", got)
	}
	if a := request(t, "GET", s.api+"/events", nil); !strings.Contains(string(a.body), "http://e/s") {
		t.Errorf("the graph has changed: %s", a.body)
	}
}
