package cli

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/httpapi"
	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/internal/headroom"
	"github.com/segraph/segraph/internal/logbuf"
	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/signers"
	"github.com/segraph/segraph/store/translog"
	"github.com/segraph/segraph/webui"
)

func serve() verb {
	return verb{
		name:    "serve",
		summary: "Run the service: the API and the web UI.",
		detail: `Opens the store, or creates it, listens on both addresses, and then prints them on stdout. Log lines go
to stderr. With --log-format json nothing goes to stdout, and every line on stderr is a JSON object.

SIGINT or SIGTERM ends it gracefully: it reports that it is not ready, accepts no new connections,
finishes running requests within 10 s, and closes the store. A second signal ends it at once, with
exit code 1. A log that was answered with 201 survives this, and also a kill or a power cut.`,
		settings: config.ServiceSettings(),
		run:      runServe,
	}
}

func runServe(ctx context.Context, p *program, c *config.Config) (err error) {
	authenticator, err := newAuth(c)
	if err != nil {
		return err
	}
	scraper, err := metricsToken(c, authenticator.Enabled())
	if err != nil {
		return err
	}
	// Keep running after the reader of the log has ended. By default, Go's runtime ends the
	// process at the first write to a broken stdout or stderr.
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	budgets := budgetsOf(c)
	defer limitRuntime(budgets)()
	memory.ReadCodeByPage()
	garbage := newRoom(budgets)
	limit := openFiles()
	connections, files, fewFiles := divideFiles(limit, budgets.Connections)
	defer headroom.Keep(garbage.bytes)()
	log := logbuf.New(logbuf.Options{Writer: p.stderr, Name: "stderr", Level: c.LogLevel, JSON: c.LogFormat == "json"})
	// A failure to write the last lines does not change the exit code.
	defer func() { _ = log.Close() }()
	secure, prepare, err := tlsConfig(c, log.Logger("segraph.tls"))
	if err != nil {
		return err
	}
	follower, err := followerOf(c)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	failed := func() {}
	if c.ExitOnDiskError {
		failed = func() { end(errDiskFailed) }
	}
	file, snapshots, err := openWithSnapshots(c, budgets, follower != nil, failed, log.Logger("segraph.store"))
	if err != nil {
		return err
	}
	units := file.Units
	garbage.units.Store(&units)
	if follower != nil {
		if why := guessable(follower.User, follower.Password); why != "" {
			log.Logger("segraph").WarnContext(ctx, "the graph store's password is easy to guess; change it there, and set TRIPLESTORE_PASSWORD", "because", why)
		}
	}
	s, following := followed(file, follower, log)
	// Close waits for a request that Serve could not end and that still reads the store.
	defer func() {
		if cerr := s.Close(); cerr != nil {
			err = errors.Join(err, fmt.Errorf("closing the store: %w", cerr))
		}
	}()
	if err := doubtClock(ctx, file, time.Now(), log.Logger("segraph")); err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	if err := revokeKnown(ctx, authenticator, file); err != nil {
		return err
	}
	contexts, err := resolver.Open(file.Contexts(), resolver.Options{Settings: c.Contexts})
	if err != nil {
		return fmt.Errorf("opening the shared contexts: %w", err)
	}
	queries, err := trackQueries(c, log.Logger("segraph.queries"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, queries.Close()) }()
	build, _ := debug.ReadBuildInfo()
	counted := metrics.New(moduleVersion(build))
	var core *service.Service
	published := translog.New(file.Store, signingKey(c))
	defer func() {
		if cerr := published.Close(context.WithoutCancel(ctx)); cerr != nil && !errors.Is(err, errDiskFailed) {
			err = errors.Join(err, cerr)
		}
	}()
	parts, err := witnessing(c, published, log, func(ctx context.Context, value any) { core.Panicked(ctx, value) })
	if err != nil {
		return err
	}
	graph := persist.ResolvedGraph{Graph: s, Store: file, Resolver: contexts}
	core = service.New(service.Config{
		Graph:             graph,
		Disk:              roomOf(file, c.Data),
		Lines:             graph,
		Importer:          graph,
		Emptier:           graph,
		Queries:           s,
		Contexts:          contexts,
		Journal:           file,
		Backups:           snapshots,
		Revocations:       file,
		Notes:             file.Notes,
		Retries:           file.Retries,
		Evidence:          published,
		Bundles:           &evidence.Source{Journal: file, Log: published},
		PublicLog:         c.PublicLog,
		Witness:           parts.witness,
		Witnesses:         parts.status,
		Signers:           signers.Of(file.Store),
		RequireSignatures: c.RequireSignatures,
		Auth:              authenticator,
		Log:               log,
		Running:           queries,
		StoreName:         storeName(c),
		Notice:            file.MetaPages().String(),
		SEGB:              c.Compat == "segb",
		StrictIRIs:        c.StrictIRIs,
		Following:         following,
		SpoolDir:          filepath.Dir(c.Data), // beside the data, because a temporary folder is often in memory
		Limits: service.Limits{
			Memory: budgets.Requests, QueryTime: c.QueryTime, QueryMemory: budgets.Query, Queries: c.Queries,
			Connections: connections, ClientConnections: c.ClientConnections, Files: files,
		},
	})
	if p.fill != nil {
		if err := p.fill(ctx, core); err != nil {
			return err
		}
	}
	var stage *webui.Live
	var guests func(path string) bool
	if p.play != nil {
		stage, guests = p.play.Stage, webui.GuestPath
	}
	f := front.New(front.Config{
		Service: core, Metrics: counted, TrustedProxies: c.TrustedProxies, CORSOrigins: c.CORSOrigins, Hosts: ownNames(c), BasePath: c.BasePath, Guests: guests,
	})
	version := moduleVersion(build)
	api := httpapi.New(httpapi.Config{Front: f, MetricsToken: scraper, Failed: func() error { return diskFailed(ctx) }, Version: version})
	ui := webui.New(webui.Config{
		Front: f, Version: version, Auth: authenticator, Log: log, Live: stage,
		Walker: cayley.NewWalker(file.Store, log.Logger("segraph.cayley")),
		Pending: func(ctx context.Context) (int, error) {
			stats, err := contexts.Stats(ctx)
			if err != nil {
				return 0, err
			}
			return int(stats.PendingReviews), nil
		},
	})
	listen := front.ServerOptions{API: c.API, UI: c.UI, TLS: secure}
	if !openMetrics(c) {
		listen.Metrics = c.Metrics
	}
	handlers := front.Handlers{API: f.API(api.Routes("")), UI: f.UI(api.Routes("/api"), ui), Metrics: api.MetricsHandler()}
	server, err := f.Listen(ctx, listen, handlers)
	if err != nil {
		return err
	}
	gauges(counted, f, file, snapshots, c.Data)
	gaugesOfFollower(counted, following)
	gaugesOfWitnesses(counted, core)
	measured := server.MetricsAddr()
	if openMetrics(c) {
		var stop func()
		if measured, stop, err = serveMetrics(ctx, c.Metrics, counted, log.Logger("segraph.metrics")); err != nil {
			return errors.Join(err, server.Close())
		}
		defer stop()
	}
	if budgets.Available < memory.Least {
		log.Logger("segraph").WarnContext(ctx, "there may not be enough memory for the service", "available_mib", budgets.Available>>20, "from", budgets.From, "least_mib", memory.Least>>20)
	}
	if fewFiles {
		log.Logger("segraph").WarnContext(ctx, "the process may open few files, so it accepts fewer connections; raise the hard limit, for example with ulimit -n or LimitNOFILE=",
			"open_files", limit, "connections", connections, "wanted_connections", budgets.Connections)
	}
	if !authenticator.Enabled() && unsignedAnyway(c.RequireSignatures) {
		log.Logger("segraph").WarnContext(ctx, "SEGRAPH_REQUIRE_SIGNATURES has no effect without SECRET_KEY: every user is "+auth.Anonymous+", whom it does not name. Set SECRET_KEY")
	}
	p.announce(server, measured, secure, c.BasePath, authenticator.Enabled(), log.Logger("segraph").With("version", moduleVersion(build), "data", c.Data, "memory_mib", budgets.Available>>20))
	if p.play != nil {
		stage.Open(guestLink(server.UIAddr(), secure) + c.BasePath)
		playing := make(chan struct{})
		defer func() { <-playing }() // it writes to the store
		go func() {
			defer close(playing)
			defer func() {
				if value := recover(); value != nil {
					core.Panicked(ctx, value)
				}
			}()
			p.play.Run(ctx, core, log.Logger("segraph.live"))
		}()
	}
	if p.ready != nil {
		p.ready(browsable(server.UIAddr(), secure) + c.BasePath)
	}
	go func() { // not awaited: an ACME server may take minutes
		defer func() {
			if value := recover(); value != nil {
				core.Panicked(ctx, value)
			}
		}()
		prepare(ctx)
	}()
	listening, unlisten := context.WithCancel(ctx)
	defer unlisten()
	if limit := watchdogTime(); limit > 0 {
		address, err := dialable(server.APIAddr().String())
		if err != nil {
			return errors.Join(err, server.Close())
		}
		go func() { // not awaited: it only asks
			defer func() {
				if value := recover(); value != nil {
					core.Panicked(ctx, value)
				}
			}()
			watchdog(listening, limit, func(ctx context.Context) error { return ask(ctx, address, "/healthz/live", secure != nil, acmeName(c)) }, log.Logger("segraph"))
		}()
	}
	notify("READY=1\nSTATUS=API " + server.APIAddr().String() + ", web UI " + server.UIAddr().String())
	defer context.AfterFunc(ctx, func() { notify("STOPPING=1") })()
	background := startUpkeep(context.WithoutCancel(ctx), c, file, snapshots, log.Logger("segraph.store"), core.Panicked, parts.work...)
	defer background.stop()
	return errors.Join(server.Serve(ctx), diskFailed(ctx))
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
