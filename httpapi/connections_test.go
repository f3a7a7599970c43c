package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/metrics"
)

// reply reads one answer and keeps the connection.
func reply(t *testing.T, conn net.Conn) *http.Response {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ofOthers makes a service treat this machine's connections as those of another one.
func ofOthers(c *settings) { c.SameMachine = func(_, _ netip.Addr) bool { return false } }

const live = "GET /healthz/live HTTP/1.1\r\nHost: x\r\n\r\n"

// Connections beyond the limit get an answer and are closed. Existing ones continue, and
// a free place is used again.
func TestConnectionsPastTheLimitGetAnErrorAndOthersContinue(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, ofOthers, func(c *settings) { c.Limits.Connections = 3 })
	r := run(t, s, front.ServerOptions{})
	address := r.APIAddr().String()
	var inside []net.Conn
	for range 3 {
		conn := stalled(t, address, live)
		if a := reply(t, conn); a.StatusCode != 200 {
			t.Fatal(a.Status)
		}
		inside = append(inside, conn)
	}
	refused := reply(t, stalled(t, address, live))
	if refused.StatusCode != 503 || refused.Header.Get("Retry-After") == "" || !refused.Close {
		t.Errorf("%d %v", refused.StatusCode, refused.Header)
	}
	if _, err := fmt.Fprint(inside[0], live); err != nil {
		t.Fatal(err)
	}
	if a := reply(t, inside[0]); a.StatusCode != 200 {
		t.Errorf("a connection within the limit gets %s", a.Status)
	}
	if err := inside[0].Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a place is free", func() bool { return s.front.Stats().Connections == 2 })
	if a := reply(t, stalled(t, address, live)); a.StatusCode != 200 {
		t.Errorf("the next connection gets %s", a.Status)
	}
}

// A flood of connections is not served: beyond the limit a fixed number get an answer,
// and all others are closed at once.
func TestAFloodOfConnectionsIsClosed(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, ofOthers, func(c *settings) { c.Limits.Connections = 1 })
	r := run(t, s, front.ServerOptions{})
	stalled(t, r.APIAddr().String(), "")
	eventually(t, "the place is taken", func() bool { return s.front.Stats().Connections == 1 })
	closed := make(chan bool, 3*front.MaxRefused)
	var flood []net.Conn
	for range 3 * front.MaxRefused {
		conn := stalled(t, r.APIAddr().String(), "")
		flood = append(flood, conn)
		go func() {
			_, err := conn.Read(make([]byte, 1))
			e, ok := err.(net.Error)
			closed <- !(ok && e.Timeout())
		}()
	}
	for range 2 * front.MaxRefused {
		if !<-closed {
			t.Fatal("a connection that is to be closed at once was not")
		}
	}
	for _, conn := range flood {
		_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // before a silent connection is closed
	}
	for range front.MaxRefused {
		if <-closed {
			t.Errorf("more than %d of %d connections past the limit were closed at once", 2*front.MaxRefused, 3*front.MaxRefused)
		}
	}
}

// While other clients use all connections, and all answers beyond the limit, this machine
// can still request health checks on both listeners, and nothing else. Silent connections
// take at most the places reserved for that.
func TestAFloodLeavesConnectionsForLocalHealthChecks(t *testing.T) {
	t.Parallel()
	var flood sync.Mutex
	others := true
	s := newOpenService(t, func(c *settings) {
		c.Limits.Connections = 2
		c.SameMachine = func(_, _ netip.Addr) bool {
			flood.Lock()
			defer flood.Unlock()
			return !others
		}
	})
	r := run(t, s, front.ServerOptions{})
	for range 2 + front.MaxRefused {
		stalled(t, r.APIAddr().String(), "")
	}
	eventually(t, "all places are taken", func() bool { return s.front.Stats().Connections == 2 && s.front.Stats().Refused == front.MaxRefused })
	flood.Lock()
	others = false
	flood.Unlock()
	ask := func(address net.Addr, path string) *http.Response {
		t.Helper()
		return reply(t, stalled(t, address.String(), "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"))
	}
	for range 2 * front.MaxProbes { // each frees its place
		for path, address := range map[string]net.Addr{
			"/healthz/live": r.APIAddr(), "/healthz/ready": r.APIAddr(), "/api/healthz/live": r.UIAddr(), "/api/healthz/ready": r.UIAddr(),
		} {
			if a := ask(address, path); a.StatusCode != 200 || !a.Close {
				t.Fatalf("%s: %s, and the connection stays: %v", path, a.Status, !a.Close)
			}
		}
	}
	if a := ask(r.APIAddr(), "/auth/mode"); a.StatusCode != 503 {
		t.Errorf("what is no question for health gets %s", a.Status)
	}
	probes := func(want int) func() bool {
		return func() bool { return s.front.Stats().Probes == want }
	}
	eventually(t, "the last place is given back", probes(0))
	for range front.MaxProbes {
		stalled(t, r.APIAddr().String(), "")
	}
	eventually(t, "no place is left", probes(front.MaxProbes))
	if n, err := stalled(t, r.APIAddr().String(), live).Read(make([]byte, 1)); err == nil || n > 0 {
		t.Errorf("one more of this machine is served")
	}
}

// Only headers that were cut off count as slow: not a silent connection, one that got its
// answers, one that sent garbage, or one that was closed by the client.
func TestOnlyHeadersThatWereCutOffAreCounted(t *testing.T) {
	t.Parallel()
	set := metrics.New("test")
	s := newOpenService(t, func(c *settings) { c.Metrics = set })
	address := run(t, s, front.ServerOptions{ReadHeader: 100 * time.Millisecond, Idle: 100 * time.Millisecond}).APIAddr().String()
	slow := strings.TrimSuffix(live, "\r\n")
	_ = stalled(t, address, slow).Close()
	for _, text := range []string{"", live, "nonsense\r\n\r\n", slow} { // only the last one is cut off
		_, _ = io.Copy(io.Discard, stalled(t, address, text))
	}
	eventually(t, "the last one is counted", func() bool { return !strings.Contains(measured(set), `{limit="header_rate"} 0`) })
	if m := measured(set); !strings.Contains(m, `{limit="header_rate"} 1`+"\n") || !strings.Contains(m, `{limit="header_size"} 0`+"\n") {
		t.Error(m)
	}
}
