package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// A Writer adds, removes and loads quads. It is safe for concurrent use.
type Writer struct {
	store *Store
	entry journal.Entry
}

// Writer returns a Writer whose journal entries are based on e, which may set the author
// (Actor) and further information (Detail). The engine sets the rest, with a new id and
// time for each write, so the zero Entry suffices.
func (s *Store) Writer(e journal.Entry) Writer { return Writer{s, e} }

// Add adds quads in one transaction, and returns how many of them were new. A blank node
// named "b17", as in query results, is the store's own; any other name is a node of its
// own, the same in every call. For a quad that RDF does not allow, the error is an
// *EditError, and nothing is added. For more than some ten thousand quads use Load.
func (w Writer) Add(ctx context.Context, quads ...rdf.Quad) (added int, err error) {
	e, err := w.edit(ctx, quads, false)
	return e.Added, err
}

// Remove removes quads in one transaction, and returns how many of them existed.
func (w Writer) Remove(ctx context.Context, quads ...rdf.Quad) (removed int, err error) {
	e, err := w.edit(ctx, quads, true)
	return int(e.Removed), err
}

// edit adds quads or, if remove is set, removes them. It ignores those that are there already, or
// that it can't remove because they are not there.
func (w Writer) edit(ctx context.Context, quads []rdf.Quad, remove bool) (journal.Entry, error) {
	edits := make([]Edit, len(quads))
	for i, q := range quads {
		edits[i] = Edit{Quad: q, Remove: remove}
	}
	e := w.entry
	if remove {
		e.Action = cmp.Or(e.Action, journal.Remove)
	}
	err := w.store.apply(ctx, edits, EditOptions{IgnorePresent: true, IgnoreAbsent: true}, &e)
	if err != nil {
		return journal.Entry{}, err
	}
	return e, nil
}

// Load adds a text of any length, like Store.Load. Triples in its default graph go to
// graph; the zero Term means the default graph.
func (w Writer) Load(ctx context.Context, r io.ReadSeeker, f turtle.Format, graph rdf.Term, o turtle.Options) (LoadResult, error) {
	switch {
	case graph.IsLiteral():
		return LoadResult{}, fmt.Errorf("the graph must be an IRI or a blank node, not %s", graph)
	case graph == contextsGraph:
		return LoadResult{}, errReserved
	}
	return w.store.load(ctx, r, f, graph, o, w.entry, nil)
}
