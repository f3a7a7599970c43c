package e2e

import (
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// The service manager learns when the service is ready, that it lives, and that it stops.
func TestTheServiceManagerIsNotified(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var mu sync.Mutex
	var states []string
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return
			}
			state, _, _ := strings.Cut(string(buf[:n]), "\n")
			mu.Lock()
			states = append(states, state)
			mu.Unlock()
		}
	}()
	received := func(state string, times int) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			n := 0
			for _, s := range states {
				if s == state {
					n++
				}
			}
			return n >= times
		}
	}
	s := serve(t, t.TempDir(), []string{"NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=300000"})
	poll(t, "it is ready", received("READY=1", 1))
	poll(t, "it lives", received("WATCHDOG=1", 3))
	s.signal(syscall.SIGTERM)
	poll(t, "it stops", received("STOPPING=1", 1))
	if code := s.wait(); code != 0 {
		t.Errorf("exit %d\n%s", code, s.stderr)
	}
	mu.Lock()
	defer mu.Unlock()
	if i := slices.Index(states, "READY=1"); i != 0 {
		t.Errorf("the states are %q, want READY=1 first", states)
	}
}
