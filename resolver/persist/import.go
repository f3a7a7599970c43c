package persist

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/vocabulary"
)

// importBackup imports the backup at path: the published graph with the contributions of
// each log. If nothing was resolved since, it also imports the resolver's records and
// their mirror. e becomes the journal's entry, with e.Triples and e.Added set. fit says
// how the records of the backup fit; it may be nil. For a backup with a different
// history, or with more than ten million triples, the error is a *store.UnfitError. Who was erased since, and what
// was withdrawn, does not come back. named are the numbers of the contexts that logs named which were withdrawn again.
func (s *Store) importBackup(ctx context.Context, path string, e journal.Entry, fit func(from resolver.Store) (resolver.BackupFit, error)) (out store.Imported, named []uint64, err error) {
	old, err := engine.Open(path, engine.Options{ReadOnly: true, Labels: vocabulary.Prefixes()})
	if err != nil {
		return out, nil, fmt.Errorf("opening the backup: %w", err)
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	err = old.View(func(snap *engine.Snapshot) error {
		var f resolver.BackupFit
		if fit != nil {
			if f, err = fit(records{snap.Records()}); err != nil {
				return err
			}
		}
		return s.Update(ctx, func(tx *engine.Tx) error {
			if out, err = importSnapshot(ctx, tx, snap, f); err != nil {
				return err
			}
			e.Triples, e.Added = int(out.Triples), int(out.Added)
			withdrawn, err := withdrawnSince(ctx, tx, journal.HeadOf(snap.KV()).Seq)
			if err == nil {
				err = tx.Journal(e)
			}
			if err == nil {
				again := journal.Entry{Action: journal.Withdraw, Time: e.Time, Actor: e.Actor, Detail: "after an import of what was withdrawn before"}
				named, err = s.Provenance.WithdrawIn(ctx, tx, withdrawn, again)
			}
			if err != nil || s.Forgotten.Len() == 0 {
				return err
			}
			x := erasing{store: s, list: s.Forgotten} // the backup may have people who were erased
			return x.eraseImported(ctx, tx, journal.Entry{LogID: journal.NewLogID(), Action: journal.Erasure, Time: e.Time, Actor: e.Actor, Detail: "after an import"})
		})
	})
	if err != nil {
		return out, nil, fmt.Errorf("importing a backup: %w", err)
	}
	return out, named, nil
}

// withdrawnSince returns the logs with entries up to seq that were withdrawn later. What retention removed is not among them: it will
// do so again within a day.
func withdrawnSince(ctx context.Context, tx *engine.Tx, seq uint64) (ids []string, err error) {
	page, err := journal.List(ctx, tx.KV(), journal.Filter{Action: journal.Withdraw, Oldest: true, After: seq, Limit: math.MaxInt, Look: math.MaxUint64})
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, w := range page.Entries {
		if known[w.Withdrawn] {
			continue
		}
		known[w.Withdrawn] = true
		found, err := journal.Find(tx.KV(), w.Withdrawn, 1)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 && found[0].Seq <= seq {
			ids = append(ids, w.Withdrawn)
		}
	}
	return ids, nil
}

// importSnapshot adds what a backup has to the file, as far as it fits, and its contexts only if f says so.
func importSnapshot(ctx context.Context, tx *engine.Tx, old *engine.Snapshot, f resolver.BackupFit) (out store.Imported, err error) {
	i, err := provenance.NewImport(ctx, tx, old)
	if err != nil {
		return out, err
	}
	if err := i.LeaveOut(f.Stale); err != nil {
		return out, err
	}
	if out.Triples, out.Added, err = i.Published(); err != nil {
		return out, err
	}
	if f.Complete {
		if err := i.Graph(contextsGraph); err != nil {
			return out, err
		}
		if err := tx.ImportRecords(old); err != nil {
			return out, err
		}
		if err := journal.RestoreBodies(tx.KV(), old.KV()); err != nil {
			return out, err
		}
	}
	out.Contexts, out.Kept = f.Complete, f.Kept
	return out, apply(tx, &f.Change)
}
