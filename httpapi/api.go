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
//     others wait for. What this costs is bounded: memory (work.go), disk (api.go), and the time
//     that an export which finds no room on the disk keeps its moment of the store (events.go).
//   - A panic ends its request and makes the service not ready; it does not end the process.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/logbuf"
	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/sparql/eval"
)

// Config is what an API is made of. Graph, Queries, Journal, Contexts, Revocations, Auth and Log must be there.
type Config struct {
	Graph       store.Graph
	Queries     Querier // of the same store
	Journal     Journal // of every write to it
	Contexts    Contexts
	Backups     Backups     // of it; nil is none
	Revocations Revocations // of tokens, in its file
	Auth        *auth.Authenticator
	Log         *logbuf.Buffer
	Metrics     *metrics.Set // nil counts nothing
	// MetricsToken reads the metrics at ServerOptions.Metrics, as tokens of auditors and admins do; nil is none.
	MetricsToken *auth.FixedToken
	Running      Running // nil keeps nothing
	StoreName    string  // "cayley" or "virtuoso": a member of /healthz/ready
	// SEGB gives clients of SEGB 1.1.1 what they rely on and the specification does not have: Turtle
	// for every query unless the client asks for something else, the member virtuoso of
	// /healthz/ready on every store, and bodies without "user".
	SEGB bool
	// StrictIRIs refuses documents with IRIs or language tags that others may refuse, which are only warned of else.
	StrictIRIs bool
	// Following says how the graph store that answers queries stands to the file; nil where the store answers itself.
	Following func() store.Following
	// Notice is what an operator should know of the file as it was opened, as /health shows it; "" is nothing.
	Notice string
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
	// SpoolDir is where exports and answers to queries wait for slow clients; "" is os.TempDir().
	SpoolDir string

	// Pages makes what answers on the UI's listener besides the API; nil is nothing.
	Pages func(*API) Pages

	Limits Limits
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Limits bound what one client, or all together, may use. A field that is 0 has its default.
type Limits struct {
	Document int64         // bytes of a body of /ttl and /ttl/validate; 16 MiB
	Body     int64         // bytes of any other body; 1 MiB
	BodyDisk int64         // bytes of disk for all bodies that are being received; 1 GiB
	Workers  int           // documents that are read at once, and as many exports that are made; GOMAXPROCS
	Rate     int64         // bytes a second that a client must take or send; 16 KiB
	Patience time.Duration // how long a client may stay behind Rate; 60 s
	// Connections are those of both listeners together, 4,096; ClientConnections those of one client, 1,024: an address of IPv4
	// or the 64 bits of IPv6 that one is given, unless it is a trusted proxy's.
	Connections, ClientConnections int

	FailedTokens int           // tokens that an address may get wrong in a minute; 500
	SpoolDisk    int64         // bytes of disk for all exports that wait; 4 GiB
	Room         time.Duration // how long an export waits for room in its spool; 30 s, and ten times that in all

	ExportPatience time.Duration // how long an export waits for its turn; 10 s

	Memory        int64         // bytes that queries, documents and exports share; 2 GiB
	QueryTime     time.Duration // how long a query runs; 30 s
	QueryMemory   int64         // bytes that a query keeps of them, by its own accounting; 1 GiB
	Queries       int           // how many run at once; the number of processors
	QueryQueue    int           // how many wait for their turn; 64
	QueryPatience time.Duration // how long a query waits for its turn; 10 s
}

func (l Limits) withDefaults() Limits {
	set(&l.Document, 16<<20)
	set(&l.Body, 1<<20)
	set(&l.BodyDisk, 1<<30)
	set(&l.Workers, runtime.GOMAXPROCS(0))
	set(&l.Rate, 16<<10)
	set(&l.Patience, time.Minute)
	set(&l.Connections, 4096)
	set(&l.ClientConnections, 1024)
	set(&l.FailedTokens, 500)
	set(&l.SpoolDisk, 4<<30)
	set(&l.Room, 30*time.Second)
	set(&l.ExportPatience, 10*time.Second)
	set(&l.Memory, 2<<30)
	set(&l.QueryTime, 30*time.Second)
	set(&l.QueryMemory, 1<<30)
	set(&l.Queries, runtime.GOMAXPROCS(0))
	set(&l.QueryQueue, 64)
	set(&l.QueryPatience, 10*time.Second)
	return l
}

// keepFree says how much of a disk exports leave free for the store, which is mostly on the same one. It is no more than it
// must be: an export without room keeps its moment of the store, and then the file grows by all that is written.
func keepFree(disk int64) int64 { return min(1<<30, disk/2) }

// keepFromBodies says how much of a disk stays free of bodies: enough to store what comes next.
func keepFromBodies(disk int64) int64 { return min(64<<20, disk/8) }

func set[T ~int | ~int64](limit *T, value T) {
	if *limit == 0 {
		*limit = value
	}
}

// API answers requests. It is made by New and serves both listeners.
type API struct {
	config      Config
	log         *slog.Logger
	routes      []route
	openAPI     []byte
	failures    *throttle
	spools      *spool.Pool
	memory      *memory.Pool // for requests
	queries     *queryQueue
	processors  *eval.Processors // for queries
	bodies      *spool.Pool      // for what is being received
	work        workload
	makers      *gate // of exports
	exports     exports
	decoders    *gate // of bodies that are decompressed
	active      inFlight
	connections connections
	verdict     verdict // on the store

	draining atomic.Bool // SetReady(false) was called
	panicked atomic.Bool // something is broken that only a restart mends

	pages   Pages // nil where there are none
	api, ui http.Handler
}

// New makes an API, which is ready from the start.
func New(c Config) *API {
	c.Limits = c.Limits.withDefaults()
	if c.Now == nil {
		c.Now = time.Now
	}
	a := &API{
		config:     c,
		log:        c.Log.Logger("segraph.http"),
		failures:   newThrottle(c.Limits.FailedTokens, time.Minute, c.Now),
		spools:     &spool.Pool{Dir: c.SpoolDir, Disk: c.Limits.SpoolDisk, Keep: keepFree, Patience: c.Limits.Room},
		memory:     memory.NewPool(c.Limits.Memory),
		queries:    newQueryQueue(c.Limits),
		processors: eval.NewProcessors(c.Limits.Queries),
		bodies:     &spool.Pool{Memory: 4 << 10, Dir: c.SpoolDir, Disk: c.Limits.BodyDisk, Keep: keepFromBodies},
		makers:     newGate(int64(c.Limits.Workers)),
		exports:    exports{newest: map[exportKind]*sharedExport{}, next: map[exportKind]chan struct{}{}},
		decoders:   newGate(int64(c.Limits.Workers)),
		work: workload{
			processors: newGate(int64(c.Limits.Workers)),
			memory:     newGate(c.Limits.Document),
			patience:   10 * time.Second,
		},
	}
	a.work.shared = a.memory
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

// Handler answers the requests of the API's listener.
func (a *API) Handler() http.Handler { return a.api }

// UIHandler answers the requests of the web UI's listener: its pages, and the API under /api/.
func (a *API) UIHandler() http.Handler { return a.ui }

// SetReady says whether /healthz/ready may answer that the service is ready. Shutting down
// begins with SetReady(false), so that no new work is sent here.
func (a *API) SetReady(ready bool) { a.draining.Store(!ready) }

// guard is deferred at the top of a goroutine that a request starts. A panic there is
// logged and makes the service not ready; then gives what is left to be done.
func (a *API) guard(ctx context.Context, then func()) {
	if value := recover(); value != nil {
		a.logPanic(ctx, value)
		then()
	}
}

// Panicked tells of a panic in a goroutine that is none of the API's: it is logged and makes the service not ready.
// It is called by the deferred function that recovered it.
func (a *API) Panicked(ctx context.Context, value any) { a.logPanic(ctx, value) }

func (a *API) logPanic(ctx context.Context, value any) {
	a.panicked.Store(true)
	a.log.Log(ctx, logbuf.LevelCritical, "panic: the service is not ready any more",
		"panic", value, "stack", string(debug.Stack()))
}
