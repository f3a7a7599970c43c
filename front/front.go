// Package front is what the front ends, httpapi and webui, share over HTTP: the
// listeners, what every request goes through, who may ask, bodies and forms, and how
// errors, exports and answers to queries are sent. Its rules:
//
//   - Who asks is decided before the body is read: 401, then 403, then what is wrong with the body.
//   - A handler returns its error; ProblemOf alone turns errors into statuses. Errors are problem
//     documents (RFC 9457), or pages.
//   - No request waits for a slow client while it holds something of the store, or a place that
//     others wait for. What this costs is bounded: memory, disk, and the time that an export which
//     finds no room on the disk keeps its read snapshot; see service.Limits.
//   - A page of another site can change nothing.
package front

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
)

// Config is what a Front is made of.
type Config struct {
	Service *service.Service
	Metrics *metrics.Set // nil counts nothing
	// TrustedProxies are the networks whose X-Forwarded-For and -Host are believed.
	TrustedProxies []netip.Prefix
	// CORSOrigins are the origins, such as http://localhost:5173, whose pages may call
	// the API from a browser. Without any, CORS is off.
	CORSOrigins []string
	// Hosts are names of this service that are accepted besides those that nobody on the
	// internet can have. Without authentication, requests for other names are refused.
	Hosts []string
	// BasePath is what comes before every path of both listeners, such as "/seg", where a
	// proxy serves other things beside; "" is nothing.
	BasePath string
	// SameMachine reports whether a client is on this machine; nil compares the addresses
	// of its connection.
	SameMachine func(client, own netip.Addr) bool
	// KeepFromBodies returns how much bodies leave free of a disk of so many bytes; nil
	// leaves an eighth, and no more than 64 MiB: enough to store what comes next.
	KeepFromBodies func(disk int64) int64
}

// Front stands between the listeners and the handlers of both front ends. It is made by
// New.
type Front struct {
	config      Config
	service     *service.Service
	limits      service.Limits
	auth        *auth.Authenticator
	following   func() store.Following // nil if the file answers queries
	log         *slog.Logger
	failures    *throttle
	bodies      *spool.Pool // for what is being received
	active      inFlight
	connections connections
}

// New makes a front of a service.
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
		bodies:    &spool.Pool{Memory: 4 << 10, Dir: s.SpoolDir, Disk: s.Limits.BodyDisk, Keep: c.KeepFromBodies},
	}
	f.connections = connections{front: f, here: c.SameMachine, of: map[netip.Prefix]int{}}
	c.Metrics.Limits(LimitNames...)
	return f
}

// Service returns the service behind the front.
func (f *Front) Service() *service.Service { return f.service }

// API serves the listener of the API.
func (f *Front) API(api http.Handler) http.Handler { return f.below(f.Frame(f.ownSite(api))) }

// UI serves the listener of the web UI: the API under /api/, and pages; nil is no pages.
func (f *Front) UI(api http.Handler, pages Pages) http.Handler {
	api = f.ownSite(api)
	if pages == nil {
		return f.below(f.Frame(api))
	}
	shown := f.ownSite(pages)
	return f.below(f.Frame(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path+"/", "/api/") {
			api.ServeHTTP(w, r)
			return
		}
		requestOf(r).pages = pages
		shown.ServeHTTP(w, r)
	})))
}

// Metrics returns what counts the requests; it may be nil.
func (f *Front) Metrics() *metrics.Set { return f.config.Metrics }

// Stats is what the listeners are doing now.
type Stats struct {
	Connections  int   // within the limits
	Told, Probes int   // connections past them: those that are told so, and those of this machine that ask for health
	Requests     int   // that are being answered
	BodyBytes    int64 // of disk, of what is being received
}

// Stats returns what the listeners are doing now. It waits for nothing.
func (f *Front) Stats() Stats {
	s := f.connections.count()
	s.Requests, s.BodyBytes = f.active.count(), f.bodies.Used()
	return s
}
