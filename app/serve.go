package app

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"sync"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/httpapi"
	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/reports"
	"github.com/segraph/segraph/views/rooms"
)

// listen opens the listeners and announces them.
func (a *app) listen(ctx context.Context) (err error) {
	var guests func(path string) bool
	if a.Play != nil {
		a.stage, guests = a.Play.Stage, reports.GuestPath
	}
	a.front = front.New(front.Config{
		Service: a.core, Metrics: a.metrics, TrustedProxies: a.c.TrustedProxies, CORSOrigins: a.c.CORSOrigins,
		Hosts: ownNames(a.c), BasePath: a.c.BasePath, Guests: guests,
	})
	if a.server, err = a.front.Listen(ctx, a.listeners(), a.handlers(ctx)); err != nil {
		return err
	}
	a.later(func() error { _ = a.server.Close(); return nil }) // for an error before Serve, which closes them itself
	measured, err := a.measure(ctx)
	if err != nil {
		return err
	}
	a.measured = measured
	a.announce(measured)
	return nil
}

// listeners returns the addresses to listen at.
func (a *app) listeners() front.ServerOptions {
	o := front.ServerOptions{API: a.c.API, UI: a.c.UI, TLS: a.tls.config}
	if !openMetrics(a.c) {
		o.Metrics = a.c.Metrics
	}
	return o
}

func (a *app) handlers(ctx context.Context) front.Handlers {
	api := httpapi.New(httpapi.Config{Front: a.front, MetricsToken: a.scraper, Failed: func() error { return diskFailed(ctx) }, Version: a.version})
	ui := views.New(views.Config{
		Front: a.front, Version: a.version, Auth: a.auth, Log: a.log, Settings: a.listed(),
		Walker:  cayley.NewWalker(a.file.Store, a.log.Logger("segraph.cayley")),
		Pending: a.pending,
	}, rooms.All(a.stage)...)
	return front.Handlers{API: a.front.API(api.Routes("")), UI: a.front.UI(api.Routes("/api"), ui), Metrics: api.MetricsHandler()}
}

// pending returns how many cases wait for review.
func (a *app) pending(ctx context.Context) (int, error) {
	stats, err := a.contexts.Counts(ctx)
	return int(stats.PendingReviews), err
}

// measure registers the gauges, and serves metrics without a token if only this machine can reach them. It
// returns the address of the metrics, or nil.
func (a *app) measure(ctx context.Context) (net.Addr, error) {
	gauges(a.metrics, a.front, a.file, a.snapshots, a.c.Data)
	if a.retention != nil {
		a.metrics.Gauge("retention_last_run_timestamp_seconds", "Time when what is too old was last removed, in seconds since 1970; 0 if it never was.", func() float64 {
			if at := a.retained(); !at.IsZero() {
				return float64(at.Unix())
			}
			return 0
		})
	}
	gaugesOfFollowers(a.metrics, a.following)
	gaugesOfWitnesses(a.metrics, a.core)
	gaugesOfFleet(a.metrics, a.core)
	if !openMetrics(a.c) {
		return a.server.MetricsAddr(), nil
	}
	at, stop, err := serveMetrics(ctx, a.c.Metrics, a.metrics, a.log.Logger("segraph.metrics"))
	if err == nil {
		a.later(func() error { stop(); return nil })
	}
	return at, err
}

// serve answers requests until ctx ends.
func (a *app) serve(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end() // also if a listener fails: close waits for the live demo
	if a.Play != nil {
		a.play(ctx)
	}
	if a.Ready != nil {
		a.Ready(browsable(a.server.UIAddr(), a.tls.config) + a.c.BasePath)
	}
	go a.guard(ctx, a.tls.prepare) // not awaited: an ACME server may take minutes
	watching, unwatch := context.WithCancel(ctx)
	defer unwatch()
	if err := a.watch(watching); err != nil {
		return err
	}
	notify("READY=1\nSTATUS=API " + a.server.APIAddr().String() + ", web UI " + a.server.UIAddr().String())
	if a.served != nil {
		a.served()
	}
	stopping := sync.OnceFunc(func() {
		if a.wanted.Load() == nil {
			notify("STOPPING=1")
		}
	})
	defer stopping() // if Serve ends before it is called
	defer context.AfterFunc(ctx, stopping)()
	background := startUpkeep(context.WithoutCancel(ctx), a.c, a.file, a.snapshots, a.log.Logger("segraph.store"), a.core.Panicked, a.work()...)
	defer background.stop()
	return errors.Join(a.server.Serve(ctx), diskFailed(ctx))
}

// work returns the background work besides upkeep.
func (a *app) work() []func(context.Context) {
	work := slices.Concat(a.witnesses.work, a.fleet.work, []func(context.Context){a.enterLooks, a.purge})
	if a.retention != nil {
		work = append(work, a.retention.Run)
	}
	return work
}

// guard calls work, and reports a panic of it to the service, which goes on.
func (a *app) guard(ctx context.Context, work func(context.Context)) {
	defer func() {
		if value := recover(); value != nil {
			a.core.Panicked(ctx, value)
		}
	}()
	work(ctx)
}

// play starts the live demo. It ends with ctx, before the store closes.
func (a *app) play(ctx context.Context) {
	a.stage.Open(guestLink(a.server.UIAddr(), a.tls.config) + a.c.BasePath)
	playing := make(chan struct{})
	a.later(func() error { <-playing; return nil }) // it writes to the store
	go a.guard(ctx, func(ctx context.Context) {
		defer close(playing)
		a.Play.Run(ctx, a.core, a.log.Logger("segraph.live"))
	})
}

// watch tells a service manager that asks for it that the service lives, until ctx ends.
func (a *app) watch(ctx context.Context) error {
	limit := watchdogTime()
	if limit <= 0 {
		return nil
	}
	address, err := Dialable(a.server.APIAddr().String())
	if err != nil {
		return err
	}
	alive := func(ctx context.Context) error {
		return Ask(ctx, address, "/healthz/live", a.tls.config != nil, CertificateName(a.c))
	}
	go a.guard(ctx, func(ctx context.Context) { watchdog(ctx, limit, alive, a.log.Logger("segraph")) }) // not awaited: it only asks
	return nil
}

// listed returns the settings for the page that lists them. It shows no secret, and not what the
// library's user did not name.
func (a *app) listed() (out []views.Setting) {
	if a.Sourced == nil {
		return nil
	}
	list, err := a.Sourced()
	if err != nil {
		a.log.Logger("segraph").Error("the settings can't be listed", "error", err)
	}
	for _, s := range list {
		shown := views.Setting{Name: cmp.Or(s.Setting.Env, "--"+s.Setting.Name), Value: s.Value, From: s.Origin, Help: s.Setting.Help}
		shown.Area, shown.About = config.AreaOf(s.Setting.Name)
		switch {
		case !s.Set:
			shown.Value = "not set"
		case s.Setting.Secret:
			shown.Value = "set, not shown"
		}
		out = append(out, shown)
	}
	return out
}
