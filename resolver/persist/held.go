package persist

import (
	"context"
	"errors"
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
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// unheld calls forget, which erases a person and calls its argument at the beginning of the unit of work. A legal hold that is not
// among the known ones ends that unit. If the hold forbids to erase the person, the error is a *store.UnfitError. Otherwise unheld calls forget again.
func (g ResolvedGraph) unheld(ctx context.Context, iris []string, known []holds.Hold, now time.Time,
	forget func(unheld func(tx *engine.Tx) error) (store.Erased, error)) (store.Erased, error) {
	for {
		out, err := forget(func(tx *engine.Tx) error { return holds.NoneSince(tx.KV(), known, now, false) })
		if !errors.Is(err, holds.ErrMeanwhile) {
			return out, err
		}
		if known, err = g.holds(ctx, now); err == nil {
			err = g.held(ctx, iris, known)
		}
		if err != nil {
			return store.Erased{}, err
		}
	}
}

// holds returns the legal holds in force at a time, with all names of the people.
func (g ResolvedGraph) holds(ctx context.Context, now time.Time) ([]holds.Hold, error) {
	all, err := holds.Of(g.Store.Store).All(now)
	for i := range all {
		if h := &all[i]; err == nil && len(h.People) > 0 {
			h.People, err = g.NamesOf(ctx, h.People...)
		}
	}
	return all, err
}

// shared returns store.ErrShared if others need one of a person's names: if a name is, or begins, a term of the vocabulary or
// the graph of contexts, or if names are, or begin, predicates and classes in at least as many triples as tell of the person.
// So one odd triple protects nobody.
func (g ResolvedGraph) shared(names []string) error {
	list := forgotten.Only(names, "")
	if list.Has(contextsGraph.Value()) {
		return store.ErrShared
	}
	for name := range vocabulary.IRIs() {
		if list.Has(name) {
			return store.ErrShared
		}
	}
	var words, told int64 // triples with a word, and of the person
	err := g.Store.View(func(snap *engine.Snapshot) error {
		class, typed, err := snap.ID(rdf.NewIRI(rdf.RDF + "type"))
		if err != nil {
			return err
		}
		return snap.Texts(rdf.KindIRI, list.Begins(), func(id dict.ID) (bool, error) {
			t, err := snap.Term(id)
			if err != nil || !list.Has(t.Value()) {
				return err == nil, err
			}
			// as subject, predicate, object and class
			n, err := counted(snap, [4][3]dict.ID{{id}, {0, id}, {0, 0, id}, {0, class, id}})
			if !typed {
				n[3] = 0
			}
			if words += n[1] + n[3]; slices.Contains(names, t.Value()) {
				told += n[0] + n[2] - n[3]
			}
			return err == nil, err
		})
	})
	if err == nil && words > 0 && words >= told {
		err = store.ErrShared
	}
	return err
}

// counted returns how many triples of all graphs match each of some patterns.
func counted(snap *engine.Snapshot, patterns [4][3]dict.ID) (n [4]int64, err error) {
	for _, graph := range snap.Graphs() {
		for i, p := range patterns {
			some, err := snap.Count(p[0], p[1], p[2], graph)
			if err != nil {
				return n, err
			}
			n[i] += some
		}
	}
	return n, nil
}

// sameHold reports whether a legal hold is another one, and its people have the same names.
func sameHold(a, b holds.Hold) bool { return a.ID == b.ID && slices.Equal(a.People, b.People) }

// held returns a *store.UnfitError if one of all legal holds forbids to erase a person: one on the person, on somebody who made a
// decision that would go, on a log, an observation or a decision that would lose something, or on somebody whom such a log or
// observation names.
func (g ResolvedGraph) held(ctx context.Context, iris []string, all []holds.Hold) error {
	if len(all) == 0 {
		return nil
	}
	refused := func(is func(i int, h *holds.Hold) bool) error {
		for i := range all {
			if is(i, &all[i]) {
				return all[i].Refused()
			}
		}
		return nil
	}
	x := erasing{store: g.Store, list: forgotten.Only(iris, "")}
	if err := x.lookBeside(ctx, false); err != nil {
		return err
	}
	for _, name := range slices.AppendSeq(slices.Clone(iris), maps.Keys(x.of.Deciders)) {
		if err := refused(func(_ int, h *holds.Hold) bool { return h.OfPerson(name) }); err != nil {
			return err
		}
	}
	logs := maps.Clone(x.logs) // and those that lose their senders
	if err := g.Store.View(func(snap *engine.Snapshot) error {
		for _, seq := range slices.Concat(x.named, x.inside) {
			e, err := journal.Get(snap.KV(), seq)
			var at time.Time
			var observed []string // what the observation names
			switch {
			case err == nil && e.Decides():
				at, observed, err = resolver.Placed(records{snap.Records()}, e.Decision)
			case err == nil && e.Action == journal.Insert: // its triples may have been withdrawn
				logs[seq] = max(logs[seq], 1)
			case err == nil:
				continue
			}
			if err == nil {
				first, last := span(e.Time, at, e.BoxTime)
				err = refused(func(_ int, h *holds.Hold) bool {
					return h.OfLog(e.LogID, first, last) || slices.ContainsFunc(observed, h.OfPerson)
				})
			}
			if err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return g.heldLogs(ctx, logs, all, func(_ string, h *holds.Hold) error { return h.Refused() })
}

// heldLogs calls f with each log that has an entry whose number is in some, and the first of all legal holds that keeps it: one on the
// log, on one of its times, or on somebody whom it names. It ends if f returns an error.
func (g ResolvedGraph) heldLogs(ctx context.Context, some map[uint64]int, all []holds.Hold, f func(logID string, h *holds.Hold) error) error {
	people := make([][]string, len(all))
	for i := range all {
		people[i] = all[i].People
	}
	return g.Store.Times(ctx, some, ReportedTimes, people, func(e journal.Numbered, first, last time.Time, named func(i int) bool) error {
		for i := range all {
			if h := &all[i]; named(i) || h.OfLog(e.LogID, first, last) {
				return f(e.LogID, h)
			}
		}
		return nil
	})
}

// HeldLogs returns those of some logs that a legal hold keeps at a time.
func (g ResolvedGraph) HeldLogs(ctx context.Context, logIDs []string, now time.Time) (held []string, err error) {
	all, err := g.holds(ctx, now)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	logs := map[uint64]int{}
	err = g.Store.View(func(snap *engine.Snapshot) error {
		for _, id := range logIDs {
			found, err := journal.Find(snap.KV(), id, 1) // one part stands for all
			if err != nil {
				return err
			}
			for _, e := range found {
				logs[e.Seq] = 1
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return held, g.heldLogs(ctx, logs, all, func(id string, _ *holds.Hold) error { held = append(held, id); return nil })
}

// span returns the first and the last of some times that are not zero.
func span(times ...time.Time) (first, last time.Time) {
	times = slices.DeleteFunc(times, time.Time.IsZero)
	return slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
}
