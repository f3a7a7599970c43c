package e2e

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/servers"
)

// BenchmarkVirtuoso sends requests to a Virtuoso with generated robot logs, through the
// service and directly in turn. It reports the cost of the service as ratios of medians.
// The data is 70,000 events (1 M triples).
func BenchmarkVirtuoso(b *testing.B) {
	v := servers.StartVirtuoso(b, 100_000_000)
	v.Open(b)
	text := suite.RobotLogs(b, 70_000)
	dir := loaded(b, text)
	storesOf.Store(b.Name(), func(dir string) []string { return virtuosoSettings(v, dir) })
	s := serve(b, dir, nil)
	graph := graphOf(dir)
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

	b.Run("query", func(b *testing.B) {
		for b.Loop() {
			compareQueries(b, s, v, fresh, graph)
		}
	})
	b.Run("export", func(b *testing.B) {
		for b.Loop() {
			direct := timed(b, fresh, "GET", v.URL+"/sparql-graph-crud?graph-uri="+url.QueryEscape(graph), nil, "Accept", "application/n-triples")
			through := timed(b, http.DefaultClient, "GET", s.api+"/events", nil, "Accept", "application/n-triples")
			b.ReportMetric(float64(direct)/float64(through), "rate/direct")
			b.ReportMetric(through.Seconds(), "s")
		}
	})
	b.Run("post", func(b *testing.B) {
		docs := suite.Events(suite.RobotLogs(b, 72_000))[70_000:]
		var direct, through []time.Duration
		for b.Loop() {
			for i := 0; i+1 < len(docs); i += 2 {
				direct = append(direct, timed(b, fresh, "POST", v.URL+"/sparql-graph-crud?graph-uri=urn:direct", docs[i], "Content-Type", "text/turtle"))
				through = append(through, timed(b, http.DefaultClient, "POST", s.api+"/ttl?user=ari", docs[i+1], "Content-Type", "text/turtle"))
			}
		}
		b.ReportMetric(median(direct), "direct-ms")
		b.ReportMetric(median(through), "through-ms")
		b.ReportMetric(median(through)/median(direct), "through/direct")
	})
}

// timed sends a request and returns the time until the end of its answer.
func timed(b *testing.B, client *http.Client, method, address string, body []byte, header ...string) time.Duration {
	b.Helper()
	begin := time.Now()
	req, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set(header[0], header[1])
	res, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		b.Fatal(err)
	}
	if res.StatusCode >= 300 {
		return 0
	}
	return time.Since(begin)
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

// compareQueries runs every query both ways, up to five times each or for 10 s.
func compareQueries(b *testing.B, s *service, v *servers.Virtuoso, fresh *http.Client, graph string) {
	files, err := filepath.Glob(suite.Shared(b, "bench", "queries") + "/*.rq")
	if err != nil {
		b.Fatal(err)
	}
	var logs float64
	n := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		accept := "application/sparql-results+json"
		if bytes.Contains(text, []byte("\nCONSTRUCT")) || bytes.Contains(text, []byte("\nDESCRIBE")) {
			accept = "application/n-triples"
		}
		asked := url.Values{"query": {string(text)}}.Encode()
		var direct, through []time.Duration
		begin := time.Now()
		for n := 0; n == 0 || n < 5 && time.Since(begin) < 10*time.Second; n++ {
			direct = append(direct, timed(b, fresh, "GET", v.URL+"/sparql?default-graph-uri="+url.QueryEscape(graph)+"&"+asked, nil, "Accept", accept))
			through = append(through, timed(b, http.DefaultClient, "GET", s.api+"/query?"+asked, nil, "Accept", accept))
		}
		d, t := median(direct), median(through)
		if slices.Contains(direct, 0) || slices.Contains(through, 0) {
			b.Logf("%-28s direct %9.2f  through %9.2f  (one of them failed)", filepath.Base(f), d, t)
			continue
		}
		b.Logf("%-28s direct %9.2f  through %9.2f  %5.2f", filepath.Base(f), d, t, t/cmp.Or(d, 0.001))
		logs += math.Log(t / d)
		n++
	}
	b.ReportMetric(math.Exp(logs/float64(n)), "through/direct")
}
