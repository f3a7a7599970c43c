package cayley

import (
	"errors"
	"log/slog"

	"github.com/cayleygraph/cayley/graph"

	"github.com/segraph/segraph/store/engine"
)

// errReadOnly is what writing to a snapshot returns.
var errReadOnly = errors.New("a snapshot is read-only: write to the store that it is of")

// OverSnapshot returns a read snapshot as Cayley's QuadStore, which New describes. All
// iterators read the same moment, whatever is written meanwhile. Writing returns an
// error. The QuadStore and its iterators belong to the snapshot's goroutine and end with
// it; use engine.Store's View for the snapshot, which also turns damage of the file into
// errors.
func OverSnapshot(s *engine.Snapshot, log *slog.Logger) graph.QuadStore {
	return newQuadStore(quadStore{log: log, read: func(do func(*engine.Snapshot) error) error { return do(s) }})
}
