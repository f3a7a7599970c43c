// Package memory stores RDF data in memory, without a file, for tests and for programs
// that read RDF to query it.
//
// A Dataset is safe for concurrent use. Readers never wait for writers: each query, Match
// and Snapshot reads the data as of its start. A write copies a few hundred triples for
// each changed one, plus the list of these blocks, so add many quads with one call.
package memory

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/turtle"
)

// Dataset is a default graph and any number of named graphs. The zero Dataset is empty
// and ready to use.
//
// Blank nodes are identified by their labels. Load gives those of each document new
// labels. Literals whose language tags differ only in case are one term, written as it
// was first added. A term stays in memory after its last quad is removed.
type Dataset struct {
	writing    sync.Mutex
	dictionary dictionary
	loads      int // number of loaded documents; guarded by writing
	current    atomic.Pointer[snapshot]
}

var _ sparql.Indexed = (*Dataset)(nil)

// dictionary numbers terms from 1.
type dictionary struct {
	mu    sync.RWMutex
	ids   map[rdf.Term]eval.ID // by the term's Fold
	terms []rdf.Term           // by id - 1

	parts   map[eval.ID]tuple // of triple terms: subject, predicate, object
	triples map[tuple]eval.ID // triple terms by their parts
	fresh   []tuple           // parts of triple terms that no snapshot has
}

func (d *dictionary) find(t rdf.Term) (eval.ID, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.ids[t.Fold()]
	return id, ok
}

// add returns the id of a term, assigning a new one if needed, and 0 for the zero Term.
// The caller holds mu.
func (d *dictionary) add(t rdf.Term) eval.ID {
	if t.IsZero() {
		return 0
	}
	key := t.Fold()
	id, ok := d.ids[key]
	if !ok {
		if d.ids == nil {
			d.ids = map[rdf.Term]eval.ID{}
		}
		var parts tuple
		if t.IsTriple() {
			parts = d.addTriple(t.Triple())
		}
		d.terms = append(d.terms, t)
		id = eval.ID(len(d.terms))
		d.ids[key] = id
		if t.IsTriple() {
			d.parts[id], d.triples[parts] = parts, id
		}
	}
	return id
}

// addTriple returns the ids of a triple term's parts, and records that the term is new.
func (d *dictionary) addTriple(t rdf.Triple) tuple {
	if d.parts == nil {
		d.parts, d.triples = map[eval.ID]tuple{}, map[tuple]eval.ID{}
	}
	parts := d.tuple(t)
	d.fresh = append(d.fresh, parts)
	return parts
}

func (d *dictionary) tuple(t rdf.Triple) tuple {
	return tuple{uint64(d.add(t.S)), uint64(d.add(t.P)), uint64(d.add(t.O))}
}

// Add adds quads, all or none, and returns how many of them were new. It returns an error
// for a quad that RDF does not allow, such as one with a literal as its subject.
func (d *Dataset) Add(quads ...rdf.Quad) (added int, err error) {
	for i, q := range quads {
		if problem := check(q); problem != "" {
			return 0, fmt.Errorf("quad %d of %d: %s", i+1, len(quads), problem)
		}
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	return d.add(quads), nil
}

// check returns why RDF does not allow a quad, or "".
func check(q rdf.Quad) string {
	switch {
	case !q.S.IsIRI() && !q.S.IsBlank():
		return fmt.Sprintf("the subject must be an IRI or a blank node, not %s", named(q.S))
	case !q.P.IsIRI():
		return fmt.Sprintf("the predicate must be an IRI, not %s", named(q.P))
	case q.O.IsZero():
		return "the object is missing"
	case q.O.TripleDepth() > rdf.MaxTripleDepth:
		return fmt.Sprintf("triple terms are nested deeper than %d", rdf.MaxTripleDepth)
	case q.O.IsTriple():
		if problem := check(q.O.Triple().In(rdf.Term{})); problem != "" {
			return "a triple term: " + problem
		}
	}
	if q.G.IsLiteral() || q.G.IsTriple() {
		return fmt.Sprintf("the graph must be an IRI or a blank node, not %s", named(q.G))
	}
	return ""
}

func named(t rdf.Term) string {
	if t.IsZero() {
		return "the zero Term"
	}
	return t.String()
}

// add adds valid quads. The caller holds writing.
func (d *Dataset) add(quads []rdf.Quad) int {
	d.dictionary.mu.Lock()
	byGraph := map[eval.ID][]tuple{}
	for _, q := range quads {
		g := d.dictionary.add(q.G)
		byGraph[g] = append(byGraph[g], d.dictionary.tuple(q.Triple()))
	}
	d.dictionary.mu.Unlock()
	return d.edit(byGraph, false)
}

// Remove removes quads and returns how many of them existed.
func (d *Dataset) Remove(quads ...rdf.Quad) (removed int) {
	d.writing.Lock()
	defer d.writing.Unlock()
	byGraph := map[eval.ID][]tuple{}
quads:
	for _, q := range quads {
		var ids [4]eval.ID
		for i, t := range []rdf.Term{q.S, q.P, q.O, q.G} {
			if t.IsZero() && i == 3 {
				continue
			}
			id, ok := d.dictionary.find(t)
			if !ok {
				continue quads
			}
			ids[i] = id
		}
		byGraph[ids[3]] = append(byGraph[ids[3]], tuple{uint64(ids[0]), uint64(ids[1]), uint64(ids[2])})
	}
	return d.edit(byGraph, true)
}

// edit adds triples to graphs or removes them, and returns how many were new or existed,
// respectively. The caller holds writing.
func (d *Dataset) edit(byGraph map[eval.ID][]tuple, remove bool) (changed int) {
	now := d.now()
	next := &snapshot{terms: d.dictionary.terms, dictionary: &d.dictionary, graphs: slices.Clone(now.graphs), triples: now.triples}
	if fresh := d.dictionary.fresh; len(fresh) > 0 {
		for o := range next.triples {
			next.triples[o] = next.triples[o].edit(ordered(fresh, eval.Order(o)), false)
		}
	}
	for name, tuples := range byGraph {
		at, ok := next.find(name)
		g := graph{name: name}
		if ok {
			g = next.graphs[at]
		}
		slices.SortFunc(tuples, compare)
		tuples = slices.DeleteFunc(slices.Compact(tuples), func(t tuple) bool { return g.indexes[eval.SPO].has(t) != remove })
		if len(tuples) == 0 {
			continue
		}
		changed += len(tuples)
		for o := range g.indexes {
			g.indexes[o] = g.indexes[o].edit(ordered(tuples, eval.Order(o)), remove)
		}
		switch {
		case !ok:
			next.graphs = slices.Insert(next.graphs, at, g)
		case g.indexes[eval.SPO].size == 0:
			next.graphs = slices.Delete(next.graphs, at, at+1)
		default:
			next.graphs[at] = g
		}
	}
	if changed > 0 {
		d.dictionary.fresh = nil
		d.current.Store(next)
	}
	return changed
}

// ordered returns triples as sorted tuples of an index.
func ordered(triples []tuple, o eval.Order) []tuple {
	out := make([]tuple, len(triples))
	for i, t := range triples {
		out[i] = o.Sorted(t)
	}
	slices.SortFunc(out, compare)
	return out
}

// Load adds the quads of a document, all or none, and returns how many of them were new.
// Triples in the document's default graph go to graph; the zero Term means the default
// graph. A *turtle.SyntaxError locates an error in the document. Blank nodes get new
// labels, unless o.Scope sets the prefix of their labels.
func (d *Dataset) Load(ctx context.Context, r io.Reader, f turtle.Format, graph rdf.Term, o turtle.Options) (added int, err error) {
	if graph.IsLiteral() || graph.IsTriple() {
		return 0, fmt.Errorf("the graph must be an IRI or a blank node, not %s", graph)
	}
	if o.Scope == "" {
		o.Scope = d.scope()
	}
	in := format.NewReader(r, f, o)
	var quads []rdf.Quad
	for {
		q, err := in.Read()
		if err == io.EOF {
			break
		}
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return 0, err
		}
		if q.G.IsZero() {
			q.G = graph
		}
		quads = append(quads, q)
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	return d.add(quads), nil
}

// scope returns the prefix of the labels of the next document's blank nodes.
func (d *Dataset) scope() string {
	d.writing.Lock()
	defer d.writing.Unlock()
	d.loads++
	return fmt.Sprintf("d%d.", d.loads)
}

func (d *Dataset) now() *snapshot {
	if s := d.current.Load(); s != nil {
		return s
	}
	return &snapshot{dictionary: &d.dictionary}
}

// Index returns the current data for one query (sparql.Indexed).
func (d *Dataset) Index() eval.Dataset { return d.now() }

// Snapshot returns the current data. Later writes do not change it.
func (d *Dataset) Snapshot() sparql.Indexed { return sparql.FromIndex(d.now()) }

// Graphs returns the names of the named graphs.
func (d *Dataset) Graphs(ctx context.Context) ([]rdf.Term, error) { return d.Snapshot().Graphs(ctx) }

// Match yields the triples of a graph that match a pattern, as of its start. See
// sparql.Dataset.
func (d *Dataset) Match(ctx context.Context, graph rdf.Term, pattern rdf.Triple) iter.Seq2[rdf.Triple, error] {
	return func(yield func(rdf.Triple, error) bool) { d.Snapshot().Match(ctx, graph, pattern)(yield) }
}

// Estimate returns the number of triples of a graph that match a pattern.
func (d *Dataset) Estimate(ctx context.Context, graph rdf.Term, pattern rdf.Triple) (int64, error) {
	return d.Snapshot().Estimate(ctx, graph, pattern)
}

// Len returns the number of quads.
func (d *Dataset) Len() (n int) {
	for _, g := range d.now().graphs {
		n += g.indexes[eval.SPO].size
	}
	return n
}

// Quads yields all quads, graph by graph, as of its start.
func (d *Dataset) Quads() iter.Seq[rdf.Quad] {
	return func(yield func(rdf.Quad) bool) {
		s := d.now()
		term := func(id uint64) (t rdf.Term) {
			if id > 0 {
				t = s.terms[id-1]
			}
			return t
		}
		for _, g := range s.graphs {
			for _, b := range g.indexes[eval.SPO].blocks {
				for _, t := range b {
					if !yield(rdf.Quad{S: term(t[0]), P: term(t[1]), O: term(t[2]), G: term(uint64(g.name))}) {
						return
					}
				}
			}
		}
	}
}
