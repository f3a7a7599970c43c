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

// sendBuffer is the requested size of a connection's send buffer in the kernel. By
// default the buffer grows to megabytes for a fast client. A slow one would then seem to
// stall for minutes between two writes.
const sendBuffer = 512 << 10

// Limits of an HTTP/2 connection: concurrent requests, and bytes of their bodies received
// ahead of the handlers.
const (
	maxStreams   = 32
	receiveAhead = 128 << 10
)

// minAbortTime is the least time that aborted requests get to end.
const minAbortTime = 5 * time.Second

// ServerOptions configure a Server: addresses and timeouts. A timeout of 0 means its
// default.
type ServerOptions struct {
	API, UI string // addresses of the two listeners, such as ":5000"; port 0 means any free port
	Metrics string // address of a third listener, for metrics with a token; "" disables it

	TLS *tls.Config // nil means plain HTTP

	ReadHeader time.Duration // limit for receiving a request's header; 10 s
	Idle       time.Duration // limit for the next request on a connection; 2 min
	Shutdown   time.Duration // limit for requests to end during a shutdown; 10 s
}

// Handlers are the handlers of the listeners, each wrapped by Front.API, Front.UI or
// Front.Wrap.
type Handlers struct {
	API, UI http.Handler
	Metrics http.Handler // nil if there is no listener for metrics
}

// Server serves a Front on its listeners. Create one with Listen, then call Serve.
type Server struct {
	front     *Front
	options   ServerOptions
	listeners []net.Listener // the API's, the UI's and, if configured, the metrics'
	handlers  []http.Handler // in the same order
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
	f.ports = ports{portOf(s.APIAddr()), portOf(s.UIAddr())}
	return s, nil
}

// APIAddr returns the address of the API's listener.
func (s *Server) APIAddr() net.Addr { return s.listeners[0].Addr() }
func (s *Server) UIAddr() net.Addr  { return s.listeners[1].Addr() }

// MetricsAddr returns the address of the metrics' listener, or nil if there is none.
func (s *Server) MetricsAddr() net.Addr {
	if s.options.Metrics == "" {
		return nil
	}
	return s.listeners[2].Addr()
}

// Close closes the listeners of a server whose Serve is never called.
func (s *Server) Close() (err error) {
	for _, l := range s.listeners {
		err = errors.Join(err, l.Close())
	}
	return err
}

// Serve answers requests until ctx ends, then shuts down:
//
//   - The service reports that it is not ready, and new connections are refused.
//   - Running requests get ServerOptions.Shutdown to end.
//   - The rest, such as clients that still read, are aborted and get as much time again.
//
// Serve returns nil when no request is left, so that the store may be closed. It returns
// an error if a request did not end in time, and may still use the store, or if a
// listener failed.
func (s *Server) Serve(ctx context.Context) error {
	log := s.front.service.Config().Log.Logger("segraph.http")
	// Requests outlive ctx until the shutdown aborts them.
	requests, breakOff := context.WithCancelCause(context.WithoutCancel(ctx))
	defer breakOff(errShutdown)

	servers := make([]*http.Server, len(s.listeners))
	ended := make(chan error, len(servers))
	for i := range servers {
		servers[i] = s.server(requests, s.handlers[i], log)
		go func() { ended <- servers[i].Serve(s.listeners[i]) }()
	}

	var failed error
	running := len(servers)
	select {
	case <-ctx.Done():
		s.front.service.SetReady(false)
		log.InfoContext(requests, "shutting down", "active", s.front.active.count())
	case failed = <-ended: // if one listener fails, stop the others
		s.front.service.SetReady(false)
		running--
	}

	limit, cancel := context.WithTimeout(requests, s.options.Shutdown)
	defer cancel()
	if err := shutdown(limit, servers); err != nil {
		log.WarnContext(requests, "aborting the requests that take too long", "active", s.front.active.count(), "error", err)
	}
	breakOff(errShutdown)
	var late error
	for _, server := range servers {
		late = errors.Join(late, server.Close())
	}
	for ; running > 0; running-- {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			failed = errors.Join(failed, err)
		}
	}
	// Aborted requests see their context end and return. That takes a moment.
	last, cancelLast := context.WithTimeout(context.WithoutCancel(ctx), max(s.options.Shutdown, minAbortTime))
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

// server returns an HTTP server for a listener, whose requests have the context requests.
func (s *Server) server(requests context.Context, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: s.options.ReadHeader,
		IdleTimeout:       s.options.Idle,
		MaxHeaderBytes:    s.front.limits.Header,

		// A slow client ends only its own request, as over HTTP/1.1 (transfer.go).
		// These end a stalled connection.
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerConnection: receiveAhead, MaxReceiveBufferPerStream: receiveAhead,
			SendPingTimeout: s.options.Idle / 4, PingTimeout: 15 * time.Second, WriteByteTimeout: s.front.limits.Patience,
		},

		DisableGeneralOptionsHandler: true, // treat "OPTIONS *" like any other request
		BaseContext:                  func(net.Listener) context.Context { return requests },
		ConnContext:                  withConn,
		ConnState:                    s.front.watch,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// shutdown closes the listeners of all servers and waits for their requests.
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
