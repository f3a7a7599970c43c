package persist

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/retries"
)

// erase takes out, in one unit of work, what was found, and applies change, which is of the resolver's records. Then it
// appends e to the journal and calls also, unless it is nil. The error is provenance.ErrAgain if contexts lose observations that the
// erasure did not find, unless it is the last try, or if others changed what it found.
func (x *erasing) erase(ctx context.Context, change resolver.Change, f resolver.Forgotten, last bool, e *journal.Entry, also func(tx *engine.Tx) error) error {
	for uri := range f.URIs {
		if x.of.URIs[uri] {
			continue
		}
		if !last {
			return provenance.ErrAgain
		}
		if err := x.lookBeside(ctx, true); err != nil {
			return err
		}
	}
	if err := x.store.GiveWay(ctx); err != nil {
		return err
	}
	return x.store.Update(ctx, func(tx *engine.Tx) error { // which may run twice
		if x.first != nil {
			if err := x.first(tx); err != nil {
				return err
			}
		}
		ids := make([]dict.ID, len(x.terms))
		if err := tx.IDs(x.terms, ids); err != nil {
			return err
		}
		if !slices.Equal(ids, x.termIDs) { // one was collected, because nothing used it
			return provenance.ErrAgain
		}
		if err := x.remove(tx, change, f, *e); err != nil || also == nil {
			return err
		}
		return also(tx)
	})
}

// remove takes out what look found, applies change, and appends e to the journal.
func (x *erasing) remove(tx *engine.Tx, change resolver.Change, f resolver.Forgotten, e journal.Entry) error {
	x.hurry = true // others wait
	x.out, x.snap = store.Erased{Observations: f.Observations, Contexts: f.Contexts, Terms: len(x.ids)}, tx.Snapshot()
	if err := apply(tx, &change); err != nil {
		return err
	}
	for _, g := range x.graphs {
		removed, err := g.Forget(tx)
		if err != nil {
			return err
		}
		x.out.Triples += removed
	}
	lessened, err := x.lessen(tx, e.Time)
	if err != nil {
		return err
	}
	if err := cmp.Or(tx.ForgetPrefixes(x.names), tx.WantCollection(), x.store.Forgotten.SetApplied(tx)); err != nil {
		return err
	}
	unname(x.store.Forgotten, &e) // the person may have asked for it
	e.Removed, e.Lessened = int64(x.out.Triples), journal.Indexes(lessened)
	return tx.Journal(e)
}

// unname takes whom a list has out of what a new entry says of people.
func unname(list *forgotten.List, e *journal.Entry) {
	for _, text := range []*string{&e.Actor, &e.Claimed, &e.Detail} {
		*text = list.Blank(*text, journal.ErasedText)
		if forgotten.User(list, *text, "") != *text { // it is too long for Blank
			*text = journal.ErasedText
		}
	}
}

// lessen takes the person out of journal entries, notes, legal holds, signing keys and kept answers, also those since the look. It
// returns the numbers of the entries that lost something.
func (x *erasing) lessen(tx *engine.Tx, now time.Time) (lessened []uint64, err error) {
	x.count()
	newer, err := journal.Named(context.Background(), tx.KV(), x.last.Seq, x.says, x.names, x.about)
	if err != nil {
		return nil, err
	}
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(x.named, newer, slices.Collect(maps.Keys(x.logs))))))
	if lessened, err = journal.Forget(tx.KV(), all, x.says, x.names, x.about); err != nil {
		return nil, err
	}
	if x.out.Notes, err = notes.Forget(tx, x.notes, x.lessNote); err != nil {
		return nil, err
	}
	if err := cmp.Or(holds.Forget(tx, x.list.Of, x.blank), journal.ForgetKeys(tx.KV(), now, x.says)); err != nil {
		return nil, err
	}
	since, _, err := retries.Naming(tx.KV(), x.kept, x.list.In)
	if err != nil {
		return nil, err
	}
	x.out.Answers, err = retries.Forget(tx.KV(), slices.Concat(x.answers, since))
	x.out.Logs, x.out.Entries = len(x.logs), len(lessened)
	return lessened, err
}
