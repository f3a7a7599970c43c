package e2e

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// patience is the time limit for steps that take milliseconds on a free machine.
const patience = 60 * time.Second

// output collects the output of a process and can be read while it runs.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// environ returns this process's environment without settings of segraph, plus set.
func environ(set ...string) []string {
	var out []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SEGRAPH_") && !strings.HasPrefix(v, "SECRET_KEY") && !strings.HasPrefix(v, "TRIPLESTORE_") {
			out = append(out, v)
		}
	}
	return append(append(out, suite.LetProcessesEnd()), set...)
}

// result is the result of a command.
type result struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

// command runs the binary in dir until it exits.
func command(t testing.TB, dir string, env []string, stdin string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, environ(env...), strings.NewReader(stdin), &stdout, &stderr
	begin := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("running segraph %q: %v", args, err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(begin)}
}

// service is a running `segraph serve`.
type service struct {
	t              testing.TB
	cmd            *exec.Cmd
	stdout, stderr *output
	api, ui        string        // base URLs
	code           int           // exit code
	ended          chan struct{} // closed when the process has exited
}

// starter starts a command. wait waits until it has exited and returns its exit code.
type starter func(*exec.Cmd) (wait func() int, err error)

// start is the default starter.
func start(cmd *exec.Cmd) (wait func() int, err error) {
	return func() int {
		_ = cmd.Wait() // ProcessState has the exit status
		return cmd.ProcessState.ExitCode()
	}, cmd.Start()
}

var listening = regexp.MustCompile(`(?m)^(API|web UI) +(https?://\S+)$`)

// serve starts the service in dir on free ports and returns when it prints its addresses.
// The service is killed at the end of the test.
func serve(t testing.TB, dir string, env []string, args ...string) *service {
	t.Helper()
	return serveBy(t, start, dir, env, args...)
}

// serveBy is serve with a given starter.
func serveBy(t testing.TB, start starter, dir string, env []string, args ...string) *service {
	t.Helper()
	settings := storeSettings(t)
	if settings != nil {
		env = append(settings(dir), env...)
	}
	s := &service{t: t, stdout: &output{}, stderr: &output{}, ended: make(chan struct{})}
	s.cmd = exec.Command(binary, append([]string{"serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0"}, args...)...)
	s.cmd.Dir, s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = dir, environ(env...), s.stdout, s.stderr
	s.run(start)
	t.Cleanup(func() {
		s.kill()
		if suite.Race && strings.Contains(s.stderr.String(), "DATA RACE") {
			t.Errorf("the service has a data race:\n%s", s.stderr)
		}
	})
	s.waitUntilItListens()
	if settings != nil {
		s.waitUntilReady()
	}
	return s
}

// run starts the process and records its exit.
func (s *service) run(start starter) {
	s.t.Helper()
	wait, err := start(s.cmd)
	if err != nil {
		s.t.Fatalf("starting the service: %v", err)
	}
	go func() {
		defer close(s.ended)
		s.code = wait()
	}()
}

// waitUntilItListens waits until the service prints its addresses and stores them.
func (s *service) waitUntilItListens() {
	s.t.Helper()
	poll(s.t, "the service says where it listens", func() bool {
		select {
		case <-s.ended:
			s.t.Fatalf("the service ended with %d:\n%s", s.code, s.stderr)
		default:
		}
		found := listening.FindAllStringSubmatch(s.stdout.String(), -1)
		if len(found) < 2 {
			return false
		}
		s.api, s.ui = found[0][2], found[1][2]
		return true
	})
}

// waitUntilReady waits until the service is ready and its graph store answers queries.
func (s *service) waitUntilReady() {
	s.t.Helper()
	var said answer
	ready := false
	defer func() {
		if !ready {
			s.t.Logf("/healthz/ready answered %d %s, and the service wrote %s", said.status, said.body, s.stderr)
		}
	}()
	poll(s.t, "the service is ready", func() bool {
		said = request(s.t, "GET", s.api+"/healthz/ready", nil)
		ready = said.status == http.StatusOK && bytes.Contains(said.body, []byte(`"triplestore":true`))
		return ready
	})
}

// kill kills the process and waits until it is gone.
func (s *service) kill() {
	_ = s.cmd.Process.Kill() // fails only if it has already exited
	<-s.ended
}

// signal sends a signal.
func (s *service) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("sending %v: %v", sig, err)
	}
}

// wait waits until the process exits by itself and returns the exit code.
func (s *service) wait() int {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatalf("the service did not end:\n%s", s.stderr)
	}
	return s.code
}

// stop shuts the service down and checks its message.
func (s *service) stop() {
	s.t.Helper()
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != 0 {
		s.t.Fatalf("the service ended with %d after SIGTERM:\n%s", code, s.stderr)
	}
}

// poll waits until ok returns true. It asks less and less often, because many conditions
// need a request.
func poll(t testing.TB, what string, ok func() bool) {
	t.Helper()
	within(t, patience, what, ok)
}

// within is poll with a time of its own.
func within(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	begin := time.Now()
	for !ok() {
		waited := time.Since(begin)
		if waited > limit {
			t.Fatalf("waited %v until %s, which did not happen", limit, what)
		}
		time.Sleep(min(max(2*time.Millisecond, waited/20), 50*time.Millisecond))
	}
}
