package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// pythonRobot is a running clients/python/tests/robot.py.
type pythonRobot struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// startRobot starts a robot that logs count of the total moments of a day to a service that need not run.
func startRobot(t *testing.T, python, api, queue string, run, count, total int) *pythonRobot {
	t.Helper()
	cmd := exec.Command(python, filepath.Join(suite.Root(t), "clients", "python", "tests", "robot.py"), api, queue,
		strconv.Itoa(run), strconv.Itoa(count), strconv.Itoa(total))
	cmd.Env = append(environ(), "PYTHONDONTWRITEBYTECODE=1")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := &output{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails only if it has already exited
		if stderr.String() != "" {
			t.Errorf("the robot of run %d wrote %s", run, stderr)
		}
	})
	return &pythonRobot{t, cmd, bufio.NewScanner(stdout)}
}

// logged reads until n calls have returned.
func (r *pythonRobot) logged(n int) {
	r.t.Helper()
	for range n {
		if !r.lines.Scan() {
			r.t.Fatalf("the robot ended: %v", r.lines.Err())
		}
	}
}

// rest reads the other numbers and returns how many, and the last line.
func (r *pythonRobot) rest() (n int, last string) {
	for r.lines.Scan() {
		if last = r.lines.Text(); !strings.HasPrefix(last, "{") {
			n++
		}
	}
	_ = r.cmd.Wait() // it was killed, or has written its status
	return n, last
}

// TestARobotsDaySurvivesKills lets a robot log a simulated day without a service, kills it at random times, and kills the
// service while the queue is sent. Each call that returned is stored exactly once.
func TestARobotsDaySurvivesKills(t *testing.T) {
	suite.Slow(t, "it takes half a minute")
	python := pythons(t, "3")["3"]
	if python == "" {
		suite.Missing(t, "no Python: apt-get install python3")
	}
	total, robots, services := suite.Times(100_000, 12_000), suite.Times(50, 6), suite.Times(20, 4)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	dir, queue := t.TempDir(), filepath.Join(t.TempDir(), "queue")
	returned := map[string]bool{}
	kept := func(run, n int) {
		for i := range n {
			returned[fmt.Sprintf("sentence %d-%d", run, i)] = true
		}
	}
	for run := range robots {
		r := startRobot(t, python, "http://"+address, queue, run, total, total)
		n := total/(robots+1) - 20 + rand.IntN(40)
		r.logged(n)
		if err := r.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		more, _ := r.rest()
		kept(run, n+more)
	}
	last := startRobot(t, python, "http://"+address, queue, robots, total/(robots+1), total)
	last.logged(total / (robots + 1))
	kept(robots, total/(robots+1))

	const sentences = `SELECT (COUNT(*) AS ?n) { ?m <http://schema.org/text> ?t }`
	begin, before := time.Now(), 0
	receive := func() *service {
		s := serve(t, dir, nil, "--api", address)
		before = s.count(sentences)
		poll(t, "the robot sends again", func() bool { return s.count(sentences) > before })
		return s
	}
	for range services {
		s := receive()
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
		s.kill()
	}
	s := receive()
	back, before := time.Now(), s.count(sentences)
	_, status := last.rest()
	took := time.Since(back)
	var end struct{ Queued, Sent, Dropped, Refused int }
	if err := json.Unmarshal([]byte(status), &end); err != nil || end.Queued+end.Dropped+end.Refused > 0 {
		t.Errorf("the robot ends with %s: %v", status, err)
	}
	stored := map[string]int{}
	for _, text := range s.rows(`SELECT ?t { ?m <http://schema.org/text> ?t }`) {
		stored[text]++
	}
	twice, lost := 0, 0
	for _, n := range stored {
		if n > 1 {
			twice++
		}
	}
	for text := range returned {
		if stored[text] == 0 {
			lost++
		}
	}
	if twice > 0 || lost > 0 || len(stored) > len(returned)+robots {
		t.Errorf("of %d sentences %d are lost, %d of %d are stored twice", len(returned), lost, twice, len(stored))
	}
	observations := s.count(`SELECT (COUNT(*) AS ?n) FROM <urn:segraph:contexts> { ?o a <urn:segraph:ns#Observation> }`)
	if observations != len(stored) {
		t.Errorf("%d observations of %d sentences", observations, len(stored))
	}
	t.Logf("%d sentences, %d kills of the robot and %d of the service in %v; %d sentences in %v at the end, %.0f/s",
		len(stored), robots, services, time.Since(begin), len(stored)-before, took, float64(len(stored)-before)/took.Seconds())
}
