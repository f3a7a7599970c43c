package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The demo shows data and open reviews, and leaves nothing behind. It does not act in the name of the service that the
// environment describes.
func TestTheDemoHasDataAndOpenReviewsAndIsGoneAfterwards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startDemo(t, dir, "SEGRAPH_ORIGIN=example.org/real", "SEGRAPH_SIGNING_KEY=real", "SEGRAPH_STORE=sparql")
	if a := request(t, "GET", s.api+"/log/checkpoint", nil); a.status != 200 || strings.Contains(string(a.body), "example.org/real") {
		t.Errorf("the checkpoint: %d %s", a.status, a.body)
	}
	if n := len(parse(t, s.events(), 0)); n < 5000 {
		t.Errorf("the demo has %d triples", n)
	}
	stats := request(t, "GET", s.api+"/shared-context/stats", nil)
	if stats.number(t, "pending_reviews") != 30 || stats.number(t, "automatic_matches") < 10 {
		t.Errorf("%s", stats.body)
	}
	s.endDemo(dir)
}

// The demo of boxes shows all of them at the centre within a minute, resolves what two of them saw, and refuses the one
// whose file was replaced. It leaves nothing behind.
func TestTheDemoOfBoxesRefusesTheOneThatWasAltered(t *testing.T) {
	t.Parallel()
	dir, began := t.TempDir(), time.Now()
	s := startDemoWith(t, dir, []string{"--fleet"})
	poll(t, "the boxes at the centre", func() bool {
		page := string(request(t, "GET", s.ui+"/boxes", nil).body)
		return strings.Contains(page, "another history than it sent") && strings.Contains(page, "box-ari") && strings.Contains(page, "box-lumen") && strings.Contains(page, "box-tiago")
	})
	poll(t, "all logs", func() bool { return len(parse(t, s.events(), 0)) >= 5000 })
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	stats := request(t, "GET", s.api+"/shared-context/stats", nil)
	if stats.number(t, "pending_reviews") < 20 || stats.number(t, "automatic_matches") < 10 {
		t.Errorf("%s", stats.body)
	}
	s.endDemo(dir)
}

// endDemo interrupts the demo, which must leave nothing in dir.
func (s *service) endDemo(dir string) {
	s.t.Helper()
	s.signal(syscall.SIGINT)
	if code := s.wait(); code != 0 {
		s.t.Errorf("exit %d\n%s", code, s.stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		s.t.Errorf("left are %v", left)
	}
}

// startDemo starts `segraph demo` in dir on free ports, and returns when it prints its
// addresses.
func startDemo(t *testing.T, dir string, env ...string) *service {
	return startDemoWith(t, dir, nil, env...)
}

// startDemoWith is startDemo with flags.
func startDemoWith(t *testing.T, dir string, flags []string, env ...string) *service {
	t.Helper()
	s := &service{t: t, stdout: &output{}, stderr: &output{}, ended: make(chan struct{})}
	s.cmd = exec.Command(binary, append([]string{"demo", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0"}, flags...)...)
	s.cmd.Dir, s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = dir, environ(append(env, "TMPDIR="+dir, "DISPLAY=", "WAYLAND_DISPLAY=")...), s.stdout, s.stderr
	s.run(start)
	t.Cleanup(s.kill)
	s.waitUntilItListens()
	return s
}
