package e2e

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// TestScale measures how time, memory and disk grow with the number of triples, in millions, that SEGRAPH_SCALE
// lists: loading robot logs, the 34 queries of the evaluation kit, posts, a backup, compacting. The disk needs about
// 150 bytes a triple.
//
//	SEGRAPH_SCALE=1,20 go test -count=1 -timeout 3h -run Scale -v ./internal/e2e
func TestScale(t *testing.T) {
	sizes := os.Getenv("SEGRAPH_SCALE")
	if sizes == "" {
		t.Skip("SEGRAPH_SCALE lists no sizes")
	}
	for _, size := range strings.Split(sizes, ",") {
		millions, err := strconv.ParseFloat(size, 64)
		if err != nil {
			t.Fatalf("SEGRAPH_SCALE: %v", err)
		}
		t.Run(size+"M", func(t *testing.T) { scaleTo(t, int(millions*70_000)) })
	}
}

// scaleTo measures a file with the logs of a number of events.
func scaleTo(t *testing.T, events int) {
	dir := t.TempDir()
	logs := filepath.Join(dir, "logs.ttl")
	generate(t, logs, events)
	r, used := measured(t, dir, "load", logs)
	t.Logf("load: %.0f s, %.0f s of processor, at most %d MiB: %s", r.took.Seconds(), used.cpu.Seconds(), used.peak>>20, strings.TrimSpace(r.stdout))
	if err := os.Remove(logs); err != nil {
		t.Fatal(err)
	}
	t.Logf("file: %.0f MiB", size(t, dir)/(1<<20))

	begin := time.Now()
	s := serve(t, dir, nil, "--query-time", "10m")
	t.Logf("start: %.2f s", time.Since(begin).Seconds())
	s.timeQueries(t)
	s.timePosts(t)
	t.Logf("memory of the service: at most %.0f MiB", s.peak()/(1<<20))
	s.stop()

	r, _ = measured(t, dir, "backup", "copy.db")
	t.Logf("backup: %.0f s", r.took.Seconds())
	if err := os.Remove(filepath.Join(dir, "copy.db")); err != nil {
		t.Fatal(err)
	}
	r, used = measured(t, dir, "compact")
	t.Logf("compact: %.0f s, at most %d MiB, leaves %.0f MiB", r.took.Seconds(), used.peak>>20, size(t, dir)/(1<<20))
}

// generate writes the logs of a number of events to a file.
func generate(t *testing.T, path string, events int) {
	t.Helper()
	generator := suite.Shared(t, "bench", "gen.go")
	cmd := exec.Command("go", "run", filepath.Base(generator), "-events", strconv.Itoa(events), "-robots", "8", "-humans", "500", "-seed", "1")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Dir, cmd.Stdout = filepath.Dir(generator), out
	if err := cmd.Run(); err != nil {
		t.Fatalf("running the generator: %v", err)
	}
}

// usage is what a command used: processor time, and memory in bytes.
type usage struct {
	cpu  time.Duration
	peak int64
}

// measured runs the binary in dir, without a time limit.
func measured(t *testing.T, dir string, args ...string) (r result, used usage) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = dir, environ()
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("segraph %q: %v\n%s", args, err, out)
	}
	r = result{stdout: string(out), took: time.Since(begin)}
	used.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		used.peak = u.Maxrss << 10
	}
	return r, used
}

// timeQueries runs each of the 34 queries once to the end, and logs their geometric mean and the slowest ones.
func (s *service) timeQueries(t *testing.T) {
	t.Helper()
	type timed struct {
		name string
		took time.Duration
		why  string // it failed
	}
	paths, err := filepath.Glob(filepath.Join(suite.Shared(t, "bench", "queries"), "*.rq"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d queries, %v", len(paths), err)
	}
	var all []timed
	sum := 0.0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		q := timed{name: strings.TrimSuffix(filepath.Base(path), ".rq")}
		begin := time.Now()
		a, err := http.Get(s.api + "/query?" + url.Values{"query": {string(text)}}.Encode())
		if err == nil {
			_, err = io.Copy(io.Discard, a.Body)
			a.Body.Close()
			if a.StatusCode != http.StatusOK || err != nil {
				q.why = fmt.Sprintf(" (%d, %v)", a.StatusCode, err)
			}
		} else {
			q.why = " (" + err.Error() + ")"
		}
		q.took = time.Since(begin)
		sum += math.Log(q.took.Seconds())
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b timed) int { return cmp.Compare(b.took, a.took) })
	var slowest []string
	for i, q := range all {
		if i < 8 || q.why != "" {
			slowest = append(slowest, fmt.Sprintf("%s %.2f s%s", q.name, q.took.Seconds(), q.why))
		}
	}
	t.Logf("%d queries, the first time: geometric mean %.1f ms; slowest: %s", len(all), 1000*math.Exp(sum/float64(len(all))), strings.Join(slowest, ", "))
}

// timePosts publishes a thousand logs one by one, and logs how long a post takes.
func (s *service) timePosts(t *testing.T) {
	t.Helper()
	var took []time.Duration
	for i := range 1000 {
		begin := time.Now()
		if a := s.publish(document(fmt.Sprintf("scale%d", i)), "ari"); a.status != http.StatusCreated {
			t.Fatalf("%d\n%s", a.status, a.body)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	t.Logf("posts: p50 %.2f ms, p99 %.2f ms", took[500].Seconds()*1000, took[990].Seconds()*1000)
}
