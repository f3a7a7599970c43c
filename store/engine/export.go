package engine

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/segraph/segraph/internal/counting"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// export is a graph of a snapshot, to be written as text.
type export struct {
	ctx    context.Context
	store  *Store
	snap   *Snapshot
	graph  dict.ID
	format turtle.Format
	etag   string
}

// Export implements store.Graph. The text depends only on the triples and prefixes, not
// on their order of insertion, except for the labels of blank nodes (see exportedGraph).
func (s *Store) Export(ctx context.Context, name rdf.Term, f turtle.Format) (store.Export, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("exporting: %w", err)
	}
	e := &export{ctx: ctx, store: s, snap: snap, format: f}
	err = s.Guard(func() error {
		if !name.IsZero() {
			return e.ofNamed(name)
		}
		e.etag = fmt.Sprintf("%s-%d-%d", hex.EncodeToString(revision(snap.KV())), f, TextVersion)
		return nil
	})
	if err != nil {
		snap.Close()
		return nil, fmt.Errorf("exporting: %w", err)
	}
	return e, nil
}

// none is the id of a graph that does not exist: no term has it.
const none = ^dict.ID(0)

// ofNamed makes e the export of a named graph. The graph of contexts exists even if it is
// empty. The ETag is valid until the next write to any graph, or until the file is closed:
// the file records no revision of named graphs.
func (e *export) ofNamed(name rdf.Term) error {
	id, known, err := e.snap.ID(name)
	switch {
	case err != nil:
		return err
	case known && e.snap.view(id).count(0) > 0:
		e.graph = id
	case name == contextsGraph:
		e.graph = none
	default:
		return store.ErrNoGraph
	}
	e.etag = fmt.Sprintf("%s-%d-%d-%d", e.store.opened, e.snap.version().Transaction, e.format, TextVersion)
	return nil
}

// TextVersion is a part of the ETag. It increases when a new version of the program
// writes other bytes for the same graph.
const TextVersion = 5

func (e *export) ETag() string { return e.etag }

func (e *export) Version() (v rdf.Version, err error) {
	err = e.store.Guard(func() (err error) { v, err = e.snap.rdfVersion(e.ctx, e.graph); return err })
	if err != nil {
		return rdf.RDF12, fmt.Errorf("exporting: %w", err)
	}
	return v, nil
}

func (e *export) Close() error {
	e.snap.Close()
	return nil
}

func (e *export) WriteTo(w io.Writer) (int64, error) {
	count := &counting.Writer{W: w}
	err := e.store.Guard(func() error {
		return e.snap.write(e.ctx, count, e.format, []namedGraph{{id: e.graph}})
	})
	if err != nil {
		return count.N, fmt.Errorf("exporting: %w", err)
	}
	return count.N, nil
}

// Dump writes a snapshot of the store: every graph as TriG or N-Quads, only the default
// graph as Turtle or N-Triples.
func (s *Store) Dump(ctx context.Context, w io.Writer, f turtle.Format) error {
	err := s.View(func(snap *Snapshot) error {
		graphs := []dict.ID{defaultGraph}
		if f == turtle.TriG || f == turtle.NQuads {
			graphs = snap.Graphs()
		}
		named, err := snap.named(graphs)
		if err != nil {
			return err
		}
		return snap.write(ctx, w, f, named)
	})
	if err != nil {
		return fmt.Errorf("dumping: %w", err)
	}
	return nil
}

// InNamedGraphs returns how many triples Dump omits in Turtle and N-Triples.
func (s *Store) InNamedGraphs() (int64, error) {
	var n int64
	err := s.View(func(snap *Snapshot) error {
		for _, g := range snap.Graphs() {
			if g != defaultGraph {
				n += snap.view(g).count(0)
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("counting: %w", err)
	}
	return n, nil
}

// write writes the graphs as text, with their names. Turtle can hold only one, without a
// name.
func (s *Snapshot) write(ctx context.Context, w io.Writer, f turtle.Format, graphs []namedGraph) error {
	prefixes, err := s.Prefixes()
	if err != nil {
		return err
	}
	if f == turtle.Turtle || f == turtle.TriG {
		return s.writeGraphs(ctx, w, graphs, prefixes)
	}
	if err := s.checkWritable(ctx, f, graphs, prefixes); err != nil {
		return err
	}
	return s.writeQuads(ctx, format.NewWriter(w, f, prefixes), graphs)
}

// checkWritable returns an error if a format can't hold the graphs, so that it is known
// before the first byte and not after many. For RDF/XML it writes the graphs to nowhere,
// because any predicate, IRI or literal may be one that RDF/XML can't hold.
func (s *Snapshot) checkWritable(ctx context.Context, f turtle.Format, graphs []namedGraph, prefixes []turtle.Prefix) error {
	switch f {
	case turtle.JSONLD:
		for _, g := range graphs {
			if has, err := s.hasTriples(g.id); err != nil || has {
				return cmp.Or(err, format.ErrTripleTerms)
			}
		}
	case turtle.RDFXML:
		return s.writeQuads(ctx, format.NewWriter(io.Discard, f, prefixes), graphs)
	}
	return nil
}

// writeQuads writes graphs to out, and closes it.
func (s *Snapshot) writeQuads(ctx context.Context, out format.Writer, graphs []namedGraph) error {
	for q, err := range s.quads(ctx, graphs) {
		if err != nil {
			return err
		}
		if err := out.Write(q); err != nil {
			return err
		}
	}
	return out.Close()
}

// writeGraphs writes graphs in Turtle or TriG. If there are several, blank nodes have labels, because a blank node
// may be in more than one.
func (s *Snapshot) writeGraphs(ctx context.Context, w io.Writer, graphs []namedGraph, prefixes []turtle.Prefix) error {
	sources, named := make([]*exportedGraph, len(graphs)), make([]turtle.NamedSource, len(graphs))
	for i, g := range graphs {
		sources[i] = newExportedGraph(ctx, s, g.id)
		sources[i].labels = len(graphs) > 1
		named[i] = turtle.NamedSource{Name: g.name, Source: sources[i]}
	}
	if err := turtle.WriteGraphs(w, named, prefixes); err != nil {
		return err
	}
	for _, src := range sources {
		if err := src.checkComplete(); err != nil {
			return err
		}
	}
	return nil
}

// Quads returns the quads of all graphs, the default graph first and the others sorted by
// name. It ends with an error if ctx is canceled or the file is damaged.
func (s *Snapshot) Quads(ctx context.Context) iter.Seq2[rdf.Quad, error] {
	graphs, err := s.named(s.Graphs())
	if err != nil {
		return func(yield func(rdf.Quad, error) bool) { yield(rdf.Quad{}, err) }
	}
	return s.quads(ctx, graphs)
}

// quads yields the quads of graphs, sorted as exportedGraph sorts them. An error comes with the zero quad, and ends
// it.
func (s *Snapshot) quads(ctx context.Context, graphs []namedGraph) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for _, g := range graphs {
			src := newExportedGraph(ctx, s, g.id)
			for sub, pairs := range src.Nodes() {
				for p, o := range pairs {
					if !yield(rdf.Quad{S: sub, P: p, O: o, G: g.name}, nil) {
						return
					}
				}
			}
			if err := cmp.Or(src.Err(), src.checkComplete()); err != nil {
				yield(rdf.Quad{}, err)
				return
			}
		}
	}
}

// namedGraph is a graph with its name, which is zero for the default graph.
type namedGraph struct {
	id   dict.ID
	name rdf.Term
}

// named returns the graphs sorted by name, the default graph first.
func (s *Snapshot) named(graphs []dict.ID) ([]namedGraph, error) {
	out := make([]namedGraph, len(graphs))
	for i, g := range graphs {
		out[i].id = g
		if g == defaultGraph {
			continue
		}
		var err error
		if out[i].name, err = s.Term(g); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b namedGraph) int { return rdf.Compare(a.name, b.name) })
	return out, nil
}
