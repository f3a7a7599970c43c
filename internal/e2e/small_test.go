//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// smallSizes are the machines, in MiB as container engines count them, for
// TestASmallMachineServesUnderLoad.
var smallSizes = []int{64, 128, 256, 512}

// A service with little memory answers 34 kinds of queries from 8 clients, posts, exports
// and backups. If it has no memory for a request, it refuses it with a message. It is
// neither killed nor restarted. The usual run takes a few seconds, with the smallest
// machine and 100,000 triples. SEGRAPH_SMALL=10m tests every size with 1 M triples for
// that long each.
func TestASmallMachineServesUnderLoad(t *testing.T) {
	suite.Slow(t, "it keeps a service under load")
	if suite.Race {
		t.Skip("the race detector takes memory for every allocation")
	}
	queries := benchQueries(t)
	sizes, events, lasting := smallSizes[:1], 7000, 4*time.Second
	if text := os.Getenv("SEGRAPH_SMALL"); text != "" {
		var err error
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatalf("SEGRAPH_SMALL is not a time: %v", err)
		}
		sizes, events = smallSizes, 70_000
	}
	text := suite.RobotLogs(t, events)
	for _, size := range sizes {
		t.Run(fmt.Sprint(size, "MB"), func(t *testing.T) {
			group := newCgroup(t, int64(size)<<20)
			l := &smallLoad{t: t, end: time.Now().Add(lasting), counts: map[string]int{}, words: map[string]int{}}
			l.s = serveIn(t, group, loaded(t, text), "--snapshot-keep", "2", "--snapshot-every", "1m", "--log-level", "warning")
			l.end = time.Now().Add(lasting)
			l.run(queries)
			l.report(group)
			if n := group.number("memory.oom_control", "oom_kill"); n > 0 {
				t.Errorf("the system killed %d processes", n)
			}
			if a := request(t, "GET", l.s.api+"/healthz/ready", nil); a.status != http.StatusOK {
				t.Errorf("it is not ready: %s", a.body)
			}
			l.s.stop()
		})
	}
}

// benchQueries returns the queries of the benchmark by name.
func benchQueries(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(suite.Shared(t, "bench", "queries"), "*.rq"))
	if err != nil || len(files) != 34 {
		t.Fatalf("%d queries, %v", len(files), err)
	}
	out := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".rq")] = string(text)
	}
	return out
}

// smallLoad is the load on a service for a limited time, and its results.
type smallLoad struct {
	t   *testing.T
	s   *service
	end time.Time

	mu     sync.Mutex
	counts map[string]int // by kind of request and status
	words  map[string]int // messages of refusals
	failed int
	slow   time.Duration // longest liveness request
}

func (l *smallLoad) run(queries map[string]string) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range queries {
			if !yield(name) {
				return
			}
		}
	})
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			l.loop(func(client *http.Client, _ int) {
				name := names[random.IntN(len(names))]
				l.ask(client, "query "+name, "GET", l.s.api+"/query?query="+url.QueryEscape(queries[name]), "")
			})
		})
	}
	for robot := range 2 {
		clients.Go(func() {
			l.loop(func(client *http.Client, n int) {
				defer l.pause(10 * time.Millisecond)
				if n%50 == 49 {
					l.ask(client, "large post", "POST", l.s.api+"/ttl", largeDocument(robot, n))
					return
				}
				l.ask(client, "post", "POST", l.s.api+"/ttl", document(fmt.Sprint("r", robot, "-", n)))
			})
		})
	}
	for _, coding := range []string{"identity", "gzip"} {
		clients.Go(func() {
			l.loop(func(client *http.Client, _ int) {
				l.ask(client, "export", "GET", l.s.api+"/events", "", "Accept-Encoding", coding)
				l.pause(time.Second)
			})
		})
	}
	clients.Go(func() {
		l.loop(func(client *http.Client, _ int) {
			l.ask(client, "backup", "GET", l.s.api+"/admin/backup", "")
			l.pause(5 * time.Second)
		})
	})
	clients.Go(func() {
		l.loop(func(client *http.Client, _ int) {
			begin := time.Now()
			l.ask(client, "live", "GET", l.s.api+"/healthz/live", "")
			l.mu.Lock()
			l.slow = max(l.slow, time.Since(begin))
			l.mu.Unlock()
			l.pause(20 * time.Millisecond)
		})
	})
	clients.Wait()
}

// loop calls do until the time is over or the service has exited.
func (l *smallLoad) loop(do func(client *http.Client, n int)) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for n := 0; time.Now().Before(l.end); n++ {
		select {
		case <-l.s.ended:
			return
		default:
			do(client, n)
		}
	}
}

// pause waits to limit the rate of a client.
func (l *smallLoad) pause(d time.Duration) {
	select {
	case <-time.After(min(d, time.Until(l.end))):
	case <-l.s.ended:
	}
}

// ask sends a request, reads the answer and counts it. It fails the test unless the
// answer is complete, or a refusal that names the limit.
func (l *smallLoad) ask(client *http.Client, kind, method, address, body string, header ...string) {
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		l.t.Error(err)
		return
	}
	request.Header.Set("Content-Type", "text/turtle")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	status, beginning := 0, new(bytes.Buffer)
	response, err := client.Do(request)
	if err == nil {
		status = response.StatusCode
		_, err = io.CopyN(beginning, response.Body, 1000)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
		} else if err == io.EOF {
			err = nil
		}
		response.Body.Close()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch status {
	case 200, 201:
		if err != nil {
			status = -status // broken off
		}
	case 413, 503, 504, 507:
		if err == nil && strings.Contains(beginning.String(), `"detail"`) {
			_, words, _ := strings.Cut(beginning.String(), `"detail":"`)
			words, _, _ = strings.Cut(words, `"`)
			l.words[words]++
		}
	default:
		if l.failed++; l.failed < 10 {
			l.t.Errorf("%s: %d %.300s %v", kind, status, beginning, err)
		}
	}
	l.counts[fmt.Sprint(kind, " ", status)]++
}

// report logs the results.
func (l *smallLoad) report(group *cgroup) {
	var b strings.Builder
	for _, counts := range []map[string]int{l.counts, l.words} {
		keys := make([]string, 0, len(counts))
		for key := range counts {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			fmt.Fprintf(&b, "%8d %s\n", counts[key], key)
		}
	}
	l.t.Logf("liveness took %v at most; the group had %d KiB at most, and met its limit %d times\n%s", l.slow.Round(time.Millisecond),
		group.number("memory.max_usage_in_bytes", "")>>10, group.number("memory.failcnt", ""), &b)
}

// largeDocument returns a document of 10,000 triples. The documents repeat.
func largeDocument(robot, n int) string {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "<http://example.org/large/%d/%d/%d> <http://example.org/p> \"%d\" .\n", robot, n/50%10, i/5, i)
	}
	return b.String()
}
