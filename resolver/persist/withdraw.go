package persist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
)

// WithdrawContexts removes the shared contexts that withdrawn logs brought and that nothing else holds, with what
// resolver.Resolver.Expire says, and notes about these. Each unit of work has a copy of e as the journal's entry, with the
// number of contexts and the indexes of the entries of their observations.
//
// An observation goes if a withdrawn log named its context and its robot, or came with it in one line, and the same sender sent
// the log after it. A context stays, with all that merges, cases, decisions or late reports relate to it, while it has another
// observation, a triple outside the graph of contexts has its URI, or a legal hold keeps an observation or a decision on it;
// other decisions of people go. If only a hold, a triple, or a centre that lacks an observation keeps it, the next call looks again.
//
// A withdrawal notes the contexts in its unit of work, so this may be called at any time, as after a kill, and looks only at
// those: the ones with the numbers named, which it counts, or all if named is nil.
func (g ResolvedGraph) WithdrawContexts(ctx context.Context, named []uint64, e journal.Entry) (out store.WithdrawnContexts, err error) {
	g.Store.following.Lock()
	defer g.Store.following.Unlock()
	for try := 1; ; try++ {
		if err = g.withdrawContexts(ctx, named, e); try == maxTries || !errors.Is(err, errNamed) && !errors.Is(err, holds.ErrMeanwhile) {
			break
		}
	}
	if err == nil {
		err = g.Store.View(func(snap *engine.Snapshot) error {
			for _, n := range slices.Compact(slices.Sorted(slices.Values(named))) {
				stays, err := resolver.HasContext(records{snap.Records()}, n)
				if err != nil {
					return err
				}
				if out.Named++; stays {
					out.Stayed++
				} else {
					out.Removed++
				}
			}
			return nil
		})
	}
	if err != nil {
		return out, fmt.Errorf("removing the shared contexts of withdrawn logs: %w", err)
	}
	return out, nil
}

// WithdrawLogs withdraws logs as provenance.Provenance.WithdrawLogs does, and then, by WithdrawContexts, the contexts that they
// brought.
func (g ResolvedGraph) WithdrawLogs(ctx context.Context, logIDs []string, e journal.Entry, each func(store.WithdrawnLog)) error {
	var named []uint64
	err := g.Store.WithdrawLogs(ctx, logIDs, e, func(l store.WithdrawnLog) {
		named = append(named, l.Contexts...)
		each(l)
	})
	if len(named) > 0 { // also those of the logs before an error, which nobody withdraws again
		_, failed := g.WithdrawContexts(context.WithoutCancel(ctx), named, e.Complete())
		err = errors.Join(err, failed)
	}
	return err
}

// withdrawContexts makes one pass of WithdrawContexts: it removes the contexts of withdrawn logs that nothing holds, with one
// unit of work for each group, and then forgets the keys of those that are gone or stay for good.
func (g ResolvedGraph) withdrawContexts(ctx context.Context, named []uint64, e journal.Entry) error {
	x := &expiringContexts{renames: g.Resolver.Renames()}
	wanted := map[uint64]bool{}
	for _, n := range named {
		wanted[n] = true
	}
	var contexts []uint64
	var keys [][]byte // of contexts
	if err := g.Store.View(func(snap *engine.Snapshot) (err error) {
		return withdrawnOf(snap.KV(), due, func(context, _ uint64, key, _ []byte) error {
			if named == nil || wanted[context] {
				contexts, keys = append(contexts, context), append(keys, slices.Clone(key))
			}
			return nil
		})
	}); err != nil || len(keys) == 0 {
		return err
	}
	var err error
	if x.held, err = g.holds(ctx, e.Time); err != nil {
		return err
	}
	gone := map[uint64]bool{}
	err = g.expire(ctx, x, resolver.Expiry{
		Only: slices.Compact(slices.Clone(contexts)), // the keys are in their order
		Old:  func(all []resolver.Aged) error { return x.old(ctx, all, x.broughtBack) },
		Also: func(some resolver.Expired) any {
			for _, n := range some.Contexts {
				gone[n] = true
			}
			return func(tx *engine.Tx) error {
				return expired(tx, some, func(tx *engine.Tx, _ []int, entries []uint64) error {
					if err := holds.NoneSince(tx.KV(), x.held, e.Time, g.Resolver.Renames() != x.renames); err != nil {
						return err
					}
					return enterWithdrawn(tx, e, len(some.Contexts), entries)
				})
			}
		},
	})
	if err != nil {
		return err
	}
	var looked [][]byte
	for i, n := range contexts {
		group, done := x.group[n] // it lacks those that a triple names
		if done && !x.decisionHeld && !x.waiting[group] && !gone[n] {
			looked = append(looked, keys[i])
		}
	}
	if len(looked) == 0 {
		return nil
	}
	return g.Store.Update(ctx, func(tx *engine.Tx) error { return dropKeys(tx, looked) })
}

// enterWithdrawn appends the journal's entry of contexts that go.
func enterWithdrawn(tx *engine.Tx, entry journal.Entry, contexts int, entries []uint64) error {
	entry.LogID, entry.Action, entry.Retry, entry.Number = "", journal.WithdrawContexts, nil, nil
	entry.Detail, entry.Lessened = fmt.Sprintf("contexts: %d", contexts), journal.Indexes(entries)
	return tx.Journal(entry)
}

// broughtBack returns 0 if a withdrawn log brought an observation, and -1 otherwise.
func (e *expiringContexts) broughtBack(o *resolver.Aged, entry *journal.Numbered) (rule int, err error) {
	rule = -1
	imported := entry.Seq == 0
	erased := entry.Actor == "" || entry.Box != "" && entry.Actor == journal.ErasedText
	if imported || erased { // nobody knows who sent it
		return rule, nil
	}
	for _, context := range slices.Compact([]uint64{o.First, o.Context}) {
		err = cmp.Or(err, withdrawnOf(e.snap.KV(), brought, func(_, seq uint64, key, sealed []byte) error {
			numbers, err := broughtIn(key, sealed)
			if err != nil || rule == 0 || seq < entry.Seq || !slices.Contains(numbers, o.Number) {
				return err
			}
			log, err := journal.Get(e.snap.KV(), seq)
			if err == nil && log.Actor == entry.Actor && log.Box == entry.Box {
				rule = 0
			}
			return err
		}, context))
	}
	return rule, err
}
