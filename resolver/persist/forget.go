package persist

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// PreviewErasure returns what Erase would remove, and stores nothing. It fails where Erase would, as for a legal hold.
func (g ResolvedGraph) PreviewErasure(ctx context.Context, iri, pseudonym string, e journal.Entry) (out store.ErasurePreview, err error) {
	var kept []holds.Hold
	if out.IRIs, kept, err = g.erasable(ctx, e.Time, iri); err == nil {
		err = g.held(ctx, out.IRIs, kept)
	}
	if err != nil {
		return out, err
	}
	var logs map[uint64]int
	if out.Erased, logs, err = g.forget(ctx, g.Store.Forgotten.With(out.IRIs, pseudonym), nil, nil, nil); err != nil {
		return out, err
	}
	err = g.Store.View(func(snap *engine.Snapshot) error {
		for _, seq := range slices.Sorted(maps.Keys(logs)) {
			e, err := journal.Get(snap.KV(), seq)
			if err != nil {
				return err
			}
			out.ByLog = append(out.ByLog, store.ErasedLog{LogID: e.LogID, Time: e.Time, User: e.Sender(), Triples: logs[seq]})
		}
		return nil
	})
	return out, err
}

// erasable returns all names of the people whom IRIs name, and the legal holds that may forbid to erase them. The error may be
// store.ErrShared.
func (g ResolvedGraph) erasable(ctx context.Context, now time.Time, some ...string) (iris []string, kept []holds.Hold, err error) {
	if iris, err = g.NamesOf(ctx, some...); err == nil {
		err = g.shared(iris)
	}
	if err == nil {
		kept, err = g.holds(ctx, now)
	}
	return iris, kept, err
}

// Erase takes a person out of the file: an IRI, the other names of that person, and IRIs that begin with one of them
// up to # / or ?. The names join the list beside the store first, so that a start completes what a kill interrupts,
// and no log or backup brings it back. It waits for writes that have looked at the list before. Then one unit of work
// removes the person everywhere, and appends e to the journal. With a pseudonym, triples, sessions and decisions stay
// under that IRI. Texts go in either case. Purge then removes the bytes.
//
// With an IRI that others need, the error is store.ErrShared. If a legal hold forbids the erasure, also one that is added
// meanwhile, it is another *store.UnfitError; but a start after a kill does not ask for holds. With any error but
// store.ErrInDoubt, the names leave the list.
func (g ResolvedGraph) Erase(ctx context.Context, iri, pseudonym string, e journal.Entry) (store.Erased, error) {
	return g.EraseForwarded(ctx, &pack.Erasure{IRIs: []string{iri}, To: pseudonym}, e, nil)
}

// EraseForwarded is like Erase, for all names of a person, and calls also in the unit of work, unless it is nil. If the
// journal is forwarded, the names are kept, encrypted, until all centres have confirmed the entry.
func (g ResolvedGraph) EraseForwarded(ctx context.Context, whom *pack.Erasure, e journal.Entry, also func(tx *engine.Tx) error) (out store.Erased, err error) {
	list := g.Store.Forgotten
	complete, err := list.Complete()
	if err != nil {
		return out, err
	}
	to := whom.To
	if earlier, found := list.Of(whom.IRIs[0]); found && !complete { // an attempt that failed after it had chosen
		to = forgotten.Base(earlier)
	}
	iris, added, kept, err := g.enlist(ctx, whom.IRIs, to, e.Time)
	defer func() {
		if err == nil || len(added) == 0 || errors.Is(err, store.ErrInDoubt) {
			return
		}
		if done, lerr := list.Complete(); lerr != nil || !done { // nothing was erased, so a start must not do it
			err = errors.Join(err, lerr, list.Remove(added))
		}
	}()
	if err == nil { // a read snapshot lacks what is on its way to the disk; this waits for all that was submitted
		err = g.Store.Update(ctx, func(*engine.Tx) error { return nil })
	}
	if err != nil {
		return out, err
	}
	salt := journal.NewSecret().Content()
	e.Person, out.Salt = journal.PersonOf(salt, iris), base64.RawStdEncoding.EncodeToString(salt[:])
	e.Number = new(uint64)
	of := list
	if complete { // otherwise another erasure was interrupted
		of = list.With(iris, to)
	}
	done, err := g.unheld(ctx, iris, kept, e.Time, func(unheld func(tx *engine.Tx) error) (store.Erased, error) {
		done, _, err := g.forget(ctx, of, &e, unheld, func(tx *engine.Tx) error {
			key := box.ErasureKey(*e.Number - 1)
			sealed := list.Seal(key, slices.Concat(salt[:], pack.Erasure{IRIs: iris, To: to}.Text()))
			if err := box.KeepErasure(tx.KV(), key, sealed); err != nil || also == nil {
				return err
			}
			return also(tx)
		})
		return done, err
	})
	done.Salt, done.Index = out.Salt, *e.Number
	return done, err
}

// enlist adds all names of the people whom IRIs name to the list beside the store, with what replaces them, and waits for
// the writes that have looked at the list before. A decision that was made meanwhile may give the people more names, or
// holds, so enlist looks again until nothing changed: nobody decides on names in the list. It returns the names, the legal
// holds, which allow the erasure, and the names that it added, even if it fails.
func (g ResolvedGraph) enlist(ctx context.Context, some []string, to string, now time.Time) (iris, added []string, kept []holds.Hold, err error) {
	list := g.Store.Forgotten
	for {
		names, all, err := g.erasable(ctx, now, some...)
		if err != nil || slices.Equal(names, iris) && slices.EqualFunc(all, kept, sameHold) {
			return iris, added, kept, err
		}
		if err := g.held(ctx, names, all); err != nil {
			return iris, added, kept, err
		}
		others := slices.DeleteFunc(slices.Clone(added), func(name string) bool { return slices.Contains(names, name) })
		if err := list.Remove(others); err != nil {
			return iris, added, kept, err
		}
		lacks := list.Lacks(names)
		if err := list.Add(names, to); err != nil {
			return iris, added, kept, err
		}
		iris, kept, added = names, all, append(added, lacks...)
		if err := list.Settle(ctx); err != nil {
			return iris, added, kept, err
		}
	}
}

// NamesOf returns the given IRIs and all names of the people whom they name. A name that continues one of the names counts as
// that name, as it does for forgotten.List.Of. A name such as "http:", with which the IRIs of many begin, is left out.
func (g ResolvedGraph) NamesOf(ctx context.Context, iris ...string) ([]string, error) {
	people, err := g.Resolver.People(ctx)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(iris)
	for before := 0; before < len(out); { // other names may be continued too
		given := forgotten.Only(out, "")
		before = len(out)
		for _, name := range slices.Sorted(maps.Keys(people)) {
			if !given.Has(name) {
				continue
			}
			for _, other := range people[name] {
				if !slices.Contains(out, other) && journal.IsName(other) {
					out = append(out, other)
				}
			}
		}
	}
	return out, nil
}

// ReportedTimes are the predicates of the times of what logs report.
var ReportedTimes = []rdf.Term{rdf.NewIRI(vocabulary.ProvStartedAtTime), rdf.NewIRI(vocabulary.ProvEndedAtTime)}

// ApplyForgotten takes everybody in the list beside the store out of the file, unless that is
// done. It is for the start.
func (g ResolvedGraph) ApplyForgotten(ctx context.Context, e journal.Entry) (store.Erased, error) {
	list := g.Store.Forgotten
	complete, err := list.Complete()
	if err != nil || complete || list.Len() == 0 {
		return store.Erased{}, err
	}
	if err := list.Sync(); err != nil {
		return store.Erased{}, fmt.Errorf("syncing the list of what was erased: %w", err)
	}
	out, _, err := g.forget(ctx, list, &e, nil, nil)
	return out, err
}

// forget takes those in a list out of the file, and appends e to the journal. If e is nil, it stores nothing. It returns what goes
// and, by the number of a log's entry, how many triples the log loses. It calls first at the beginning of the unit of work, and also
// after the entry, unless they are nil.
func (g ResolvedGraph) forget(ctx context.Context, list *forgotten.List, e *journal.Entry, first, also func(tx *engine.Tx) error) (store.Erased, map[uint64]int, error) {
	x := erasing{store: g.Store, list: list, first: first}
	err := g.Store.Provenance.Alone(ctx, func() error {
		for try := 1; ; try++ {
			x.hurry = try > 1
			err := x.lookBeside(ctx, e != nil)
			if err != nil || e == nil {
				return err
			}
			err = g.Resolver.Forget(ctx, list.Of, x.blank, func(ctx context.Context, change resolver.Change, f resolver.Forgotten) error {
				return x.erase(ctx, change, f, try == maxTries, e, also)
			})
			if !errors.Is(err, provenance.ErrAgain) || try == maxTries {
				return err
			}
		}
	})
	if err != nil {
		return x.out, nil, fmt.Errorf("erasing a person: %w", err)
	}
	return x.out, x.logs, nil
}

// maxTries is how often an erasure begins if logs are imported, the graph is cleared, or contexts come to be about the
// person while it looks. The last time, observations wait meanwhile.
const maxTries = 10

// erasing is an erasure. It looks at a read snapshot, while writes go on. Then it takes the person out in one unit of work,
// which reads only what changes and what came since. Nothing new names the person meanwhile, because they are in the list, but
// logs may state again what was said.
type erasing struct {
	store   *Store
	list    *forgotten.List
	first   func(tx *engine.Tx) error // see forget
	of      resolver.Forgotten
	out     store.Erased
	terms   []rdf.Term                // that replace those of the person
	termIDs []dict.ID                 // their ids; 0 if they have none yet
	ids     map[dict.ID]dict.ID       // what becomes of each id of the person; 0 means nothing
	texts   map[dict.ID]bool          // predicates of texts
	links   map[dict.ID]bool          // predicates of store.Sentences: whether one is in From
	topic   dict.ID                   // the predicate store.Sentences.About; 0 if nothing has it
	graphs  map[dict.ID]*erasingGraph // that have something of the person
	logs    map[uint64]int            // numbers of entries whose logs lose triples, and how many
	named   []uint64                  // entries up to last that lose something, in ascending order
	inside  []uint64                  // entries up to last of observations in contexts that lose some, also if nothing is left to erase
	last    journal.Head
	notes   []notes.Note
	answers []uint64 // kept answers up to number kept that name the person
	kept    uint64
	snap    *engine.Snapshot // that it looks at
	working time.Time        // since when it looks without a rest
	looked  int              // at how many records, entries and triples
	written uint64           // units of work of others, when it rested
	hurry   bool             // it does not rest, because others wrote faster than it looked, or wait for it
}

// erasingGraph is what goes from a graph.
type erasingGraph struct {
	*provenance.Forgetting
	contexts bool             // it is the graph of contexts, whose records change
	named    bool             // the graph is named after the person
	said     map[dict.ID]bool // subjects whose texts go
}
