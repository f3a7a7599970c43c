package persist

import (
	"context"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// BeginLog stores a document like store.Graph's Add, with e as the journal's entry, whose
// Added and Number it sets. It returns before the document is on the disk; wait returns once
// it is. Later writes see it.
func (g ResolvedGraph) BeginLog(ctx context.Context, d *store.Document, e *journal.Entry) (wait func() error, err error) {
	err = g.admitted(ctx, d, func() error {
		t, err := g.Store.SubmitAfter(ctx, nil, true, func(tx *engine.Tx) error { return tx.AddLog(d, e) })
		if err == nil {
			wait = t.Wait
		}
		return err
	})
	return wait, err
}

// BeginObserved is like BeginLog. In the same unit of work, it first resolves an observation,
// with its own entry for the journal. place may add quads to d and complete e when it gets the
// answer; it may be called twice.
func (g ResolvedGraph) BeginObserved(ctx context.Context, d *store.Document, e *journal.Entry, o resolver.Observation, observed journal.Entry,
	place func(*resolver.Resolution) error) (wait func() error, err error) {
	log := func(tx *engine.Tx) error { return tx.AddLog(d, e) }
	err = g.admitted(ctx, d, func() (err error) {
		wait, err = g.Resolver.Submit(ctx, o, observed, func(answer *resolver.Resolution) (any, error) { return log, place(answer) })
		return err
	})
	return wait, err
}

// AwaitUpkeep waits while the store flushes or indexes earlier writes.
func (g ResolvedGraph) AwaitUpkeep() { g.Store.AwaitUpkeep() }

// admitted calls add once the graph store that follows the file, if any, admits a document.
func (g ResolvedGraph) admitted(ctx context.Context, d *store.Document, add func() error) error {
	type follower interface {
		Admitted(ctx context.Context, d *store.Document, add func() error) error
	}
	if f, ok := g.Graph.(follower); ok {
		return f.Admitted(ctx, d, add)
	}
	return add()
}
