package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// maxHeader bounds the header of a request in bytes. With 500 slow clients that is 64 MiB.
const maxHeader = 128 << 10

// sendBuffer is the size that a connection's buffer in the kernel is asked to have. Left to
// itself it grows to megabytes for a fast peer, and a slow one would then seem to stand
// still for minutes between two pieces.
const sendBuffer = 512 << 10

// lastMoment is how long requests that were broken off have to notice it, at least.
const lastMoment = 5 * time.Second

// ServerOptions say where a Server listens and how patient it is. A time that is 0 has its default.
type ServerOptions struct {
	API, UI string // addresses of the two listeners, such as ":5000"; port 0 is any free one

	TLS *tls.Config // nil is plain HTTP

	ReadHeader time.Duration // for a request's header to come; 10 s
	Idle       time.Duration // for the next request on a connection; 2 min
	Shutdown   time.Duration // for requests to end once the server is told to stop; 10 s
}

// Server is an API on its two listeners. It is made by Listen, and Serve must then be called.
type Server struct {
	api       *API
	options   ServerOptions
	listeners [2]net.Listener // the API's, the UI's
}

// Listen opens both listeners. Requests wait in the kernel until Serve is called.
func (a *API) Listen(ctx context.Context, o ServerOptions) (*Server, error) {
	set(&o.ReadHeader, 10*time.Second)
	set(&o.Idle, 2*time.Minute)
	set(&o.Shutdown, 10*time.Second)
	s := &Server{api: a, options: o}
	var config net.ListenConfig
	for i, address := range []string{o.API, o.UI} {
		l, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			err = fmt.Errorf("listen on %s: %w", address, err)
			if i > 0 {
				err = errors.Join(err, s.listeners[0].Close())
			}
			return nil, err
		}
		s.listeners[i] = listener{l, &a.connections}
		if o.TLS != nil {
			s.listeners[i] = tls.NewListener(s.listeners[i], o.TLS)
		}
	}
	return s, nil
}

// APIAddr and UIAddr tell where the listeners are.
func (s *Server) APIAddr() net.Addr { return s.listeners[0].Addr() }
func (s *Server) UIAddr() net.Addr  { return s.listeners[1].Addr() }

// Close closes the listeners of a server that does not get to Serve.
func (s *Server) Close() error { return errors.Join(s.listeners[0].Close(), s.listeners[1].Close()) }

// Serve answers requests until ctx ends, and shuts down then: the service says that it is
// not ready, takes no new connections, lets the requests that run end, for
// ServerOptions.Shutdown at most, and then breaks off the rest, such as a client that still
// reads, and gives them as much time again. It comes back when no request is left, so that the
// store may be closed; or after that time with an error, while a request that can't be brought to an
// end may still use the store. An error may also say that a listener failed.
func (s *Server) Serve(ctx context.Context) error {
	log := s.api.config.Log.Logger("segraph.http")
	// Requests outlive ctx, until shutting down breaks them off.
	requests, breakOff := context.WithCancel(context.WithoutCancel(ctx))
	defer breakOff()

	handlers := [2]http.Handler{s.api.Handler(), s.api.UIHandler()}
	var servers [2]*http.Server
	ended := make(chan error, len(servers))
	for i := range servers {
		servers[i] = &http.Server{
			Handler:           handlers[i],
			ReadHeaderTimeout: s.options.ReadHeader,
			IdleTimeout:       s.options.Idle,
			MaxHeaderBytes:    maxHeader,

			DisableGeneralOptionsHandler: true, // "OPTIONS *" is a request like any other
			BaseContext:                  func(net.Listener) context.Context { return requests },
			ConnContext:                  withConn,
			ConnState:                    s.api.watch,
			ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		}
		go func() { ended <- servers[i].Serve(s.listeners[i]) }()
	}

	var failed error
	running := len(servers)
	select {
	case <-ctx.Done():
		s.api.SetReady(false)
		log.InfoContext(requests, "shutting down", "active", s.api.active.count())
	case failed = <-ended: // one of them can't go on; the other is not left alone
		s.api.SetReady(false)
		running--
	}

	limit, cancel := context.WithTimeout(requests, s.options.Shutdown)
	defer cancel()
	if err := shutdown(limit, servers); err != nil {
		log.WarnContext(requests, "breaking off the requests that take too long", "active", s.api.active.count(), "error", err)
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
	late = errors.Join(late, s.api.active.wait(last))
	if failed != nil {
		return fmt.Errorf("serve: %w", errors.Join(failed, late))
	}
	if late != nil {
		return fmt.Errorf("shut down: %w", late)
	}
	return nil
}

// shutdown closes the listeners and waits for the requests of both servers.
func shutdown(ctx context.Context, servers [2]*http.Server) error {
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
