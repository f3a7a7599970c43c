package persist

import (
	"context"
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/forgotten"
)

// Purge removes what erasures left in the file, if they left something: terms that nothing uses,
// old pages, and old frames of the log region. Before and after that it calls also, which removes copies of the file such as
// snapshots. Writes go on meanwhile; after an erasure meanwhile, it begins again. It waits until every graph
// store that follows has what came before. If it is interrupted, the next call begins again.
func (s *Store) Purge(ctx context.Context, also func(context.Context) error) error {
	for {
		mark, err := s.Forgotten.Old()
		if err != nil || mark == nil {
			return err
		}
		var early error
		if also != nil { // those with the people go now, though a graph store is away
			early = also(ctx)
		}
		err = s.Outbox.Drain(ctx) // it keeps terms that graph stores must remove
		if err == nil {
			_, err = s.Collect(ctx)
		}
		if err == nil {
			err = s.Scrub(ctx)
		}
		if err != nil {
			err = errors.Join(early, err)
		} else if also != nil { // also if early failed: the file is clean then, at least
			err = also(ctx)
		}
		if err == nil {
			err = s.Update(ctx, func(tx *engine.Tx) error { return forgotten.DropOld(tx, mark) })
		}
		if err != nil {
			return fmt.Errorf("removing what an erasure left: %w", err)
		}
	}
}
