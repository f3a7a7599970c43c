// Package front holds what the front ends, httpapi and views, share over HTTP: listeners,
// the frame of every request, authentication, bodies and forms, and sending errors,
// exports and query answers. Its rules:
//
//   - The caller is checked before the body is read: 401, then 403, then errors of the body.
//   - A handler returns its error. ProblemOf alone turns errors into statuses. Errors are problem
//     documents (RFC 9457), or pages.
//   - No request waits for a slow client while it holds a resource of the store, or a slot that
//     others wait for. The cost is bounded: memory, disk, and how long an export without room on
//     the disk keeps its read snapshot; see service.Limits.
//   - A page of another site can change nothing.
package front

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
)

// Config configures a Front.
type Config struct {
	Service *service.Service
	Metrics *metrics.Set // nil disables counting
	// TrustedProxies are the networks whose X-Forwarded-For and X-Forwarded-Host are
	// trusted.
	TrustedProxies []netip.Prefix
	// CORSOrigins are the origins, such as http://localhost:5173, whose pages may call
	// the API from a browser. Empty disables CORS.
	CORSOrigins []string
	// Hosts are further names of this service. Without authentication, requests for other
	// names are refused, except for names that nobody on the internet can own.
	Hosts []string
	// BasePath is the prefix of every path of both listeners, such as "/seg", for proxies
	// that also serve other applications. It may be "".
	BasePath string
	// Guests reports whether other machines may request a path of the UI's listener. If
	// nil, they may request every path.
	Guests func(path string) bool
	// SameMachine reports whether a client is on this machine. If nil, the addresses of
	// its connection decide.
	SameMachine func(client, own netip.Addr) bool
	// KeepFromBodies returns how many bytes received bodies leave free on a disk of the
	// given size. If nil, that is an eighth and at most 64 MiB, which is enough to store
	// the next writes.
	KeepFromBodies func(disk int64) int64
}

// Front connects the listeners with the handlers of both front ends. Create one with New.
type Front struct {
	config      Config
	service     *service.Service
	limits      service.Limits
	auth        *auth.Authenticator
	following   func() []store.Following // nil if the file answers queries
	log         *slog.Logger
	failures    *throttle
	bodies      *spool.Pool  // bodies being received
	heads       atomic.Int64 // bytes of them in memory
	active      inFlight
	connections connections
	ports       ports
	routes      router // of the API below /api; nil without a web UI
}

// New returns a front for a service.
func New(c Config) *Front {
	s := c.Service.Config()
	if c.SameMachine == nil {
		c.SameMachine = sameMachine
	}
	if c.KeepFromBodies == nil {
		c.KeepFromBodies = func(disk int64) int64 { return min(64<<20, disk/8) }
	}
	f := &Front{
		config:    c,
		service:   c.Service,
		limits:    s.Limits,
		auth:      s.Auth,
		following: s.Following,
		log:       s.Log.Logger("segraph.http"),
		failures:  newThrottle(s.Limits.FailedTokens, time.Minute, s.Now),
		bodies:    &spool.Pool{Memory: 4 << 10, Dir: s.SpoolDir, Disk: s.Limits.BodyDisk, Files: s.Limits.Files, Keep: c.KeepFromBodies},
	}
	f.connections = connections{front: f, here: c.SameMachine, of: map[netip.Prefix]int{}}
	c.Metrics.Limits(LimitNames...)
	return f
}

// Service returns the service behind the front.
func (f *Front) Service() *service.Service { return f.service }

// API wraps the handler of the API's listener.
func (f *Front) API(api http.Handler) http.Handler { return f.below(f.Wrap(f.ownSite(api))) }

// UI returns the handler of the web UI's listener: the API under /api/, and pages. pages
// may be nil.
func (f *Front) UI(api http.Handler, pages Pages) http.Handler {
	f.routes, _ = api.(router)
	api = f.ownSite(api)
	if pages == nil {
		return f.below(f.Wrap(api))
	}
	shown := f.ownSite(pages)
	return f.below(f.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next := api
		if !strings.HasPrefix(r.URL.Path+"/", "/api/") {
			requestOf(r).pages, next = pages, shown
			if f.missedForm(r) {
				requestOf(r).pages = nil
				f.Fail(w, r, f.elsewhere(r))
				return
			}
		}
		if f.Guest(r) && !f.config.Guests(r.URL.Path) {
			f.Fail(w, r, NewProblem(http.StatusForbidden, "other machines can only vote here; scan the code on the stage"))
			return
		}
		next.ServeHTTP(w, r)
	})))
}

// Guest reports whether a request comes from another machine, and Config.Guests says what it
// may open.
func (f *Front) Guest(r *http.Request) bool {
	if f.config.Guests == nil {
		return false
	}
	own, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	var here netip.Addr
	if own != nil {
		here = parseAddress(own.String())
	}
	return !f.config.SameMachine(requestOf(r).address, here)
}

// Metrics returns the metrics of the requests. It may be nil.
func (f *Front) Metrics() *metrics.Set { return f.config.Metrics }

// Stats describes the current load of the listeners.
type Stats struct {
	Connections     int   // within the limits, and further requests at once over HTTP/2
	Refused, Probes int   // connections past the limits: those sent an error, and local health checks
	Requests        int   // being answered
	BodyBytes       int64 // bytes on disk of bodies being received
	HeadBytes       int64 // bytes in memory of such bodies, but for small ones
}

// Stats returns the current load. It does not block.
func (f *Front) Stats() Stats {
	s := f.connections.count()
	s.Requests, s.BodyBytes, s.HeadBytes = f.active.count(), f.bodies.Used(), f.heads.Load()
	return s
}
