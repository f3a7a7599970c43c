package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// TestCompare measures several builds of the program alternately and prints a table of
// medians for each subtest. SEGRAPH_COMPARE names them. Without a path, a name stands for
// the program built from this source:
//
//	SEGRAPH_COMPARE=old=/path/to/segraph,new= go test -run Compare -v ./internal/e2e
//
// A short run takes less than a minute for two programs. SEGRAPH_LONG=1 measures with 1 M
// triples and 3,000 posts, three rounds each. SEGRAPH_COMPARE_ROUNDS sets the number of
// rounds, and TMPDIR chooses the disk.
func TestCompare(t *testing.T) {
	if os.Getenv("SEGRAPH_COMPARE") == "" {
		t.Skip("SEGRAPH_COMPARE names no programs, such as old=/path/to/segraph,new=")
	}
	c := newComparison(t)
	for _, stored := range []int{0, c.stored} {
		for _, names := range []naming{sequential, random} {
			t.Run(fmt.Sprintf("Posts/%s/%s", storeName(stored), names), func(t *testing.T) { c.posts(t, stored, names) })
		}
	}
	for _, stored := range []int{0, c.stored} {
		t.Run("Writers/"+storeName(stored), func(t *testing.T) { c.writers(t, stored) })
		t.Run("Resolvers/"+storeName(stored), func(t *testing.T) { c.resolvers(t, stored) })
	}
	t.Run("QueryAfterPost", func(t *testing.T) { c.queryAfterPost(t) })
	t.Run("Queries", func(t *testing.T) { c.queries(t) })
	t.Run("BesideLong", func(t *testing.T) { c.besideLong(t) })
	t.Run("Load", func(t *testing.T) { c.load(t) })
}

// naming is the form of the IRIs of events.
type naming string

const (
	sequential naming = "sequential" // ex:a1, ex:a2, …
	random     naming = "random"     // ex:a9ddfea08eb382d69, like UUIDs
)

// program is a program to compare.
type program struct{ name, path string }

// start starts a command with this program.
func (p program) start(cmd *exec.Cmd) (wait func() int, err error) {
	cmd.Path, cmd.Args[0] = p.path, p.path
	return start(cmd)
}

// serve is the package's serve with this program.
func (p program) serve(t testing.TB, dir string, args ...string) *service {
	t.Helper()
	return serveBy(t, p.start, dir, nil, append(args, "--log-level", "warning")...)
}

// comparison is the state of TestCompare.
type comparison struct {
	programs []program
	rounds   int
	stored   int    // events in the larger store
	text     []byte // all events, those of the store first
	dir      string
	bases    map[string]string // files that were loaded
	bodies   map[naming][][]byte
	disk     string // path of the disk's statistics
}

func newComparison(t *testing.T) *comparison {
	c := &comparison{rounds: suite.Times(3, 1), stored: suite.Times(70_000, 7000), dir: t.TempDir(), bases: map[string]string{}, bodies: map[naming][][]byte{}}
	for part := range strings.SplitSeq(os.Getenv("SEGRAPH_COMPARE"), ",") {
		name, path, found := strings.Cut(part, "=")
		if !found {
			t.Fatalf("SEGRAPH_COMPARE has %q, which is not name=path", part)
		}
		c.programs = append(c.programs, program{name, cmp.Or(path, binary)})
	}
	if text := os.Getenv("SEGRAPH_COMPARE_ROUNDS"); text != "" {
		if _, err := fmt.Sscan(text, &c.rounds); err != nil || c.rounds < 1 {
			t.Fatalf("SEGRAPH_COMPARE_ROUNDS is %q", text)
		}
	}
	c.text = suite.RobotLogs(t, c.stored+suite.Times(40_000, 5000))
	var err error
	if c.disk, err = diskOf(c.dir); err != nil {
		t.Log("the bytes that the disk writes are not measured:", err)
	}
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("%d rounds; the load is %s", c.rounds, load)
	return c
}

func storeName(events int) string {
	if events == 0 {
		return "empty"
	}
	return fmt.Sprintf("%d events", events)
}

var eventName = regexp.MustCompile(`\bex:([amoxc])(\d+)`)

// rename gives all events random-looking names, which differ for each salt.
func rename(text []byte, salt uint64) []byte {
	return eventName.ReplaceAllFunc(text, func(name []byte) []byte {
		h := salt ^ 0x9e3779b97f4a7c15
		for _, b := range name {
			h = (h ^ uint64(b)) * 0xff51afd7ed558ccd
			h ^= h >> 32
		}
		return fmt.Appendf(nil, "%s%016x", name[:len("ex:a")], h)
	})
}

// store creates a folder with a file into which the program has loaded the given number
// of events.
func (c *comparison) store(t testing.TB, p program, events int, names naming) (dir string) {
	t.Helper()
	key := fmt.Sprint(p.name, events, names)
	if c.bases[key] == "" {
		base, text := filepath.Join(c.dir, fmt.Sprintf("base-%d", len(c.bases))), c.loaded(t, events, names)
		if err := os.Mkdir(base, 0o700); err != nil {
			t.Fatal(err)
		}
		p.load(t, base, text)
		c.bases[key] = base
	}
	content, err := os.ReadFile(filepath.Join(c.bases[key], "segraph.db"))
	dir = t.TempDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "segraph.db"), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	syscall.Sync() // so that the disk is idle
	return dir
}

// loaded returns the path of a Turtle file with the given number of events.
func (c *comparison) loaded(t testing.TB, events int, names naming) (path string) {
	t.Helper()
	path = filepath.Join(c.dir, fmt.Sprintf("%d-%s.ttl", events, names))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	text, _, _ := strings.Cut(string(c.text), fmt.Sprintf("# event %d ", events+1))
	if events == 0 {
		text, _, _ = strings.Cut(text, "# event 0 ")
	}
	if names == random {
		text = string(rename([]byte(text), 0))
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load loads a file into a new store in dir and returns the duration.
func (p program) load(t testing.TB, dir, path string) time.Duration {
	t.Helper()
	cmd := exec.Command(p.path, "load", path)
	cmd.Dir, cmd.Env = dir, environ()
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", p.name, err, out)
	}
	return time.Since(begin)
}

// documents returns a function that returns a new document of one event on each call. No
// store contains any of them. After the generator's documents are used up, it renames
// their events.
func (c *comparison) documents(names naming) (next func() []byte) {
	if c.bodies[names] == nil {
		bodies := suite.Events(c.text)[c.stored:]
		for i := range bodies {
			if names == random {
				bodies[i] = rename(bodies[i], 0)
			}
		}
		c.bodies[names] = bodies
	}
	bodies := c.bodies[names]
	var sent atomic.Int64
	return func() []byte {
		i := int(sent.Add(1) - 1)
		if i >= len(bodies) {
			return rename(bodies[i%len(bodies)], uint64(i/len(bodies)))
		}
		return bodies[i]
	}
}

// atMost limits next to n calls; further calls return nil.
func atMost(n int, next func() []byte) func() []byte {
	var called atomic.Int64
	return func() []byte {
		if called.Add(1) > int64(n) {
			return nil
		}
		return next()
	}
}

// publishers opens n connections that publish.
func publishers(t testing.TB, s *service, n int) (lines []*wire) {
	for range n {
		lines = append(lines, s.dialWith(t, "POST", "/ttl?user=robot", "text/turtle"))
	}
	return lines
}

// resolvers opens n connections that resolve.
func resolvers(t testing.TB, s *service, n int) (lines []*wire) {
	for range n {
		lines = append(lines, s.dial(t, "POST", "/shared-context/resolve"))
	}
	return lines
}

// send sends the results of next on all connections until next returns nil, and returns
// the durations of the answers.
func send(t testing.TB, lines []*wire, next func() []byte) []time.Duration {
	took := make([][]time.Duration, len(lines))
	var all sync.WaitGroup
	for i, line := range lines {
		all.Go(func() {
			for body := next(); body != nil; body = next() {
				begin := time.Now()
				a, err := line.ask(body)
				took[i] = append(took[i], time.Since(begin))
				if err != nil || a.status != http.StatusCreated && a.status != http.StatusOK {
					t.Errorf("%d %.300s %v", a.status, a.body, err)
					return
				}
			}
		})
	}
	all.Wait()
	return slices.Concat(took...)
}

// diskOf returns the path of the statistics of the disk that holds a folder.
func diskOf(dir string) (string, error) {
	var s syscall.Stat_t
	if err := syscall.Stat(dir, &s); err != nil {
		return "", err
	}
	path := fmt.Sprintf("/sys/dev/block/%d:%d/stat", s.Dev>>8&0xfff, s.Dev&0xff|s.Dev>>12&0xfff00)
	_, err := os.Stat(path)
	return path, err
}

// diskWritten returns how many bytes the disk has written, for this test and all other
// programs. It syncs everything first.
func (c *comparison) diskWritten(t testing.TB) (n float64, ok bool) {
	t.Helper()
	syscall.Sync()
	text, err := os.ReadFile(c.disk)
	if errors.Is(err, os.ErrNotExist) {
		return 0, false
	}
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 7 {
		t.Fatalf("%s: %q, %v", c.disk, text, err)
	}
	if _, err := fmt.Sscan(fields[6], &n); err != nil {
		t.Fatal(err)
	}
	return n * 512, true
}

// size returns the size of the file in dir.
func size(t testing.TB, dir string) float64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "segraph.db"))
	if err != nil {
		t.Fatal(err)
	}
	return float64(info.Size())
}

// peak returns the service's peak memory (VmHWM).
func (s *service) peak() (bytes float64) {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	if err == nil {
		_, err = fmt.Sscan(rest, &bytes)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return bytes * 1024
}

// table collects measurements by row and program.
type table struct {
	programs []program
	rows     []string
	samples  map[string][]float64 // by row and program
	mu       sync.Mutex
}

func (c *comparison) table() *table {
	return &table{programs: c.programs, samples: map[string][]float64{}}
}

func (tb *table) add(p program, row string, value float64) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if !slices.Contains(tb.rows, row) {
		tb.rows = append(tb.rows, row)
	}
	tb.samples[row+"\x00"+p.name] = append(tb.samples[row+"\x00"+p.name], value)
}

// latencies adds the median and the 99th percentile of durations, in milliseconds.
func (tb *table) latencies(p program, what string, took []time.Duration) {
	tb.add(p, what+" p50, ms", percentile(took, 50))
	tb.add(p, what+" p99, ms", percentile(took, 99))
}

func middleOf(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// alternate calls do for each program in turn, in each round, and prints the table.
func (c *comparison) alternate(t *testing.T, do func(*table, program)) {
	t.Helper()
	tb := c.table()
	for range c.rounds {
		for _, p := range c.programs {
			do(tb, p)
			if t.Failed() {
				return
			}
		}
	}
	tb.print(t)
}

// print logs medians with minimum and maximum, and each program's ratio to the first.
func (tb *table) print(t *testing.T) {
	t.Helper()
	var out strings.Builder
	out.WriteString("\n|")
	for _, p := range tb.programs {
		fmt.Fprintf(&out, " | %s", p.name)
	}
	out.WriteString(" | ratio |\n|" + strings.Repeat("---|", len(tb.programs)+2) + "\n")
	for _, row := range tb.rows {
		fmt.Fprintf(&out, "| %s", row)
		var ratios []string
		base := middleOf(tb.samples[row+"\x00"+tb.programs[0].name])
		for i, p := range tb.programs {
			s := tb.samples[row+"\x00"+p.name]
			fmt.Fprintf(&out, " | %.2f", middleOf(s))
			if len(s) > 1 {
				fmt.Fprintf(&out, " (%.2f–%.2f)", slices.Min(s), slices.Max(s))
			}
			if i > 0 && base != 0 {
				ratios = append(ratios, fmt.Sprintf("%.3f", middleOf(s)/base))
			}
		}
		fmt.Fprintf(&out, " | %s |\n", strings.Join(ratios, ", "))
	}
	t.Log(out.String())
}
