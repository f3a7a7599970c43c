package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
)

// sightings generates the observations of a long day. Each event has one of 24 people and
// is seen by two of four robots, whose timestamps are a second apart.
type sightings struct{ next atomic.Int64 }

var spoken = strings.Fields("could you show me climate news hello where is the museum please open this door " +
	"thank robot tell a story about dinosaurs what time does it close today near station water")

// observation returns the i-th observation.
func (s *sightings) observation(i int64) resolver.Observation {
	event := i / 2
	r := rand.New(rand.NewPCG(uint64(event), 7))
	words := make([]string, 3+r.IntN(7))
	for i := range words {
		words[i] = spoken[r.IntN(len(spoken))]
	}
	human, robot := r.IntN(24), (r.Int64N(4)+i%2)%4
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(event)*time.Second + time.Duration(i%2*250+r.Int64N(100))*time.Millisecond)
	return resolver.Observation{
		EventKind: "human_utterance", ObservedAt: at.Format("2006-01-02T15:04:05.000Z07:00"), Modality: "speech",
		SubjectURI: fmt.Sprintf("https://example.org/human/%d", human), Text: strings.Join(words, " "),
		ObservationURI: fmt.Sprintf("https://example.org/robot/%d/message/%d", robot, event),
		RobotURI:       fmt.Sprintf("https://example.org/robot/%d", robot),
	}
}

// body returns the next observation as a request body.
func (s *sightings) body(t testing.TB) []byte {
	body, err := json.Marshal(s.observation(s.next.Add(1) - 1))
	if err != nil {
		t.Error(err)
	}
	return body
}

// fill creates a store in dir with the given number of contexts, each of one observation,
// and returns the sightings that follow.
func fill(b *testing.B, dir string, contexts int) *sightings {
	b.Helper()
	store, err := persist.Open(filepath.Join(dir, "segraph.db"), persist.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r, err := resolver.Open(store.Contexts(), resolver.Options{Settings: resolver.Defaults()})
	if err != nil {
		b.Fatal(err)
	}
	var all sightings
	var wg sync.WaitGroup
	for range 1024 { // many at once, so that they share transactions
		wg.Go(func() {
			for i := all.next.Add(2) - 2; i < 2*int64(contexts); i = all.next.Add(2) - 2 {
				if _, err := r.Resolve(b.Context(), all.observation(i), "ari"); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	all.next.Store(2 * int64(contexts))
	return &all
}

// BenchmarkResolve resolves over HTTP with one client and with 8 concurrent ones. Each
// answer comes after its fsync. The service holds 1,000 contexts, or
// SEGRAPH_BENCH_CONTEXTS: a comma-separated list of numbers, measured one after the
// other.
func BenchmarkResolve(b *testing.B) {
	for text := range strings.SplitSeq(cmp.Or(os.Getenv("SEGRAPH_BENCH_CONTEXTS"), "1000"), ",") {
		contexts, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("contexts=%d", contexts), func(b *testing.B) {
			dir := b.TempDir()
			begin := time.Now()
			all := fill(b, dir, contexts)
			stored := time.Since(begin)
			begin = time.Now()
			s := serve(b, dir, nil, "--log-level", "warning", "--metrics", "127.0.0.1:0")
			opened := time.Since(begin)
			for _, clients := range []int{1, 8} {
				b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
					resolveBench(b, s, all, clients)
					b.ReportMetric(float64(opened.Milliseconds()), "start-ms")
					b.Logf("stored in %v", stored.Round(time.Second))
				})
			}
		})
	}
}

func resolveBench(b *testing.B, s *service, all *sightings, clients int) {
	run := s.robots(b, clients)
	for b.Loop() {
		run.jobs <- all.body(b)
	}
	run.report(b)
}

// BenchmarkCrowd resolves 10,000 observations with the same timestamp and no subject,
// each sentence by two of seven robots, with 8 clients. One operation is all of them.
func BenchmarkCrowd(b *testing.B) {
	words := strings.Fields("lamp river market garden window doctor yellow engine paper orange music station " +
		"winter bottle ticket carpet island pencil mirror button candle forest")
	for b.Loop() {
		s := serve(b, b.TempDir(), nil, "--log-level", "warning", "--metrics", "127.0.0.1:0")
		run := s.robots(b, 8)
		r := rand.New(rand.NewPCG(3, 4))
		var sentence string
		for i := range 10_000 {
			if i%2 == 0 {
				sentence = fmt.Sprintf("%s %s %s %s %d", words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))], i)
			}
			run.jobs <- fmt.Appendf(nil, `{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:13.150Z","modality":"speech","text":%q,"robot_uri":"https://example.org/robot/%d"}`,
				sentence, i%7)
		}
		run.report(b)
	}
}

// BenchmarkBesideAReader resolves 2,000 observations, then 6,000 while somebody reads,
// then 2,000 more, 8 at once in this process. It reports the bytes written for each. One
// operation is all of them.
func BenchmarkBesideAReader(b *testing.B) {
	for b.Loop() {
		store, err := persist.Open(filepath.Join(b.TempDir(), "segraph.db"), persist.Options{})
		if err != nil {
			b.Fatal(err)
		}
		r, err := resolver.Open(store.Contexts(), resolver.Options{Settings: resolver.Defaults()})
		if err != nil {
			b.Fatal(err)
		}
		var all sightings
		resolve := func(n int64, unit string) {
			before, end := store.Written().Bytes, all.next.Load()+n
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for i := all.next.Add(1) - 1; i < end; i = all.next.Add(1) - 1 {
						if _, err := r.Resolve(b.Context(), all.observation(i), "ari"); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			all.next.Store(end)
			b.ReportMetric(float64(store.Written().Bytes-before)/1024/float64(n), unit)
		}
		resolve(2000, "before-KiB")
		snap, err := store.Snapshot()
		if err != nil {
			b.Fatal(err)
		}
		resolve(6000, "beside-KiB")
		snap.Close()
		resolve(2000, "after-KiB")
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// robots are clients that send the requests in jobs, and their measurements.
type robots struct {
	s                *service
	jobs             chan []byte
	took             [][]time.Duration // by client
	matched, doubted atomic.Int64
	wg               sync.WaitGroup
	begin            time.Time
	server, client   time.Duration // processor time before the run
	disk             int64
}

// robots starts the clients.
func (s *service) robots(b *testing.B, clients int) *robots {
	run := &robots{s: s, jobs: make(chan []byte, clients), took: make([][]time.Duration, clients), begin: time.Now(),
		server: s.processorTime(), client: processorTime(b, os.Getpid()), disk: s.metric("segraph_file_written_bytes_total")}
	for i := range clients {
		line := s.dial(b, "POST", "/shared-context/resolve")
		run.wg.Go(func() {
			for body := range run.jobs {
				begin := time.Now()
				a, err := line.ask(body)
				run.took[i] = append(run.took[i], time.Since(begin))
				switch {
				case err != nil || a.status != http.StatusOK:
					b.Errorf("%d %s %v", a.status, a.body, err)
				case bytes.Contains(a.body, []byte(`"outcome":"matched"`)):
					run.matched.Add(1)
				case bytes.Contains(a.body, []byte(`"outcome":"ambiguous"`)):
					run.doubted.Add(1)
				}
			}
		})
	}
	return run
}

// report waits for all answers and reports the measurements per observation.
func (run *robots) report(b *testing.B) {
	close(run.jobs)
	run.wg.Wait()
	passed := time.Since(run.begin)
	each := slices.Concat(run.took...)
	n := float64(len(each))
	b.ReportMetric(float64((run.s.processorTime()-run.server).Microseconds())/n, "server-us/op")
	b.ReportMetric(float64((processorTime(b, os.Getpid())-run.client).Microseconds())/n, "client-us/op")
	b.ReportMetric(float64(run.s.metric("segraph_file_written_bytes_total")-run.disk)/1024/n, "file-KiB/op")
	b.ReportMetric(n/passed.Seconds(), "resolves/s")
	b.ReportMetric(percentile(each, 50), "p50-ms")
	b.ReportMetric(percentile(each, 99), "p99-ms")
	b.Logf("of %.0f, %d were matched and %d doubted, in %v", n, run.matched.Load(), run.doubted.Load(), passed.Round(time.Millisecond))
}
