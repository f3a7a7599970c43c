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
type wanted struct {
	from, by, why string
	served        func() // call it when a service serves again
}

// restart ends the run, so that Run restores a backup and begins another one. It returns false if that was asked
// for already.
func (a *app) restart(from, by, why string) bool {
	alive, served := context.WithCancel(context.Background())
	if !a.wanted.CompareAndSwap(nil, &wanted{from, by, why, served}) {
		served()
		return false
	}
	stayAlive(alive)
	a.end(context.Canceled)
	return true
}

// again restores the backup that was asked for during the run a, which has ended, and returns how to run the
// service next, at the same addresses. failed is the error with which the run ended; a damaged file may not close
// well. If the restore fails, the file is as before.
func (a *app) again(ctx context.Context, w *wanted, failed error) Options {
	o := a.Options
	settings := *o.Settings
	if a.server != nil {
		settings.API, settings.UI = same(settings.API, a.server.APIAddr()), same(settings.UI, a.server.UIAddr())
	}
	if a.measured != nil {
		settings.Metrics = same(settings.Metrics, a.measured)
	}
	o.Settings, o.Fill, o.Ready = &settings, nil, nil
	buffer := logs.New(logs.Options{Writer: a.Stderr, Name: "stderr", Level: settings.LogLevel, JSON: settings.LogFormat == "json"})
	defer buffer.Close()
	log := buffer.Logger("segraph.store").With("backup", w.from, "by", w.by)
	if failed != nil {
		log.ErrorContext(ctx, "the service did not end cleanly before a restore", "error", failed)
	}
	done, err := replace.File(ctx, w.from, settings.Data, w.by, w.why)
	if done.Unsynced != nil {
		log.ErrorContext(ctx, "the folder could not be synced", "error", done.Unsynced)
	}
	switch {
	case err != nil:
		log.ErrorContext(ctx, "the restore failed, and the file is as it was", "error", err)
	case done.Unread != nil:
		log.ErrorContext(ctx, "a backup was restored, but the file before it can't be read, so do again what was done since the backup: revoke tokens, remove robots' keys, and add or lift legal holds",
			"kept", done.Kept, "error", done.Unread)
	default:
		log.WarnContext(ctx, "a backup was restored", "triples", done.Triples, "entries", done.Head.Seq, "kept", done.Kept)
	}
	o.restored = &backup.Restored{Name: filepath.Base(w.from), By: w.by, At: time.Now().UTC(), Kept: done.Kept, Unread: done.Unread, Err: err}
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
	notify("RELOADING=1\nWATCHDOG=1\nSTATUS=restoring a backup")
	if limit := watchdogTime(); limit > 0 {
		go watchdog(ctx, limit, func(context.Context) error { return nil }, nil)
	}
}
