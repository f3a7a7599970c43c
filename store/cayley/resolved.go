package cli

import (
	"context"

	"github.com/segraph/segraph/internal/journal"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/cayley"
)

// resolvedGraph is the published graph of a store whose contexts a resolver decides: when it is
// cleared, the resolver forgets what was derived from it, in the same transaction.
type resolvedGraph struct {
	store.Graph
	contexts *cayley.Contexts // of the same store
	resolver *resolver.Resolver
}

// Clear implements store.Graph.
func (g resolvedGraph) Clear(ctx context.Context, e journal.Entry) (removed int64, err error) {
	err = g.resolver.Clear(ctx, func(ctx context.Context, c resolver.Change) error {
		removed, err = g.contexts.Clear(ctx, c, e)
		return err
	})
	return removed, err
}
