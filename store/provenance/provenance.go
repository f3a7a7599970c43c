// Package provenance records which log contributed which triple. It looks contributions
// up, withdraws logs, and imports backups.
//
// A log's contribution lists the ids of its triples, new or not, and is removed with the graph.
// A long list is cut at positions that depend on its content, and each distinct piece is stored
// once. That costs 7 bytes for each new triple, and almost nothing for a graph that is sent again.
// To find the logs of a triple, the lists are read, newest first, with a limit of work for each
// page: an index would make every write change more pages than everything else together.
//
// Withdrawing logs removes the triples that no other log contributed; the others count as added
// by the next log. If a list and its journal entry disagree on how many triples were new, the log
// can't be withdrawn.
package provenance

import (
	"cmp"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Options configure a Provenance.
type Options struct {
	// Keep lists predicates whose triples Withdraw leaves in the published graph, because
	// not only logs write them.
	Keep []rdf.Term
	// Agents are the predicates from an activity to its robot, for store.Selection.Robot.
	Agents []rdf.Term
	// Contexts, unless nil, returns the numbers of the shared contexts that triples, by graph, name.
	Contexts func(snap *engine.Snapshot, triples map[dict.ID][]index.Tuple) ([]uint64, error)
	// Withdrawn, unless nil, is called by WithdrawLogs in each unit of work, before its journal entries. It sets the Contexts of
	// what is gone.
	Withdrawn func(tx *engine.Tx, gone []Gone) error
	// Lookup is how many bytes of memory a withdrawal may take to look for other logs, and withdrawals one after the other to be
	// faster; 0 means 64 MiB.
	Lookup int64
}

// Provenance manages the contributions to one file.
type Provenance struct {
	store     *engine.Store // nil until it is open
	keep      []rdf.Term
	agents    []rdf.Term
	named     func(snap *engine.Snapshot, triples map[dict.ID][]index.Tuple) ([]uint64, error) // Options.Contexts
	withdrawn func(tx *engine.Tx, gone []Gone) error
	past      map[repetition]journal.Entry // for Repeated
	waiting   atomic.Int32                 // callers of Alone, with the one that runs
	// withdrawing holds one element while Alone runs something. The fields below it are for what runs there.
	withdrawing chan struct{}
	lookup      *lookup   // nil unless logs were withdrawn one after the other
	looked      time.Time // when a lookup was used last, or would have been
	tooLarge    time.Time // no lookup is made until then
	dropping    bool      // dropLookup is about to run

	share int   // see usualShare
	room  int64 // for a lookup, in bytes
}

// New returns the provenance for a store that is opened with its Extension.
func New(o Options) *Provenance {
	return &Provenance{keep: o.Keep, agents: o.Agents, named: o.Contexts, withdrawn: o.Withdrawn, withdrawing: make(chan struct{}, 1), share: usualShare, room: cmp.Or(o.Lookup, usualRoom)}
}

// Extension returns the engine's hooks for contributions.
func (p *Provenance) Extension() engine.Extension {
	return engine.Extension{Opened: p.opened, Contributions: p, Uses: uses, Check: check}
}

// opened is called when the store is open: it reads which logs clients may send again.
func (p *Provenance) opened(s *engine.Store) error {
	p.store = s
	if s.ReadOnly() {
		return nil // there is nothing to repeat
	}
	return s.View(func(snap *engine.Snapshot) (err error) {
		p.past, err = readPast(snap.KV())
		return err
	})
}
