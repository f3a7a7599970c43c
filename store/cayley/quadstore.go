// Package cayley serves an engine.Store as a QuadStore of Cayley, so that Cayley's path
// API and tools work on a segraph file.
//
// Rules: it uses exported methods of the engine alone; nothing in it interprets a bucket;
// terms cross as they are, to the letter.
package cayley

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/graph/iterator"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
)

// QuadStoreType is the name under which Register makes this backend known to Cayley.
const QuadStoreType = "segraph"

// Options that Cayley may open a file with, all false unless given.
const (
	OptionReadOnly = "read_only" // open beside other readers
	// OptionNativeValues gives numbers, booleans and times to Cayley as quad.Int,
	// quad.Float, quad.Bool and quad.Time, which alone its comparisons understand, where
	// the literal can be had back from them to the letter. Other literals stay as they
	// are.
	OptionNativeValues = "native_values"
	// OptionAnyTerms stores also what RDF 1.1 has no place for, such as relative IRIs and
	// literals as subjects, though it can then not be exported. Cayley's own tests are
	// full of it.
	OptionAnyTerms = "any_terms"
)

// Register makes files of this store known to Cayley, so that
// graph.NewQuadStore("segraph", path, options) opens one and graph.InitQuadStore makes
// one. A second call does nothing. Cayley's registry has no lock: call it before other
// goroutines use Cayley.
func Register() {
	if graph.IsRegistered(QuadStoreType) {
		return
	}
	graph.RegisterQuadStore(QuadStoreType, graph.QuadStoreRegistration{
		NewFunc:      openQuadStore,
		InitFunc:     initQuadStore,
		IsPersistent: true,
	})
}

// openQuadStore opens an existing file. Closing what it gives closes the file.
func openQuadStore(path string, options graph.Options) (graph.QuadStore, error) {
	readOnly, err := options.BoolKey(OptionReadOnly, false)
	if err != nil {
		return nil, err
	}
	native, err := options.BoolKey(OptionNativeValues, false)
	if err != nil {
		return nil, err
	}
	anyTerms, err := options.BoolKey(OptionAnyTerms, false)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, graph.ErrNotInitialized // bare, as Cayley compares it
	}
	s, err := engine.Open(path, engine.Options{ReadOnly: readOnly})
	if err != nil {
		return nil, err
	}
	return newQuadStore(quadStore{store: s, native: native, anyTerms: anyTerms, owner: true}), nil
}

func initQuadStore(path string, _ graph.Options) error {
	if _, err := os.Stat(path); err == nil {
		return graph.ErrDatabaseExists // bare, as Cayley compares it
	}
	s, err := engine.Open(path, engine.Options{})
	if err != nil {
		return err
	}
	return s.Close()
}

// quadStore is an engine.Store as Cayley sees it. Its methods may be called from many
// goroutines at once.
//
// A label is the name of a graph; no label is the default graph. A node is a term that
// some quad uses, as subject, predicate, object or label. The methods of Cayley's
// interface that give no error log it and return nothing.
type quadStore struct {
	store    *engine.Store // nil over a single snapshot, which is only read
	read     reader
	log      *slog.Logger
	native   bool
	anyTerms bool
	owner    bool // Close closes the store
}

var _ graph.QuadStore = (*quadStore)(nil)

// New returns the store as Cayley's QuadStore: its path API and its tools read and write
// the same graph. Literals come to the letter, as quad.String, quad.TypedString and
// quad.LangString, never as native values. Close of the QuadStore does nothing; whoever
// opened the store closes it. Errors that Cayley's interface cannot return go to log,
// which may be nil.
//
// An iterator holds no snapshot between two results for longer than it takes to read some
// hundred of them, so a forgotten one keeps neither pages nor Close. The price: what is
// written meanwhile may be among its later results, each of which was true when it was
// read. Use OverSnapshot to read one moment.
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

// nodeRef is a node to Cayley.
type nodeRef dict.ID

// Key implements graph.Ref.
func (r nodeRef) Key() interface{} { return r }

// DefaultGraph stands for the label of quads that have none. Without LabelContext a path
// walks all graphs; LabelContext(path.StartPathNodes(qs, DefaultGraph)) keeps it in the
// default graph.
const DefaultGraph = nodeRef(0)

// quadRef is a quad to Cayley; a zero g is the default graph.
type quadRef engine.QuadID

// Key implements graph.Ref.
func (r quadRef) Key() interface{} { return r }

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

// report logs an error that Cayley's interface has no room for.
func (qs *quadStore) report(doing string, err error) {
	qs.log.Error("Cayley could not be answered", "doing", doing, "error", err)
}

// ValueOf returns the node of a value, nil where no quad uses it.
func (qs *quadStore) ValueOf(v quad.Value) graph.Ref {
	if v == nil {
		return nil
	}
	t, err := termOf(v)
	if err != nil {
		return nil // what can't be stored is in no quad
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

// NameOf returns the value of a node, nil for what is none. The node need not be in use
// any more.
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

// value returns the value of an id. What the id itself tells, and what was read lately,
// needs no snapshot.
func (qs *quadStore) value(id dict.ID) (v quad.Value, err error) {
	if qs.store != nil {
		if t, ok := qs.store.RecentTerm(id); ok {
			return valueOf(t, qs.native), nil
		}
	}
	err = qs.read(func(s *engine.Snapshot) error {
		t, err := s.Term(id)
		if err == nil {
			v = valueOf(t, qs.native)
		}
		return err
	})
	return v, err
}

// Quad returns the quad of a reference, an empty one for what is none.
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

// QuadDirection returns one of a quad's nodes, nil where there is none.
func (qs *quadStore) QuadDirection(ref graph.Ref, d quad.Direction) graph.Ref {
	if r, ok := ref.(quadRef); ok && r.get(d) != 0 {
		return nodeRef(r.get(d))
	}
	return nil
}

// QuadIterator walks the quads, of all graphs, that have a node in that direction.
func (qs *quadStore) QuadIterator(d quad.Direction, ref graph.Ref) graph.Iterator {
	set, ok := qs.quads(d, ref)
	if !ok {
		return iterator.NewNull()
	}
	return newIterator(qs.read, set)
}

// QuadIteratorSize counts those quads, exactly.
func (qs *quadStore) QuadIteratorSize(ctx context.Context, d quad.Direction, ref graph.Ref) (graph.Size, error) {
	set, ok := qs.quads(d, ref)
	if !ok {
		return graph.Size{Exact: true}, nil
	}
	return sizeOf(ctx, qs.read, set)
}

// quads returns the quads with a node in that direction. A value that Cayley made itself,
// such as a count, is looked up first.
func (qs *quadStore) quads(d quad.Direction, ref graph.Ref) (quadSet, bool) {
	if v, ok := ref.(graph.PreFetchedValue); ok {
		ref = qs.ValueOf(v.NameOf())
	}
	node, ok := ref.(nodeRef)
	if !ok {
		return quadSet{}, false
	}
	return allQuads.with(d, []dict.ID{dict.ID(node)})
}

// NodesAllIterator walks all nodes, each once. It reads every index of every graph.
func (qs *quadStore) NodesAllIterator() graph.Iterator { return newIterator(qs.read, nodeSet{}) }

// QuadsAllIterator walks all quads of all graphs.
func (qs *quadStore) QuadsAllIterator() graph.Iterator { return newIterator(qs.read, allQuads) }

// Stats counts nodes and quads. The number of quads is always exact. That of nodes costs
// a walk over all of them and is had only where exact is asked for; else it is
// guessed to be that of the quads.
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

// Close closes the file if Cayley opened it.
func (qs *quadStore) Close() error {
	if qs.owner {
		return qs.store.Close()
	}
	return nil
}
