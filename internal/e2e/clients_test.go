package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// processorTime returns the processor time that the service has used so far.
func (s *service) processorTime() time.Duration {
	s.t.Helper()
	return processorTime(s.t, s.cmd.Process.Pid)
}

// processorTime returns the processor time that a process has used so far (proc(5): in
// ticks of 10 ms).
func processorTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	var ticks int
	for _, field := range strings.Fields(rest)[11:13] { // utime and stime
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// BenchmarkClients runs the benchmark's queries with one client and with eight, on a
// service with 100 k triples or with what SEGRAPH_BENCH_DATA names. One operation is all
// queries once. On two free processors, queries/s with eight clients should be at least
// 1.7 times that with one. On a busy machine cpu-ms/query says more: it stays the same if
// clients do not hinder each other.
func BenchmarkClients(b *testing.B) {
	paths, err := filepath.Glob(filepath.Join(suite.Shared(b, "bench", "queries"), "*.rq"))
	if err != nil || len(paths) == 0 {
		b.Fatalf("%d queries, %v", len(paths), err)
	}
	var queries [][]byte
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		queries = append(queries, text)
	}
	s := serve(b, loaded(b, suite.RobotLogs(b, 7000)), nil)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	askAll := func(query []byte) {
		a, err := try(client, "POST", s.api+"/query", query, "Content-Type", "application/sparql-query")
		if err != nil || a.status != http.StatusOK {
			b.Errorf("%s: %d %v", query, a.status, err)
		}
	}
	for _, query := range queries {
		askAll(query) // brings the file into memory
	}
	for _, clients := range []int{1, 8} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			jobs := make(chan []byte)
			var wg sync.WaitGroup
			for range clients {
				wg.Go(func() {
					for query := range jobs {
						askAll(query)
					}
				})
			}
			before, asked := s.processorTime(), 0
			for b.Loop() {
				for _, query := range queries {
					jobs <- query
					asked++
				}
			}
			close(jobs)
			wg.Wait()
			b.ReportMetric(float64(asked)/b.Elapsed().Seconds(), "queries/s")
			b.ReportMetric(float64((s.processorTime()-before).Microseconds())/1000/float64(asked), "cpu-ms/query")
		})
	}
}
