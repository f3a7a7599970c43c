package e2e

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// The demo shows data and open reviews, and leaves nothing behind.
func TestTheDemoHasDataAndOpenReviewsAndIsGoneAfterwards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startDemo(t, dir)
	if n := len(parse(t, s.events(), 0)); n < 5000 {
		t.Errorf("the demo has %d triples", n)
	}
	stats := request(t, "GET", s.api+"/shared-context/stats", nil)
	if stats.number(t, "pending_reviews") != 30 || stats.number(t, "automatic_matches") < 10 {
		t.Errorf("%s", stats.body)
	}
	s.signal(syscall.SIGINT)
	if code := s.wait(); code != 0 {
		t.Errorf("exit %d\n%s", code, s.stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// startDemo starts `segraph demo` in dir on free ports, and returns when it prints its
// addresses.
func startDemo(t *testing.T, dir string, env ...string) *service {
	t.Helper()
	s := &service{t: t, stdout: &output{}, stderr: &output{}, ended: make(chan struct{})}
	s.cmd = exec.Command(binary, "demo", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0")
	s.cmd.Dir, s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = dir, environ(append(env, "TMPDIR="+dir, "DISPLAY=", "WAYLAND_DISPLAY=")...), s.stdout, s.stderr
	s.run(start)
	t.Cleanup(s.kill)
	s.waitUntilItListens()
	return s
}
