package cayley

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/journal"
)

// cayleyActor is who writes through Cayley, as the journal names it: there is no token.
const cayleyActor = "cayley"

// ApplyDeltas implements graph.QuadStore: all deltas or none, in one transaction that is
// on disk when it returns. They are done in order, each on what the earlier ones left.
// Adding a quad that is there, in the store or by an earlier delta, is a
// *graph.DeltaError with ErrQuadExists, and deleting one that is not with
// ErrQuadNotExist, unless opts ignore that. A delta that is neither an addition nor a
// deletion, or whose quad can't be stored, is a *graph.DeltaError too.
//
// A blank node is the one that NameOf returns by that name: "b17" is the store's own node
// of that number, and any other name is always its own node.
//
// Quads of the graph of contexts are refused: it mirrors the resolver's records.
//
// What RDF 1.1 does not allow, such as a literal as the subject, is refused, because it
// could never be exported, unless the store was opened with OptionAnyTerms.
//
// The journal gets one entry, of action Insert by "cayley", which says how many quads were
// added and how many removed, both 0 where everything was ignored.
func (qs *quadStore) ApplyDeltas(deltas []graph.Delta, opts graph.IgnoreOpts) error {
	if qs.store == nil {
		return errReadOnly
	}
	if len(deltas) == 0 {
		return nil
	}
	edits := make([]engine.Edit, len(deltas))
	for i, d := range deltas {
		if d.Action != graph.Add && d.Action != graph.Delete {
			return &graph.DeltaError{Delta: d, Err: graph.ErrInvalidAction}
		}
		q, err := quadOf(d.Quad)
		if err != nil {
			return &graph.DeltaError{Delta: d, Err: err}
		}
		edits[i] = engine.Edit{Quad: q, Remove: d.Action == graph.Delete}
	}
	o := engine.EditOptions{IgnorePresent: opts.IgnoreDup, IgnoreAbsent: opts.IgnoreMissing, AnyTerms: qs.anyTerms}
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Time: time.Now().UTC(), Actor: cayleyActor}
	err := qs.store.Apply(context.Background(), edits, o, e)
	var edit *engine.EditError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &edit):
		return fmt.Errorf("applying deltas: %w", err)
	}
	out := &graph.DeltaError{Delta: deltas[edit.Index], Err: edit.Err} // bare, as Cayley asserts its type
	switch edit.Err {
	case engine.ErrPresent:
		out.Err = graph.ErrQuadExists
	case engine.ErrAbsent:
		out.Err = graph.ErrQuadNotExist
	}
	return out
}

// NewQuadWriter implements graph.QuadStore. The writer keeps what it is given until
// quad.DefaultBatch quads are together or it is closed, and stores each such batch whole,
// ignoring quads that are there. After an error, what was given since the batch before is
// not stored. A writer belongs to one goroutine; any number of them may write.
func (qs *quadStore) NewQuadWriter() (quad.WriteCloser, error) {
	if qs.store == nil {
		return nil, errReadOnly
	}
	return &quadWriter{qs: qs}, nil
}

type quadWriter struct {
	qs    *quadStore
	batch []graph.Delta
}

// WriteQuad implements quad.Writer.
func (w *quadWriter) WriteQuad(q quad.Quad) error {
	_, err := w.WriteQuads([]quad.Quad{q})
	return err
}

// WriteQuads implements quad.BatchWriter. It takes all quads or, with the error, none.
func (w *quadWriter) WriteQuads(quads []quad.Quad) (int, error) {
	for _, q := range quads {
		w.batch = append(w.batch, graph.Delta{Quad: q, Action: graph.Add})
	}
	if len(w.batch) >= quad.DefaultBatch {
		if err := w.flush(); err != nil {
			return 0, err
		}
	}
	return len(quads), nil
}

func (w *quadWriter) flush() error {
	err := w.qs.ApplyDeltas(w.batch, graph.IgnoreOpts{IgnoreDup: true})
	clear(w.batch)
	w.batch = w.batch[:0]
	return err
}

// Close stores what is left. A second call does nothing.
func (w *quadWriter) Close() error { return w.flush() }
