package suite

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// RobotLogs returns generated robot logs with the given number of events as Turtle. An
// event has about 14.2 triples: 7,000 events are 100 k triples, 70,000 are 1 M. The
// result is always the same. If SEGRAPH_BENCH_DATA names a file, RobotLogs returns its
// content instead and ignores events.
func RobotLogs(t testing.TB, events int) []byte {
	t.Helper()
	if path := os.Getenv("SEGRAPH_BENCH_DATA"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	generator := Shared(t, "bench", "gen.go")
	cmd := exec.Command("go", "run", filepath.Base(generator), "-events", strconv.Itoa(events), "-robots", "8", "-humans", "500", "-seed", "1")
	cmd.Dir = filepath.Dir(generator)
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("running the generator: %v", err)
	}
	return text
}

// Events splits the result of RobotLogs into documents of one event each, about 14
// triples. It omits event 0, which describes the robots, people and rooms.
func Events(text []byte) [][]byte {
	head, rest, _ := bytes.Cut(text, []byte("# event 0 "))
	_, rest, _ = bytes.Cut(rest, []byte("# event 1 "))
	var out [][]byte
	for _, event := range bytes.Split(rest, []byte("\n# event ")) {
		_, body, _ := bytes.Cut(event, []byte("\n"))
		out = append(out, slices.Concat(head, body, []byte("\n")))
	}
	return out
}
