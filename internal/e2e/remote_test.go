package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/servers"
	"github.com/segraph/segraph/store/turtle"
)

// startOn serves with a Virtuoso in a folder. It does not wait until the service has
// reached Virtuoso.
func startOn(t *testing.T, v *servers.Virtuoso, dir string, env ...string) *service {
	t.Helper()
	return serve(t, dir, append(virtuosoSettings(v, dir), env...))
}

// readiness requests /healthz/ready and checks that the answer comes in time.
func (s *service) readiness() answer {
	s.t.Helper()
	begin := time.Now()
	a := request(s.t, "GET", s.api+"/healthz/ready", nil)
	if took := time.Since(begin); took > 4*time.Second && float64(took) > suite.Slowness()*float64(4*time.Second) {
		s.t.Errorf("/healthz/ready took %v", took)
	}
	return a
}

// wantAway checks how a service reports an unreachable graph store.
func (s *service) wantAway() {
	s.t.Helper()
	poll(s.t, "the service says that the store is away", func() bool { return s.readiness().status == http.StatusServiceUnavailable })
	a := s.readiness()
	if a.member(s.t, "triplestore") != false || a.member(s.t, "ready") != false || a.member(s.t, "virtuoso") != false || a.member(s.t, "detail") == nil {
		s.t.Errorf("/healthz/ready: %s", a.body)
	}
	if live := request(s.t, "GET", s.api+"/healthz/live", nil); live.status != http.StatusOK {
		s.t.Errorf("/healthz/live: %d", live.status)
	}
	before := s.events()
	for what, a := range map[string]answer{
		"POST /ttl":  s.publish("<urn:away> <urn:p> 1 .", "ari"),
		"GET /query": request(s.t, "GET", s.api+"/query?query=ASK+%7B%7D", nil),
	} {
		if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
			s.t.Errorf("%s: %d, Retry-After %q\n%s", what, a.status, a.header.Get("Retry-After"), a.body)
		}
	}
	if !bytes.Equal(s.events(), before) {
		s.t.Error("a post that was answered 503 is stored")
	}
}

// agree checks that queries see as many triples as an export.
func (s *service) agree() {
	s.t.Helper()
	want := len(parse(s.t, request(s.t, "GET", s.api+"/events", nil, "Accept", "application/n-triples").body, turtle.NTriples))
	if got := s.count("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"); got != want {
		s.t.Errorf("queries see %d triples of %d", got, want)
	}
}

// strict makes a service refuse requests that its graph store can't serve at once.
const strict = "SEGRAPH_STORE_STRICT=true"

// table returns all triples of the published graph as a query returns them, one per line.
func (s *service) table() string {
	s.t.Helper()
	return s.answered("SELECT ?s ?p ?o { ?s ?p ?o }")
}

// answered returns the sorted rows of a query, which the graph store must answer.
func (s *service) answered(query string) string {
	s.t.Helper()
	a := request(s.t, "GET", s.api+"/query?format=csv&query="+url.QueryEscape(query), nil)
	if a.status != http.StatusOK || a.header.Get("X-Graph-Store") != "" {
		s.t.Errorf("GET /query: %d, X-Graph-Store %q", a.status, a.header.Get("X-Graph-Store"))
	}
	lines := strings.Split(string(a.body), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Whatever happens to the graph store, acknowledged data is kept, the graph store
// receives all of it in the end, and the service reports the graph store's state.
func TestAGraphStoreMayComeAndGo(t *testing.T) {
	suite.Slow(t, "it starts Virtuoso several times")
	t.Parallel()
	v := servers.StartVirtuoso(t, 1_000_000)
	dir := t.TempDir()

	t.Run("it starts after the service", func(t *testing.T) {
		v.Stop()
		s := startOn(t, v, dir, strict)
		s.wantAway()
		v.Start(t)
		s.waitUntilReady()
		s.must(people)
		s.agree()
		s.stop()
	})
	t.Run("it is killed during posts and decisions", func(t *testing.T) { killedAmidPosts(t, v, dir, true) })
	t.Run("it is killed during posts and decisions, and the file serves", func(t *testing.T) { killedAmidPosts(t, v, t.TempDir(), false) })
	t.Run("the service reports how far it is behind", func(t *testing.T) {
		s := startOn(t, v, dir, "SEGRAPH_METRICS=127.0.0.1:0")
		s.waitUntilReady()
		s.must("ex:sent ex:p 1 .")
		poll(t, "it has all", func() bool { return s.readiness().number(t, "behind") == 0 })
		if page := request(t, "GET", s.ui+"/health", nil); !bytes.Contains(page.body, []byte("can be queried")) {
			t.Errorf("the page /health does not say so: %s", page.body)
		}
		text := string(request(t, "GET", metricsAt.FindStringSubmatch(s.stdout.String())[1]+"/metrics", nil).body)
		for _, want := range []string{`segraph_graph_store_up{store="virtuoso"} 1`, `segraph_graph_store_untold_changes{store="virtuoso"} 0`, `segraph_graph_store_behind_seconds{store="virtuoso"} 0`} {
			if !strings.Contains(text, want) {
				t.Errorf("/metrics lacks %s", want)
			}
		}
		v.Stop()
		opened := openCase(t, s, "09:30") // resolving still works
		poll(t, "it is behind", func() bool { return s.readiness().number(t, "behind") > 0 })
		if page := request(t, "GET", s.ui+"/health", nil); !bytes.Contains(page.body, []byte("Virtuoso is unreachable")) {
			t.Errorf("the page /health does not say that it is behind, with the case %s open", opened)
		}
		v.Start(t)
		s.waitUntilReady()
		s.agree()
		s.stop()
	})
	t.Run("it is suspended", func(t *testing.T) {
		s := startOn(t, v, dir, strict)
		s.waitUntilReady()
		v.Pause()
		s.wantAway()
		v.Resume()
		s.waitUntilReady()
		s.agree()
		s.stop()
	})
	t.Run("it comes back empty", func(t *testing.T) {
		s := startOn(t, v, dir)
		s.waitUntilReady()
		s.stop()
		v.Update(t, "CLEAR GRAPH <"+graphOf(dir)+">")
		v.Update(t, "CLEAR GRAPH <"+graphOf(dir)+":state>")
		s = startOn(t, v, dir)
		s.waitUntilReady()
		s.agree()
		s.stop()
	})
	t.Run("it comes back as it was some time ago", func(t *testing.T) {
		s := startOn(t, v, dir)
		s.waitUntilReady()
		s.must("ex:later ex:p 1, 2, 3 .")
		s.agree()
		s.stop()
		v.Update(t, "DELETE WHERE { GRAPH <"+graphOf(dir)+"> { <http://example.org/later> ?p ?o } }")
		v.Update(t, "WITH <"+graphOf(dir)+`:state> DELETE { ?s ?p ?o } INSERT { ?s ?p ?m } WHERE { ?s ?p ?o BIND(CONCAT(STRBEFORE(STR(?o), " "), " 0") AS ?m) }`)
		s = startOn(t, v, dir)
		s.waitUntilReady()
		s.agree()
		s.stop()
	})
	t.Run("the file was written by others meanwhile", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(dir, "more.ttl"), []byte("<urn:loaded> <urn:p> 1, 2, 3 ."), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := command(t, dir, nil, "", "load", "more.ttl"); r.code != 0 {
			t.Fatalf("load: %s", r.stderr)
		}
		s := startOn(t, v, dir)
		s.waitUntilReady()
		if !s.ask("ASK { <urn:loaded> <urn:p> 2 }") {
			t.Error("the loaded data is not seen")
		}
		s.agree()
		s.stop()
	})
	t.Run("the file is lost", func(t *testing.T) {
		s := startOn(t, v, dir)
		s.waitUntilReady()
		want := s.count("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
		s.stop()
		other := t.TempDir()
		s = serve(t, other, append(virtuosoSettings(v, other), "SEGRAPH_VIRTUOSO_GRAPH="+graphOf(dir)))
		s.waitUntilReady()
		if got := s.count("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"); got != want {
			t.Errorf("an empty file took in %d triples of %d", got, want)
		}
		s.agree()
		// If the lost file appears again, it changes neither the graph store nor itself.
		lost := startOn(t, v, dir)
		poll(t, "the service notices the other file", func() bool { return strings.Contains(string(lost.readiness().body), "another file") })
		if a := lost.publish("<urn:lost> <urn:p> 1 .", "ari"); a.status != http.StatusServiceUnavailable || a.header.Get("X-Graph-Store") != "conflict" {
			t.Errorf("a file that nobody has decided about takes a post: %d %v", a.status, a.header)
		}
		s.agree()
	})
	t.Run("another service takes the graph over", func(t *testing.T) {
		first, dir := t.TempDir(), t.TempDir()
		s := startOn(t, v, first)
		s.waitUntilReady()
		if a := s.publish("<urn:first> <urn:p> 1 .", "ari"); a.status != http.StatusCreated {
			t.Fatalf("%d %s", a.status, a.body)
		}
		other := serve(t, dir, append(virtuosoSettings(v, dir), "SEGRAPH_VIRTUOSO_GRAPH="+graphOf(first)))
		other.waitUntilReady()
		poll(t, "the first service names the owner", func() bool { return strings.Contains(string(s.readiness().body), "it belongs to the segraph on ") })
		if a := request(t, "POST", other.api+"/ttl/delete_all", []byte(`{"user":"ari"}`), "Content-Type", "application/json"); a.status != http.StatusOK {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := request(t, "GET", s.api+"/query?query=ASK+%7B%7D", nil); a.status != http.StatusServiceUnavailable || a.header.Get("X-Graph-Store") != "conflict" {
			t.Errorf("a service that does not own the graph answers from it: %d %v %s", a.status, a.header, a.body)
		}
		if a := s.publish("<urn:first> <urn:p> 2 .", "ari"); a.status != http.StatusServiceUnavailable {
			t.Errorf("it takes a post: %d %s", a.status, a.body)
		}
		if a := s.readiness(); a.status != http.StatusServiceUnavailable || a.member(t, "graph_store") != "conflict" {
			t.Errorf("it is ready: %d %s", a.status, a.body)
		}
		other.agree()
		s.stop()
		other.stop()
	})
	t.Run("the password is another", func(t *testing.T) {
		dir := t.TempDir()
		s := startOn(t, v, dir, "TRIPLESTORE_PASSWORD=a new password")
		poll(t, "the password is named", func() bool { return strings.Contains(string(s.readiness().body), "TRIPLESTORE_PASSWORD") })
		poll(t, "the log names it", func() bool { return strings.Contains(s.stderr.String(), "TRIPLESTORE_PASSWORD") })
		if page := request(t, "GET", s.ui+"/health", nil); !bytes.Contains(page.body, []byte("TRIPLESTORE_PASSWORD")) {
			t.Errorf("the page /health does not name it: %d\n%s", page.status, page.body)
		}
		if strings.Contains(s.stderr.String(), "a new password") {
			t.Error("the log has the password")
		}
		if strings.Contains(s.stderr.String(), "guess") {
			t.Error("the log calls it a password that can be guessed")
		}
		s.stop()
		s = startOn(t, v, t.TempDir(), "TRIPLESTORE_PASSWORD=dba")
		poll(t, "the log warns of a password that can be guessed", func() bool { return strings.Contains(s.stderr.String(), "password is easy to guess") })
	})
}

// killedAmidPosts kills Virtuoso while robots publish, readers query and a person
// decides. With refuses, robots and readers are refused until it is back; otherwise the
// file serves them.
func killedAmidPosts(t *testing.T, v *servers.Virtuoso, dir string, refuses bool) {
	s := startOn(t, v, dir, fmt.Sprintf("SEGRAPH_STORE_STRICT=%v", refuses))
	s.waitUntilReady()
	var cases []string
	for i := range 40 {
		cases = append(cases, openCase(t, s, fmt.Sprintf("%02d:%02d", 10+i/60, i%60)))
	}
	var stored, refused, accepted, asked atomic.Int64
	var mu sync.Mutex
	answered := map[string]int{} // status by name of the document
	stop := make(chan struct{})
	var robots sync.WaitGroup
	for robot := range 4 {
		robots.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				name := "k" + strconv.Itoa(robot) + "-" + strconv.Itoa(i)
				a := request(t, "POST", s.api+"/ttl?user=ari", []byte(document(name)), "Content-Type", "text/turtle")
				switch a.status {
				case http.StatusCreated:
					stored.Add(1)
				case http.StatusServiceUnavailable:
					refused.Add(1)
				default:
					t.Errorf("POST /ttl: %d\n%s", a.status, a.body)
					return
				}
				mu.Lock()
				answered[name] = a.status
				mu.Unlock()
				select { // a pause, so that Virtuoso need not receive a hundred thousand triples
				case <-time.After(20 * time.Millisecond):
				case <-stop:
				}
			}
		})
	}
	robots.Go(func() { // a reader sees all documents answered before its query, or learns that the store is unreachable
		for {
			select {
			case <-time.After(10 * time.Millisecond):
			case <-stop:
				return
			}
			before := stored.Load() * width
			a := request(t, "GET", s.api+"/query?format=csv&query="+url.QueryEscape("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"), nil)
			var n int64
			switch _, err := fmt.Sscanf(string(a.body), "n\n%d", &n); {
			case a.status == http.StatusServiceUnavailable:
			case a.status != http.StatusOK || err != nil || n < before:
				t.Errorf("GET /query: %d, %q, want %d triples at least", a.status, a.body, before)
				return
			default:
				asked.Add(1)
			}
		}
	})
	robots.Go(func() { // works with or without the graph store
		for _, id := range cases {
			if a := request(t, "POST", s.api+"/shared-context/review/"+id+"/accept", []byte("{}"), "Content-Type", "application/json"); a.status != http.StatusOK {
				t.Errorf("accept: %d %s", a.status, a.body)
				return
			}
			accepted.Add(1)
			select {
			case <-time.After(50 * time.Millisecond): // so that it lasts a while
			case <-stop:
			}
		}
	})
	poll(t, "robots publish, a person decides and readers are answered", func() bool {
		return stored.Load() >= 60 && accepted.Load() >= 5 && asked.Load() >= 3 || t.Failed()
	})
	v.Kill()
	away, published := asked.Load(), stored.Load()
	poll(t, "posts are refused, or robots and readers go on, and the person decides on", func() bool {
		served := refused.Load() >= 5
		if !refuses {
			served = asked.Load() >= away+5 && stored.Load() >= published+20
		}
		return served && accepted.Load() >= 15 || t.Failed()
	})
	v.Start(t)
	s.waitUntilReady()
	if n := refused.Load(); !refuses && n > 0 {
		t.Errorf("%d posts were refused while the file was to take them", n)
	}
	poll(t, "readers are answered again, and the person is done", func() bool {
		return asked.Load() >= away+3 && accepted.Load() == int64(len(cases)) || t.Failed()
	})
	close(stop)
	robots.Wait()
	s.waitUntilReady()
	s.agree()
	a := request(t, "GET", s.api+"/events", nil, "Accept", "application/n-triples")
	for name, status := range answered {
		n := bytes.Count(a.body, []byte("/"+name+">"))
		if status == http.StatusCreated && n != width || n != 0 && n != width {
			t.Errorf("document %s, answered %d, has %d of its %d triples", name, status, n, width)
		}
	}
	contexts := s.count("SELECT (COUNT(*) AS ?n) { GRAPH <urn:segraph:contexts> { ?s ?p ?o } }")
	if stats := request(t, "GET", s.api+"/shared-context/stats", nil); stats.number(t, "pending_reviews") != 0 {
		t.Errorf("after %d cases were accepted: %s", accepted.Load(), stats.body)
	}
	triples := s.table()
	s.stop()
	// The file alone, without Virtuoso, has the same triples.
	s = serve(t, dir, nil)
	if alone := s.table(); alone != triples {
		t.Errorf("Virtuoso has\n%.2000s\nand the file\n%.2000s", triples, alone)
	}
	if alone := s.count("SELECT (COUNT(*) AS ?n) { GRAPH <urn:segraph:contexts> { ?s ?p ?o } }"); alone != contexts || alone == 0 {
		t.Errorf("Virtuoso has %d triples about contexts, the file %d", contexts, alone)
	}
	s.stop()
	t.Logf("%d posts were answered 201, %d with 503; %d queries were answered, %d cases accepted", stored.Load(), refused.Load(), asked.Load(), accepted.Load())
}

// openCase opens a case at a minute, with or without the graph store, and returns its id.
func openCase(t *testing.T, s *service, minute string) string {
	t.Helper()
	resolve := func(subject, second string) answer {
		a := request(t, "POST", s.api+"/shared-context/resolve", []byte(fmt.Sprintf(`{"event_kind":"human_utterance","observed_at":"2026-02-11T%s:%sZ",
			"modality":"speech",%s"text":"Could you show me the news?","robot_uri":"urn:robot:%s"}`, minute, second, subject, second)), "Content-Type", "application/json")
		if a.status != http.StatusOK {
			t.Fatalf("resolve: %d %s", a.status, a.body)
		}
		return a
	}
	resolve(`"subject_uri":"urn:human:maria",`, "13.150")
	id, ok := resolve("", "13.950").member(t, "case_id").(string)
	if !ok {
		t.Fatal("no case was opened")
	}
	return id
}
