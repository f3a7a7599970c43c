package app

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
)

// checkedFile verifies a snapshot completely, and describes it.
func checkedFile(ctx context.Context, path string) (store.Version, error) {
	found, err := persist.CheckFile(ctx, path)
	return store.Version{Head: found.Head, Triples: found.Triples}, err
}

// OpenStore opens the store of a service and its folder of snapshots. The store
// makes a snapshot before each deletion of the graph. follow reports whether a graph store
// follows the file. The store calls failed if the disk fails.
func OpenStore(c *config.Config, budgets memory.Plan, follow bool, failed func(), log *slog.Logger) (s *persist.Store, f *backup.Folder, err error) {
	o := persist.Options{Options: engine.Options{Logger: log, Terms: budgets.Terms, Deferred: budgets.Deferred, DiskFailed: failed, TextIndex: TextIndex(c)}, Follow: follow, Lookup: budgets.Lookup}
	if c.SnapshotKeep > 0 {
		o.BeforeClear = func(ctx context.Context) error {
			_, err := f.Make(ctx, backup.DeleteAll)
			return err
		}
	}
	if file.MaxSize > 0 {
		log.Warn("this is a 32-bit program: the file may grow to 2 GiB, about 55 million triples", "max_bytes", int64(file.MaxSize))
	}
	if s, err = persist.Open(c.Data, o); err != nil {
		return nil, nil, fmt.Errorf("opening the store: %w", err)
	}
	f, err = backup.NewFolder(backup.Options{Path: SnapshotFolder(c, c.Data), Data: c.Data, Keep: c.SnapshotKeep, Source: s, Check: checkedFile, Content: persist.ContentOf, Log: log})
	if err != nil {
		_ = s.Close() // nothing was written
		return nil, nil, err
	}
	return s, f, nil
}

// upkeep is the background work of a service.
type upkeep struct {
	cancel   context.CancelFunc
	work     sync.WaitGroup
	panicked func(context.Context, any)
}

// start runs work in a goroutine that upkeep waits for, and reports its panic.
func (u *upkeep) start(ctx context.Context, work func(context.Context)) {
	u.work.Go(func() {
		defer func() {
			if value := recover(); value != nil {
				u.panicked(ctx, value)
			}
		}()
		work(ctx)
	})
}

// startUpkeep starts the background work: one check of the file's pages, scheduled
// snapshots, and more. A panic ends only the task in which it occurs, and is passed to
// panicked.
func startUpkeep(ctx context.Context, c *config.Config, s *persist.Store, f *backup.Folder, log *slog.Logger, panicked func(context.Context, any), more ...func(context.Context)) *upkeep {
	ctx, cancel := context.WithCancel(ctx)
	u := &upkeep{cancel: cancel, panicked: panicked}
	u.start(ctx, func(ctx context.Context) {
		begin := time.Now()
		switch err := s.CheckPages(ctx); {
		case ctx.Err() != nil: // the service ends
		case err != nil:
			log.ErrorContext(ctx, "the file is damaged: all writes are refused", "error", err)
		default:
			log.InfoContext(ctx, "the file's pages are good", "ms", time.Since(begin).Milliseconds())
		}
	})
	if c.SnapshotEvery > 0 && f.Keeps() {
		u.start(ctx, func(ctx context.Context) { f.Run(ctx, c.SnapshotEvery) })
	}
	for _, work := range more {
		u.start(ctx, work)
	}
	return u
}

// stop ends the upkeep and waits for it.
func (u *upkeep) stop() {
	u.cancel()
	u.work.Wait()
}
