package conformance

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/graph/shape"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// writable adds writing to the QuadStore of a store, over engine.Store.Apply.
type writable struct {
	graph.QuadStore
	store *engine.Store
	// native passes numbers, booleans and times to Cayley as quad.Int, quad.Float, quad.Bool
	// and quad.Time, because its comparisons support only these. It applies to literals that
	// can be restored exactly.
	native bool
}

var _ shape.Optimizer = (*writable)(nil)

// newWritable returns a QuadStore that closes s.
func newWritable(s *engine.Store, native bool) *writable {
	return &writable{cayley.New(s, nil), s, native}
}

// OptimizeShape implements shape.Optimizer.
func (qs *writable) OptimizeShape(s shape.Shape) (shape.Shape, bool) {
	return qs.QuadStore.(shape.Optimizer).OptimizeShape(s)
}

// NameOf implements graph.QuadStore.
func (qs *writable) NameOf(ref graph.Ref) quad.Value { return qs.value(qs.QuadStore.NameOf(ref)) }

// Quad implements graph.QuadStore.
func (qs *writable) Quad(ref graph.Ref) quad.Quad {
	q := qs.QuadStore.Quad(ref)
	for _, d := range quad.Directions {
		if v := q.Get(d); v != nil {
			q.Set(d, qs.value(v))
		}
	}
	return q
}

// Close closes the store.
func (qs *writable) Close() error { return qs.store.Close() }

// value returns the native value of a typed literal, if termOf converts that back to the same
// literal: "7"^^xsd:integer does, but "07"^^xsd:integer does not.
func (qs *writable) value(v quad.Value) quad.Value {
	typed, ok := v.(quad.TypedString)
	if !ok || !qs.native {
		return v
	}
	n, err := typed.ParseValue()
	if err != nil {
		return v
	}
	if back, err := termOf(n); err != nil || back != rdf.NewLiteral(string(typed.Value), string(typed.Type)) {
		return v
	}
	return n
}

// ApplyDeltas implements graph.QuadStore. It applies all deltas or none, in one transaction
// that is on disk when it returns. Each delta sees the effects of earlier ones. Errors
// about a delta are *graph.DeltaErrors: ErrQuadExists and ErrQuadNotExist, unless opts
// ignores them, and others for a delta that is neither an addition nor a deletion, or whose
// quad can't be stored.
//
// A blank node has the name that NameOf returns: "b17" is the store's own node with that
// number. Any other name is a new node at first, and from then on the same node.
//
// It allows what RDF 1.1 excludes, such as a literal as subject, because the suite needs that.
func (qs *writable) ApplyDeltas(deltas []graph.Delta, opts graph.IgnoreOpts) error {
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
	o := engine.EditOptions{IgnorePresent: opts.IgnoreDup, IgnoreAbsent: opts.IgnoreMissing, AnyTerms: true}
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Time: time.Now().UTC(), Actor: "cayley"}
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
func (qs *writable) NewQuadWriter() (quad.WriteCloser, error) {
	return &quadWriter{qs: qs}, nil
}

type quadWriter struct {
	qs    *writable
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

// termOf converts a Cayley value to a term. IRIs and datatypes are unchanged: short forms
// such as "rdf:type" are not expanded. Native values become XSD literals in canonical form,
// since Cayley's lexical forms may be invalid ("True") or lose the fraction of a second. A
// time loses its zone, as in Cayley, and is stored in UTC.
func termOf(v quad.Value) (rdf.Term, error) {
	switch v := v.(type) {
	case quad.IRI:
		if v != "" {
			return rdf.NewIRI(string(v)), nil
		}
	case quad.BNode:
		if v != "" {
			return rdf.NewBlank(string(v)), nil
		}
	case quad.String:
		return rdf.NewString(string(v)), nil
	case quad.LangString:
		if v.Lang == "" {
			return rdf.NewString(string(v.Value)), nil
		}
		return rdf.NewLang(string(v.Value), v.Lang), nil
	case quad.TypedString:
		return rdf.NewLiteral(string(v.Value), string(v.Type)), nil
	case quad.Int:
		return rdf.NewLiteral(strconv.FormatInt(int64(v), 10), rdf.XSDInteger), nil
	case quad.Float:
		return rdf.NewLiteral(rdf.FormatDouble(float64(v)), rdf.XSDDouble), nil
	case quad.Bool:
		return rdf.NewLiteral(rdf.FormatBoolean(bool(v)), rdf.XSDBoolean), nil
	case quad.Time:
		return rdf.NewLiteral(time.Time(v).UTC().Format(time.RFC3339Nano), rdf.XSDDateTime), nil
	case quad.TypedStringer:
		return termOf(v.TypedString())
	}
	return rdf.Term{}, fmt.Errorf("the value %v can't be stored", v)
}

// quadOf converts a Cayley quad. Only its label may be absent.
func quadOf(q quad.Quad) (out rdf.Quad, err error) {
	if out.S, err = termOf(q.Subject); err != nil {
		return out, fmt.Errorf("subject: %w", err)
	}
	if out.P, err = termOf(q.Predicate); err != nil {
		return out, fmt.Errorf("predicate: %w", err)
	}
	if out.O, err = termOf(q.Object); err != nil {
		return out, fmt.Errorf("object: %w", err)
	}
	if q.Label != nil {
		if out.G, err = termOf(q.Label); err != nil {
			return out, fmt.Errorf("label: %w", err)
		}
	}
	return out, nil
}
