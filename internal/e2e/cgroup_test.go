//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// cgroup is a control group with little memory and no swap.
type cgroup struct {
	t    *testing.T
	path string
}

// newCgroup creates a group that is removed at the end of the test. If the system does
// not permit it, the test is skipped.
func newCgroup(t *testing.T, limit int64) *cgroup {
	t.Helper()
	const root = "/sys/fs/cgroup/memory"
	path := filepath.Join(root, fmt.Sprintf("segraph-test-%d", os.Getpid()))
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Skipf("a small machine needs root and control groups of version 1 at %s: %v", root, err)
	}
	g := &cgroup{t, path}
	t.Cleanup(func() {
		if err := os.Remove(path); err != nil {
			t.Errorf("removing the control group: %v", err)
		}
	})
	g.set("memory.limit_in_bytes", strconv.FormatInt(limit, 10))
	if _, err := os.Stat(filepath.Join(path, "memory.memsw.limit_in_bytes")); err == nil {
		g.set("memory.memsw.limit_in_bytes", strconv.FormatInt(limit, 10))
	}
	return g
}

func (g *cgroup) set(name, value string) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.path, name), []byte(value), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// number reads a value, or the value in the line that begins with key.
func (g *cgroup) number(name, key string) int64 {
	g.t.Helper()
	text, err := os.ReadFile(filepath.Join(g.path, name))
	if err != nil {
		g.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); key == "" || fields[0] == key {
			n, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
			if err != nil {
				g.t.Fatal(errors.Join(fmt.Errorf("reading %s", name), err))
			}
			return n
		}
	}
	g.t.Fatalf("%s has no %s", name, key)
	return 0
}

// serveIn is like serve, in a control group, which counts all memory of the service from
// the start.
func serveIn(t *testing.T, g *cgroup, dir string, args ...string) *service {
	t.Helper()
	uncache(t, binary)
	uncache(t, filepath.Join(dir, "segraph.db"))
	s := &service{t: t, stdout: &output{}, stderr: &output{}, ended: make(chan struct{})}
	enter := `echo $$ > "$0"/cgroup.procs && exec "$@"`
	s.cmd = exec.Command("sh", append([]string{"-c", enter, g.path, binary, "serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0"}, args...)...)
	s.cmd.Dir, s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = dir, environ(), s.stdout, s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait() // ProcessState has the exit status
	}()
	t.Cleanup(s.kill)
	s.waitUntilItListens()
	return s
}

// uncache drops a file from the page cache. Then its pages count for the next process
// that reads it.
func uncache(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err == nil {
		err = errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
