package front

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// MaxHeader bounds the header of a request in bytes. With 500 slow clients that is 64 MiB.
const MaxHeader = 128 << 10

// sendBuffer is the size that a connection's buffer in the kernel is asked to have. Left to
// itself it grows to megabytes for a fast peer, and a slow one would then seem to stand
// still for minutes between two pieces.
const sendBuffer = 512 << 10

// Bounds of a connection of HTTP/2: how many requests it has at once, and how much of
// their bodies is received ahead of their handlers.
const (
	maxStreams   = 32
	receiveAhead = 128 << 10
)

// lastMoment is how long requests that were broken off have to notice it, at least.
const lastMoment = 5 * time.Second

// ServerOptions say where a Server listens and how patient it is. A time that is 0 has
// its default.
type ServerOptions struct {
	API, UI string // addresses of the two listeners, such as ":5000"; port 0 is any free one
	Metrics string // address of a third one, for metrics with a token; "" is none

	TLS *tls.Config // nil is plain HTTP

	ReadHeader time.Duration // for a request's header to come; 10 s
	Idle       time.Duration // for the next request on a connection; 2 min
	Shutdown   time.Duration // for requests to end once the server is told to stop; 10 s
}

// Handlers answer the requests of the listeners, each behind Front.API, Front.UI or
// Front.Frame.
type Handlers struct {
	API, UI http.Handler
	Metrics http.Handler // nil unless there is a listener for metrics
}

// Server is a service on its listeners. It is made by Listen, and Serve must then be
// called.
type Server struct {
	front     *Front
	options   ServerOptions
	listeners []net.Listener // the API's, the UI's, and the metrics' if there is one
	handlers  []http.Handler // of the same
}

// Listen opens the listeners. Requests wait in the kernel until Serve is called.
func (f *Front) Listen(ctx context.Context, o ServerOptions, h Handlers) (*Server, error) {
	o.ReadHeader, o.Idle, o.Shutdown = cmp.Or(o.ReadHeader, 10*time.Second), cmp.Or(o.Idle, 2*time.Minute), cmp.Or(o.Shutdown, 10*time.Second)
	s := &Server{front: f, options: o, handlers: []http.Handler{h.API, h.UI}}
	addresses := []string{o.API, o.UI}
	if o.Metrics != "" {
		addresses, s.handlers = append(addresses, o.Metrics), append(s.handlers, h.Metrics)
	}
	var config net.ListenConfig
	for _, address := range addresses {
		accepted, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listen on %s: %w", address, err), s.Close())
		}
		var l net.Listener = listener{accepted, &f.connections}
		if o.TLS != nil {
			l = tls.NewListener(l, o.TLS)
		}
		s.listeners = append(s.listeners, l)
	}
	return s, nil
}

// APIAddr and UIAddr tell where the listeners are.
func (s *Server) APIAddr() net.Addr { return s.listeners[0].Addr() }
func (s *Server) UIAddr() net.Addr  { return s.listeners[1].Addr() }

// MetricsAddr tells where the metrics' listener is; nil where there is none.
func (s *Server) MetricsAddr() net.Addr {
	if len(s.listeners) < 3 {
		return nil
	}
	return s.listeners[2].Addr()
}

// Close closes the listeners of a server that does not get to Serve.
func (s *Server) Close() (err error) {
	for _, l := range s.listeners {
		err = errors.Join(err, l.Close())
	}
	return err
}

// Serve answers requests until ctx ends, and shuts down then: the service says that it is
// not ready, takes no new connections, lets the requests that run end, for
// ServerOptions.Shutdown at most, and then breaks off the rest, such as a client that
// still reads, and gives them as much time again. It comes back when no request is left,
// so that the store may be closed; or after that time with an error, while a request that
// can't be brought to an end may still use the store. An error may also say that a
// listener failed.
func (s *Server) Serve(ctx context.Context) error {
	log := s.front.service.Config().Log.Logger("segraph.http")
	// Requests outlive ctx, until shutting down breaks them off.
	requests, breakOff := context.WithCancel(context.WithoutCancel(ctx))
	defer breakOff()

	servers := make([]*http.Server, len(s.listeners))
	ended := make(chan error, len(servers))
	for i := range servers {
		servers[i] = &http.Server{
			Handler:           s.handlers[i],
			ReadHeaderTimeout: s.options.ReadHeader,
			IdleTimeout:       s.options.Idle,
			MaxHeaderBytes:    MaxHeader,

			// What a client takes too slowly ends its own request, as over HTTP/1.1
			// (transfer.go). These end a connection that stands still.
			HTTP2: &http.HTTP2Config{
				MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerConnection: receiveAhead, MaxReceiveBufferPerStream: receiveAhead,
				SendPingTimeout: s.options.Idle / 4, PingTimeout: 15 * time.Second, WriteByteTimeout: s.front.limits.Patience,
			},

			DisableGeneralOptionsHandler: true, // "OPTIONS *" is a request like any other
			BaseContext:                  func(net.Listener) context.Context { return requests },
			ConnContext:                  withConn,
			ConnState:                    s.front.watch,
			ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		}
		go func() { ended <- servers[i].Serve(s.listeners[i]) }()
	}

	var failed error
	running := len(servers)
	select {
	case <-ctx.Done():
		s.front.service.SetReady(false)
		log.InfoContext(requests, "shutting down", "active", s.front.active.count())
	case failed = <-ended: // one of them can't go on, and the others do not go on alone
		s.front.service.SetReady(false)
		running--
	}

	limit, cancel := context.WithTimeout(requests, s.options.Shutdown)
	defer cancel()
	if err := shutdown(limit, servers); err != nil {
		log.WarnContext(requests, "breaking off the requests that take too long", "active", s.front.active.count(), "error", err)
	}
	breakOff()
	var late error
	for _, server := range servers {
		late = errors.Join(late, server.Close())
	}
	for ; running > 0; running-- {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			failed = errors.Join(failed, err)
		}
	}
	// What was broken off sees its context end and gives up; that takes a moment.
	last, cancelLast := context.WithTimeout(context.WithoutCancel(ctx), max(s.options.Shutdown, lastMoment))
	defer cancelLast()
	late = errors.Join(late, s.front.active.wait(last))
	if failed != nil {
		return fmt.Errorf("serve: %w", errors.Join(failed, late))
	}
	if late != nil {
		return fmt.Errorf("shut down: %w", late)
	}
	return nil
}

// shutdown closes the listeners and waits for the requests of all servers.
func shutdown(ctx context.Context, servers []*http.Server) error {
	done := make(chan error, len(servers))
	for _, server := range servers {
		go func() { done <- server.Shutdown(ctx) }()
	}
	var err error
	for range servers {
		err = errors.Join(err, <-done)
	}
	return err
}
