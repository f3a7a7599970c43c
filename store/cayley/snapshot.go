package cayley

import (
	"log/slog"

	"github.com/cayleygraph/cayley/graph"

	"github.com/segraph/segraph/store/engine"
)

// OverSnapshot returns a Cayley QuadStore, as described at New, over a read snapshot,
// whatever is written meanwhile. The QuadStore and its iterators
// are for the snapshot's goroutine and end with it. Take the snapshot with engine.Store's
// View, which also turns damage of the file into errors.
func OverSnapshot(s *engine.Snapshot, log *slog.Logger) graph.QuadStore {
	return newQuadStore(quadStore{log: log, read: func(do func(*engine.Snapshot) error) error { return do(s) }})
}
