package engine

import (
	"context"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// TestProvenance is the part of *provenance.Provenance that tests of this package use.
type TestProvenance interface {
	Contributions
	Extension() Extension
	Withdraw(ctx context.Context, logID string, e journal.Entry) (store.Withdrawn, error)
	Repeated(ctx context.Context, e journal.Entry) (journal.Entry, bool, error)
	Logs(ctx context.Context, f journal.Filter, quads []rdf.Quad) (journal.Page, error)
	Log(ctx context.Context, id string, limit int) (store.Log, error)
}

// NewProvenance is set by package engine_test.
var NewProvenance func() TestProvenance

// withProvenance returns options with the extension that records contributions.
func withProvenance(o Options) Options {
	o.Extensions = append(o.Extensions, NewProvenance().Extension())
	return o
}

// provenanceOf returns the provenance of a store that was opened with withProvenance.
func provenanceOf(s *Store) TestProvenance { return contributionsOf(s.extensions).(TestProvenance) }
