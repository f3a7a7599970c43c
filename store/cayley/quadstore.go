// Package cayley serves an engine.Store as a Cayley QuadStore, so that Cayley's path API
// reads a segraph file.
//
// It uses only exported methods of the engine, and never reads a bucket itself. Terms are
// passed on unchanged.
//
// Cayley's own backend for bolt, graph/kv/bolt, is not used: it links the archived boltdb,
// which crashes under -race; a failed write leaves its caches pointing at freed ids; every
// look-up is a transaction, so reads see different states and can deadlock; and deletes free
// nothing. At 1 M triples, covering indexes on bbolt are 6 to 15 times as fast for look-ups,
// 570 times for scans of a predicate, 5 to 6 times for joins of three patterns, and 2.5 times
// for loading, in 0.6 of the size.
//
// The QuadStore passes Cayley's suite graph/graphtest (conformance, a module of its own, which
// adds writing), but
// for follows_recursive_loop in all but one order of results, because of a bug in Cayley's
// iterator. It reads index ranges where Cayley would intersect iterators (OptimizeShape).
// Cayley gets literals as strings, because its native values lose the lexical form.
package cayley

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/graph/iterator"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
)

// quadStore implements Cayley's QuadStore on an engine.Store. Its methods are safe for
// concurrent use.
//
// A label is the name of a graph; without one, a quad is in the default graph. A node is
// a term that some quad uses as subject, predicate, object or label. Methods of Cayley's
// interface that return no error log it and return nothing.
type quadStore struct {
	store *engine.Store // nil over a single snapshot
	read  reader
	log   *slog.Logger
}

var _ graph.QuadStore = (*quadStore)(nil)

// New returns a Cayley QuadStore that reads s. Writing returns an error. Literals are passed
// on exactly, never as native values. Closing the QuadStore does nothing; close s instead.
// Errors that Cayley's interface cannot return go to log, which may be nil.
//
// An iterator holds a snapshot only while it reads about a thousand results, so a forgotten
// iterator blocks neither the reuse of pages nor closing s. In exchange, its later results
// may include later writes. Use OverSnapshot to read a single snapshot.
func New(s *engine.Store, log *slog.Logger) graph.QuadStore {
	return newQuadStore(quadStore{store: s, log: log})
}

func newQuadStore(qs quadStore) *quadStore {
	if qs.log == nil {
		qs.log = slog.New(slog.DiscardHandler)
	}
	if qs.read == nil {
		qs.read = qs.store.View
	}
	return &qs
}

// nodeRef is Cayley's reference to a node.
type nodeRef dict.ID

// Key implements graph.Ref.
func (r nodeRef) Key() interface{} { return r }

// DefaultGraph represents the label of quads without one. Without LabelContext, a path
// walks all graphs. LabelContext(path.StartPathNodes(qs, DefaultGraph)) limits it to the
// default graph.
const DefaultGraph = nodeRef(0)

// quadRef is Cayley's reference to a quad. A zero G means the default graph.
type quadRef engine.QuadID

// Key implements graph.Ref.
func (r quadRef) Key() interface{} { return r }

// get returns the id in a direction, 0 for none.
func (r quadRef) get(d quad.Direction) dict.ID {
	switch d {
	case quad.Subject:
		return r.S
	case quad.Predicate:
		return r.P
	case quad.Object:
		return r.O
	case quad.Label:
		return r.G
	}
	return 0
}

// report logs an error that Cayley's interface can't return.
func (qs *quadStore) report(doing string, err error) {
	qs.log.Error("Cayley could not be answered", "doing", doing, "error", err)
}

// ValueOf returns the node of a value, or nil if no quad uses it.
func (qs *quadStore) ValueOf(v quad.Value) graph.Ref {
	if v == nil {
		return nil
	}
	t, err := termOf(v)
	if err != nil {
		return nil // a value that can't be stored is in no quad
	}
	var ref graph.Ref
	err = qs.read(func(s *engine.Snapshot) error {
		id, ok, err := s.ID(t)
		if err != nil || !ok {
			return err
		}
		if ok, err = s.Uses(id); ok {
			ref = nodeRef(id)
		}
		return err
	})
	if err != nil {
		qs.report("looking up a value", err)
		return nil
	}
	return ref
}

// NameOf returns the value of a node, or nil if ref is not a node. Quads need not use the
// node any more.
func (qs *quadStore) NameOf(ref graph.Ref) quad.Value {
	switch ref := ref.(type) {
	case nodeRef:
		if ref == DefaultGraph {
			return nil
		}
		v, err := qs.value(dict.ID(ref))
		if err != nil {
			qs.report("looking up a node", err)
		}
		return v
	case graph.PreFetchedValue:
		return ref.NameOf()
	}
	return nil
}

var errTripleTerm = errors.New("triple terms of RDF 1.2 have no values in Cayley; read them with SPARQL")

// value returns the value of an id. It needs no snapshot for an id that contains its
// value, or that was read recently.
func (qs *quadStore) value(id dict.ID) (v quad.Value, err error) {
	if qs.store != nil {
		if t, ok := qs.store.RecentTerm(id); ok && !t.IsTriple() {
			return valueOf(t), nil
		}
	}
	err = qs.read(func(s *engine.Snapshot) error {
		t, err := s.Term(id)
		switch {
		case t.IsTriple():
			err = errTripleTerm
		case err == nil:
			v = valueOf(t)
		}
		return err
	})
	return v, err
}

// Quad returns the quad of a reference, or an empty one if ref is not a quad.
func (qs *quadStore) Quad(ref graph.Ref) quad.Quad {
	r, ok := ref.(quadRef)
	if !ok {
		return quad.Quad{}
	}
	var q quad.Quad
	for _, d := range quad.Directions {
		if id := r.get(d); id != 0 {
			v, err := qs.value(id)
			if err != nil {
				qs.report("looking up a quad", err)
				return quad.Quad{}
			}
			q.Set(d, v)
		}
	}
	return q
}

// QuadDirection returns one of a quad's nodes, or nil if it is absent.
func (qs *quadStore) QuadDirection(ref graph.Ref, d quad.Direction) graph.Ref {
	if r, ok := ref.(quadRef); ok && r.get(d) != 0 {
		return nodeRef(r.get(d))
	}
	return nil
}

// QuadIterator iterates over the quads, in all graphs, that have a node in a direction.
func (qs *quadStore) QuadIterator(d quad.Direction, ref graph.Ref) graph.Iterator {
	set, ok := qs.quads(d, ref)
	if !ok {
		return iterator.NewNull()
	}
	return newIterator(qs.read, set)
}

// QuadIteratorSize returns the number of those quads.
func (qs *quadStore) QuadIteratorSize(ctx context.Context, d quad.Direction, ref graph.Ref) (graph.Size, error) {
	set, ok := qs.quads(d, ref)
	if !ok {
		return graph.Size{Exact: true}, nil
	}
	return sizeOf(ctx, qs.read, set)
}

// quads returns the quads with a node in a direction. A value made by Cayley, such as a
// count, is looked up first.
func (qs *quadStore) quads(d quad.Direction, ref graph.Ref) (set quadSet, ok bool) {
	if v, ok := ref.(graph.PreFetchedValue); ok {
		ref = qs.ValueOf(v.NameOf())
	}
	node, ok := ref.(nodeRef)
	if !ok {
		return quadSet{}, false
	}
	return allQuads.with(d, []dict.ID{dict.ID(node)})
}

// NodesAllIterator iterates over all nodes, each once. It reads every index of every
// graph.
func (qs *quadStore) NodesAllIterator() graph.Iterator { return newIterator(qs.read, nodeSet{}) }

// QuadsAllIterator iterates over all quads of all graphs.
func (qs *quadStore) QuadsAllIterator() graph.Iterator { return newIterator(qs.read, allQuads) }

// Stats returns the numbers of nodes and quads. That of quads is always exact. Counting
// nodes takes a walk over all of them, so unless exact is set, it is estimated as the
// number of quads.
func (qs *quadStore) Stats(ctx context.Context, exact bool) (graph.Stats, error) {
	var stats graph.Stats
	err := qs.read(func(s *engine.Snapshot) error {
		var err error
		if stats.Quads, err = allQuads.size(s); err != nil {
			return err
		}
		stats.Nodes = graph.Size{Size: stats.Quads.Size}
		if exact {
			stats.Nodes, err = countNodes(ctx, s)
		}
		return err
	})
	if err != nil {
		return graph.Stats{}, fmt.Errorf("counting nodes and quads: %w", err)
	}
	return stats, nil
}

// errReadOnly reports a write through Cayley.
var errReadOnly = errors.New("a QuadStore of segraph is read-only: write to its store")

// ApplyDeltas implements graph.QuadStore. It returns an error.
func (*quadStore) ApplyDeltas([]graph.Delta, graph.IgnoreOpts) error { return errReadOnly }

// NewQuadWriter implements graph.QuadStore. It returns an error.
func (*quadStore) NewQuadWriter() (quad.WriteCloser, error) { return nil, errReadOnly }

// Close does nothing.
func (*quadStore) Close() error { return nil }
