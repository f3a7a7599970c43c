package engine

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// QuadID holds the ids of a quad's terms. A zero G means the default graph.
type QuadID struct{ S, P, O, G dict.ID }

// Errors of edits that change nothing.
var (
	ErrPresent = errors.New("the quad is already stored")
	ErrAbsent  = errors.New("the quad is not stored")
)

// contextsGraph is reserved: only an extension writes it, with a Delta.
var contextsGraph = rdf.NewIRI(store.ContextsGraph)

var errReserved = errors.New("the graph " + store.ContextsGraph + " is reserved for the resolver")

// An Edit adds or removes one quad.
type Edit struct {
	Quad   rdf.Quad
	Remove bool
}

// EditOptions configure Apply.
type EditOptions struct {
	IgnorePresent bool // skip an edit that adds a quad that is already stored
	IgnoreAbsent  bool // skip an edit that removes a quad that is not stored
	// AnyTerms accepts quads that RDF 1.1 does not allow, such as those with a literal as
	// subject. They can't be exported. Triple terms must be readable (rdf.Term.IsReadable).
	AnyTerms bool
}

// EditError is the error of the first edit that failed, with its index.
type EditError struct {
	Index int
	Err   error
}

func (e *EditError) Error() string { return fmt.Sprintf("edit %d: %v", e.Index, e.Err) }

// Unwrap returns the cause.
func (e *EditError) Unwrap() error { return e.Err }

// Apply applies edits in order, all or none, and appends e to the journal with the counts
// Triples, Added and Removed set. A blank node named "b17" is the store's own node with
// that number. Any other name is a node of its own, the same in every call. If an edit
// fails, or touches the graph of contexts, the error is an *EditError.
func (s *Store) Apply(ctx context.Context, edits []Edit, o EditOptions, e journal.Entry) error {
	return s.apply(ctx, edits, o, &e)
}

// apply stores edits as Apply does, and sets the counts in the caller's entry.
func (s *Store) apply(ctx context.Context, edits []Edit, o EditOptions, e *journal.Entry) error {
	text := turtle.NewWriter(io.Discard, turtle.NQuads, nil) // rejects what can't be exported
	for i, edit := range edits {
		if q := edit.Quad; q.S.IsZero() || q.P.IsZero() || q.O.IsZero() {
			return &EditError{i, fmt.Errorf("the quad %q lacks a subject, predicate or object", q)}
		}
		if edit.Quad.G == contextsGraph {
			return &EditError{i, errReserved}
		}
		if edit.Quad.O.TripleDepth() > rdf.MaxTripleDepth {
			return &EditError{i, errDeep}
		}
		if !edit.Quad.O.IsReadable() {
			return &EditError{i, fmt.Errorf("a term in the triple term %.200s has a character that would end it, such as a space", edit.Quad.O)}
		}
		if !o.AnyTerms {
			if err := text.Write(edit.Quad); err != nil {
				return &EditError{i, err}
			}
		}
	}
	return s.Update(ctx, func(tx *Tx) error { return tx.apply(edits, o, e) })
}

// presence records whether a quad was stored before the edits, and whether it is now.
type presence struct{ before, now bool }

// apply applies edits in order, so that later ones see what earlier ones did, and stores only what has changed in the
// end.
func (tx *Tx) apply(edits []Edit, o EditOptions, e *journal.Entry) error {
	e.Triples, e.Added, e.Removed = 0, 0, 0 // a unit of work may run twice
	ids, err := tx.editIDs(edits)
	if err != nil {
		return err
	}
	snap := tx.Snapshot()
	touched := map[QuadID]presence{}
	for i, edit := range edits {
		p, ok := touched[ids[i]]
		if !ok {
			if p.before, err = snap.Has(ids[i]); err != nil {
				return err
			}
			p.now = p.before
		}
		switch {
		case !edit.Remove && p.now && !o.IgnorePresent:
			return &EditError{i, ErrPresent}
		case edit.Remove && !p.now && !o.IgnoreAbsent:
			return &EditError{i, ErrAbsent}
		}
		p.now = !edit.Remove
		touched[ids[i]] = p
	}
	return tx.applyPresence(touched, e)
}

// applyPresence adds and removes the quads whose presence has changed, sets the counts of e, and appends it to the
// journal.
func (tx *Tx) applyPresence(touched map[QuadID]presence, e *journal.Entry) error {
	fresh, removed := map[dict.ID][]index.Tuple{}, map[dict.ID][]index.Tuple{}
	for q, p := range touched {
		t := SPO.Tuple(q.S, q.P, q.O)
		switch {
		case p.now && !p.before:
			fresh[q.G] = append(fresh[q.G], t)
		case p.before && !p.now:
			removed[q.G] = append(removed[q.G], t)
		}
		if p.now {
			e.Triples++
		}
	}
	// No quad is in both.
	var err error
	if e.Added, err = tx.addGraphs(fresh); err != nil {
		return err
	}
	for g, ts := range removed {
		n, err := tx.Remove(g, ts)
		if err == nil {
			err = tx.dropEmpty(g)
		}
		if err != nil {
			return err
		}
		e.Removed += int64(n)
	}
	return tx.Journal(*e)
}

// editIDs returns the ids of the edits' quads. It assigns ids to new terms of quads to
// add. A quad to remove that has an unknown term becomes the zero QuadID, which is never
// stored.
func (tx *Tx) editIDs(edits []Edit) ([]QuadID, error) {
	var terms []rdf.Term
	for _, edit := range edits {
		if q := edit.Quad; !edit.Remove {
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
	known := tx.dictionary(nil)
	out := make([]QuadID, len(edits))
	for i, edit := range edits {
		q := &out[i]
		if !edit.Remove {
			q.S, q.P, q.O, ids = ids[0], ids[1], ids[2], ids[3:]
			if !edit.Quad.G.IsZero() {
				q.G, ids = ids[0], ids[1:]
			}
			continue
		}
		var err error
		if *q, err = lookUp(known, edit.Quad); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lookUp returns the ids of a quad, or the zero QuadID if one of its terms is unknown.
func lookUp(known *dict.Reader, q rdf.Quad) (id QuadID, err error) {
	for _, want := range []struct {
		term rdf.Term
		id   *dict.ID
	}{{q.S, &id.S}, {q.P, &id.P}, {q.O, &id.O}, {q.G, &id.G}} {
		if want.term.IsZero() {
			continue // the default graph
		}
		found, ok, err := known.ID(want.term)
		if err != nil || !ok {
			return QuadID{}, err
		}
		*want.id = found
	}
	return id, nil
}

// Snapshot returns the current content of the transaction. The next change invalidates
// it.
func (tx *Tx) Snapshot() *Snapshot {
	return &Snapshot{reading: tx.reading, Reader: tx.dictionary(nil), graphs: map[dict.ID]*view{}}
}

// dropEmpty removes the buckets of a graph without triples.
func (tx *Tx) dropEmpty(g dict.ID) error {
	if tx.view(g).count(0) > 0 {
		return nil
	}
	return tx.removeGraph(g)
}

// QuadID returns the ids of a quad, or the zero QuadID if one of its terms is unknown.
func (s *Snapshot) QuadID(q rdf.Quad) (QuadID, error) { return lookUp(s.Reader, q) }

// Quad returns the terms of a triple of graph g, given in SPO order.
func (s *Snapshot) Quad(g dict.ID, spo index.Tuple) (q rdf.Quad, err error) {
	triple, err := s.Triple(SPO.Triple(spo))
	q = triple.In(rdf.Term{})
	if err == nil && g != defaultGraph {
		q.G, err = s.Term(g)
	}
	return q, err
}

// Has reports whether a quad is stored.
func (s *Snapshot) Has(q QuadID) (bool, error) {
	return s.view(q.G).indexes[SPO].Scan().Contains(SPO.Tuple(q.S, q.P, q.O))
}
