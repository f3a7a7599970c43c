package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// gauge reads a metric.
func gauge(t *testing.T, s *service, name string) float64 {
	t.Helper()
	at := metricsAt.FindStringSubmatch(s.stdout.String())
	if at == nil {
		t.Fatal("the service serves no metrics")
	}
	text := request(t, "GET", at[1]+"/metrics", nil).body
	m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("there is no metric %s", name)
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// memoryOf returns the memory of a service without the mapped pages of its file. The
// system may reclaim those at any time, and they grow with the journal.
func memoryOf(t *testing.T, s *service) float64 {
	t.Helper()
	return gauge(t, s, "go_memstats_sys_bytes") - gauge(t, s, "go_memstats_heap_released_bytes")
}

// gauges are values that a leak would let grow.
type gauges struct{ memory, goroutines, descriptors, file float64 }

func gaugesOf(t *testing.T, s *service) gauges {
	t.Helper()
	return gauges{memoryOf(t, s), gauge(t, s, "go_goroutines"), gauge(t, s, "process_open_fds"), gauge(t, s, "segraph_store_file_bytes")}
}

func (g gauges) String() string {
	return fmt.Sprintf("memory %.0f MiB, file %.1f MiB, %.0f descriptors, %.0f goroutines", g.memory/(1<<20), g.file/(1<<20), g.descriptors, g.goroutines)
}

// Memory, goroutines and descriptors stay constant over many requests of all kinds (a
// million with SEGRAPH_LONG=1). The file grows only by the journal's entries.
func TestASoakOfMixedTrafficLeavesMemoryAndGoroutinesFlat(t *testing.T) {
	s := serve(t, t.TempDir(), nil, "--metrics", "127.0.0.1:0", "--log-level", "warning")
	total := int64(suite.Times(1_000_000, suite.Size(6000, 2000)))
	var n, failed atomic.Int64
	traffic := func(until int64) {
		var robots sync.WaitGroup
		for range 8 {
			robots.Go(func() {
				client := &http.Client{Transport: &http.Transport{}}
				defer client.CloseIdleConnections()
				for i := n.Add(1); i <= until; i = n.Add(1) {
					if err := one(client, s, i); err != nil {
						if failed.Add(1) < 5 {
							t.Error(err)
						}
					}
				}
			})
		}
		robots.Wait()
		n.Store(until)
	}
	traffic(total / 4) // until caches are full and the graph has its final size
	begin, before := time.Now(), gaugesOf(t, s)
	traffic(total)
	took := time.Since(begin).Round(time.Second)
	poll(t, "the goroutines of the last requests have ended", func() bool { return gauge(t, s, "segraph_requests_active") == 0 })
	poll(t, "there are no more goroutines and descriptors than before", func() bool {
		now := gaugesOf(t, s)
		return now.goroutines <= before.goroutines+20 && now.descriptors <= before.descriptors+20
	})
	after, posts := gaugesOf(t, s), total*3/4*4/10
	t.Logf("%d requests, %d of them posts, in %v, %d errors; before: %v; after: %v", total*3/4, posts, took, failed.Load(), before, after)
	if after.memory > before.memory+100<<20 {
		t.Errorf("memory grew: %v, before %v", after, before)
	}
	if limit := float64(16<<20 + posts*1024); after.file > before.file+limit {
		t.Errorf("the file grew by more than 1 KiB a post: %v, before %v", after, before)
	}
	s.stop()
}

// one sends the i-th request of a soak. Documents repeat, so that the graph keeps its
// size.
func one(client *http.Client, s *service, i int64) error {
	query := func(text string) string { return s.api + "/query?query=" + url.QueryEscape(text) }
	want, method, address, body := 200, "GET", "", ""
	switch i % 10 {
	case 0, 1, 2, 3:
		want, method, address, body = 201, "POST", s.api+"/ttl?user=ari", document(fmt.Sprint("d", i%500))
	case 4:
		address = query("SELECT ?s { ?s <http://example.org/p1> ?o } LIMIT 10")
	case 5:
		address = query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
	case 6:
		address = s.api + "/logs?limit=5"
	case 7:
		want, method, address, body = 400, "POST", s.api+"/ttl", "this is no Turtle"
	case 8:
		want, address = 400, query("SELECT nonsense")
	default:
		if address = s.ui + "/api/healthz/ready"; i%200 == 9 {
			address = s.api + "/events"
		}
	}
	a, err := try(client, method, address, []byte(body), "Content-Type", "text/turtle")
	if err == nil && a.status != want {
		err = fmt.Errorf("%s %s: %d, want %d: %.200s", method, address, a.status, want, a.body)
	}
	return err
}

// A long export during continuous writing lets the file grow only by the written data,
// and metrics show its size. With SEGRAPH_LONG=1 it takes 60 s.
func TestALongExportBesideWritingDoesNotLetTheFileGrow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil, "--metrics", "127.0.0.1:0", "--log-level", "warning", "--snapshot-keep", "0")
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, "<http://example.org/base%d> <http://example.org/p> \"%d\" .\n", i, i)
	}
	if a := s.publish(text.String(), "ari"); a.status != 201 {
		t.Fatal(a.status)
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "segraph.db"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	// The same few documents repeatedly: pages are rewritten, and nothing is added.
	var stop atomic.Bool
	var writes atomic.Int64
	var robots sync.WaitGroup
	defer func() { stop.Store(true); robots.Wait() }()
	for robot := range 4 {
		robots.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := 0; !stop.Load(); i++ {
				a, err := try(client, "POST", s.api+"/ttl", []byte(document(fmt.Sprint("r", robot, "-", i))), "Content-Type", "text/turtle")
				if err != nil || a.status != 201 {
					t.Errorf("%d %v", a.status, err)
					return
				}
				writes.Add(1)
			}
		})
	}
	response, err := http.Get(s.api + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	before, begun := size(), writes.Load()
	in := bufio.NewReaderSize(response.Body, 4<<10)
	deadline := time.Now().Add(time.Duration(suite.Times(60, 3)) * time.Second)
	tick := time.NewTicker(60 * time.Millisecond)
	defer tick.Stop()
	read := int64(0)
	for time.Now().Before(deadline) { // about 68 KB/s, more than the minimum rate
		<-tick.C
		n, err := io.CopyN(io.Discard, in, 4<<10)
		if read += n; err != nil {
			break
		}
	}
	grown, n := size()-before, writes.Load()-begun
	t.Logf("while %d KiB were read slowly, %d documents were written and the file grew by %d KiB", read>>10, n, grown>>10)
	limit := 16<<20 + n*4<<10
	if suite.Race {
		// Writing the export to its spool, from one read snapshot, takes most of the
		// time.
		limit *= 2
	}
	if grown > limit {
		t.Errorf("the file grew by %d bytes for %d documents", grown, n)
	}
	if reported := int64(gauge(t, s, "segraph_store_file_bytes")); reported < before {
		t.Errorf("the metrics report %d bytes, and the file had %d before", reported, before)
	}
}
