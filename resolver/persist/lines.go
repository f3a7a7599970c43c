package persist

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
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

// BeginObserved is like BeginLog. Before that, in the same unit of work, it resolves an
// observation, which has a journal entry of its own. place may add quads to d and complete e
// when it gets the answer; it may be called twice.
func (g ResolvedGraph) BeginObserved(ctx context.Context, d *store.Document, e *journal.Entry, o resolver.Observation, observed journal.Entry,
	place func(*resolver.Resolution) error) (wait func() error, err error) {
	log := func(tx *engine.Tx) error { return tx.AddLog(d, e) }
	err = g.admitted(ctx, d, func() (err error) {
		wait, err = g.Resolver.Submit(ctx, o, observed, func(answer *resolver.Resolution) (any, error) { return log, place(answer) })
		return err
	})
	return wait, err
}

// Sent returns the text of an observation or of an erasure; see box.Options.
func (s *Store) Sent(index uint64, e *journal.Entry) (text []byte, salt journal.Salt, err error) {
	if e.Action != journal.Resolve && e.Action != journal.Erasure {
		return nil, salt, nil
	}
	err = s.View(func(snap *engine.Snapshot) (err error) {
		if e.Action == journal.Resolve {
			text, salt, err = resolver.Sent(records{snap.Records()}, e)
			return err
		}
		key := box.ErasureKey(index)
		if opened, ok := s.Forgotten.Unseal(key, box.Erasure(snap.KV(), key)); ok { // not if it is dropped, or the list is another file's
			text = opened[copy(salt[:], opened):]
		}
		return nil
	})
	return text, salt, err
}

// Observe resolves an observation of a box, without the people who were erased here; see centre.Options. It returns before
// the observation is stored, and wait once it is. If this version can't read or resolve the observation, wait and err are
// nil, and nothing is stored.
func (g ResolvedGraph) Observe(ctx context.Context, text []byte, e journal.Entry, also func(tx *engine.Tx, entered bool) error) (wait func() error, err error) {
	var o resolver.Observation
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, nil // a version with other limits sent it
	}
	defer g.Store.Forgotten.Begin()() // ends before the disk has it: an erasure's unit is built on what was submitted
	unname(g.Store.Forgotten, &e)
	if !g.Store.Forgotten.Has(e.Context) && rdf.IsIRI(e.Context) {
		o.Alias = e.Context
	}
	e.Context = "" // it was the box's, and the resolver sets its own
	o.Withhold(g.Store.Forgotten.Of)
	wait, err = g.Resolver.Submit(ctx, o, e, func(answer *resolver.Resolution) (any, error) {
		return func(tx *engine.Tx) error { return also(tx, !answer.Duplicate) }, nil
	})
	if _, unfit := errors.AsType[*resolver.Error](err); unfit {
		return nil, nil
	}
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
