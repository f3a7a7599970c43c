package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// failSyncs makes the service's disk syncs fail: in each thread, the one with the number
// from and all later ones.
func (s *service) failSyncs(from int) {
	s.t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		suite.Missing(s.t, "strace, which makes a system call fail: "+err.Error())
	}
	said := &output{}
	trace := exec.Command(path, "-f", "-o", filepath.Join(s.t.TempDir(), "trace"), "-e", "trace=fdatasync",
		"-e", fmt.Sprintf("inject=fdatasync:error=EIO:when=%d+", from), "-p", fmt.Sprint(s.cmd.Process.Pid))
	trace.Stderr = said
	if err := trace.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = trace.Wait() // it ends with the service, or reports why it can't trace
	}()
	s.t.Cleanup(func() { _ = trace.Process.Kill(); <-ended })
	poll(s.t, "the system calls are traced", func() bool {
		select {
		case <-ended:
			suite.Missing(s.t, "a Linux that lets this user trace processes: "+said.String())
		default:
		}
		return strings.Contains(said.String(), "attached")
	})
}

// A disk may fail during a write, before or after the write takes effect. Then the
// service answers that it is unknown whether the write is stored. With the setting, it
// exits with code 1. After a restart the same request gets the answer that it would have
// got, and its document, which has a blank node, is stored once.
func TestAServiceEndsWhenItsDiskFails(t *testing.T) {
	t.Parallel()
	for _, from := range []int{1, 2} { // of the two syncs of a commit
		dir := t.TempDir()
		publish := func(s *service, id int) answer {
			return request(t, "POST", s.api+"/ttl", fmt.Appendf(nil, "_:x <http://example.org/says> \"%d\" .", id), "Content-Type", "text/turtle", "X-Request-ID", fmt.Sprintf("request-%d", id))
		}
		s := serve(t, dir, nil, "--snapshot-keep", "0", "--exit-on-disk-error")
		s.failSyncs(from)
		id, failed := 0, answer{status: 201}
		for ; failed.status == 201 && id < 100; id++ { // a commit that changes threads between its syncs may succeed
			failed = publish(s, id)
		}
		if detail, _ := failed.member(t, "detail").(string); failed.status != 503 || !strings.Contains(detail, "known only after the service restarts") {
			t.Fatalf("%d %s", failed.status, failed.body)
		}
		if code := s.wait(); code != 1 || !strings.Contains(s.stderr.String(), "the disk failed, and the service must be restarted") {
			t.Errorf("exit %d\n%s", code, s.stderr)
		}
		s = serve(t, dir, nil, "--snapshot-keep", "0")
		for range 2 {
			if a := publish(s, id-1); a.status != 201 || a.number(t, "added") != 1 {
				t.Errorf("sent again: %d %s", a.status, a.body)
			}
			s.stop()
			s = serve(t, dir, nil, "--snapshot-keep", "0")
		}
		if n := s.count("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"); n != id {
			t.Errorf("%d triples are there, want %d", n, id)
		}
		s.stop()
		if r := command(t, dir, nil, "", "check"); r.code != 0 {
			t.Errorf("check: exit %d\n%s", r.code, r.stderr)
		}
	}
}
