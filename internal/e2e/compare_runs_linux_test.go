package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// posts measures documents of one event each, sent by one client: bytes written in a
// traced run, and times in another run.
func (c *comparison) posts(t *testing.T, stored int, names naming) {
	n := suite.Times(3000, 250)
	c.alternate(t, func(tb *table, p program) {
		dir := c.store(t, p, stored, names)
		trace := c.trace(t)
		s := serveBy(t, trace.of(p), dir, nil, "--log-level", "warning")
		begin := time.Now()
		send(t, publishers(t, s, 1), atMost(n, c.documents(names)))
		stopped := time.Now()
		s.stop()
		w := trace.written(t, s, dir, begin, stopped)
		tb.add(p, "KB passed to writes, a post", w.bytes/1000/float64(n))
		tb.add(p, "of these at the stop", w.late/1000/float64(n))
		tb.add(p, "syncs, a post", w.syncs/float64(n))
		tb.add(p, "writes, a post", w.writes/float64(n))

		dir = c.store(t, p, stored, names)
		next := atMost(n, c.documents(names))
		s = p.serve(t, dir)
		line := publishers(t, s, 1)
		before, known := c.diskWritten(t)
		begin = time.Now()
		took := send(t, line, next)
		tb.add(p, "posts/s", float64(n)/time.Since(begin).Seconds())
		tb.latencies(p, "post", took)
		tb.add(p, "memory at most, MB", s.peak()/1e6)
		s.stop()
		if after, _ := c.diskWritten(t); known {
			tb.add(p, "KB that the disk wrote, a post", (after-before)/1000/float64(n))
		}
		tb.add(p, "file after the stop, MB", size(t, dir)/1e6)
	})
}

// writers measures 16 publishing clients.
func (c *comparison) writers(t *testing.T, stored int) {
	n := suite.Times(30_000, 3000)
	c.alternate(t, func(tb *table, p program) {
		dir := c.store(t, p, stored, sequential)
		s := p.serve(t, dir)
		lines, cpu := publishers(t, s, 16), s.processorTime()
		tb.load(t, p, s, "16 writers, posts/s", "post", lines, atMost(n, c.documents(sequential)))
		tb.add(p, "processor for a post, ms", float64((s.processorTime()-cpu).Microseconds())/1000/float64(n))
		tb.stop(t, p, s, dir)
	})
}

// resolvers measures 8 resolving clients, with 1,000 contexts in the store.
func (c *comparison) resolvers(t *testing.T, stored int) {
	n := suite.Times(20_000, 3000)
	c.alternate(t, func(tb *table, p program) {
		dir := c.store(t, p, stored, sequential)
		s := p.serve(t, dir)
		var all sightings
		next := func() []byte { return all.body(t) }
		lines := resolvers(t, s, 8)
		send(t, lines, atMost(2000, next))
		cpu := s.processorTime()
		tb.load(t, p, s, "8 resolving clients, decisions/s", "decision", lines, atMost(n, next))
		tb.add(p, "processor for a decision, ms", float64((s.processorTime()-cpu).Microseconds())/1000/float64(n))
		tb.stop(t, p, s, dir)
	})
}

// load measures clients that send requests without a pause, and the memory of the service
// under that load.
func (tb *table) load(t *testing.T, p program, s *service, rate, request string, lines []*wire, next func() []byte) {
	begin := time.Now()
	took := send(t, lines, next)
	tb.add(p, rate, float64(len(took))/time.Since(begin).Seconds())
	tb.latencies(p, request, took)
	tb.add(p, "memory at most, MB", s.peak()/1e6)
}

// stop stops the service, and measures the duration and the remaining size on disk.
func (tb *table) stop(t *testing.T, p program, s *service, dir string) {
	begin := time.Now()
	s.stop()
	tb.add(p, "stop, ms", float64(time.Since(begin).Milliseconds()))
	tb.add(p, "file after the stop, MB", size(t, dir)/1e6)
}

// queryAfterPost measures a query that follows a post, and checks that it sees the post:
// alone, beside 8 resolving clients, and beside 16 publishing clients.
func (c *comparison) queryAfterPost(t *testing.T) {
	n := suite.Times(400, 100)
	c.alternate(t, func(tb *table, p program) {
		for _, beside := range []string{"alone", "beside 8 resolving", "beside 16 publishing"} {
			s := p.serve(t, c.store(t, p, c.stored, sequential))
			next := c.documents(sequential)
			var all sightings
			lines, more := []*wire(nil), next
			switch beside {
			case "beside 8 resolving":
				lines, more = resolvers(t, s, 8), func() []byte { return all.body(t) }
			case "beside 16 publishing":
				lines = publishers(t, s, 16)
			}
			var stop atomic.Bool
			ended := make(chan []time.Duration)
			go func() {
				ended <- send(t, lines, func() []byte {
					if stop.Load() {
						return nil
					}
					return more()
				})
			}()
			begin := time.Now()
			posts, queries := see(t, s, next, n)
			stop.Store(true)
			others := <-ended
			tb.latencies(p, beside+": post", posts)
			tb.latencies(p, beside+": query", queries)
			if lines != nil {
				tb.add(p, beside+": their requests/s", float64(len(others))/time.Since(begin).Seconds())
			}
			s.stop()
		}
	})
}

// see posts documents and queries each one immediately. It returns the durations of the
// posts and the queries, without the first ones.
func see(t *testing.T, s *service, next func() []byte, n int) (posts, queries []time.Duration) {
	const warm = 20
	publish, query := publishers(t, s, 1)[0], s.dialWith(t, "POST", "/query", "application/sparql-query")
	for i := range warm + n {
		body := fmt.Appendf(next(), "\n<urn:compare:%d> <urn:compare:number> %d .\n", i, i)
		begin := time.Now()
		a, err := publish.ask(body)
		posted := time.Now()
		if err != nil || a.status != http.StatusCreated {
			t.Errorf("post %d: %d %.300s %v", i, a.status, a.body, err)
			return posts, queries
		}
		a, err = query.ask(fmt.Appendf(nil, "ASK { <urn:compare:%d> <urn:compare:number> %d }", i, i))
		if answered := time.Now(); i >= warm {
			posts, queries = append(posts, posted.Sub(begin)), append(queries, answered.Sub(posted))
		}
		if err != nil || a.status != http.StatusOK || !bytes.Contains(a.body, []byte("true")) {
			t.Errorf("a query does not see post %d: %d %.300s %v", i, a.status, a.body, err)
			return posts, queries
		}
	}
	return posts, queries
}

// queries measures the benchmark's queries. All programs run at once and answer in turns,
// so that other load of the machine affects them equally.
func (c *comparison) queries(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(suite.Shared(t, "bench", "queries"), "*.rq"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d queries, %v", len(paths), err)
	}
	lines := map[program]*wire{}
	for _, p := range c.programs {
		s := p.serve(t, c.store(t, p, c.stored, sequential))
		lines[p] = s.dialWith(t, "POST", "/query", "application/sparql-query")
	}
	each, all := c.table(), c.table()
	ask := func(tb *table, path string, least int, enough time.Duration) (name string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name = strings.TrimSuffix(filepath.Base(path), ".rq") + ", ms"
		order := slices.Clone(c.programs)
		start := time.Now()
		for n := 0; n < least || n < 10*least && time.Since(start) < enough; n++ {
			for _, p := range order {
				begin := time.Now()
				a, err := lines[p].ask(text)
				took := time.Since(begin)
				if err != nil || a.status != http.StatusOK {
					t.Fatalf("%s, %s: %d %.300s %v", p.name, name, a.status, a.body, err)
				}
				tb.add(p, name, float64(took.Microseconds())/1000)
			}
			slices.Reverse(order)
		}
		return name
	}
	for _, path := range paths { // brings the file into memory and lets background work end
		ask(c.table(), path, 3, 0)
	}
	medians, quarters := map[program]float64{}, map[program]float64{}
	for _, path := range paths {
		name := ask(each, path, suite.Times(10*c.rounds, 8), time.Duration(suite.Times(500*c.rounds, 0))*time.Millisecond)
		for _, p := range c.programs {
			samples := slices.Sorted(slices.Values(each.samples[name+"\x00"+p.name]))
			medians[p] += math.Log(middleOf(samples)) / float64(len(paths))
			quarters[p] += math.Log(samples[len(samples)/4]) / float64(len(paths))
		}
	}
	each.print(t)
	for _, p := range c.programs {
		all.add(p, fmt.Sprintf("geometric mean of %d queries' medians, ms", len(paths)), math.Exp(medians[p]))
		all.add(p, "of their lower quartiles, which a busy machine disturbs less, ms", math.Exp(quarters[p]))
	}
	all.print(t)
}

// load measures bulk loads into a new file.
func (c *comparison) load(t *testing.T) {
	for _, names := range []naming{sequential, random} {
		path := c.loaded(t, c.stored, names)
		c.alternate(t, func(tb *table, p program) {
			dir := t.TempDir()
			tb.add(p, fmt.Sprintf("load of %s, %s, s", storeName(c.stored), names), p.load(t, dir, path).Seconds())
			tb.add(p, "file, MB", size(t, dir)/1e6)
		})
	}
}

// trace is strace, and the log that it writes.
type trace struct{ strace, log string }

func (c *comparison) trace(t *testing.T) *trace {
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace counts what is passed to the system, and is not there: ", err)
	}
	return &trace{path, filepath.Join(t.TempDir(), "strace")}
}

// of returns a starter that runs a program under strace. The program stays a child of
// this process.
func (tr *trace) of(p program) starter {
	return func(cmd *exec.Cmd) (wait func() int, err error) {
		cmd.Args = slices.Concat([]string{tr.strace, "-D", "-f", "--seccomp-bpf", "-ttt", "-y", "-s", "0", "-e", "signal=none",
			"-e", "trace=write,writev,pwrite64,pwritev,pwritev2,copy_file_range,sendfile,fsync,fdatasync,sync_file_range,msync", "-o", tr.log, p.path}, cmd.Args[1:])
		cmd.Path = tr.strace
		return start(cmd)
	}
}

// wrote counts a traced program's writes to a folder.
type wrote struct{ bytes, late, writes, syncs float64 }

// Lines of strace about a call: complete, or its beginning and its end.
var (
	tracedCall  = regexp.MustCompile(`^(\d+) +([0-9.]+) (\w+)\(\d+<([^>]*)>.*?(?:= (-?\d+).*|<unfinished \.\.\.>)$`)
	tracedEnd   = regexp.MustCompile(`^(\d+) +([0-9.]+) <\.\.\. (\w+) resumed>.*= (-?\d+)`)
	tracedExit  = regexp.MustCompile(`^(\d+) +[0-9.]+ \+\+\+ exited`)
	tracedOther = regexp.MustCompile(`(?:msync|copy_file_range|sendfile)\(`)
)

// written reads the trace of a service that has ended. It returns the service's writes to
// files in dir after since, and how many bytes of them came after stopped.
func (tr *trace) written(t *testing.T, s *service, dir string, since, stopped time.Time) (w wrote) {
	t.Helper()
	pid := strconv.Itoa(s.cmd.Process.Pid)
	var text []byte
	poll(t, "strace has ended", func() bool {
		text, _ = os.ReadFile(tr.log)
		last := bytes.TrimSpace(text)
		m := tracedExit.FindSubmatch(last[bytes.LastIndexByte(last, '\n')+1:])
		return m != nil && string(m[1]) == pid
	})
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	begun := map[string]string{} // unfinished calls on files in the folder, by thread
	count := func(at, call string, result string) {
		seconds, err := strconv.ParseFloat(at, 64)
		n, err2 := strconv.ParseFloat(result, 64)
		if err = cmp.Or(err, err2); err != nil {
			t.Fatal(err)
		}
		when := time.UnixMicro(int64(seconds * 1e6))
		switch {
		case n < 0 || when.Before(since):
		case strings.Contains(call, "sync"):
			w.syncs++
		default:
			w.writes, w.bytes = w.writes+1, w.bytes+n
			if when.After(stopped) {
				w.late += n
			}
		}
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if tracedOther.MatchString(line) && strings.Contains(line, dir) {
			t.Fatalf("this test does not know how to count %s", line)
		}
		if m := tracedCall.FindStringSubmatch(line); m != nil {
			switch inside := strings.HasPrefix(m[4], dir+"/"); {
			case inside && m[5] != "":
				count(m[2], m[3], m[5])
			case inside:
				begun[m[1]] = m[3]
			}
		} else if m := tracedEnd.FindStringSubmatch(line); m != nil && begun[m[1]] == m[3] {
			count(m[2], m[3], m[4])
			delete(begun, m[1])
		}
	}
	return w
}
