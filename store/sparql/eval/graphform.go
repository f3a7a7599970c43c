package eval

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Graph calls emit for each triple of a CONSTRUCT or DESCRIBE, without duplicates. If
// emit returns an error, the query ends and Graph returns that error.
func (r *Run) Graph(emit func(rdf.Triple) error) error {
	g := &graphSink{r: r, emit: emit, seen: table.NewKeys(r.budget, 3)}
	if r.query.Form == syntax.Describe {
		return r.describe(g)
	}
	return r.solutions(g)
}

// graphSink instantiates the query's template for each solution (SPARQL 1.1, section
// 16.2).
type graphSink struct {
	r      *Run
	emit   func(rdf.Triple) error
	seen   *table.Keys
	blanks []source.ID // of the current solution, by number - 1
}

// push instantiates the template of CONSTRUCT for each row.
func (g *graphSink) push(b *table.Batch) error {
	for i := range b.N {
		clear(g.blanks)
		for _, t := range g.r.query.Template {
			if err := g.instantiate(t, b.Row(i)); err != nil {
				return err
			}
		}
		if err := g.r.budget.Tick(16 * len(g.r.query.Template)); err != nil {
			return err
		}
	}
	return nil
}

func (g *graphSink) end() error { return nil }

// instantiate emits one triple of the template for a row.
func (g *graphSink) instantiate(t algebra.TemplateTriple, row []source.ID) error {
	var key [3]source.ID
	for i, n := range []algebra.TemplateNode{t.S, t.P, t.O} {
		id, err := g.node(n, row)
		if err != nil {
			return err
		}
		kind := g.r.terms.Kind(id)
		// Leave out triples that RDF does not allow (section 16.2.1).
		if kind == rdf.KindNone || i == 0 && kind >= rdf.KindLiteral || i == 1 && kind != rdf.KindIRI {
			return nil
		}
		key[i] = id
	}
	return g.triple(key)
}

// node returns the id of a node of the template for a row, or 0 if it is unbound.
func (g *graphSink) node(n algebra.TemplateNode, row []source.ID) (source.ID, error) {
	switch {
	case n.Triple != nil:
		var spo [3]source.ID
		for i, part := range []algebra.TemplateNode{n.Triple.S, n.Triple.P, n.Triple.O} {
			var err error
			if spo[i], err = g.node(part, row); err != nil {
				return 0, err
			}
		}
		return g.r.terms.OfParts(spo)
	case n.Blank > 0:
		for n.Blank > len(g.blanks) {
			g.blanks = append(g.blanks, 0)
		}
		if g.blanks[n.Blank-1] == 0 {
			id, err := g.r.terms.ID(g.r.terms.New())
			if err != nil {
				return 0, err
			}
			g.blanks[n.Blank-1] = id
		}
		return g.blanks[n.Blank-1], nil
	case n.IsVariable():
		return row[n.Slot], nil
	}
	return g.r.terms.ID(n.Term)
}

// triple emits a triple unless it was emitted before.
func (g *graphSink) triple(key [3]source.ID) error {
	_, added, err := g.seen.Insert(key[:])
	if err != nil || !added {
		return err
	}
	var t rdf.Triple
	for i, term := range []*rdf.Term{&t.S, &t.P, &t.O} {
		if *term, err = g.r.terms.Term(key[i]); err != nil {
			return fmt.Errorf("reading a term: %w", err)
		}
	}
	return g.emit(t)
}
