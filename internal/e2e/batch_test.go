package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// A line and its observation survive a kill together, or neither does, and a line that is sent
// again is stored once.
func TestALineAndItsObservationSurviveAKillTogether(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	dir, n := t.TempDir(), 0
	for round := range suite.Times(6, 3) {
		s := serve(t, dir, nil)
		client := &http.Client{}
		sending := make(chan struct{})
		go func() {
			defer close(sending)
			for {
				var body strings.Builder
				for i := range 100 {
					body.WriteString(suite.Line(n+i, true))
				}
				a, err := try(client, "POST", s.api+"/batch", []byte(body.String()), "Content-Type", "application/x-ndjson")
				if err != nil { // the same lines again, after the next start
					return
				}
				if a.status != http.StatusOK || strings.Count(string(a.body), `"status":201`) != 100 {
					t.Errorf("%d %s", a.status, a.body)
				}
				n += 100
			}
		}()
		time.Sleep(time.Duration(50+97*round) * time.Millisecond) // at another place of the work each time
		s.kill()
		<-sending
	}
	s := serve(t, dir, nil)
	var stats struct{ Observations int }
	if err := json.Unmarshal(request(t, "GET", s.api+"/shared-context/stats", nil).body, &stats); err != nil {
		t.Fatal(err)
	}
	logs, next := 0, "0"
	for next != "null" {
		var page struct {
			Logs []struct{ Triples int }
			Next json.RawMessage
		}
		if err := json.Unmarshal(request(t, "GET", s.api+"/logs/mine?limit=1000&after="+next, nil).body, &page); err != nil {
			t.Fatal(err)
		}
		logs, next = logs+len(page.Logs), string(page.Next)
	}
	if logs != stats.Observations || logs < n {
		t.Errorf("%d logs and %d observations are stored, and %d lines were answered", logs, stats.Observations, n)
	}
}

// Lines are seen by queries once they are answered, each once, also after the same request again and a restart.
func TestLinesAreStoredOnceAndSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	var body strings.Builder
	for i := range 50 {
		body.WriteString(suite.Line(i, i%2 == 0))
	}
	body.WriteString(`{"key":"odd","graph":{"id":"not an IRI"}}` + "\n")
	for round := range 3 {
		if round == 2 {
			s.kill()
			s = serve(t, dir, nil)
		}
		a := request(t, "POST", s.api+"/batch", []byte(body.String()), "Content-Type", "application/x-ndjson")
		if a.status != http.StatusOK || strings.Count(string(a.body), `"status":201`) != 50 || strings.Count(string(a.body), `"repeated":true`) != 50*min(round, 1) {
			t.Fatalf("round %d: %d %s", round, a.status, a.body)
		}
		if n := s.count(`SELECT (COUNT(*) AS ?n) { ?m a <http://schema.org/Message> ; <http://schema.org/text> ?t }`); n != 50 {
			t.Errorf("round %d: %d messages", round, n)
		}
		if n := s.count(`SELECT (COUNT(*) AS ?n) { ?a <http://schema.org/about> ?e . ?e a <http://schema.org/Event> }`); n != 25 {
			t.Errorf("round %d: %d events", round, n)
		}
	}
}

// BenchmarkLines sends 2,000 events of about 900 bytes from one connection to an empty service: as
// lines of POST /batch, 200 in a request, and as two requests for each. cpu-us/event is what
// other load on the machine spoils least. Then it posts logs from another connection, alone
// and beside the lines.
func BenchmarkLines(b *testing.B) {
	const events = 2000
	next := 0
	send := func(s *service, client *http.Client, path, kind string, body []byte) {
		if a, err := try(client, "POST", s.api+path, body, "Content-Type", kind); err != nil || a.status > 201 || strings.Contains(string(a.body), `"title"`) {
			b.Errorf("%d %s %v", a.status, a.body, err)
		}
	}
	lines := func(s *service, client *http.Client, observed bool) {
		var body strings.Builder
		for range 200 {
			body.WriteString(suite.Line(next, observed))
			next++
		}
		send(s, client, "/batch", "application/x-ndjson", []byte(body.String()))
	}
	two := func(s *service, client *http.Client) {
		var line struct{ Graph, Observation json.RawMessage }
		if err := json.Unmarshal([]byte(suite.Line(next, true)), &line); err != nil {
			b.Fatal(err)
		}
		next++
		send(s, client, "/shared-context/resolve", "application/json", line.Observation)
		send(s, client, "/ttl?user=ari", "application/ld+json", line.Graph)
	}
	for _, c := range []struct {
		name string
		do   func(s *service, client *http.Client) (events int)
	}{
		{"logs", func(s *service, c *http.Client) int { lines(s, c, false); return 200 }},
		{"observed", func(s *service, c *http.Client) int { lines(s, c, true); return 200 }},
		{"two requests", func(s *service, c *http.Client) int { two(s, c); return 1 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, client := serve(b, b.TempDir(), nil), &http.Client{}
			c.do(s, client)
			cpu := s.processorTime()
			n := 0
			for b.Loop() {
				for done := 0; done < events; {
					done += c.do(s, client)
				}
				n += events
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64((s.processorTime()-cpu).Microseconds())/float64(n), "cpu-us/event")
		})
	}
	for _, beside := range []bool{false, true} {
		b.Run(fmt.Sprintf("posts/beside=%v", beside), func(b *testing.B) {
			s, stop := serve(b, b.TempDir(), nil), make(chan struct{})
			var sending sync.WaitGroup
			sent := next
			if beside {
				sending.Go(func() {
					for client := (&http.Client{}); ; lines(s, client, true) {
						select {
						case <-stop:
							return
						default:
						}
					}
				})
			}
			client, all := &http.Client{}, suite.Events(suite.RobotLogs(b, 1000))
			var took []time.Duration
			for b.Loop() {
				for i := range 1000 {
					begin := time.Now()
					send(s, client, "/ttl?user=robot", "text/turtle", all[i%len(all)])
					took = append(took, time.Since(begin))
				}
			}
			close(stop)
			sending.Wait()
			b.ReportMetric(float64(next-sent)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(percentile(took, 50), "p50-ms")
			b.ReportMetric(percentile(took, 99), "p99-ms")
		})
	}
}
