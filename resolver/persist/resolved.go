package persist

import (
	"context"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// ResolvedGraph is the published graph of a store with a resolver. When the graph is
// cleared, the resolver's records change in the same transaction.
type ResolvedGraph struct {
	store.Graph
	Store    *Store // the store of Graph, or the one that it follows
	Resolver *resolver.Resolver
}

// Clear implements store.Graph. It fails while a graph store's graph is imported.
func (g ResolvedGraph) Clear(ctx context.Context, contexts bool, e journal.Entry) (out store.Cleared, err error) {
	apply := func(ctx context.Context, c resolver.Change) (err error) {
		out.Triples, err = g.Store.Contexts().Clear(ctx, c, e)
		return err
	}
	if follows, ok := g.Graph.(interface{ Importing() error }); ok {
		if err := follows.Importing(); err != nil {
			return out, err
		}
	}
	if contexts {
		out.Contexts, err = g.Resolver.Clear(ctx, apply)
	} else {
		err = g.Resolver.ClearPublished(ctx, apply)
	}
	return out, err
}

// ClearContexts removes all contexts, cases and decisions, with e as the journal's entry;
// see resolver.Resolver.ClearContexts.
func (g ResolvedGraph) ClearContexts(ctx context.Context, observed map[string]bool, forget func(iri string) bool, e journal.Entry) (contexts int64, err error) {
	return g.Resolver.ClearContexts(ctx, observed, forget, func(ctx context.Context, c resolver.Change) error {
		return g.Store.Update(ctx, func(tx *engine.Tx) error {
			if err := apply(tx, &c); err != nil {
				return err
			}
			return tx.Journal(e)
		})
	})
}
