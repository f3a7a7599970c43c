package persist

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/vocabulary"
)

// sentences are the predicates of texts that go with a person whom their subject names.
var sentences = []rdf.Term{rdf.NewIRI(vocabulary.SchemaText), rdf.NewIRI(vocabulary.RDFS + "label"), rdf.NewIRI(vocabulary.RDFS + "comment"),
	rdf.NewIRI(vocabulary.Schema + "description")}

var errPreview = errors.New("nothing is stored")

// PreviewErasure returns what Erase would remove, and stores nothing. It fails where Erase would, as for a legal hold.
func (g ResolvedGraph) PreviewErasure(ctx context.Context, iri, pseudonym string, e journal.Entry) (out store.ErasurePreview, err error) {
	if out.IRIs, err = g.erasable(ctx, iri, e.Time); err != nil {
		return out, err
	}
	var logs map[uint64]int
	if out.Erased, logs, err = g.forget(ctx, forgotten.Only(out.IRIs, pseudonym), &e, true); err != nil {
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

// erasable returns the names of a person. The error is a *store.UnfitError if a legal hold forbids to erase them.
func (g ResolvedGraph) erasable(ctx context.Context, iri string, now time.Time) ([]string, error) {
	iris, err := g.NamesOf(ctx, iri)
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
func (g ResolvedGraph) Erase(ctx context.Context, iri, pseudonym string, e journal.Entry) (out store.Erased, err error) {
	list := g.Store.Forgotten
	before, err := list.Applied()
	if err != nil {
		return out, err
	}
	iris, err := g.erasable(ctx, iri, e.Time)
	if err != nil {
		return out, err
	}
	all := before != list.Len() // another erasure was interrupted
	if err := list.Add(iris, pseudonym); err != nil {
		return out, err
	}
	if err := list.Settle(ctx); err != nil {
		return out, err
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	var people []string
	for _, iri := range iris {
		hash := sha256.Sum256(append(slices.Clip(salt), iri...))
		people = append(people, base64.RawStdEncoding.EncodeToString(hash[:]))
	}
	e.Person, out.Salt = strings.Join(people, ","), base64.RawStdEncoding.EncodeToString(salt)
	e.Number = new(uint64)
	of := list
	if !all {
		to, _ := list.Of(iri) // of an earlier erasure, if there was one
		of = forgotten.Only(iris, to)
	}
	done, _, err := g.forget(ctx, of, &e, false)
	done.Salt, done.Index = out.Salt, *e.Number
	return done, err
}

// NamesOf returns an IRI, and the other names of the people whom it, or an IRI that continues it, names.
func (g ResolvedGraph) NamesOf(ctx context.Context, iri string) ([]string, error) {
	people, err := g.Resolver.People(ctx)
	out, list := []string{iri}, forgotten.Only([]string{iri}, "")
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
	out, _, err := g.forget(ctx, list, &e, false)
	return out, err
}

// forget also returns the numbers of the entries whose logs lost triples, and how many.
func (g ResolvedGraph) forget(ctx context.Context, list *forgotten.List, e *journal.Entry, preview bool) (out store.Erased, logs map[uint64]int, err error) {
	err = g.Resolver.Forget(ctx, list.Of, func(ctx context.Context, change resolver.Change, f resolver.Forgotten) error {
		x := erasing{store: g.Store, list: list, out: &out, uris: f.URIs}
		err := g.Store.View(func(snap *engine.Snapshot) (err error) { // writes go on meanwhile
			about := func(_ uint64, e *journal.Entry) bool { return f.URIs[e.Context] }
			x.named, x.last, err = journal.Named(snap.KV(), x.names, about)
			return err
		})
		if err != nil {
			return err
		}
		return g.Store.Update(ctx, func(tx *engine.Tx) error {
			out = store.Erased{Observations: f.Observations, Contexts: f.Contexts}
			if err := apply(tx, &change); err != nil {
				return err
			}
			logs = map[uint64]int{}
			x.tx, x.logs = tx, logs
			if err := x.all(e); err != nil {
				return err
			}
			if preview {
				return errPreview
			}
			return nil
		})
	})
	if errors.Is(err, errPreview) {
		err = nil
	}
	if err != nil {
		return out, nil, fmt.Errorf("erasing a person: %w", err)
	}
	return out, logs, nil
}

// erasing is the unit of work of an erasure.
type erasing struct {
	store *Store
	tx    *engine.Tx
	list  *forgotten.List
	out   *store.Erased
	ids   map[dict.ID]dict.ID // what becomes of each id of the person; 0 means nothing
	logs  map[uint64]int      // numbers of entries whose logs lost triples, and how many
	uris  map[string]bool     // contexts that lost observations
	named []uint64            // entries up to last that name the person or such a context, in order
	last  uint64
}

// names reports whether a text is, or has, an IRI of the person.
func (x *erasing) names(text string) bool {
	_, found := x.list.Of(text)
	return found || x.list.In(text)
}

func (x *erasing) all(e *journal.Entry) (err error) {
	if err = x.find(); err != nil {
		return err
	}
	for _, g := range x.tx.Snapshot().Graphs() {
		if err = x.graph(g); err != nil {
			return err
		}
	}
	in := x.list.In
	var seqs []uint64
	if err = x.tx.ForgetPrefixes(x.names); err == nil {
		x.out.Notes, err = notes.Forget(x.tx, in)
	}
	if err == nil {
		x.out.Answers, err = retries.Forget(x.tx, in)
	}
	if err == nil {
		some := slices.AppendSeq(slices.Clone(x.named), maps.Keys(x.logs))
		slices.Sort(some)
		seqs, err = journal.Forget(x.tx.KV(), slices.Compact(some), x.last, x.names, func(seq uint64, e *journal.Entry) bool { return x.logs[seq] > 0 || x.uris[e.Context] })
	}
	if err == nil {
		err = x.tx.WantCollection()
	}
	if err == nil {
		err = forgotten.SetApplied(x.tx, x.store.Forgotten.Len())
	}
	if err != nil {
		return err
	}
	x.out.Logs, x.out.Entries = len(x.logs), len(seqs)
	e.Removed, e.Lessened = int64(x.out.Triples), journal.Indexes(seqs)
	return x.tx.Journal(*e)
}

// find fills ids: with the IRIs of the person, and the triple terms that have one.
func (x *erasing) find() error {
	x.ids = map[dict.ID]dict.ID{}
	snap := x.tx.Snapshot()
	var was []dict.ID
	var becomes []rdf.Term
	err := snap.Texts(rdf.KindIRI, x.list.Begins(), func(id dict.ID) (bool, error) {
		t, err := snap.Term(id)
		if err != nil {
			return false, err
		}
		if to := x.list.Term(t); to != t {
			was, becomes = append(was, id), append(becomes, to)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	for next := was; len(next) > 0; { // a triple term may be part of another one
		var more []dict.ID
		for _, id := range next {
			for _, p := range withID(id) {
				err := snap.EachTriple(p[0], p[1], p[2], func(ids []dict.ID) error { more = append(more, ids...); return nil })
				if err != nil {
					return err
				}
			}
		}
		for _, id := range more {
			x.ids[id] = 0
		}
		next = more
	}
	for i, id := range was {
		var to [1]dict.ID
		if !becomes[i].IsZero() {
			if err := x.tx.IDs(becomes[i:i+1], to[:]); err != nil {
				return err
			}
		}
		x.ids[id] = to[0]
	}
	x.out.Terms = len(x.ids)
	return nil
}

// graph takes the person out of a graph. One that is named after the person goes.
func (x *erasing) graph(g dict.ID) error {
	snap := x.tx.Snapshot()
	named := false
	if g != 0 {
		name, err := snap.Term(g)
		if err != nil {
			return err
		}
		if name == contextsGraph { // whose records have changed
			return x.decisions(g)
		}
		_, named = x.ids[g]
	}
	gone, err := x.gone(snap, g, named)
	if err != nil || len(gone) == 0 {
		return err
	}
	for t := range gone {
		if named || isText(snap, dict.ID(t[2])) {
			gone[t] = index.Tuple{}
		}
	}
	x.out.Triples += len(gone)
	return x.store.Provenance.Forget(x.tx, g, gone, func(seq uint64, triples int) { x.logs[seq] += triples })
}

// decisions takes the person out of the lists of what decisions on contexts changed.
func (x *erasing) decisions(g dict.ID) error {
	gone, err := x.store.Provenance.Listed(x.tx, g, func(t index.Tuple) bool {
		return slices.ContainsFunc(t[:], func(id uint64) bool { _, is := x.ids[dict.ID(id)]; return is })
	})
	if err == nil && len(gone) > 0 {
		err = x.store.Provenance.Forget(x.tx, g, gone, func(uint64, int) {})
	}
	return err
}
