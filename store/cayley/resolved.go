package cayley

import (
	"context"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
)

// ResolvedGraph is the published graph of a store whose contexts a resolver decides: when the graph is cleared or
// brought back, the resolver forgets or remembers what was derived from it, in the same transaction.
type ResolvedGraph struct {
	store.Graph
	Store    *Store // the same, or the one that Graph tells of
	Resolver *resolver.Resolver
}

// Clear implements store.Graph.
func (g ResolvedGraph) Clear(ctx context.Context, e journal.Entry) (removed int64, err error) {
	err = g.Resolver.Clear(ctx, func(ctx context.Context, c resolver.Change) error {
		removed, err = g.Store.Contexts().Clear(ctx, c, e)
		return err
	})
	return removed, err
}

// BringBack brings the backup at path back, as Store.BringBack does, with contexts, cases and decisions where
// nothing was resolved since everything was cleared.
func (g ResolvedGraph) BringBack(ctx context.Context, path string, e journal.Entry) (out store.BroughtBack, err error) {
	err = g.Resolver.Regain(ctx, func(ctx context.Context, fit func(resolver.Store) ([]resolver.Record, bool, error)) error {
		out, err = g.Store.BringBack(ctx, path, e, fit)
		return err
	})
	return out, err
}
