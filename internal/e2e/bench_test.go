package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// loaded creates a folder with a store of generated robot logs.
func loaded(t testing.TB, text []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, "logs.ttl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := command(t, dir, nil, "", "load", path); r.code != 0 {
		t.Fatalf("load: exit %d\n%s", r.code, r.stderr)
	}
	return dir
}

func percentile(d []time.Duration, p int) float64 {
	slices.Sort(d)
	return float64(d[len(d)*p/100].Microseconds()) / 1000
}

// BenchmarkPost publishes documents of about 14 triples over HTTP to a service that holds
// 1 M triples. Each is answered after its fsync.
func BenchmarkPost(b *testing.B) {
	text := suite.RobotLogs(b, 140_000)
	all := suite.Events(text)
	half, _, _ := bytes.Cut(text, []byte("# event 70001 "))
	s := serve(b, loaded(b, half), nil)
	var next atomic.Int64
	next.Store(70_000)
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			jobs := make(chan []byte)
			var mu sync.Mutex
			var took []time.Duration
			var wg sync.WaitGroup
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
			for range clients {
				wg.Go(func() {
					for body := range jobs {
						begin := time.Now()
						a, err := try(client, "POST", s.api+"/ttl?user=robot", body, "Content-Type", "text/turtle")
						if err != nil || a.status != http.StatusCreated {
							b.Errorf("%d %s %v", a.status, a.body, err)
						}
						mu.Lock()
						took = append(took, time.Since(begin))
						mu.Unlock()
					}
				})
			}
			for b.Loop() {
				jobs <- all[next.Add(1)%int64(len(all))]
			}
			close(jobs)
			wg.Wait()
			b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "posts/s")
			b.ReportMetric(percentile(took, 50), "p50-ms")
			b.ReportMetric(percentile(took, 99), "p99-ms")
		})
	}
}

// watchLive requests liveness until stop is closed and returns the durations.
func watchLive(t testing.TB, s *service, stop <-chan struct{}) []time.Duration {
	var took []time.Duration
	for {
		select {
		case <-stop:
			return took
		default:
		}
		begin := time.Now()
		if a := request(t, "GET", s.api+"/healthz/live", nil); a.status != http.StatusOK {
			t.Errorf("liveness: %d", a.status)
		}
		took = append(took, time.Since(begin))
		time.Sleep(2 * time.Millisecond)
	}
}

// export reads the whole graph and returns its size in bytes.
func export(t testing.TB, s *service) int64 {
	res, err := http.Get(s.api + "/events")
	if err != nil {
		t.Error(err)
		return 0
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("GET /events: %d, %v", res.StatusCode, err)
	}
	return n
}

// BenchmarkExport reads a graph of 5 M triples, or what SEGRAPH_BENCH_DATA names, while a
// client requests liveness.
func BenchmarkExport(b *testing.B) {
	s := serve(b, loaded(b, suite.RobotLogs(b, 352_000)), nil)
	stop := make(chan struct{})
	watched := make(chan []time.Duration)
	go func() { watched <- watchLive(b, s, stop) }()
	for b.Loop() {
		b.SetBytes(export(b, s))
	}
	close(stop)
	took := <-watched
	b.ReportMetric(percentile(took, 99), "live-p99-ms")
	b.ReportMetric(float64(slices.Max(took).Microseconds())/1000, "live-max-ms")
}

// TestLivenessAnswersDuringExports runs four exports at once, on a small graph to be
// fast. An export that blocks liveness would delay most answers. The 99th percentile
// depends on other load of the machine, so BenchmarkExport measures it.
func TestLivenessAnswersDuringExports(t *testing.T) {
	s := serve(t, loaded(t, suite.RobotLogs(t, suite.Size(7000, 1000))), nil)
	suite.Within(t, "half of the answers", 50*time.Millisecond, func() time.Duration {
		took := liveDuringExports(t, s)
		if len(took) < 20 {
			t.Fatalf("only %d answers", len(took))
		}
		return time.Duration(percentile(took, 50) * float64(time.Millisecond))
	})
}

// liveDuringExports returns the durations of liveness requests while four clients export
// the graph five times each.
func liveDuringExports(t *testing.T, s *service) []time.Duration {
	stop := make(chan struct{})
	watched := make(chan []time.Duration)
	go func() { watched <- watchLive(t, s, stop) }()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				export(t, s)
			}
		})
	}
	wg.Wait()
	close(stop)
	return <-watched
}
