package cayley

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// cayleyActor is the actor in journal entries for writes through Cayley, which have no
// token.
const cayleyActor = "cayley"

// ApplyDeltas implements graph.QuadStore. It applies all deltas or none, in one transaction
// that is on disk when it returns. Each delta sees the effects of earlier ones. Errors
// about a delta are *graph.DeltaErrors: ErrQuadExists and ErrQuadNotExist, unless opts
// ignores them, and others for a delta that is neither an addition nor a deletion, or whose
// quad can't be stored.
//
// A blank node has the name that NameOf returns: "b17" is the store's own node with that
// number. Any other name is a new node at first, and from then on the same node.
//
// ApplyDeltas refuses quads in the graph of contexts, which mirrors the resolver's records,
// and, without OptionAnyTerms, what RDF 1.1 excludes, such as a literal as subject, because
// it could not be exported.
//
// The journal gets one entry, with action Insert, actor "cayley" and the numbers of quads
// added and removed, even if both are 0.
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
	out := &graph.DeltaError{Delta: deltas[edit.Index], Err: edit.Err} // not wrapped, because Cayley asserts its type
	switch edit.Err {
	case engine.ErrPresent:
		out.Err = graph.ErrQuadExists
	case engine.ErrAbsent:
		out.Err = graph.ErrQuadNotExist
	}
	return out
}

// NewQuadWriter implements graph.QuadStore. The writer stores quads in batches of at least
// quad.DefaultBatch, and the rest on Close, ignoring those that already exist. After an
// error, none of the current batch is stored. A writer is for one goroutine; several may be
// used at a time.
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

// WriteQuads implements quad.BatchWriter. It accepts all quads, or none if it returns an
// error.
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

// Close stores the remaining quads. A second call does nothing.
func (w *quadWriter) Close() error { return w.flush() }
