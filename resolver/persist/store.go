// Package persist opens the file of a segraph service. The file holds the engine's
// triples, the contributions of logs, the changes that a second store must still
// receive, users' notes, and the resolver's records. All of segraph's programs open
// the file with this package, so that these stay consistent.
//
// Contexts, cases, aliases and decisions are in the file twice, stored in one transaction: as
// records with checksums, and as quads in the graph urn:segraph:contexts. All quads can be
// computed from the records (resolver.Quads), so a load skips that graph, and Cayley may not
// write to it. Candidates with the same evidence share one node for it, which halves the
// quads of thousands of cases about one moment.
//
// delete_all keeps contexts, because SEGB's clients clear the graph before each run and then
// read a case of the previous run. With contexts it clears them, but not what was learned about
// clocks, nor the random bits and numbers of names. The totals record the last decision before a
// deletion (Unpublished), so the check knows which merges the published graph should hold.
package persist

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/follow/outbox"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/vocabulary"
)

// Options configure Open.
type Options struct {
	engine.Options       // without Extensions and Labels, which Open sets
	Follow         bool  // a graph store follows the file: the outbox records every change
	Lookup         int64 // see provenance.Options
}

// Store is an open file.
type Store struct {
	*engine.Store
	*provenance.Provenance
	Outbox *outbox.Outbox
	Notes  *notes.Notes
	// Retries keeps the answers to requests that clients may send again.
	Retries *retries.Retries
	// Forgotten lists who was erased, beside the file.
	Forgotten *forgotten.List

	window    int        // see resolver.Expiry
	following sync.Mutex // held while contexts follow withdrawn logs: a pass begins again if another waits
}

// decided lists the predicates of published decisions on contexts. Their triples stay
// if a log with the same triples is withdrawn.
var decided = []rdf.Term{rdf.NewIRI(vocabulary.ScMergedInto), rdf.NewIRI(vocabulary.ProvAlternateOf)}

// doers lists the predicates from an activity to the robot that did it.
var doers = []rdf.Term{rdf.NewIRI(vocabulary.ProvWasAssociatedWith), rdf.NewIRI(vocabulary.SegbWasPerformedBy)}

// Open opens the file at path. Errors are those of engine.Open.
func Open(path string, o Options) (*Store, error) {
	list, err := forgotten.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Store{window: windowOf(o.Lookup), Forgotten: list, Outbox: outbox.New(o.Follow), Notes: &notes.Notes{}, Retries: retries.New(), Provenance: provenance.New(provenance.Options{Keep: decided, Agents: doers,
		Contexts: contextsNamed, Withdrawn: noteWithdrawn, Lookup: o.Lookup})}
	o.Extensions = []engine.Extension{s.Provenance.Extension(), s.Outbox.Extension(), s.Notes.Extension(), s.Retries.Extension(), list.Extension(), centre.Extension(), box.Extension(), translog.Extension(),
		{Check: check, Clear: clearContexts}, {Check: checkWithdrawn}}
	o.Labels, o.Becomes, o.Sentences = vocabulary.Prefixes(), list.Term, vocabulary.Sentences
	if s.Store, err = engine.Open(path, o.Options); err != nil {
		return nil, err
	}
	return s, nil
}

// leastWindow is the least window of contexts that expire, in observations. Smaller ones would read the journal and all decisions
// too often.
const leastWindow = 4096

// windowOf returns resolver.Expiry.Window, given Options.Lookup.
func windowOf(lookup int64) int {
	if lookup == 0 {
		return 0
	}
	return int(min(max(lookup/resolver.WindowRoom, leastWindow), math.MaxInt32))
}

// Content returns what the store holds.
func (s *Store) Content() (out store.Content, err error) {
	err = s.View(func(snap *engine.Snapshot) (err error) {
		if out.Logs, out.LastLog, err = journal.Logs(snap.KV()); err != nil {
			return err
		}
		out.Cases, out.Pending, err = resolver.Cases(records{snap.Records()})
		return err
	})
	return out, err
}

// ContentOf returns what the file at path holds, without writing to it.
func ContentOf(path string) (store.Content, error) {
	s, err := Open(path, Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		return store.Content{}, err
	}
	out, err := s.Content()
	return out, errors.Join(err, s.Close())
}

// CheckFile checks the file at path without writing to it. The errors are those of Open
// and of engine.Store.Inspect.
func CheckFile(ctx context.Context, path string) (engine.Report, error) {
	s, err := Open(path, Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		return engine.Report{}, err
	}
	report, err := s.Inspect(ctx)
	return report, errors.Join(err, s.Close())
}
