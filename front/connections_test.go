package front

import (
	"net"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service"
)

func TestThisMachineIsKnownByItsAddress(t *testing.T) {
	for _, c := range []struct {
		client, own string
		want        bool
	}{
		{"127.0.0.1", "127.0.0.1", true}, {"127.0.0.2", "127.0.0.1", true}, {"::1", "::1", true}, {"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.2", "192.0.2.1", false}, {"2001:db8::1", "2001:db8::2", false},
	} {
		if got := sameMachine(netip.MustParseAddr(c.client), netip.MustParseAddr(c.own)); got != c.want {
			t.Errorf("%s at %s: %v", c.client, c.own, got)
		}
	}
	if sameMachine(netip.Addr{}, netip.Addr{}) {
		t.Error("an address that can't be read is of this machine")
	}
}

// Connections are counted per IPv4 address or IPv6 /64 network. Those of trusted proxies
// are not limited.
func TestConnectionsAreCountedByClient(t *testing.T) {
	s := New(Config{
		Service:        service.New(service.Config{Log: logs.New(logs.Options{}), Limits: service.Limits{ClientConnections: 1}}),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	})
	var leave []func()
	for _, c := range []struct{ address, want string }{
		{"192.0.2.1", ""}, {"192.0.2.1", "client_connections"}, {"192.0.2.2", ""},
		{"2001:db8::1", ""}, {"2001:db8::2", "client_connections"}, {"2001:db8:0:1::1", ""},
		{"10.0.0.1", ""}, {"10.0.0.1", ""}, {"10.0.0.1", ""},
	} {
		limit, l, ok := s.connections.enter(netip.MustParseAddr(c.address), false)
		if limit != c.want || !ok {
			t.Errorf("%s: %q, %v; want %q", c.address, limit, ok, c.want)
		}
		leave = append(leave, l)
	}
	for _, l := range leave {
		l()
	}
	if c := &s.connections; c.open != 0 || c.refused != 0 || c.probes != 0 || len(c.of) != 0 {
		t.Errorf("after all have left there are %d connections, %d that are refused, %d clients", c.open, c.refused, len(c.of))
	}
}

// Over HTTP/2 a handler may begin after its client has closed the connection.
func TestAClosedConnectionTakesNoPlace(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	dialed, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	all := &connections{}
	c := &conn{TCPConn: dialed.(*net.TCPConn), connections: all, past: "connections", here: true, leave: func() {}}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c.handled(httptest.NewRecorder(), httptest.NewRequest("GET", "/logs", nil))
	if all.refused != 0 {
		t.Errorf("%d places are taken", all.refused)
	}
}
