package sparql_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// openStore returns an empty embedded store, which is closed at the end of the test.
func openStore(t testing.TB) *engine.Store {
	t.Helper()
	s, err := engine.Open(filepath.Join(t.TempDir(), "test.db"), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// addText stores a text. Its default graph becomes the graph graph.
func addText(t testing.TB, s *engine.Store, text string, f turtle.Format, base string, graph rdf.Term) {
	t.Helper()
	r := turtle.NewReader(strings.NewReader(text), f, turtle.Options{Base: base})
	d := &store.Document{}
	for {
		q, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("reading %s: %v", base, err)
		}
		if q.G.IsZero() {
			q.G = graph
		}
		d.Add(q)
	}
	addDocument(t, s, d)
}

func addDocument(t testing.TB, s *engine.Store, d *store.Document) {
	t.Helper()
	if len(d.Quads) == 0 {
		return
	}
	if _, err := s.Add(context.Background(), d, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
}

// documents holds the quads of some documents, each with its own blank nodes.
type documents [][]rdf.Quad

// read adds a text. Its default graph becomes the graph graph.
func (d *documents) read(t testing.TB, text string, f turtle.Format, base string, graph rdf.Term) {
	t.Helper()
	quads, err := turtle.Parse([]byte(text), f, turtle.Options{Base: base})
	if err != nil {
		t.Fatalf("reading %s: %v", base, err)
	}
	d.add(quads, graph)
}

func (d *documents) add(quads []rdf.Quad, graph rdf.Term) {
	for i := range quads {
		if quads[i].G.IsZero() {
			quads[i].G = graph
		}
	}
	*d = append(*d, quads)
}

// datasets returns the documents in both kinds of Dataset: the engine's, and that of package
// memory, whose ids are in no order.
func (d documents) datasets(t testing.TB) map[string]sparql.Dataset {
	t.Helper()
	s := openStore(t)
	var all []rdf.Quad
	for i, quads := range d {
		document := &store.Document{}
		for _, q := range quads {
			document.Add(q)
			for _, term := range []*rdf.Term{&q.S, &q.O, &q.G} {
				*term = relabelled(*term, i)
			}
			all = append(all, q)
		}
		addDocument(t, s, document)
	}
	return map[string]sparql.Dataset{"engine": snapshot(t, s), "memory": memory.New(all)}
}

// relabelled returns a term of a document with the document's own labels of blank nodes.
func relabelled(t rdf.Term, document int) rdf.Term {
	switch {
	case t.IsBlank():
		return rdf.NewBlank(fmt.Sprintf("d%d.%s", document, t.Value()))
	case t.IsTriple():
		triple := t.Triple()
		return rdf.NewTripleTerm(rdf.Triple{S: relabelled(triple.S, document), P: triple.P, O: relabelled(triple.O, document)})
	}
	return t
}

// snapshot returns a read snapshot of the store, which is valid until the end of the
// test.
func snapshot(t testing.TB, s *engine.Store) sparql.Dataset {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(snap.Close)
	return snap.Dataset()
}

// answer is an actual or expected answer.
type answer struct {
	vars      []string
	rows      [][]rdf.Term
	isBoolean bool
	boolean   bool
	triples   []rdf.Triple
}

func (a *answer) Head(vars []string) error { a.vars = vars; return nil }

func (a *answer) Row(terms []rdf.Term) error {
	a.rows = append(a.rows, append([]rdf.Term(nil), terms...))
	return nil
}

func (a *answer) Boolean(b bool) error { a.isBoolean, a.boolean = true, b; return nil }

// strategies lists the strategies to compare.
var allStrategies = []strategies.Strategy{strategies.Planned, strategies.InOrder, strategies.BottomUp, strategies.InMemory}

func run(ctx context.Context, q *sparql.Query, ds sparql.Dataset, l budget.Limits) (*answer, error) {
	a := &answer{}
	if f := q.Form().String(); f == "construct" || f == "describe" {
		for t, err := range q.Graph(ctx, ds, l) {
			if err != nil {
				return a, err
			}
			a.triples = append(a.triples, t)
		}
		return a, nil
	}
	return a, q.Run(ctx, ds, l, a)
}

// quads describes an answer as a graph, so that answers can be compared up to the labels
// of blank nodes. If ordered is set, this includes the order of rows.
func (a *answer) quads(ordered bool) []rdf.Quad {
	var out []rdf.Quad
	add := func(s rdf.Term, p string, o rdf.Term) {
		out = append(out, rdf.Quad{S: s, P: rdf.NewIRI("x:" + p), O: o})
	}
	for _, t := range a.triples {
		out = append(out, t.In(rdf.NewIRI("x:graph")))
	}
	for _, v := range a.vars {
		add(rdf.NewIRI("x:vars"), "var", rdf.NewString(v))
	}
	for i, terms := range a.rows {
		row := rdf.NewBlank("row " + string(rune('a'+i%26)) + strings.Repeat("'", i/26))
		add(row, "in", rdf.NewIRI("x:rows"))
		if ordered {
			add(row, "index", rdf.NewLiteral(strings.Repeat("1", i), rdf.XSDInteger))
		}
		for c, term := range terms {
			if !term.IsZero() {
				add(row, "var-"+a.vars[c], term)
			}
		}
	}
	return out
}

// same reports whether two answers are equal up to the labels of blank nodes.
func (a *answer) same(b *answer, ordered bool) bool {
	return a.isBoolean == b.isBoolean && a.boolean == b.boolean && len(a.rows) == len(b.rows) &&
		canon.Isomorphic(a.quads(ordered), b.quads(ordered))
}

func (a *answer) String() string {
	var b strings.Builder
	if a.isBoolean {
		if a.boolean {
			return "true\n"
		}
		return "false\n"
	}
	for _, t := range a.triples {
		b.WriteString(t.S.String() + " " + t.P.String() + " " + t.O.String() + "\n")
	}
	if a.vars != nil {
		b.WriteString("?" + strings.Join(a.vars, " ?") + "\n")
	}
	for _, row := range a.rows {
		for c, term := range row {
			if c > 0 {
				b.WriteString(" | ")
			}
			if term.IsZero() {
				b.WriteString("-")
			} else {
				b.WriteString(term.String())
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// byValue returns the answer with canonical numbers and lower-case language tags, so that
// answers with equal values of the same types are equal.
func (a *answer) byValue() *answer {
	term := func(t rdf.Term) rdf.Term {
		if t.Tag() != "" {
			return rdf.NewLang(t.Value(), strings.ToLower(t.Tag()))
		}
		if rdf.IsNumeric(t.Datatype()) {
			if canonical, ok := rdf.Canonical(t.Value(), t.Datatype()); ok {
				return rdf.NewLiteral(canonical, t.Datatype())
			}
		}
		return t
	}
	out := *a
	out.rows, out.triples = nil, nil
	for _, row := range a.rows {
		var terms []rdf.Term
		for _, t := range row {
			terms = append(terms, term(t))
		}
		out.rows = append(out.rows, terms)
	}
	for _, t := range a.triples {
		out.triples = append(out.triples, rdf.Triple{S: t.S, P: t.P, O: term(t.O)})
	}
	return &out
}

// distinct removes repeated rows.
func (a *answer) distinct() *answer {
	out := *a
	out.rows = nil
	seen := map[string]bool{}
	for _, row := range a.rows {
		key := (&answer{rows: [][]rdf.Term{row}}).String()
		if !seen[key] {
			seen[key] = true
			out.rows = append(out.rows, row)
		}
	}
	return &out
}
