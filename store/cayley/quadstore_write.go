package cayley

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/dict"
	"github.com/segraph/segraph/store/index"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// cayleyActor is who writes through Cayley, as the journal names it: there is no token.
const cayleyActor = "cayley"

// ApplyDeltas implements graph.QuadStore: all deltas or none, in one transaction that is on disk when
// it returns. They are done in their order, each on what those before it left: adding a quad that
// is there, in the store or by an earlier delta, is a *graph.DeltaError with ErrQuadExists, and
// deleting one that is not with ErrQuadNotExist, unless opts ignore that. A delta that is no
// addition or deletion, or whose quad can't be stored, is a *graph.DeltaError too.
//
// A blank node is the one that NameOf gives that name: "b17" is the store's own node of that
// number, and any other name is its own node for ever.
//
// Quads of the graph of contexts are refused: it mirrors the resolver's records.
//
// What RDF 1.1 does not take, such as a literal as the subject, is refused, because it could never be
// exported, unless the store was opened with OptionAnyTerms.
//
// The journal gets one entry, of action Insert by "cayley", which says how many quads were
// added and how many removed, both 0 where everything was ignored.
func (qs *quadStore) ApplyDeltas(deltas []graph.Delta, opts graph.IgnoreOpts) error {
	if len(deltas) == 0 {
		return nil
	}
	quads := make([]rdf.Quad, len(deltas))
	text := turtle.NewWriter(io.Discard, turtle.NQuads, nil) // says what can't be written
	for i, d := range deltas {
		if d.Action != graph.Add && d.Action != graph.Delete {
			return &graph.DeltaError{Delta: d, Err: graph.ErrInvalidAction}
		}
		var err error
		if quads[i], err = quadOf(d.Quad); err != nil {
			return &graph.DeltaError{Delta: d, Err: err}
		}
		if quads[i].G == contextsGraph {
			return &graph.DeltaError{Delta: d, Err: errContextsGraph}
		}
		if !qs.anyTerms {
			if err = text.Write(quads[i]); err != nil {
				return &graph.DeltaError{Delta: d, Err: err}
			}
		}
	}
	err := qs.store.update(context.Background(), &write{do: func(tx *Tx, _ int) error {
		return tx.applyDeltas(deltas, quads, opts)
	}})
	var delta *graph.DeltaError
	if err != nil && !errors.As(err, &delta) {
		return fmt.Errorf("applying deltas: %w", err)
	}
	return err // bare, as Cayley asserts its type
}

// presence is whether a quad is in the store.
type presence struct{ before, now bool }

func (tx *Tx) applyDeltas(deltas []graph.Delta, quads []rdf.Quad, opts graph.IgnoreOpts) error {
	refs, err := tx.quadRefs(deltas, quads)
	if err != nil {
		return err
	}
	snap := tx.snapshot()
	touched := map[quadRef]presence{}
	for i, d := range deltas {
		p, ok := touched[refs[i]]
		if !ok {
			if p.before, err = snap.has(refs[i]); err != nil {
				return err
			}
			p.now = p.before
		}
		add := d.Action == graph.Add
		switch {
		case add && p.now && !opts.IgnoreDup:
			return &graph.DeltaError{Delta: d, Err: graph.ErrQuadExists}
		case !add && !p.now && !opts.IgnoreMissing:
			return &graph.DeltaError{Delta: d, Err: graph.ErrQuadNotExist}
		}
		p.now = add
		touched[refs[i]] = p
	}
	return tx.settle(touched)
}

// settle stores what deltas came to.
func (tx *Tx) settle(touched map[quadRef]presence) error {
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Time: time.Now().UTC(), Actor: cayleyActor}
	fresh, gone := map[dict.ID][]owned{}, map[dict.ID][]index.Tuple{}
	for r, p := range touched {
		t := SPO.tuple(r.s, r.p, r.o)
		switch {
		case p.now && !p.before:
			fresh[r.g] = append(fresh[r.g], owned{Tuple: t})
		case p.before && !p.now:
			gone[r.g] = append(gone[r.g], t)
		}
		if p.now {
			e.Triples++
		}
	}
	// No quad is in both.
	added, lists := []int{0}, make([][]brought, 1)
	for g, ts := range fresh {
		if err := tx.addTo(g, ts, added, lists); err != nil {
			return err
		}
	}
	e.Added, tx.brought = added[0], lists[0]
	for g, ts := range gone {
		n, err := tx.remove(g, ts)
		if err == nil {
			err = tx.dropEmpty(g)
		}
		if err != nil {
			return err
		}
		e.Removed += int64(n)
	}
	return tx.journal(e)
}

// quadRefs gives the ids of deltas' quads. New terms get theirs only where a quad is
// added; a quad to delete of which a term is unknown is the zero quad, which is never stored.
func (tx *Tx) quadRefs(deltas []graph.Delta, quads []rdf.Quad) ([]quadRef, error) {
	var terms []rdf.Term
	for i, q := range quads {
		if deltas[i].Action == graph.Add {
			terms = append(terms, q.S, q.P, q.O)
			if !q.G.IsZero() {
				terms = append(terms, q.G)
			}
		}
	}
	ids := make([]dict.ID, len(terms))
	if err := tx.dict.IDs(terms, ids); err != nil {
		return nil, err
	}
	known := dict.NewReader(tx.bolt.Bucket(dictName), nil)
	refs := make([]quadRef, len(quads))
	for i, q := range quads {
		r := &refs[i]
		if deltas[i].Action == graph.Add {
			r.s, r.p, r.o, ids = ids[0], ids[1], ids[2], ids[3:]
			if !q.G.IsZero() {
				r.g, ids = ids[0], ids[1:]
			}
			continue
		}
		var err error
		if *r, err = lookUp(known, q); err != nil {
			return nil, err
		}
	}
	return refs, nil
}

func lookUp(known *dict.Reader, q rdf.Quad) (r quadRef, err error) {
	for _, want := range []struct {
		term rdf.Term
		id   *dict.ID
	}{{q.S, &r.s}, {q.P, &r.p}, {q.O, &r.o}, {q.G, &r.g}} {
		if want.term.IsZero() {
			continue // the default graph
		}
		id, ok, err := known.ID(want.term)
		if err != nil || !ok {
			return quadRef{}, err
		}
		*want.id = id
	}
	return r, nil
}

// snapshot reads what the transaction holds now. It is no longer true after the next change.
func (tx *Tx) snapshot() *Snapshot {
	return &Snapshot{Reader: dict.NewReader(tx.bolt.Bucket(dictName), nil), bolt: tx.bolt, graphs: map[dict.ID]*view{}}
}

// dropEmpty frees the buckets of a graph without triples.
func (tx *Tx) dropEmpty(g dict.ID) error {
	b, err := tx.graph(g)
	if err != nil || readCount(b.counts, 0) > 0 {
		return err
	}
	delete(tx.graphs, g)
	if err := tx.bolt.Bucket(graphsName).DeleteBucket(idKey(g)); err != nil {
		return fmt.Errorf("removing an empty graph: %w", err)
	}
	return nil
}

// NewQuadWriter implements graph.QuadStore. The writer keeps what it is given until
// quad.DefaultBatch quads are together or it is closed, and stores each such batch
// whole, ignoring quads that are there. After an error, what was given since the batch before is
// not stored. A writer belongs to one goroutine; any number of them may write.
func (qs *quadStore) NewQuadWriter() (quad.WriteCloser, error) { return &quadWriter{qs: qs}, nil }

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
