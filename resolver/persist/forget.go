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
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/vocabulary"
)

// PreviewErasure returns what Erase would remove, and stores nothing. It fails where Erase would, as for a legal hold.
func (g ResolvedGraph) PreviewErasure(ctx context.Context, iri, pseudonym string, e journal.Entry) (out store.ErasurePreview, err error) {
	if out.IRIs, err = g.erasable(ctx, e.Time, iri); err != nil {
		return out, err
	}
	var logs map[uint64]int
	if out.Erased, logs, err = g.forget(ctx, forgotten.Only(out.IRIs, pseudonym), nil, nil); err != nil {
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

// erasable returns all names of the people whom IRIs name. The error is a *store.UnfitError if a legal hold forbids to
// erase them.
func (g ResolvedGraph) erasable(ctx context.Context, now time.Time, some ...string) ([]string, error) {
	iris, err := g.NamesOf(ctx, some...)
	for _, name := range iris {
		if err == nil {
			err = g.held(ctx, name, now)
		}
	}
	return iris, err
}

// Erase takes a person out of the file: an IRI, the other names of that person, and IRIs that begin with one of them
// up to # / or ?. The names join the list beside the store first, so that a start completes what a kill interrupts,
// and no log or backup brings it back. It waits for writes that have looked at the list before. Then one unit of work
// removes the person everywhere, and appends e to the journal. With a pseudonym, triples, sessions and decisions stay
// under that IRI. Texts go in either case. A legal hold on the person, or on a log that would lose something, makes
// the error a *store.UnfitError. Purge then removes the bytes.
func (g ResolvedGraph) Erase(ctx context.Context, iri, pseudonym string, e journal.Entry) (store.Erased, error) {
	return g.EraseForwarded(ctx, &pack.Erasure{IRIs: []string{iri}, To: pseudonym}, e, nil)
}

// EraseForwarded is like Erase, for all names of a person, and calls also in the unit of work, unless it is nil. If the
// journal is forwarded, the names are kept, encrypted, until all centres have confirmed the entry.
func (g ResolvedGraph) EraseForwarded(ctx context.Context, whom *pack.Erasure, e journal.Entry, also func(tx *engine.Tx) error) (out store.Erased, err error) {
	list := g.Store.Forgotten
	before, err := list.Applied()
	if err != nil {
		return out, err
	}
	iris, err := g.erasable(ctx, e.Time, whom.IRIs...)
	if err != nil {
		return out, err
	}
	all := before != list.Len() // another erasure was interrupted
	if err := list.Add(iris, whom.To); err != nil {
		return out, err
	}
	if err := list.Settle(ctx); err != nil {
		return out, err
	}
	salt := journal.NewSecret().Content()
	e.Person, out.Salt = journal.PersonOf(salt, iris), base64.RawStdEncoding.EncodeToString(salt[:])
	e.Number = new(uint64)
	of := list
	to, _ := list.Of(iris[0]) // of an earlier erasure, if there was one
	if !all {
		of = forgotten.Only(iris, to)
	}
	done, _, err := g.forget(ctx, of, &e, func(tx *engine.Tx) error {
		key := box.ErasureKey(*e.Number - 1)
		sealed := list.Seal(key, append(salt[:len(salt):len(salt)], pack.Erasure{IRIs: iris, To: to}.Text()...))
		if err := box.KeepErasure(tx.KV(), key, sealed); err != nil || also == nil {
			return err
		}
		return also(tx)
	})
	done.Salt, done.Index = out.Salt, *e.Number
	return done, err
}

// NamesOf returns IRIs, and the other names of the people whom they, or IRIs that continue them, name.
func (g ResolvedGraph) NamesOf(ctx context.Context, iris ...string) ([]string, error) {
	people, err := g.Resolver.People(ctx)
	out, list := slices.Clone(iris), forgotten.Only(iris, "")
	for _, name := range slices.Sorted(maps.Keys(people)) {
		if _, is := list.Of(name); !is {
			continue
		}
		for _, other := range people[name] {
			if !slices.Contains(out, other) {
				out = append(out, other)
			}
		}
	}
	return out, err
}

// held returns a *store.UnfitError if a legal hold forbids to erase a person: one on the person, or
// on a log that names them.
func (g ResolvedGraph) held(ctx context.Context, iri string, now time.Time) error {
	all, err := holds.Of(g.Store.Store).All(now)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, h := range all {
		if h.OfPerson(iri) {
			return h.Refused()
		}
	}
	return g.Store.Naming(ctx, iri, ReportedTimes, func(e journal.Numbered, first, last time.Time) error {
		for _, h := range all {
			if h.OfLog(e.LogID, first, last) {
				return h.Refused()
			}
		}
		return nil
	})
}

// ReportedTimes are the predicates of the times of what logs report.
var ReportedTimes = []rdf.Term{rdf.NewIRI(vocabulary.ProvStartedAtTime), rdf.NewIRI(vocabulary.ProvEndedAtTime)}

// ApplyForgotten takes everybody in the list beside the store out of the file, unless that is
// done. It is for the start, and for what was imported since.
func (g ResolvedGraph) ApplyForgotten(ctx context.Context, e journal.Entry) (store.Erased, error) {
	list := g.Store.Forgotten
	applied, err := list.Applied()
	if err != nil || list.Len() == 0 || applied == list.Len() {
		return store.Erased{}, err
	}
	if err := list.Sync(); err != nil {
		return store.Erased{}, fmt.Errorf("syncing the list of what was erased: %w", err)
	}
	out, _, err := g.forget(ctx, list, &e, nil)
	return out, err
}

// forget also returns the numbers of the entries whose logs lost triples, and how many. It calls also in the unit of work
// after the entry, unless it is nil. If e is nil, it stores nothing.
func (g ResolvedGraph) forget(ctx context.Context, list *forgotten.List, e *journal.Entry, also func(tx *engine.Tx) error) (out store.Erased, logs map[uint64]int, err error) {
	x := erasing{store: g.Store, list: list}
	err = g.Store.Provenance.Alone(ctx, func() (err error) {
		for try := range maxTries {
			last := try == maxTries-1
			if !last {
				if err = x.lookBeside(); err != nil || e == nil {
					return err
				}
			}
			seen := x.of.URIs
			err = g.Resolver.Forget(ctx, list.Of, func(ctx context.Context, change resolver.Change, f resolver.Forgotten) error {
				for uri := range f.URIs {
					if !seen[uri] && !last {
						return provenance.ErrAgain
					}
				}
				x.of = f
				return g.Store.Update(ctx, func(tx *engine.Tx) error {
					if last {
						if err := x.look(tx.Snapshot()); err != nil {
							return err
						}
					}
					if err := x.erase(tx, &change, e); err != nil || also == nil {
						return err
					}
					return also(tx)
				})
			})
			if !errors.Is(err, provenance.ErrAgain) {
				break
			}
		}
		return err
	})
	if err != nil {
		return x.out, nil, fmt.Errorf("erasing a person: %w", err)
	}
	return x.out, x.logs, nil
}

// maxTries is how often an erasure begins if logs are imported, the graph is cleared, or texts of the person come
// meanwhile. The last time, writes wait while it looks.
const maxTries = 10

// erasing is an erasure. It looks at a read snapshot, while writes go on. Its unit of work looks up terms and triples
// again. Of the lists of logs, the journal and the kept answers it reads only what the snapshot named, and what is newer.
type erasing struct {
	store    *Store
	list     *forgotten.List
	of       resolver.Forgotten
	out      store.Erased
	ids      map[dict.ID]dict.ID             // what becomes of each id of the person; 0 means nothing
	logs     map[uint64]int                  // numbers of entries whose logs lose triples, and how many
	listings map[dict.ID]*provenance.Listing // by graph
	named    []uint64                        // entries up to last that lose something, in ascending order
	last     journal.Head
	answers  []uint64 // kept answers that name the person, up to the number answered
	answered uint64
	working  time.Time // since when it looks without a rest; zero if it must not rest
	looked   int       // at how many entries and triples
}

// lookBeside looks at a read snapshot, while observations and logs are stored.
func (x *erasing) lookBeside() error {
	return x.store.View(func(snap *engine.Snapshot) (err error) {
		if x.of, err = resolver.Forgettable(records{snap.Records()}, x.list.Of); err != nil {
			return err
		}
		x.working = time.Now()
		defer func() { x.working = time.Time{} }()
		return x.look(snap)
	})
}

// restAfter is how long an erasure looks before it leaves the processor to others as long.
const restAfter = 2 * time.Millisecond

func (x *erasing) rest() {
	if x.looked++; x.working.IsZero() || x.looked%64 != 0 {
		return
	}
	if worked := time.Since(x.working); worked > restAfter {
		time.Sleep(worked)
		x.working = time.Now()
	}
}

// names reports whether a text is, or has, an IRI of the person.
func (x *erasing) names(text string) bool {
	_, found := x.list.Of(text)
	return found || x.list.In(text)
}

// about reports whether an entry's log loses triples, or its context lost observations.
func (x *erasing) about(seq uint64, e *journal.Entry) bool {
	x.rest()
	return x.logs[seq] > 0 || x.of.URIs[e.Context]
}

// begin resets the counts.
func (x *erasing) begin() {
	x.out, x.logs = store.Erased{Observations: x.of.Observations, Contexts: x.of.Contexts}, map[uint64]int{}
}

// look reads a snapshot, and counts what goes.
func (x *erasing) look(snap *engine.Snapshot) error {
	x.begin()
	r := snap.KV()
	x.last, x.listings = journal.HeadOf(r), map[dict.ID]*provenance.Listing{}
	err := x.find(snap, func(terms []rdf.Term, ids []dict.ID) (err error) {
		for i, t := range terms {
			if ids[i], _, err = snap.ID(t); err != nil {
				break
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	has := func(t index.Tuple) bool {
		x.rest()
		return slices.ContainsFunc(t[:], func(id uint64) bool { _, is := x.ids[dict.ID(id)]; return is })
	}
	for _, g := range snap.Graphs() {
		gone, contexts, err := x.gone(snap, g)
		if err != nil {
			return err
		}
		x.out.Triples += len(gone)
		of, err := x.store.Provenance.Listing(r, g, gone, has)
		if err != nil {
			return err
		}
		for seq, triples := range of.Logs {
			if !contexts {
				x.logs[seq] += triples
			}
		}
		x.listings[g] = of
	}
	x.out.Logs = len(x.logs)
	hers, err := notes.Naming(r, x.list.In)
	if err != nil {
		return err
	}
	if x.answers, x.answered, err = retries.Naming(r, 0, x.list.In); err != nil {
		return err
	}
	x.named, err = journal.Named(r, x.names, x.about)
	x.out.Notes, x.out.Answers, x.out.Entries = len(hers), len(x.answers), len(x.named)
	return err
}

// erase is the unit of work.
func (x *erasing) erase(tx *engine.Tx, change *resolver.Change, e *journal.Entry) error {
	x.begin()
	if err := apply(tx, change); err != nil {
		return err
	}
	if err := x.find(tx.Snapshot(), tx.IDs); err != nil {
		return err
	}
	for _, g := range tx.Snapshot().Graphs() {
		if err := x.graph(tx, g); err != nil {
			return err
		}
	}
	x.out.Logs = len(x.logs)
	err := tx.ForgetPrefixes(x.names)
	if err == nil {
		x.out.Notes, err = notes.Forget(tx, x.list.In)
	}
	var newer, seqs []uint64
	if err == nil {
		newer, _, err = retries.Naming(tx.KV(), x.answered, x.list.In)
	}
	if err == nil {
		x.out.Answers, err = retries.Forget(tx.KV(), slices.Concat(x.answers, newer))
	}
	if err == nil {
		some := slices.AppendSeq(slices.Clone(x.named), maps.Keys(x.logs))
		slices.Sort(some)
		seqs, err = journal.Forget(tx.KV(), slices.Compact(some), x.last.Seq, x.names, x.about)
	}
	if err == nil {
		err = tx.WantCollection()
	}
	if err == nil {
		err = forgotten.SetApplied(tx, x.store.Forgotten.Len())
	}
	if err != nil {
		return err
	}
	x.out.Entries = len(seqs)
	e.Removed, e.Lessened = int64(x.out.Triples), journal.Indexes(seqs)
	return tx.Journal(*e)
}

// graph takes the person out of a graph.
func (x *erasing) graph(tx *engine.Tx, g dict.ID) error {
	gone, contexts, err := x.gone(tx.Snapshot(), g)
	if err != nil {
		return err
	}
	x.out.Triples += len(gone)
	of := x.listings[g]
	if of == nil { // the graph is newer
		of = &provenance.Listing{Head: x.last}
	}
	return x.store.Provenance.Forget(tx, g, of, gone, func(seq uint64, triples int) {
		if !contexts {
			x.logs[seq] += triples
		}
	})
}
