package index

import (
	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/ids"
)

// part reads ranges of one part of an index.
type part interface {
	ids.Stream
	Seek(lo, hi Tuple)
}

// reader reads ranges of an index: its parts together, overridden by its levels. It can
// be reused: Seek restarts it, and allocates nothing after the first call. It may be used
// by one goroutine only, within the transaction of its buckets.
type reader[P part] struct {
	ids.Stream // what is on top: the levels, the union, or the only part
	parts      []P
	backwards  bool
	union      *ids.Union // nil for one part
	over       *overlay   // nil if there are no levels
}

func newReader[P part](x Index, backwards bool, open func(*bolt.Cursor) P) reader[P] {
	r := reader[P]{backwards: backwards}
	for _, b := range x.Parts {
		if b != nil {
			r.parts = append(r.parts, open(b.Cursor()))
		}
	}
	if len(r.parts) == 1 {
		r.Stream = r.parts[0]
	} else {
		r.union = ids.NewUnion(r.parts, backwards)
		r.Stream = r.union
	}
	if len(x.Levels) > 0 {
		r.over = newOverlay(x.Levels, backwards, r.Stream)
		r.Stream = r.over
	}
	return r
}

// Seek moves before the first tuple in [lo, hi], in the direction of the reader.
func (r *reader[P]) Seek(lo, hi Tuple) {
	for _, p := range r.parts {
		p.Seek(lo, hi)
	}
	if r.union != nil {
		r.union.Restart()
	}
	if r.over != nil {
		if r.backwards {
			lo, hi = hi, lo
		}
		r.over.seek(lo, hi)
	}
}
