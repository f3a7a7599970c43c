// Package app opens, wires and runs a service: the store with what follows it, the resolver, the use cases,
// and the listeners of the API and the web UI. The commands serve and demo run it.
package app

import (
	"context"
	"errors"
	"io"
	"net"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/headroom"
	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/retention"
	"github.com/segraph/segraph/views/reports"
)

// Options configures a run.
type Options struct {
	Settings *config.Config
	Stderr   io.Writer // gets the server log
	// Sourced returns the settings with their sources, for the page that lists them; nil lists none.
	Sourced func() ([]config.Sourced, error)

	// Print writes a message for people: a warning, or what the service has to say. If it is nil, the
	// server log reports the same.
	Print func(warning bool, words string)

	Fill  func(context.Context, *service.Service) error // called before the service listens; may be nil
	Play  *reports.Play                                 // a live demo to play, or nil
	Ready func(ui string)                               // called with the address of the web UI once the service listens; may be nil

	// Guest says that another service of this process, which ends later, sets the memory limit of Go's runtime.
	Guest bool

	restored *backup.Restored // what the restore before this run did, or nil
}

// Run runs a service until ctx ends, and then closes it. It returns an error if the settings contradict each
// other (a *config.Error), if the store can't be opened, if an address is in use, or if the service did not
// end cleanly. It sets the memory limit of Go's runtime meanwhile, unless it is a Guest, and has the process ignore SIGPIPE, also
// afterwards. If an admin asks to restore a backup, it closes the service, restores it, and runs the service again.
func Run(ctx context.Context, o Options) error {
	a := &app{}
	err := a.run(ctx, o)
	for w := a.wanted.Load(); w != nil && ctx.Err() == nil; w = a.wanted.Load() {
		o, a = a.again(ctx, w, err), &app{served: w.served}
		if err = nil; ctx.Err() == nil { // otherwise it was stopped during the restore
			err = a.run(ctx, o)
		}
		w.served()
	}
	return err
}

// run runs the service once.
func (a *app) run(ctx context.Context, o Options) (err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	a.Options, a.c, a.end = o, o.Settings, end
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.open(ctx); err != nil {
		return err
	}
	if err := a.listen(ctx); err != nil {
		return err
	}
	return a.serve(ctx)
}

// Work opens a service like Run, calls Fill, and closes it. It does not listen.
func Work(ctx context.Context, o Options) (err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	a := &app{Options: o, c: o.Settings, end: end, works: true}
	defer func() { err = errors.Join(err, a.close()) }()
	return a.open(ctx)
}

// open takes the steps before the service listens, until one fails.
func (a *app) open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{a.check, a.limit, a.openStore, a.openRetention, a.openTransparencyLog, a.wire} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// app is a run. The steps fill its fields in their order.
type app struct {
	Options
	c     *config.Config
	end   context.CancelCauseFunc // ends the run
	atEnd []func() error          // what close calls, last first

	works  bool                   // for Work, whose settings are those of a command: it does not know where a box forwards
	wanted atomic.Pointer[wanted] // the restore that this run ends for, or nil
	served func()                 // called when the service serves; may be nil

	auth    *auth.Authenticator
	scraper *auth.FixedToken // of metrics, or nil
	version string

	budgets     memory.Plan
	garbage     *room
	connections int // limit
	files       int // limit of those in which bodies and exports wait
	log         *logs.Buffer

	tls    tlsParts
	stores []config.GraphStore // that follow the file

	file      *persist.Store
	snapshots *backup.Folder
	graph     serviceStore
	following func() []store.Following // nil without graph stores
	contexts  *resolver.Resolver
	translog  *translog.Log
	witnesses witnessParts
	fleet     fleetParts
	arrived   atomic.Pointer[time.Time] // when the stream that a centre reads got its last message

	erased    chan struct{}        // gets a value after an erasure
	retention *retention.Retention // nil if nothing becomes too old
	core      *service.Service
	metrics   *metrics.Set
	measured  net.Addr // of the metrics, or nil
	front     *front.Front
	server    *front.Server
	stage     *reports.Live // of a live demo, or nil
}

// later has close call f. The functions are called in the reverse order.
func (a *app) later(f func() error) { a.atEnd = append(a.atEnd, f) }

// close ends what the steps began.
func (a *app) close() (err error) {
	for len(a.atEnd) > 0 {
		last := len(a.atEnd) - 1
		f := a.atEnd[last]
		a.atEnd = a.atEnd[:last]
		err = errors.Join(err, f())
	}
	return err
}

// check makes what checks the tokens of users and of metrics, or returns what is wrong with their settings. It
// also checks the key of the transparency log, and sets the version.
func (a *app) check(context.Context) (err error) {
	if a.auth, err = NewAuth(a.c); err != nil {
		return err
	}
	if a.c.SigningKey != "" {
		if _, err := translog.ParseKey([]byte(a.c.SigningKey)); err != nil {
			return &config.Error{Msg: "SEGRAPH_SIGNING_KEY: " + err.Error(), Hint: "Set SEGRAPH_SIGNING_KEY_FILE to the file with it (docs/operations.md)."}
		}
	}
	build, _ := debug.ReadBuildInfo()
	a.version = Version(build)
	a.scraper, err = metricsToken(a.c, a.auth.Enabled())
	return err
}

// limit divides the machine's memory and files, and opens the server log.
func (a *app) limit(ctx context.Context) error {
	// Keep running after the reader of the server log has ended. By default, Go's runtime ends the
	// process at the first write to a broken stdout or stderr. Later writes report how the run ended.
	signal.Ignore(syscall.SIGPIPE)
	a.budgets = Budgets(a.c)
	a.garbage = newRoom(a.budgets)
	if !a.Guest {
		back := limitRuntime(a.budgets)
		a.later(func() error { back(); return nil })
		memory.ReadCodeByPage()
		stop := headroom.Keep(a.garbage.bytes)
		a.later(func() error { stop(); return nil })
	}
	a.log = logs.New(logs.Options{Writer: a.Stderr, Name: "stderr", Level: a.c.LogLevel, JSON: a.c.LogFormat == "json"})
	// A failure to write the last lines does not change the exit code.
	a.later(func() error { _ = a.log.Close(); return nil })
	limit, few := openFiles(), false
	a.connections, a.files, few = divideFiles(limit, a.budgets.Connections)
	log := a.log.Logger("segraph")
	if a.budgets.Available < memory.Least {
		log.WarnContext(ctx, "there may not be enough memory for the service", "available_mib", a.budgets.Available>>20, "from", a.budgets.From, "least_mib", memory.Least>>20)
	}
	if few {
		log.WarnContext(ctx, "the process may open few files, so it accepts fewer connections; raise the hard limit, for example with ulimit -n or LimitNOFILE=",
			"open_files", limit, "connections", a.connections, "wanted_connections", a.budgets.Connections)
	}
	if !a.auth.Enabled() && unsignedAnyway(a.c.RequireSignatures) {
		log.WarnContext(ctx, "SEGRAPH_REQUIRE_SIGNATURES has no effect without SECRET_KEY: every user is "+auth.Anonymous+", whom it does not name. Set SECRET_KEY")
	}
	return nil
}

// errDiskFailed ends a service that is configured to exit when its disk fails.
var errDiskFailed = errors.New("the disk failed, and the service must be restarted")

// diskFailed returns errDiskFailed if that is the cause of the context's end.
func diskFailed(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, errDiskFailed) {
		return err
	}
	return nil
}

// Version returns the program's version according to the Go command. info may be
// nil.
func Version(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
