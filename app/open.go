package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/signers"
)

// openStore opens the file, its snapshots, the graph stores that follow it, and the shared contexts.
func (a *app) openStore(ctx context.Context) (err error) {
	log := a.log.Logger("segraph")
	if a.tls, err = tlsOf(a.c, a.log.Logger("segraph.tls")); err != nil {
		return err
	}
	if a.stores, err = a.c.GraphStores(); err != nil {
		return err
	}
	failed := func() {}
	if a.c.ExitOnDiskError {
		failed = func() { a.end(errDiskFailed) }
	}
	if a.file, a.snapshots, err = OpenStore(a.c, a.budgets, len(a.stores) > 0, failed, a.log.Logger("segraph.store")); err != nil {
		return err
	}
	if a.works {
		if err := centre.Alone(a.file.Store); err != nil {
			return errors.Join(err, a.file.Close())
		}
	}
	units := a.file.Units
	a.garbage.units.Store(&units)
	for _, s := range a.stores {
		if why := guessable(s.User, s.Password); why != "" {
			log.WarnContext(ctx, "the graph store's password is easy to guess; change it there and here", "store", s.Name, "here", s.PasswordFrom, "because", why)
		}
	}
	a.graph, a.following = followed(a.file, a.c, a.stores, a.log)
	// Close waits for a request that Serve could not end and that still reads the store.
	a.later(func() error {
		if err := a.graph.Close(); err != nil {
			return fmt.Errorf("closing the store: %w", err)
		}
		return nil
	})
	if err := doubtClock(ctx, a.file, time.Now(), log); err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	if err := revokeKnown(ctx, a.auth, a.file); err != nil {
		return err
	}
	if a.contexts, err = resolver.Open(a.file.Contexts(), resolver.Options{Settings: a.c.Contexts, Now: a.clock, Shared: shared(a.c), Memory: a.budgets.Contexts}); err != nil {
		return fmt.Errorf("opening the shared contexts: %w", err)
	}
	return a.forget(ctx, log)
}

// forget takes people who were erased out of a file that has them: a restored backup, or one
// whose erasure was interrupted.
func (a *app) forget(ctx context.Context, log *slog.Logger) error {
	list := a.file.Forgotten
	applied, err := list.Applied()
	if err != nil {
		return fmt.Errorf("reading what was erased: %w", err)
	}
	if applied > list.Len() {
		log.WarnContext(ctx, "the list of people who were erased is missing or older than the file: robots and backups can make them known again; restore it from a copy",
			"list", list.Path(), "erased", applied, "listed", list.Len())
	}
	done, err := a.resolved().ApplyForgotten(ctx, journal.Entry{LogID: journal.NewLogID(), Action: journal.Erasure, Time: time.Now().UTC(), Actor: "segraph", Detail: "at a start"})
	if err == nil && done != (store.Erased{}) {
		log.InfoContext(ctx, "people who were erased were in the file, and are out of it", "triples", done.Triples, "observations", done.Observations)
	}
	if err == nil { // logs were withdrawn, and a kill came before their contexts went
		if _, failed := a.resolved().WithdrawContexts(ctx, nil, journal.Entry{Time: time.Now().UTC(), Actor: "segraph"}); failed != nil {
			log.ErrorContext(ctx, "shared contexts of withdrawn logs stay until the next withdrawal or start", "error", failed)
		}
	}
	return err
}

// resolved returns the graph and what goes with it.
func (a *app) resolved() persist.ResolvedGraph {
	return persist.ResolvedGraph{Graph: a.graph, Store: a.file, Resolver: a.contexts}
}

// purgeAgain is the wait before an attempt to remove bytes is repeated.
const purgeAgain = time.Minute

// purge removes what erasures left in the file or in snapshots: at the start, and after purgeSoon.
func (a *app) purge(ctx context.Context) {
	for ctx.Err() == nil {
		var again <-chan time.Time
		if err := a.file.Purge(ctx, a.snapshots.RemoveAll); err != nil && ctx.Err() == nil {
			a.log.Logger("segraph.store").ErrorContext(ctx, "people who were erased may still be readable in the file; this is tried again", "error", err)
			again = time.After(purgeAgain)
		}
		select {
		case <-a.erased:
		case <-again:
		case <-ctx.Done():
		}
	}
}

// openTransparencyLog opens the transparency log, and its witnesses.
func (a *app) openTransparencyLog(ctx context.Context) (err error) {
	a.translog = translog.New(a.file.Store, SigningKey(a.c))
	a.later(func() error {
		if err := a.translog.Close(context.WithoutCancel(ctx)); err != nil && !errors.Is(err, errDiskFailed) {
			return err
		}
		return nil
	})
	// The witnesses are asked only while the service serves.
	panicked := func(ctx context.Context, value any) { a.core.Panicked(ctx, value) }
	if a.witnesses, err = witnessing(a.c, a.translog, a.log, panicked); err == nil {
		a.fleet, err = a.forwarding(ctx)
	}
	return err
}

// wire makes the service of its parts, and fills it.
func (a *app) wire(ctx context.Context) error {
	a.metrics = metrics.New(a.version)
	graph := a.resolved()
	var restart func(from, by, why string) bool
	if a.Play == nil { // a live demo plays once
		restart = a.restart
	}
	a.core = service.New(a.serviceConfig(graph, restart))
	a.purgeWhenErased()
	if a.Fill != nil {
		return a.Fill(ctx, a.core)
	}
	return nil
}

// serviceConfig gives the service all that it uses. restart is called to restore a backup.
func (a *app) serviceConfig(graph persist.ResolvedGraph, restart func(from, by, why string) bool) service.Config {
	return service.Config{
		Restart:           restart,
		Restored:          a.restored,
		Graph:             graph,
		Disk:              roomOf(a.file, a.c.Data),
		Lines:             graph,
		Emptier:           graph,
		Forgotten:         a.file.Forgotten,
		Eraser:            graph,
		Follower:          graph,
		TwoPersons:        a.c.TwoPersons,
		Queries:           a.graph,
		Contexts:          a.contextsOf(),
		Journal:           a.file,
		Backups:           a.snapshots,
		Revocations:       a.file,
		Notes:             a.file.Notes,
		Retries:           a.file.Retries,
		Translog:          a.translog,
		Bundles:           &evidence.Source{Journal: a.file, Log: a.translog},
		PublicLog:         a.c.PublicLog,
		Centre:            a.fleet.centre,
		Forwarding:        a.fleet.status,
		Lag:               a.fleet.lag(),
		Retention:         a.kept,
		RetentionRan:      a.retained,
		Witness:           a.witnesses.witness,
		Witnesses:         a.witnesses.status,
		Signers:           signers.Of(a.file.Store),
		Holds:             holds.Of(a.file.Store),
		RequireSignatures: a.c.RequireSignatures,
		Auth:              a.auth,
		Log:               a.log,
		StoreName:         storeName(a.stores),
		Notice:            a.file.MetaPages().String(),
		SEGB:              a.c.Compat == "segb",
		StrictIRIs:        a.c.StrictIRIs,
		Following:         a.following,
		SpoolDir:          filepath.Dir(a.c.Data), // beside the data, because a temporary folder is often in memory
		Limits: service.Limits{
			Memory: a.budgets.Requests, QueryTime: a.c.QueryTime, QueryMemory: a.budgets.Query, Queries: a.c.Queries,
			Header: a.budgets.Header(a.connections), Connections: a.connections, ClientConnections: a.c.ClientConnections, Files: a.files,
		},
	}
}

// purgeWhenErased has each erasure call purgeSoon.
func (a *app) purgeWhenErased() {
	a.erased = make(chan struct{}, 1)
	a.core.OnErased(a.purgeSoon)
}

// purgeSoon tells purge that the file has bytes of people who were erased.
func (a *app) purgeSoon() {
	select {
	case a.erased <- struct{}{}:
	default: // one waits
	}
}
