// Package httpapi is segraph's HTTP interface: what routes there are, who may use them, what
// goes in and out, and the two servers that listen for them. Its rules:
//
//   - Routes are declared in one table (routes.go). The router, the OpenAPI document and the
//     tests of roles are made from it.
//   - Who asks is decided before the body is read: 401, then 403, then what is wrong with
//     the body.
//   - A handler returns its error; problemOf alone turns errors into statuses. Errors are
//     problem documents (RFC 9457).
//   - No request waits for a slow client while it holds something of the store, or a place that
//     others wait for. What this costs is bounded: memory, disk, and the time that an export which
//     finds no room on the disk keeps its read snapshot; see service.Limits.
//   - A panic ends its request and makes the service not ready; it does not end the process.
package httpapi

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/service"
)

// Config is what an API is made of: its service, and what its listeners need.
type Config struct {
	service.Config
	Metrics *metrics.Set // nil counts nothing
	// MetricsToken reads the metrics at ServerOptions.Metrics, as tokens of auditors and admins do; nil is none.
	MetricsToken *auth.FixedToken
	// Failed returns why the process has to be started again, which /healthz/live says from then on; nil is never.
	Failed  func() error
	Version string // of this program, as the documentation shows it

	// TrustedProxies are the networks whose X-Forwarded-For and -Host are believed.
	TrustedProxies []netip.Prefix
	// CORSOrigins are the origins, such as http://localhost:5173, whose pages may call
	// the API from a browser. Without any, CORS is off.
	CORSOrigins []string
	// Hosts are names of this service that are accepted besides those that nobody on the
	// internet can have. Without authentication, requests for other names are refused.
	Hosts []string
	// BasePath is what comes before every path of both listeners, such as "/seg", where a proxy
	// serves other things beside; "" is nothing.
	BasePath string

	// Pages makes what answers on the UI's listener besides the API; nil is nothing.
	Pages func(*API) Pages
}

// keepFromBodies returns how much of a disk stays free of bodies: enough to store what comes next.
func keepFromBodies(disk int64) int64 { return min(64<<20, disk/8) }

// API answers requests. It is made by New and serves both listeners.
type API struct {
	config      Config
	service     *service.Service
	log         *slog.Logger
	routes      []route
	openAPI     []byte
	failures    *throttle
	bodies      *spool.Pool // for what is being received
	active      inFlight
	connections connections

	pages   Pages // nil where there are none
	api, ui http.Handler
}

// New makes an API and its service, which is ready from the start.
func New(c Config) *API {
	s := service.New(c.Config)
	c.Config = s.Config()
	a := &API{
		config:   c,
		service:  s,
		log:      c.Log.Logger("segraph.http"),
		failures: newThrottle(c.Limits.FailedTokens, time.Minute, c.Now),
		bodies:   &spool.Pool{Memory: 4 << 10, Dir: c.SpoolDir, Disk: c.Limits.BodyDisk, Keep: keepFromBodies},
	}
	a.connections = connections{api: a, here: sameMachine, of: map[netip.Prefix]int{}}
	c.Metrics.Limits(limitNames...)
	a.routes = a.declare()
	a.openAPI = document(a.routes, c.Version, c.SEGB)
	a.api = a.below(a.frame(a.ownSite(a.router(""))))
	if c.Pages != nil {
		a.pages = c.Pages(a)
	}
	a.ui = a.below(a.frame(a.uiHandler()))
	return a
}

// Service returns the service behind the API.
func (a *API) Service() *service.Service { return a.service }

// Handler answers the requests of the API's listener.
func (a *API) Handler() http.Handler { return a.api }

// UIHandler answers the requests of the web UI's listener: its pages, and the API under /api/.
func (a *API) UIHandler() http.Handler { return a.ui }
