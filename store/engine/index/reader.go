package index

import bolt "go.etcd.io/bbolt"

// stream yields tuples in order, a batch at a time.
type stream interface {
	// Next returns the next tuples, at least one, or nil at the end or on an error. The
	// slice is valid until the next call.
	Next() []Tuple
	// Err returns the error that ended the stream, or nil.
	Err() error
}

// part reads ranges of one part of an index.
type part interface {
	stream
	Seek(lo, hi Tuple)
}

// reader reads ranges of an index: its parts together, overridden by its levels. It can
// be reused: Seek restarts it, and allocates nothing after the first call. It may be used
// by one goroutine only, within the transaction of its buckets.
type reader[P part] struct {
	stream    // what is on top: the levels, the union, or the only part
	parts     []P
	backwards bool
	union     *union   // nil for one part
	over      *overlay // nil if there are no levels
}

func newReader[P part](x Index, backwards bool, open func(*bolt.Cursor) P) reader[P] {
	r := reader[P]{backwards: backwards}
	for _, b := range x.Parts {
		if b != nil {
			r.parts = append(r.parts, open(b.Cursor()))
		}
	}
	if len(r.parts) == 1 {
		r.stream = r.parts[0]
	} else {
		r.union = &union{backwards: backwards}
		for _, p := range r.parts {
			r.union.sources = append(r.union.sources, ordered{stream: p})
		}
		r.stream = r.union
	}
	if len(x.Levels) > 0 {
		r.over = newOverlay(x.Levels, backwards, r.stream)
		r.stream = r.over
	}
	return r
}

// Seek moves before the first tuple in [lo, hi], in the direction of the reader.
func (r *reader[P]) Seek(lo, hi Tuple) {
	for _, p := range r.parts {
		p.Seek(lo, hi)
	}
	if r.union != nil {
		r.union.restart()
	}
	if r.over != nil {
		if r.backwards {
			lo, hi = hi, lo
		}
		r.over.seek(lo, hi)
	}
}
