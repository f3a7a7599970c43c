package e2e

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// TestOtherEngines runs the 34 queries of the evaluation kit and the 30 of
// testdata/analytics in segraph, Virtuoso, pyoxigraph and maplib, over the same robot
// logs, and prints a table. SEGRAPH_ENGINES is a Python with pyoxigraph and maplib. The
// data is 7,000 events, with SEGRAPH_LONG=1 70,000 (1 M triples), or the file that
// SEGRAPH_BENCH_DATA names. SEGRAPH_ENGINES_ONLY is a regular expression for the names of
// queries.
//
//	SEGRAPH_LONG=1 SEGRAPH_ENGINES=venv/bin/python go test -count=1 -timeout 3h -run OtherEngines -v ./internal/e2e
//
// A time is the minimum of several runs, until the last row was read. A ratio compares
// the same kind of access: in one process for pyoxigraph and maplib, over HTTP for
// Virtuoso. The table shows the greater of the two.
func TestOtherEngines(t *testing.T) {
	only := otherEngines(t)
	events := 7000
	if suite.Long() {
		events = 70_000
	}
	logs := filepath.Join(t.TempDir(), "logs.ttl")
	if err := os.WriteFile(logs, suite.RobotLogs(t, events), 0o600); err != nil {
		t.Fatal(err)
	}
	compareOn(t, logs, only, suite.Shared(t, "bench", "queries"), filepath.Join("testdata", "analytics"))
}

// otherEngines skips the test without other engines, and returns the pattern for names of
// queries.
func otherEngines(t *testing.T) *regexp.Regexp {
	if os.Getenv("SEGRAPH_ENGINES") == "" {
		t.Skip("SEGRAPH_ENGINES names no Python with pyoxigraph and maplib")
	}
	only, err := regexp.Compile(os.Getenv("SEGRAPH_ENGINES_ONLY"))
	if err != nil {
		t.Fatal(err)
	}
	return only
}

// compareOn loads a Turtle file into each engine and runs the queries in the folders. It
// prints a table for each folder.
func compareOn(t *testing.T, logs string, only *regexp.Regexp, folders ...string) {
	dir := t.TempDir()
	load := exec.Command(binary, "load", logs) // without a time limit
	load.Dir, load.Env = dir, environ()
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("load: %v\n%s", err, out)
	}
	engines := []anEngine{
		library(t, dir), endpoint("over HTTP", serve(t, dir, nil).api+"/query?", http.DefaultClient),
		virtuosoWith(t, logs), python(t, "pyoxigraph", logs), python(t, "maplib", logs),
	}
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "*.rq"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%d queries in %s, %v", len(paths), folder, err)
		}
		var table besideTable
		for _, path := range paths {
			if !only.MatchString(filepath.Base(path)) {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			line := compareEngines(t, strings.TrimSuffix(filepath.Base(path), ".rq"), string(text), engines)
			t.Logf("%s %.2f %v", line.query, line.ms, line.notes)
			table.lines = append(table.lines, line)
		}
		if len(table.lines) > 0 {
			table.print(t, engines)
		}
	}
}

// besideLine holds the results of the engines for one query, in the order of the engines.
type besideLine struct {
	query string
	ms    []float64 // NaN means no answer
	extra []float64 // further times that an engine reports, or NaN
	notes []string
	ratio float64 // NaN if no other engine answers
	slow  bool    // slower than 1.2 times the fastest, and by more than 2 ms
}

func compareEngines(t *testing.T, name, text string, engines []anEngine) besideLine {
	line := besideLine{query: name, ratio: math.NaN()}
	answers := make([][]string, len(engines))
	count := strings.Contains(text, "\n# compare: count")
	for i, e := range engines {
		line.ms, line.extra = append(line.ms, math.NaN()), append(line.extra, math.NaN())
		if e.wait != nil {
			e.wait() // reloading the data does not count
		}
		begin := time.Now()
		answer, err := e.rows(text)
		took := time.Since(begin)
		if err == nil {
			answers[i], err = canonical(answer, isGraph(text), count)
		}
		if err != nil {
			line.notes = append(line.notes, fmt.Sprintf("%s: %.90s", e.name, strings.Join(strings.Fields(err.Error()), " ")))
			continue
		}
		if line.ms[i] = math.Inf(1); took > 5*time.Second {
			line.ms[i] = float64(took) / 1e6 // once is enough
		}
	}
	for range 3 { // spreads the measurements, so that a busy moment does not affect all of one engine
		for i, e := range engines {
			measured := !math.IsInf(line.ms[i], 1)
			hopeless := measured && line.ms[i] > 5*slices.Min(withoutNaN(line.ms))
			if !math.IsNaN(line.ms[i]) && !hopeless {
				line.measure(i, e, text)
			}
		}
	}
	if !strings.Contains(text, "\n# compare: none") {
		line.agree(t, engines, answers)
	}
	if math.IsNaN(line.ms[0]) || math.IsNaN(line.ms[1]) {
		t.Errorf("%s: segraph has no answer: %q", name, line.notes)
		return line
	}
	for i := 2; i < len(engines); i++ {
		own := line.ms[0]
		if engines[i].name == "Virtuoso" {
			own = line.ms[1]
		}
		if math.IsNaN(line.ms[i]) {
			continue
		}
		if r := own / line.ms[i]; math.IsNaN(line.ratio) || r > line.ratio {
			line.ratio = r
		}
		line.slow = line.slow || own > 1.2*line.ms[i] && own > line.ms[i]+2
	}
	return line
}

func withoutNaN(list []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(list), math.IsNaN)
}

// measure runs a query again, up to three times or for two seconds in all.
func (l *besideLine) measure(i int, e anEngine, text string) {
	begin := time.Now()
	for n := 0; n == 0 || n < 3 && time.Since(begin) < 2*time.Second; n++ {
		took, err := e.ask(text)
		if err != nil {
			l.ms[i] = math.NaN()
			l.notes = append(l.notes, fmt.Sprintf("%s, asked again: %.90s", e.name, err))
			return
		}
		l.ms[i] = min(l.ms[i], float64(took)/1e6)
		if e.more != nil {
			if _, more, ok := e.more(); ok && !(float64(more)/1e6 > l.extra[i]) {
				l.extra[i] = float64(more) / 1e6
			}
		}
	}
}

// agree notes the engines with another answer than segraph and excludes their times. It
// fails the test if all of them have another answer.
func (l *besideLine) agree(t *testing.T, engines []anEngine, answers [][]string) {
	same, differ := 0, 0
	for i, a := range answers {
		switch {
		case i == 0 || math.IsNaN(l.ms[i]):
		case slices.Equal(a, answers[0]):
			same++
		default:
			differ++
			l.ms[i] = math.NaN()
			l.notes = append(l.notes, fmt.Sprintf("%s answers otherwise: %s", engines[i].name, firstDifference(answers[0], a)))
		}
	}
	if math.IsNaN(l.ms[1]) || same == 1 && differ > 0 {
		t.Errorf("%s: no other engine has segraph's answer: %q", l.query, l.notes)
	}
}

func firstDifference(want, got []string) string {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Sprintf("%d rows for %d, %.80s for %.80s", len(got), len(want), got[i], want[i])
		}
	}
	return fmt.Sprintf("%d rows for %d", len(got), len(want))
}

// besideTable is a table in Markdown.
type besideTable struct{ lines []besideLine }

func (b besideTable) print(t *testing.T, engines []anEngine) {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown")
	}
	var out, notes strings.Builder
	fmt.Fprintf(&out, "\n%d queries, ms; the load is %s\n| query |", len(b.lines), strings.TrimSpace(string(load)))
	for _, e := range engines {
		fmt.Fprintf(&out, " %s |", e.name)
	}
	fmt.Fprintf(&out, " maplib's frame | ratio |\n|%s\n", strings.Repeat("---|", len(engines)+3))
	var logs, frames []float64
	slow := 0
	for _, l := range b.lines {
		fmt.Fprintf(&out, "| %s |", l.query)
		for _, ms := range append(slices.Clone(l.ms), l.extra[len(l.extra)-1]) {
			fmt.Fprintf(&out, " %s |", milliseconds(ms))
		}
		mark := ""
		if l.slow {
			mark = " slow"
			slow++
		}
		fmt.Fprintf(&out, " %.2f%s |\n", l.ratio, mark)
		for _, n := range l.notes {
			fmt.Fprintf(&notes, "%s: %s\n", l.query, n)
		}
		if !math.IsNaN(l.ratio) {
			logs = append(logs, math.Log(l.ratio))
			frame := l.ratio
			if f := l.extra[len(l.extra)-1]; !math.IsNaN(f) && !math.IsNaN(l.ms[len(l.ms)-1]) {
				frame = max(frame, l.ms[0]/f)
			}
			frames = append(frames, math.Log(frame))
		}
	}
	t.Logf("%s\ngeometric mean of %d ratios %.3f; with maplib's frames, whose rows nobody reads, %.3f; %d slow\n\n%s", out.String(),
		len(logs), meanRatio(logs), meanRatio(frames), slow, notes.String())
}

func milliseconds(ms float64) string {
	switch {
	case math.IsNaN(ms):
		return "–"
	case ms < 10:
		return fmt.Sprintf("%.2f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

func meanRatio(logs []float64) float64 {
	sum := 0.0
	for _, l := range logs {
		sum += l
	}
	return math.Exp(sum / float64(max(1, len(logs))))
}
