package engine

import (
	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/engine/memtable"
	"github.com/segraph/segraph/store/orders"
)

// state is the content of the store: the buckets of the file below the levels of the
// memtable.
type state struct {
	// After the transaction base, the buckets have everything that is not in the levels.
	base   uint64
	levels []layer // oldest first
	// If flushing is not 0, that transaction and all later ones contain the first levels,
	// as many as flushed says.
	flushing uint64
	flushed  int
	end      file.Mark // of the last frame in the log region
}

// layer is a level of the memtable. All but the last are immutable.
type layer struct {
	*memtable.Level
	size int64     // approximate memory in bytes
	end  file.Mark // of the last frame with content of the level, once that is on the disk
}

// merge adds a level. delta is its encoding.
func (l *layer) merge(own *memtable.Level, delta []byte) {
	l.Merge(own)
	l.size += sizeOf(own, delta)
}

// sizeOf returns the approximate memory of a level in bytes: its tree entries, the other
// texts of its triple terms, and its texts and values, with two forms of each term. delta
// is its encoding.
func sizeOf(l *memtable.Level, delta []byte) int64 {
	return int64(32*l.Len() + 96*l.OtherTexts() + 3*len(delta)/2)
}

// sizeOfNew estimates, in bytes, the memory of a level to which d was added. It assumes
// that all terms and triples of d are new to the store; see sizeOf.
func sizeOfNew(d *store.Document) int64 {
	return int64(32*(orders.Count*len(d.Quads)+2*len(d.Terms)) + 3*d.Size()/2)
}

// size returns the approximate memory of the levels in bytes.
func (s *state) size() (n int64) {
	for _, l := range s.levels {
		n += l.size
	}
	return n
}

// above returns the levels to read on top of a transaction, oldest first, without empty
// ones. It reports false if the transaction is too old for the state.
func (s *state) above(tx *bolt.Tx) (levels []*memtable.Level, ok bool) {
	id := uint64(tx.ID())
	if id < s.base {
		return nil, false
	}
	on := s.levels
	if s.flushing != 0 && id >= s.flushing {
		on = on[min(s.flushed, len(on)):]
	}
	for _, l := range on {
		if !l.Empty() {
			levels = append(levels, l.Level)
		}
	}
	return levels, true
}

// reading is what a snapshot or a unit of work reads: the buckets of a transaction below
// levels of the memtable.
type reading struct {
	bolt   *bolt.Tx          // nil once a snapshot is closed
	levels []*memtable.Level // oldest first
}

// usedAfterClose is the panic of a snapshot that is used after Close, or after View has
// returned. That is a bug of the program.
const usedAfterClose = "engine: a snapshot is used after it was closed: a function passed to View must not keep its snapshot"

func (r *reading) tx() *bolt.Tx {
	if r.bolt == nil {
		panic(usedAfterClose)
	}
	return r.bolt
}

// closedTerms has the terms of a closed snapshot: looking one up panics.
type closedTerms struct{}

func (closedTerms) Entry(dict.ID) (dict.Entry, bool)         { panic(usedAfterClose) }
func (closedTerms) ID([]byte) (dict.ID, bool)                { panic(usedAfterClose) }
func (closedTerms) Texts([]byte, func([]byte, dict.ID) bool) { panic(usedAfterClose) }

// KV returns the buckets.
func (r *reading) KV() kv.Reader {
	if len(r.levels) == 0 {
		return kv.OnBolt(r.tx())
	}
	return memtable.Read(kv.OnBolt(r.tx()), r.levels...)
}

func (r *reading) dictionary(c *dict.Cache) *dict.Reader {
	levels := make([]dict.Level, len(r.levels))
	for i, l := range r.levels {
		levels[i] = l
	}
	return dict.NewReader(r.tx().Bucket(dictName), c, levels...)
}

// numbers returns the numbers of the next ids.
func (r *reading) numbers() (dict.Numbers, error) {
	for i := len(r.levels) - 1; i >= 0; i-- {
		if n, ok := r.levels[i].Numbers(); ok {
			return n, nil
		}
	}
	return dict.Counters(r.tx().Bucket(dictName))
}

// view is a graph for reading. If the graph does not exist, its buckets are nil.
type view struct {
	indexes [orders.Count]index.Index // of the graph and of its parts
	counts  []*bolt.Bucket
	graph   dict.ID
	levels  []*memtable.Level
}

// view opens a graph.
func (r *reading) view(g dict.ID) *view {
	v := &view{graph: g, levels: r.levels}
	r.eachPart(g, v.take)
	for _, l := range r.levels {
		if on, ok := l.Indexes(g); ok {
			for o := range v.indexes {
				v.indexes[o].Levels = append(v.indexes[o].Levels, on[o])
			}
		}
	}
	return v
}

// index opens one index of a graph, which costs less than a view.
func (r *reading) index(g dict.ID, o Order) (x index.Index) {
	r.eachPart(g, func(b *bolt.Bucket) { x.Parts = append(x.Parts, b.Bucket(indexNames[o])) })
	for _, l := range r.levels {
		if on, ok := l.Indexes(g); ok {
			x.Levels = append(x.Levels, on[o])
		}
	}
	return x
}

// eachPart calls f with the bucket of a graph, if it has one, and with the bucket of each
// of its parts.
func (r *reading) eachPart(g dict.ID, f func(b *bolt.Bucket)) {
	graphs := r.tx().Bucket(graphsName)
	if graphs == nil {
		return
	}
	b := graphs.Bucket(idKey(g))
	if b == nil {
		return
	}
	f(b)
	if parts := b.Bucket(partsName); parts != nil {
		_ = parts.ForEachBucket(func(k []byte) error { f(parts.Bucket(k)); return nil })
	}
}

// take adds the indexes and counts in bucket b.
func (v *view) take(b *bolt.Bucket) {
	for i, name := range indexNames {
		v.indexes[i].Parts = append(v.indexes[i].Parts, b.Bucket(name))
	}
	v.counts = append(v.counts, b.Bucket(countsName))
}

// count returns the number of triples, with one predicate or in total.
func (v *view) count(predicate dict.ID) (n int64) {
	for _, counts := range v.counts {
		n += readCount(counts, predicate)
	}
	for _, l := range v.levels {
		n += l.Count(v.graph, predicate)
	}
	return n
}
