package engine

import (
	"maps"

	"github.com/segraph/segraph/store/sparql/source"
)

// Fork returns the same snapshot for use by another goroutine, with cursors and caches of
// its own. Cursors of a read transaction of bbolt share nothing that changes. Fork returns
// nil for the snapshot of a unit of work, which may write.
func (d snapshotDataset) Fork() source.Reader {
	if d.guard == nil {
		return nil
	}
	f := *d.Snapshot
	f.Reader = f.dictionary(f.terms)
	f.graphs, f.textRanges = maps.Clone(f.graphs), maps.Clone(f.textRanges)
	return snapshotDataset{&f}
}

// Guard is Store.Guard.
func (d snapshotDataset) Guard(do func() error) error { return d.guard(do) }
