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

// RobotLogs returns that many events of generated robot logs as Turtle, about 14.2
// triples an event (7,000 are 100 k, 70,000 are 1 M triples): always the same bytes.
// Where SEGRAPH_BENCH_DATA names a file, it gives that instead, whatever events says.
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

// Events cuts what RobotLogs gives into documents of one event each, about 14 triples,
// without event 0, which is the register of robots, people and rooms.
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
