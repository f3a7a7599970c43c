package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/servers"
)

// wantServed checks that the file accepts a post and answers a query in place of the
// graph store, and that the answers, /healthz/ready and the page report it. name is the
// name of a new document.
func (s *service) wantServed(state, name string) {
	s.t.Helper()
	poll(s.t, "the service says how its graph store is", func() bool { // posts wait until the first attempt to reach it
		a := s.readiness()
		return a.status == http.StatusOK && bytes.Contains(a.body, []byte(`"graph_store":"`+state+`"`))
	})
	ready := s.readiness()
	if ready.member(s.t, "ready") != true || ready.member(s.t, "triplestore") != false || ready.member(s.t, "detail") == nil {
		s.t.Errorf("/healthz/ready: %d %s", ready.status, ready.body)
	}
	if page := request(s.t, "GET", s.ui+"/health", nil); !bytes.Contains(page.body, []byte(`id="health" data-state="file"`)) {
		s.t.Errorf("the page /health does not say that the file answers")
	}
	post := s.publish(document(name), "ari")
	asked := request(s.t, "GET", s.api+"/query?format=csv&query="+url.QueryEscape("SELECT (COUNT(*) AS ?n) { <http://example.org/"+name+"> ?p ?o }"), nil)
	if post.status != http.StatusCreated || asked.status != http.StatusOK || string(asked.body) != fmt.Sprintf("n\r\n%d\r\n", width) {
		s.t.Errorf("POST /ttl: %d %s; GET /query: %d %q", post.status, post.body, asked.status, asked.body)
	}
	for what, a := range map[string]answer{"POST /ttl": post, "GET /query": asked} {
		if got := a.header.Get("X-Graph-Store"); got != state {
			s.t.Errorf("%s has X-Graph-Store: %q, want %q", what, got, state)
		}
	}
}

// wantTold checks that the graph store has the named documents and as many triples as the
// file, and that it answers queries.
func (s *service) wantTold(names ...string) {
	s.t.Helper()
	s.waitUntilReady()
	poll(s.t, "the graph store has all", func() bool { return s.readiness().number(s.t, "behind") == 0 })
	s.agree()
	for _, name := range names { // one by one, because Virtuoso takes seconds to list a large graph
		iri := "http://example.org/" + name
		if n := strings.Count(s.answered("SELECT ?s ?p ?o { VALUES ?s { <"+iri+"> } ?s ?p ?o }"), iri+","); n != width {
			s.t.Errorf("Virtuoso has %d of the %d triples of %s", n, width, name)
		}
	}
}

// While Virtuoso is stopped, suspended or being filled again, the file accepts posts and
// answers queries, even if the service is killed meanwhile. Afterwards Virtuoso has
// everything.
func TestTheFileServesInThePlaceOfVirtuoso(t *testing.T) {
	suite.Slow(t, "it starts Virtuoso several times")
	t.Parallel()
	v := servers.StartVirtuoso(t, 1_000_000)
	dir := t.TempDir()

	t.Run("it starts after the service", func(t *testing.T) {
		v.Stop()
		s := startOn(t, v, dir)
		s.wantServed("unreachable", "before")
		v.Start(t)
		s.wantTold("before")
		s.stop()
	})
	t.Run("it is killed, and so is the service", func(t *testing.T) {
		s := startOn(t, v, dir)
		s.waitUntilReady()
		v.Kill()
		s.wantServed("unreachable", "killed1")
		s.kill()
		s = startOn(t, v, dir)
		s.wantServed("unreachable", "killed2")
		s.kill()
		if r := command(t, dir, nil, "", "check"); r.code != 0 {
			t.Errorf("check: %d %s", r.code, r.stderr)
		}
		s = startOn(t, v, dir)
		v.Start(t)
		s.wantTold("before", "killed1", "killed2")
		s.stop()
	})
	t.Run("it is suspended", func(t *testing.T) {
		s := startOn(t, v, dir)
		s.waitUntilReady()
		v.Pause()
		s.wantServed("unreachable", "still")
		v.Resume()
		s.wantTold("still")
		s.stop()
	})
	t.Run("it comes back empty and receives everything during posts", func(t *testing.T) {
		var more strings.Builder
		for i := range 30_000 {
			fmt.Fprintf(&more, "<urn:more:%d> <urn:p> \"%d\" .\n", i/10, i)
		}
		if err := os.WriteFile(filepath.Join(dir, "more.nt"), []byte(more.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := command(t, dir, nil, "", "load", "more.nt"); r.code != 0 {
			t.Fatalf("load: %s", r.stderr)
		}
		s := startOn(t, v, dir)
		s.wantServed("resync", "resync1")
		s.kill() // starts from the beginning
		s = startOn(t, v, dir)
		s.wantServed("resync", "resync2")
		s.wantTold("before", "resync1", "resync2")
		s.stop()
	})
	t.Run("an empty file imports its graph and keeps earlier documents", func(t *testing.T) {
		lost := t.TempDir() // the graph is small, because the service answers nothing during the import
		s := startOn(t, v, lost)
		s.waitUntilReady()
		s.publish(document("lost"), "ari")
		s.wantTold("lost")
		s.stop()
		v.Stop()
		other := t.TempDir()
		s = serve(t, other, append(virtuosoSettings(v, other), "SEGRAPH_VIRTUOSO_GRAPH="+graphOf(lost)))
		s.wantServed("unreachable", "early")
		v.Start(t)
		s.wantTold("lost", "early")
		s.stop()
	})
}

// Once nothing is behind, Virtuoso has all of a document that the file stores in steps.
func TestVirtuosoReceivesAllOfALargeDocument(t *testing.T) {
	suite.Slow(t, "Virtuoso stores a large document")
	t.Parallel()
	v := servers.StartVirtuoso(t, 1_000_000)
	dir := t.TempDir()
	s := startOn(t, v, dir)
	s.waitUntilReady()
	const triples = 12_000 // more than 10,000 are stored in steps
	var text strings.Builder
	for i := range triples {
		fmt.Fprintf(&text, "<urn:large:%d> <urn:p> \"%d\" .\n", i/10, i)
	}
	if a := s.publish(text.String(), "ari"); a.status != http.StatusCreated {
		t.Fatalf("POST /ttl: %d %s", a.status, a.body)
	}
	s.must("<urn:small> <urn:p> 1 .")
	poll(t, "nothing is behind", func() bool { return s.readiness().number(t, "behind") == 0 })
	query := "SELECT (COUNT(*) AS ?n) FROM <" + graphOf(dir) + "> { ?s <urn:p> ?o }"
	a := request(t, "GET", v.URL+"/sparql?format=text/csv&query="+url.QueryEscape(query), nil)
	if want := fmt.Sprintf("\"n\"\n%d\n", triples+1); a.status != http.StatusOK || string(a.body) != want {
		t.Errorf("Virtuoso answers %d %q, want %q", a.status, a.body, want)
	}
	s.agree()
	s.stop()
}

// A Virtuoso that freezes during a query is reported as unavailable after its own timeout.
// If it is only slow, or that timeout is longer, the file tries in half of the query's time.
func TestAVirtuosoThatFreezesInAQueryIsToBlame(t *testing.T) {
	suite.Slow(t, "it starts Virtuoso several times")
	t.Parallel()
	v := servers.StartVirtuoso(t, 1_000_000)
	for _, tt := range []struct {
		name           string
		freezes        bool
		status         int
		detail         string
		limit, timeout string
	}{
		{"slow", false, http.StatusGatewayTimeout, "more time than its limit", "2s", "1500ms"},
		{"frozen", true, http.StatusServiceUnavailable, "Virtuoso has stopped answering", "60s", "1s"},
		{"frozen, with less time for the query", true, http.StatusGatewayTimeout, "more time than its limit", "1500ms", "60s"}, // also for the file
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			s := startOn(t, v, dir, "SEGRAPH_QUERY_TIME="+tt.limit, "SEGRAPH_STORE_TIMEOUT="+tt.timeout)
			s.waitUntilReady()
			for i := range 40 {
				s.must(fmt.Sprintf("ex:s%d ex:p %d, %d, %d, %d .", i, i, i+100, i+200, i+300))
			}
			s.agree()
			if tt.freezes {
				begin := time.AfterFunc(500*time.Millisecond, v.Pause) // during the query
				defer begin.Stop()
				defer v.Resume()
			}
			began := time.Now()
			a := request(t, "GET", s.api+"/query?query="+url.QueryEscape("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?c < ?f && ?i < ?l && STR(?c) != STR(?l)) }"), nil)
			if a.status != tt.status || !strings.Contains(string(a.body), tt.detail) {
				t.Errorf("after %v: %d %s, want %d", time.Since(began), a.status, a.body, tt.status)
			}
			if !tt.freezes {
				return
			}
			if a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") == "" {
				t.Error("it does not say when to try again")
			}
			s.wantServed("unreachable", "frozen")
			v.Resume()
			s.wantTold("frozen")
		})
	}
}
