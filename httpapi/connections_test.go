package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/metrics"
)

// reply reads one answer, whose connection may stay.
func reply(t *testing.T, conn net.Conn) *http.Response {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const live = "GET /healthz/live HTTP/1.1\r\nHost: x\r\n\r\n"

// Connections past the limit are told so and closed, those that are there go on, and a place that is free is given away.
func TestConnectionsPastTheLimitAreToldAndTheOthersGoOn(t *testing.T) {
	s := newOpenService(t, func(c *Config) { c.Limits.Connections = 3 })
	r := run(t, s, ServerOptions{})
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
	eventually(t, "a place is free", func() bool { return s.Stats().Connections == 2 })
	if a := reply(t, stalled(t, address, live)); a.StatusCode != 200 {
		t.Errorf("the next connection gets %s", a.Status)
	}
}

// A flood of connections is not served: past the limit so many are told so, and all others are closed at once.
func TestAFloodOfConnectionsIsClosed(t *testing.T) {
	s := newOpenService(t, func(c *Config) { c.Limits.Connections = 1 })
	r := run(t, s, ServerOptions{})
	stalled(t, r.APIAddr().String(), "")
	eventually(t, "the place is taken", func() bool { return s.Stats().Connections == 1 })
	closed := make(chan bool, 3*maxTold)
	for range 3 * maxTold {
		conn := stalled(t, r.APIAddr().String(), "")
		go func() {
			_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second)) // before a silent connection is closed
			_, err := conn.Read(make([]byte, 1))
			e, ok := err.(net.Error)
			closed <- !(ok && e.Timeout())
		}()
	}
	n := 0
	for range 3 * maxTold {
		if <-closed {
			n++
		}
	}
	if n != 2*maxTold {
		t.Errorf("%d of %d connections past the limit were closed at once", n, 3*maxTold)
	}
}

// What a client has is counted by its IPv4 address or its /64, and not for a proxy that is trusted.
func TestConnectionsAreCountedByClient(t *testing.T) {
	s := newOpenService(t, func(c *Config) {
		c.Limits.ClientConnections = 1
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	var leave []func()
	for _, c := range []struct{ address, want string }{
		{"192.0.2.1", ""}, {"192.0.2.1", "client_connections"}, {"192.0.2.2", ""},
		{"2001:db8::1", ""}, {"2001:db8::2", "client_connections"}, {"2001:db8:0:1::1", ""},
		{"10.0.0.1", ""}, {"10.0.0.1", ""}, {"10.0.0.1", ""},
	} {
		limit, l, ok := s.connections.enter(netip.MustParseAddr(c.address))
		if limit != c.want || !ok {
			t.Errorf("%s: %q, %v; want %q", c.address, limit, ok, c.want)
		}
		leave = append(leave, l)
	}
	for _, l := range leave {
		l()
	}
	if c := &s.connections; c.open != 0 || c.told != 0 || len(c.of) != 0 {
		t.Errorf("after all have left there are %d connections, %d that are told, %d clients", c.open, c.told, len(c.of))
	}
}

// A connection that says nothing, one that had its answers, one that sends nonsense and one that hangs up are no slow headers.
func TestOnlyHeadersThatWereCutOffAreCounted(t *testing.T) {
	set := metrics.New("test")
	s := newOpenService(t, func(c *Config) { c.Metrics = set })
	address := run(t, s, ServerOptions{ReadHeader: 100 * time.Millisecond, Idle: 100 * time.Millisecond}).APIAddr().String()
	slow := strings.TrimSuffix(live, "\r\n")
	_ = stalled(t, address, slow).Close()
	for _, text := range []string{"", live, "nonsense\r\n\r\n", slow} { // the last one alone is cut off
		_, _ = io.Copy(io.Discard, stalled(t, address, text))
	}
	eventually(t, "the last one is counted", func() bool { return !strings.Contains(measured(set), `{limit="header_rate"} 0`) })
	if m := measured(set); !strings.Contains(m, `{limit="header_rate"} 1`+"\n") || !strings.Contains(m, `{limit="header_size"} 0`+"\n") {
		t.Error(m)
	}
}
