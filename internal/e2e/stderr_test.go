package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serveInto starts the service with stderr connected to a pipe and returns the read end.
func serveInto(t *testing.T) (s *service, reader *os.File) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	s = &service{t: t, stdout: &output{}, stderr: &output{}, ended: make(chan struct{})}
	s.cmd = exec.Command(binary, "serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "segraph.db"))
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = environ(), s.stdout, writer
	s.run(start)
	if err := writer.Close(); err != nil { // the service has its own copy
		t.Error(err)
	}
	t.Cleanup(s.kill)
	s.waitUntilItListens()
	return s, reader
}

func TestTheServiceOutlivesWhoReadsItsLog(t *testing.T) {
	t.Parallel()
	s, reader := serveInto(t)
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if got := request(t, http.MethodGet, s.api+"/healthz/live", nil); got.status != http.StatusOK {
			t.Errorf("status %d", got.status)
		}
	}
	s.stop()
}

func TestAFullPipeStopsNeitherRequestsNorSignals(t *testing.T) {
	t.Parallel()
	s, _ := serveInto(t)
	path := "/healthz/live?" + strings.Repeat("x", 100)
	for range 1000 { // about 150 bytes of log each; a pipe holds 64 KiB
		if got := request(t, http.MethodGet, s.api+path, nil); got.status != http.StatusOK {
			t.Fatalf("status %d", got.status)
		}
	}
	slowPost(t, s)
	s.signal(syscall.SIGTERM)
	poll(t, "the service accepts no new connections", func() bool {
		_, err := try(&http.Client{Timeout: time.Second}, http.MethodGet, s.api+"/healthz/live", nil)
		return err != nil
	})
	begun := time.Now()
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != 1 {
		t.Errorf("exit %d after two signals, want 1", code)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v after the second signal", took)
	}
}
