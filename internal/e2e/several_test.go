package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/servers"
)

// kitQuery is a query of the kit, with the answer that the file alone gives.
type kitQuery struct {
	name, text string
	want       []string
}

// ask sends the query. The answer is "" if it was correct, "cut" if it broke off after its
// first byte, or what is wrong.
func (q *kitQuery) ask(s *service) (wrong string) {
	accept := "application/sparql-results+json"
	if isGraph(q.text) {
		accept = "application/n-triples"
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.api+"/query?query="+url.QueryEscape(q.text), nil)
	if err != nil {
		return err.Error()
	}
	r.Header.Set("Accept", accept)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	switch {
	case res.StatusCode != http.StatusOK:
		return fmt.Sprintf("%d: %.300s", res.StatusCode, body)
	case err != nil && len(body) > 0:
		return "cut"
	case err != nil:
		return err.Error()
	}
	got, err := canonical(body, isGraph(q.text), strings.Contains(q.text, "\n# compare: count"))
	switch {
	case err != nil:
		return err.Error()
	case q.want == nil:
		q.want = got
	case !slices.Equal(got, q.want):
		return fmt.Sprintf("it has %d rows, want %d: %.300q, want %.300q", len(got), len(q.want), got, q.want)
	}
	return ""
}

// kitQueries returns the kit's queries, with the answers of a service.
func kitQueries(t *testing.T, s *service) (list []*kitQuery) {
	files, err := filepath.Glob(suite.Shared(t, "bench", "queries") + "/*.rq")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		q := &kitQuery{name: filepath.Base(f), text: string(text)}
		if wrong := q.ask(s); wrong != "" {
			t.Fatalf("%s on the file: %s", q.name, wrong)
		}
		list = append(list, q)
	}
	return list
}

// Two Fusekis and a Virtuoso follow. Whichever is killed while queries run and robots observe,
// no query fails that has not sent its first byte, all answers are equal, and the store has
// everything when it is back. SEGRAPH_BENCH_DATA names other data than 14,000 triples.
func TestAnyOfSeveralGraphStoresMayBeKilled(t *testing.T) {
	if !suite.Long() {
		t.Skip("three graph stores take minutes: TestAnotherServerAnswersInThePlaceOfOneThatFails is its short form")
	}
	t.Parallel()
	v, a, b := servers.StartVirtuoso(t, 100_000_000), servers.StartFuseki(t), servers.StartFuseki(t)
	dir := loaded(t, suite.RobotLogs(t, 1000))
	const patient = "SEGRAPH_QUERY_TIME=2m"
	s := serve(t, dir, []string{patient})
	s.waitUntilReady()
	queries := kitQueries(t, s)
	s.stop()

	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	list := "- {kind: virtuoso, query: " + v.URL + "/sparql, update: " + v.URL + "/sparql-auth, graph_store: " + v.URL + "/sparql-graph-crud-auth, user: dba, password_file: " + write("password", v.Password) + "}\n"
	for i, f := range []*servers.Fuseki{a, b} {
		list += fmt.Sprintf("- {name: fuseki-%d, kind: sparql, query: %s/query, update: %[2]s/update, graph_store: %[2]s/data}\n", i+1, f.URL)
	}
	s = serve(t, dir, []string{patient, "SEGRAPH_QUERIES=8", "SEGRAPH_STORE_TIMEOUT=1m", "SEGRAPH_METRICS=127.0.0.1:0", "SEGRAPH_STORES=" + write("stores.yaml", list)})
	wantStates := func(want ...string) {
		t.Helper()
		begin := time.Now()
		within(t, 20*time.Minute, fmt.Sprint("the graph stores are ", want), func() bool {
			var got []string
			rows, _ := s.readiness().member(t, "graph_stores").([]any)
			for _, r := range rows {
				row, _ := r.(map[string]any)
				state, _ := row["state"].(string)
				if state == "ok" && row["behind"] != 0.0 {
					state = "behind"
				}
				got = append(got, state)
			}
			return slices.Equal(got, want)
		})
		t.Logf("%v after %v", want, time.Since(begin).Round(time.Millisecond))
	}
	wantStates("ok", "ok", "ok")

	stop := make(chan struct{})
	var asked, posted, cut atomic.Int64
	var clients sync.WaitGroup
	defer clients.Wait()
	end := sync.OnceFunc(func() { close(stop) })
	defer end()
	for client := range 3 {
		clients.Go(func() {
			for i := client * len(queries) / 3; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				q := queries[i%len(queries)]
				switch wrong := q.ask(s); wrong {
				case "":
					asked.Add(1)
				case "cut":
					cut.Add(1)
				default:
					t.Errorf("%s: %s", q.name, wrong)
				}
			}
		})
	}
	clients.Go(func() { // changes the graph of contexts, which no query of the kit reads
		for i := 0; ; i++ {
			openCase(t, s, fmt.Sprintf("%02d:%02d", i/60%24, i%60))
			posted.Add(2)
			select {
			case <-time.After(200 * time.Millisecond): // as robots do
			case <-stop:
				return
			}
		}
	})
	answers := func(n int64) {
		t.Helper()
		from := asked.Load()
		within(t, 20*time.Minute, fmt.Sprint(n, " queries are answered"), func() bool { return asked.Load() >= from+n || t.Failed() })
	}
	for i, victim := range []interface {
		Kill()
		Start(testing.TB)
	}{v, a, b} {
		answers(10)
		victim.Kill() // while three queries run
		answers(int64(len(queries)))
		poll(t, "the page /health shows that it is away", func() bool {
			return strings.Count(string(request(t, "GET", s.ui+"/health", nil).body), ">can be queried<") == 2
		})
		t.Logf("without store %d: %d queries answered, %d cut after the first byte, %d observations", i, asked.Load(), cut.Load(), posted.Load())
		victim.Start(t)
		// While robots observe, each is a little behind at any time.
		within(t, 20*time.Minute, "it is back", func() bool { return strings.Count(string(s.readiness().body), `"state":"ok"`) == 3 })
	}
	end()
	clients.Wait()
	wantStates("ok", "ok", "ok")
	contexts := s.count("SELECT (COUNT(*) AS ?n) { GRAPH <urn:segraph:contexts> { ?s ?p ?o } }")
	for _, at := range []string{v.URL + "/sparql?", a.URL + "/query?", b.URL + "/query?"} {
		n := request(t, "GET", at+"query="+url.QueryEscape("SELECT (COUNT(*) AS ?n) FROM <urn:segraph:contexts> { ?s ?p ?o }"), nil, "Accept", "text/csv")
		if !strings.HasSuffix(strings.TrimSpace(string(n.body)), fmt.Sprintf("\n%d", contexts)) || contexts == 0 {
			t.Errorf("%s has %q of %d triples about contexts", at, n.body, contexts)
		}
	}
	t.Logf("%d queries answered, %d of them by the file, %d by another store than the first", asked.Load(),
		strings.Count(s.stderr.String(), "the file answers a query"), strings.Count(s.stderr.String(), "another graph store answers"))
	s.stop()
}
