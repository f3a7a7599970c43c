// Package provenance keeps which log contributed which triple: it looks them up,
// withdraws a log, and imports a backup.
package provenance

import (
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Options say how contributions are treated.
type Options struct {
	// Keep are predicates whose triples Withdraw leaves in the published graph, because
	// others than logs write them, too.
	Keep []rdf.Term
}

// Provenance is what is known of the contributions to one file.
type Provenance struct {
	store *engine.Store // nil until it is open
	keep  []rdf.Term
	past  map[repetition]journal.Entry // of Repeated
}

// New returns the provenance for a store that is opened with its Extension.
func New(o Options) *Provenance { return &Provenance{keep: o.Keep} }

// Extension returns what the engine has to do for contributions.
func (p *Provenance) Extension() engine.Extension {
	return engine.Extension{Opened: p.opened, Contributions: p, Check: check}
}

func (p *Provenance) opened(s *engine.Store) error {
	p.store = s
	if s.ReadOnly() {
		return nil // nothing is published again
	}
	return s.View(func(snap *engine.Snapshot) (err error) {
		p.past, err = readPast(snap.KV())
		return err
	})
}
