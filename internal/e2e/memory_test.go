package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// resident reads a value in KiB from a process's /proc/PID/status.
func (s *service) resident(name string) int64 {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+) kB$`).FindSubmatch(text)
	if found == nil {
		s.t.Fatalf("no %s in %s", name, text)
	}
	n, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// Queries, one after the other, take at most their budget and 64 MiB of memory, measured at the process,
// whichever operator stores rows, groups or texts.
func TestAQuerysMemoryStaysUnderItsBudgetAnd64MiB(t *testing.T) {
	suite.Slow(t, "it runs many queries to the limit of their memory")
	if suite.Race {
		t.Skip("the race detector takes memory for every allocation")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process's memory is read from Linux's /proc")
	}
	const budget = 64 // MiB
	dir := loaded(t, suite.RobotLogs(t, 7000))
	const cross = "{ ?a ?b ?c . ?d ?e ?f }" // 10 billion rows
	var s *service
	var before, file int64
	start := func() {
		s = serve(t, dir, nil, "--query-memory", strconv.Itoa(budget), "--query-time", "1s")
		before, file = s.resident("VmRSS"), s.resident("RssFile")
	}
	start()
	for name, query := range map[string]string{
		"order":          "SELECT * " + cross + " ORDER BY ?c ?f",
		"top":            "SELECT * " + cross + " ORDER BY CONCAT(STR(?c), STR(?f)) LIMIT 100000000",
		"distinct":       "SELECT DISTINCT ?x { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?c), STR(?f)) AS ?x) }",
		"group":          "SELECT ?a ?d (SAMPLE(?c) AS ?t) (MIN(?f) AS ?u) (AVG(?f) AS ?v) " + cross + " GROUP BY ?a ?d",
		"group concat":   "SELECT ?d (GROUP_CONCAT(?c) AS ?t) " + cross + " GROUP BY ?d",
		"count distinct": "SELECT (COUNT(DISTINCT *) AS ?n) " + cross,
		"construct":      "CONSTRUCT { [] ?e ?f } " + cross,
		"hash join":      "SELECT (COUNT(*) AS ?n) { ?a ?b ?c OPTIONAL { SELECT ?a ?d ?f { ?a ?y ?x . ?d ?e ?f } LIMIT 100000000 } }",
		"exists":         "SELECT (COUNT(*) AS ?n) { ?a ?b ?c FILTER NOT EXISTS { { SELECT ?a ?d ?f { ?a ?y ?x . ?d ?e ?f } LIMIT 100000000 } FILTER(?f = 77777777777) } }",
		"minus":          "SELECT (COUNT(*) AS ?n) { ?a ?b ?c MINUS { SELECT ?a ?c ?f { ?a ?d ?c . ?g ?h ?f } LIMIT 100000000 } }",
		"path":           "SELECT (COUNT(*) AS ?n) { ?a (<urn:none>|!<urn:none>)* ?b . ?c (<urn:none>|!<urn:none>)* ?d }",
		"subquery":       "SELECT * { { SELECT ?a ?d { ?a ?b ?c . ?d ?e ?f } } { SELECT ?g ?d { ?g ?h ?i . ?d ?k ?l } } }",
		"long texts":     "SELECT ?x { ?a ?b ?c BIND(REPLACE(STR(?c), '.', '" + strings.Repeat("y", 5000) + "') AS ?x) BIND(REPLACE(?x, '.', '12345678') AS ?y) }",
	} {
		t.Run(name, func(t *testing.T) {
			var growth int64
			for try := range 3 {
				if try > 0 { // a busy machine may have delayed the collector
					s.kill()
					start()
				}
				askForAll(t, s, query)
				// The system decides which pages of the file are in memory.
				if growth = (s.resident("VmHWM") - before - (s.resident("RssFile") - file)) >> 10; growth <= budget+64 {
					t.Logf("the process has grown by %d MiB", growth)
					return
				}
			}
			t.Errorf("the process has grown by %d MiB with a budget of %d", growth, budget)
		})
	}
}

// askForAll sends a query that a limit ends, before or during its answer.
func askForAll(t *testing.T, s *service, query string) {
	t.Helper()
	res, err := http.Post(s.api+"/query", "application/sparql-query", strings.NewReader(query))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if res.StatusCode == http.StatusOK && err == nil {
		t.Errorf("the query ended normally, after %d bytes", n)
	} else if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusServiceUnavailable && res.StatusCode != http.StatusGatewayTimeout {
		t.Errorf("status %d", res.StatusCode)
	}
}
