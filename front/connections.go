package front

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// MaxTold is how many connections past the limits are served at once, to tell them so.
// Those past that are closed without a word.
const MaxTold = 64

// MaxProbes is how many connections of this machine are served past the limits, for one
// question for health each: who watches the service from here gets an answer also while
// others take all connections that there are.
const MaxProbes = 16

// connections bounds how many connections both listeners have together, and how many one
// client has.
type connections struct {
	front *Front
	here  func(client, own netip.Addr) bool // is the client on this machine

	mu     sync.Mutex
	open   int // those within the limits
	told   int // those past them, of other machines
	probes int // those past them, of this one
	of     map[netip.Prefix]int
}

// sameMachine reports whether a connection begins where it ends: at a loopback address,
// or at the very one that is called.
func sameMachine(client, own netip.Addr) bool {
	return client.IsLoopback() || client.IsValid() && client == own
}

// isProbe reports whether a request asks for health, of either listener.
func isProbe(r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.Path, "/api")
	return path == "/healthz/live" || path == "/healthz/ready"
}

// enter counts a connection of an address, of this machine or another. limit is the one
// that it is past, "" for none; where ok is false it is to be closed at once. Else leave
// has to be called when it is closed.
func (c *connections) enter(address netip.Addr, here bool) (limit string, leave func(), ok bool) {
	l, client := c.front.limits, network(address)
	// What a proxy brings is of many clients.
	many := slices.ContainsFunc(c.front.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(address) })
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !many && c.of[client] >= l.ClientConnections:
		limit = "client_connections"
	case c.open >= l.Connections:
		limit = "connections"
	}
	if limit != "" {
		places, most := &c.told, MaxTold
		if here {
			places, most = &c.probes, MaxProbes
		}
		if *places >= most {
			return limit, nil, false
		}
		*places++
		return limit, func() { c.mu.Lock(); *places--; c.mu.Unlock() }, true
	}
	c.open++
	c.of[client]++
	return "", func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open--
		if c.of[client]--; c.of[client] == 0 {
			delete(c.of, client)
		}
	}, true
}

// count returns how many connections there are.
func (c *connections) count() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Connections: c.open, Told: c.told, Probes: c.probes}
}

// refusedConnection returns what a connection past a limit is told.
func (f *Front) refusedConnection(limit string) *Problem {
	p := NewProblem(http.StatusServiceUnavailable, "there are too many connections, more than %d at once; try again later", f.limits.Connections)
	if limit == "client_connections" {
		p = NewProblem(http.StatusTooManyRequests, "there are too many connections from your address, more than %d at once; use those that you have",
			f.limits.ClientConnections)
	}
	return p.limited(limit).retryAfter(10*time.Second).With("Connection", "close")
}

// listener counts its connections and gives them a bounded buffer.
type listener struct {
	net.Listener
	connections *connections
}

// Accept waits for the next connection that is to be served.
func (l listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := parseAddress(accepted.RemoteAddr().String())
		here := l.connections.here(client, parseAddress(accepted.LocalAddr().String()))
		limit, leave, ok := l.connections.enter(client, here)
		if !ok {
			l.connections.front.config.Metrics.Refused(limit)
			_ = accepted.Close() // who sent nothing yet loses nothing
			continue
		}
		tcp := accepted.(*net.TCPConn) // listeners are made by Listen alone
		// A kernel that does not want to is no reason to refuse the client.
		_ = tcp.SetWriteBuffer(sendBuffer)
		return &conn{TCPConn: tcp, past: limit, here: here, leave: sync.OnceFunc(leave), header: true}, nil
	}
}

// conn is a connection of a client: which limit it is past, and what came of its next
// request's header.
type conn struct {
	*net.TCPConn
	past  string // the name of a limit, "" for none
	here  bool   // the client is on this machine
	leave func()

	mu     sync.Mutex
	header bool // the next request is waited for, or the handshake before the first
	bytes  int  // that came of it
	late   bool // the last reading had to end before anything came
}

// Close closes the connection, which counts no more then.
func (c *conn) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}

// Read is TCPConn's.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += n
	c.late = errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// handled says that the header of a request came whole, and gives the limit that its
// connection is past. A question for health of this machine, which is answered all the
// same, is asked to be the last one of its connection.
func (c *conn) handled(w http.ResponseWriter, r *http.Request) (past string) {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.header = false
	if c.past != "" && c.here && isProbe(r) {
		w.Header().Set("Connection", "close") // others need its place
		return ""
	}
	return c.past
}

// watch counts connections that end because the header of a request came too slowly or
// was too large: the HTTP server ends them by itself, and there is no request yet.
func (f *Front) watch(served net.Conn, state http.ConnState) {
	c := connOf(served)
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateIdle:
		c.header, c.bytes = true, 0
	case http.StateClosed:
		switch {
		case !c.header || c.bytes == 0: // it was idle
		case c.late:
			f.config.Metrics.Refused("header_rate")
		case c.bytes > MaxHeader:
			f.config.Metrics.Refused("header_size")
		}
	}
}

type connKey struct{}

// withConn lets requests find their connection.
func withConn(ctx context.Context, served net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, connOf(served))
}

// connOf returns what is beneath a connection as the HTTP server has it, nil for one that
// no listener of ours made.
func connOf(served net.Conn) *conn {
	if secure, ok := served.(*tls.Conn); ok {
		served = secure.NetConn()
	}
	c, _ := served.(*conn)
	return c
}

// clientConn returns the connection of a request, nil for one that came by no network.
func clientConn(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}
