package app

import (
	"context"
	"net"
	"path/filepath"
	"time"

	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver/persist/replace"
)

// wanted is a restore that an admin asked for.
type wanted struct{ from, by string }

// restart ends the run, so that Run restores a backup and begins another one.
func (a *app) restart(from, by string) {
	if a.wanted.CompareAndSwap(nil, &wanted{from, by}) {
		a.end(context.Canceled)
	}
}

// again restores what the ended run a was asked for, and returns how to run the service next, at the same
// addresses. If the restore fails, the file is the same as before.
func (a *app) again(ctx context.Context, w *wanted) Options {
	o := a.Options
	settings := *o.Settings
	settings.API, settings.UI = same(settings.API, a.server.APIAddr()), same(settings.UI, a.server.UIAddr())
	o.Settings, o.Fill, o.Ready = &settings, nil, nil
	log := logs.New(logs.Options{Writer: a.Stderr, Name: "stderr", Level: settings.LogLevel, JSON: settings.LogFormat == "json"})
	defer log.Close()
	r := &backup.Restored{Name: filepath.Base(w.from), By: w.by, At: time.Now().UTC()}
	done, err := replace.File(ctx, w.from, settings.Data, w.by)
	if r.Kept, r.Err = done.Kept, err; err != nil {
		log.Logger("segraph.store").ErrorContext(ctx, "the restore failed, and the file is as it was", "backup", w.from, "by", w.by, "error", err)
	} else {
		log.Logger("segraph.store").WarnContext(ctx, "a backup was restored", "backup", w.from, "by", w.by, "triples", done.Triples, "entries", done.Head.Seq, "kept", done.Kept)
	}
	o.restored = r
	return o
}

// same returns the setting of a listener, with the port that it has if that was any free one.
func same(setting string, at net.Addr) string {
	if host, port, err := net.SplitHostPort(setting); err == nil && port == "0" {
		_, port, _ = net.SplitHostPort(at.String())
		return net.JoinHostPort(host, port)
	}
	return setting
}

// stayAlive tells a service manager that the process lives until ctx ends, while no service runs that could
// say so itself.
func stayAlive(ctx context.Context) {
	notify("RELOADING=1\nSTATUS=restoring a backup")
	if limit := watchdogTime(); limit > 0 {
		go watchdog(ctx, limit, func(context.Context) error { return nil }, nil)
	}
}
