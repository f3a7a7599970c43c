package front

import (
	"cmp"
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

// MaxRefused is how many connections, or requests over HTTP/2, past the limits are answered at once with an error.
// Further ones get none.
const MaxRefused = 64

// MaxYielded is how many connections past the limits may be on their way out, with those from this
// machine that turned out to be no health checks.
const MaxYielded = 2 * MaxRefused

// MaxProbes is how many connections from this machine are served past the limits, for one
// health request each. So local monitoring gets an answer while other clients hold all
// connections.
const MaxProbes = 16

// connections bounds the connections of both listeners together, and those of each
// client. Further requests at once on an HTTP/2 connection count as connections.
type connections struct {
	front *Front
	here  func(client, own netip.Addr) bool // reports whether the client is on this machine

	mu      sync.Mutex
	open    int // connections within the limits
	refused int // connections and requests past them that are sent an error
	probes  int // those past them that are, or may be, health checks of this machine
	of      map[netip.Prefix]int
}

// sameMachine reports whether a connection comes from this machine: from a loopback
// address, or from the address that it connects to.
func sameMachine(client, own netip.Addr) bool {
	return client.IsLoopback() || client.IsValid() && client == own
}

// isProbe reports whether a request is a health check, on either listener.
func isProbe(r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.Path, "/api")
	return path == "/healthz/live" || path == "/healthz/ready"
}

// enter counts a connection from an address. here says that it comes from this machine, whose probes get an
// answer also when others don't. limit is the name of the limit that it exceeds, or "". If ok is false, the
// caller must close the connection at once; otherwise it calls leave when it closes.
func (c *connections) enter(address netip.Addr, here bool) (limit string, leave func(), ok bool) {
	limits, client := c.front.limits, network(address)
	// A proxy's connections are those of many clients.
	isProxy := slices.ContainsFunc(c.front.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(address) })
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !isProxy && c.of[client] >= limits.ClientConnections:
		limit = "client_connections"
	case c.open >= limits.Connections:
		limit = "connections"
	}
	if limit != "" {
		places, maxPlaces := &c.refused, MaxRefused
		if here {
			places, maxPlaces = &c.probes, MaxProbes
		}
		if *places >= maxPlaces {
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

func (c *connections) count() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Connections: c.open, Refused: c.refused, Probes: c.probes}
}

func (f *Front) refusedConnection(limit string) *Problem {
	p := NewProblem(http.StatusServiceUnavailable, "there are too many connections or requests, more than %d at once; try again later", f.limits.Connections)
	if limit == "client_connections" {
		p = NewProblem(http.StatusTooManyRequests, "there are too many connections from your address, or requests, more than %d at once; reuse the open ones",
			f.limits.ClientConnections)
	}
	return p.limited(limit).retryAfter(10 * time.Second)
}

// listener counts its connections and bounds their send buffers.
type listener struct {
	net.Listener
	connections *connections
}

// Accept returns the next connection to serve.
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
			_ = accepted.Close() // the client has sent nothing yet
			continue
		}
		tcp := accepted.(*net.TCPConn) // only Listen makes listeners
		// A failure here does not matter to the client.
		_ = tcp.SetWriteBuffer(sendBuffer)
		return &conn{TCPConn: tcp, connections: l.connections, past: limit, here: here, leave: sync.OnceFunc(leave), header: true}, nil
	}
}

// conn is a client's connection, with the limit that it exceeds and the state of its next
// request's header.
type conn struct {
	*net.TCPConn
	connections *connections
	past        string // the exceeded limit, or ""
	here        bool   // the client is on this machine

	mu       sync.Mutex
	leave    func()
	closed   bool
	header   bool     // waiting for the next request, or for the handshake before the first
	bytes    int      // bytes of it received
	timedOut bool     // the last read timed out before any data arrived
	requests int      // over HTTP/2: those at once
	places   []func() // give back the places of requests; one request needs none
}

// Close closes the connection and stops counting it.
func (c *conn) Close() error {
	c.mu.Lock()
	leave := c.leave
	c.closed = true
	c.mu.Unlock()
	defer leave()
	return c.TCPConn.Close()
}

// yield gives back the place for health checks that a connection took, because its request is something else,
// which may take seconds. The connection gets a place for refused ones instead, or is closed if none
// is left. The caller holds c.mu.
func (c *conn) yield() {
	if c.closed { // it has no place, and would never give one back
		return
	}
	c.leave()
	all := c.connections
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.refused >= MaxYielded {
		_ = c.TCPConn.Close() // the client has no answer yet
		return
	}
	all.refused++
	c.leave = sync.OnceFunc(func() { all.mu.Lock(); all.refused--; all.mu.Unlock() })
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += n
	c.timedOut = errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// handled records that the header of a request is complete. past is the limit that the connection exceeds, or the
// request, "" if none. A local health check is still answered, and then its connection is closed. The caller calls end
// when the request has ended.
func (c *conn) handled(w http.ResponseWriter, r *http.Request) (past string, end func()) {
	end = func() {}
	if c == nil {
		return "", end
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.header = false
	probe := c.here && isProbe(r)
	if r.ProtoMajor == 2 {
		past, end = c.enter(probe)
	}
	if c.past == "" {
		return past, end
	}
	w.Header().Set("Connection", "close") // others need the slot
	if probe {
		return "", end
	}
	if c.here && c.connections != nil {
		c.yield()
	}
	return c.past, end
}

// enter counts a request over HTTP/2. The first of those that a connection has at once uses the connection's place. Each
// further one takes a place of its own, since it needs as much memory. past is the limit that it exceeds, or "". If there
// is no place for an answer that says so, enter breaks the request off. The caller holds c.mu.
func (c *conn) enter(probe bool) (past string, end func()) {
	var own func() // gives back a place past the limits
	if c.requests > 0 {
		ok := false
		var leave func()
		if c.past == "" {
			past, leave, ok = c.connections.enter(parseAddress(c.RemoteAddr().String()), probe)
		}
		switch {
		case !ok:
			c.connections.front.config.Metrics.Refused(cmp.Or(c.past, past))
			panic(http.ErrAbortHandler)
		case past == "":
			c.places = append(c.places, leave)
		default:
			own = leave
		}
		if probe {
			past = ""
		}
	}
	c.requests++
	return past, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests--
		if last := len(c.places) - 1; own != nil {
			own()
		} else if last >= 0 {
			c.places[last]()
			c.places = c.places[:last]
		}
	}
}

// watch counts connections that end because a request's header arrived too slowly or was
// too large. The HTTP server closes these itself, before there is a request.
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
		case c.timedOut:
			f.config.Metrics.Refused("header_rate")
		case c.bytes > f.limits.Header:
			f.config.Metrics.Refused("header_size")
		}
	}
}

type connKey struct{}

// withConn stores the connection in the context of its requests.
func withConn(ctx context.Context, served net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, connOf(served))
}

// connOf returns the conn beneath a connection of the HTTP server, or nil if none of our
// listeners made it.
func connOf(served net.Conn) *conn {
	if secure, ok := served.(*tls.Conn); ok {
		served = secure.NetConn()
	}
	c, _ := served.(*conn)
	return c
}

// clientConn returns the connection of a request, or nil if it did not come over a
// network.
func clientConn(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}
