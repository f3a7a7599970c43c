package eval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/statistics"
	"github.com/segraph/segraph/store/sparql/syntax"
)

func iri(s string) rdf.Term { return rdf.NewIRI("x:" + s) }

func quad(s, p, o, g string) rdf.Quad {
	q := rdf.Quad{S: iri(s), P: iri(p), O: iri(o)}
	if g != "" {
		q.G = iri(g)
	}
	return q
}

// people returns a chain of 100 triples n0 -p-> n1 -p-> …, with each node of the kind
// k.
func people() *memory {
	var quads []rdf.Quad
	for i := range 100 {
		quads = append(quads, quad(fmt.Sprint("n", i), "p", fmt.Sprint("n", i+1), ""), quad(fmt.Sprint("n", i), "kind", "k", ""))
	}
	return newMemory(quads...)
}

// rows evaluates a query without planning it.
func rows(t *testing.T, ds source.Reader, text string) ([][]rdf.Term, error) {
	t.Helper()
	return rowsWithin(t, ds, text, budget.Limits{})
}

func rowsWithin(t *testing.T, ds source.Reader, text string, l budget.Limits) ([][]rdf.Term, error) {
	t.Helper()
	parsed, err := syntax.ParseQuery("PREFIX : <x:> "+text, syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := algebra.Translate(parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(budget.New(context.Background(), l), q, ds)
	if err != nil {
		return nil, err
	}
	var out [][]rdf.Term
	if q.Form == syntax.Ask {
		_, err := r.Ask()
		return nil, err
	}
	err = r.Select(func(terms []rdf.Term) error { out = append(out, slices.Clone(terms)); return nil })
	return out, err
}

// Evaluation reads no more than the query needs.
func TestWorkIsLittle(t *testing.T) {
	for _, tt := range []struct {
		name, text               string
		rows, seeks, read, terms int // at most
	}{
		{"a limit ends the scan", "SELECT ?s { ?s :p ?o } LIMIT 1", 1, 1, firstBatch + 2, 1},
		{"asking ends the scan", "ASK { ?s :p ?o . ?o :p ?x }", 0, 1 + firstBatch, 4 * firstBatch, 0},
		{"rows that look for the same find it once", "SELECT ?a ?b { ?a :kind ?k . ?k :none ?b }", 0, 2, 100, 0},
		{"a count reads nothing", "SELECT (COUNT(*) AS ?n) { ?s :p ?o }", 1, 0, 0, 0},
		{"terms are made for what is shown alone", "SELECT ?s { ?s :p ?o . ?o :p ?x . ?x :p :n7 }", 1, 201, 400, 1},
		{"nodes are compared without their terms", "SELECT ?s { ?s :p ?o FILTER(?o = :n3 || ?o IN (:n4, :n5)) }", 3, 1, 100, 3},
		{"a term that is not stored is not looked for", "SELECT ?s { ?s :none ?o }", 0, 0, 0, 0},
		{"EXISTS looks once a batch for what is the same", "SELECT ?s { ?s :kind ?k FILTER EXISTS { ?k :none ?z } }", 0, 3, 100, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := people()
			got, err := rows(t, m, tt.text)
			if err != nil || len(got) != tt.rows {
				t.Errorf("%d rows, %v; want %d", len(got), err, tt.rows)
			}
			if m.seeks > tt.seeks || m.read > tt.read || m.looked > tt.terms {
				t.Errorf("%d seeks, %d tuples, %d terms; want at most %d, %d and %d", m.seeks, m.read, m.looked, tt.seeks, tt.read, tt.terms)
			}
		})
	}
}

// MIN and MAX read only the ends of a range that is in the order of values, and all
// of any other.
func TestExtremesReadLittle(t *testing.T) {
	m := newMemory()
	add := func(o rdf.Term) source.ID {
		m.add(rdf.Quad{S: iri("s"), P: iri("p"), O: o})
		return m.id(o)
	}
	for i := range 10 {
		add(rdf.NewString(fmt.Sprint(i)))
	}
	first := add(rdf.NewLiteral("0", rdf.XSDInteger))
	for i := range 3000 {
		add(rdf.NewLiteral(fmt.Sprint(i+1), rdf.XSDInteger))
	}
	m.ordered = []source.OrderedRange{{First: first, Last: first + 3000, Apart: 1}}
	for text, want := range map[string]rdf.Term{
		"SELECT (MIN(?o) AS ?x) { ?s :p ?o }":                             rdf.NewLiteral("0", rdf.XSDInteger),
		"SELECT (MAX(?o) AS ?x) { ?s :p ?o }":                             rdf.NewString("9"),
		"SELECT (MIN(?o) AS ?x) (MAX(?o) AS ?y) { ?s :p ?o }":             rdf.NewLiteral("0", rdf.XSDInteger),
		"SELECT (MAX(?o) - MIN(?o) AS ?x) { ?s :p ?o }":                   {},
		"SELECT (MIN(?o) AS ?x) { ?s :p ?o } HAVING (MAX(?o) = '9')":      rdf.NewLiteral("0", rdf.XSDInteger),
		"SELECT (MIN(?o) AS ?x) { { SELECT ?o { ?s :none ?o } } }":        {},
		"SELECT (MIN(?o) AS ?x) (MAX(DISTINCT ?o) AS ?y) { ?s :none ?o }": {},
	} {
		m.read = 0
		got, err := rows(t, m, text)
		if err != nil || len(got) != 1 || got[0][0] != want {
			t.Errorf("%s gives %v, %v; want %v", text, got, err, want)
		}
		if m.read > 10+4*firstBatch {
			t.Errorf("%s reads %d tuples", text, m.read)
		}
	}
}

// An error of the dataset ends the query, wherever it occurs.
func TestErrorOfTheDatasetEndsTheQuery(t *testing.T) {
	damaged := errors.New("damaged")
	for _, text := range []string{
		"SELECT * { ?s :p ?o }", "SELECT * { ?s :p+ ?o }", "SELECT * { :n1 !:q ?o }", "SELECT * { {} OPTIONAL { ?s :p ?o } }",
		"SELECT * { VALUES ?s { :n1 } MINUS { ?s :p ?o } }", "SELECT * { VALUES ?s { :n1 } FILTER EXISTS { ?s :p ?o } }",
		"SELECT (COUNT(?s) AS ?n) { ?s :p ?o . ?o :p ?x }", "SELECT * { ?s :p ?o } ORDER BY ?o", "SELECT DISTINCT ?s { ?s :p ?o }", "ASK { ?s :p ?o }",
	} {
		m := people()
		m.fail = damaged
		if _, err := rows(t, m, text); !errors.Is(err, damaged) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// blankless is a dataset that once can't look up a blank node.
type blankless struct {
	*memory
	fail error
}

func (b *blankless) ID(t rdf.Term) (source.ID, error) {
	if err := b.fail; t.IsBlank() && err != nil {
		b.fail = nil
		return 0, err
	}
	return b.memory.ID(t)
}

// A new blank node may be one of the dataset's if that can't be looked up.
func TestABlankNodeThatMayBeTakenEndsTheQuery(t *testing.T) {
	damaged := errors.New("damaged")
	if _, err := rows(t, &blankless{people(), damaged}, "SELECT (BNODE() AS ?b) {}"); !errors.Is(err, damaged) {
		t.Errorf("it ends with %v", err)
	}
}

// Operators lose no rows, whatever the size of batches.
func TestManyBatches(t *testing.T) {
	var quads []rdf.Quad
	const n = 3*lastBatch + 17
	for i := range n {
		quads = append(quads, quad(fmt.Sprint("s", i), "p", fmt.Sprint("o", i%1000), ""))
	}
	for i := range 1000 {
		quads = append(quads, quad(fmt.Sprint("o", i), "q", fmt.Sprint("x", i%10), ""))
	}
	m := newMemory(quads...)
	for text, want := range map[string]int{
		"SELECT * { ?s :p ?o }":                                                                  n,
		"SELECT * { ?s :p ?o OPTIONAL { ?o :q :x3 } }":                                           n,
		"SELECT * { ?s :p ?o { SELECT DISTINCT ?o { ?o :q ?x } } }":                              n,
		"SELECT * { { ?s :p ?o } UNION { ?s :p ?o } }":                                           2 * n,
		"SELECT * { ?s :p ?o } ORDER BY ?o OFFSET 10":                                            n - 10,
		"SELECT DISTINCT ?o { ?s :p ?o }":                                                        1000,
		"SELECT ?o (COUNT(*) AS ?k) { ?s :p ?o } GROUP BY ?o":                                    1000,
		"SELECT * { ?s :p ?o FILTER NOT EXISTS { ?o :none ?x } BIND(STR(?o) AS ?t) } LIMIT 5000": 5000,
	} {
		got, err := rows(t, m, text)
		if err != nil || len(got) != want {
			t.Errorf("%s: %d rows, %v; want %d", text, len(got), err, want)
		}
	}
}

// A table gives equal keys the same number, and different keys different numbers, for
// any width.
func TestTable(t *testing.T) {
	for width := range 4 {
		rng := rand.New(rand.NewPCG(uint64(width), 1))
		b := budget.New(context.Background(), budget.Limits{})
		table := table.NewKeys(b, width)
		model := map[string]int{}
		for range 5000 {
			key := make([]source.ID, width)
			for k := range key {
				key[k] = source.ID(rng.IntN(15)) << (rng.IntN(2) * 60)
			}
			text := fmt.Sprint(key)
			want, known := model[text]
			if !known {
				want = len(model)
				model[text] = want
			}
			if found := table.Find(key); known && found != want || !known && found != -1 {
				t.Fatalf("width %d: find gives %d for %s, want %d", width, found, text, want)
			}
			if i, added, err := table.Insert(key); i != want || added == known || err != nil {
				t.Fatalf("width %d: insert gives %d, %v, %v for %s; want %d", width, i, added, err, text, want)
			}
		}
		if table.Free(); b.Memory() != 0 {
			t.Errorf("width %d: %d bytes are not given back", width, b.Memory())
		}
	}
}

// Making a large index of rows stops soon after the query's context ends.
func TestMakingTablesStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := budget.New(ctx, budget.Limits{})
	in := &inner{r: &Run{budget: b}, keep: []algebra.Slot{0}, keys: []int{0}}
	rows := table.Pieces[source.ID]{}
	for i := range source.ID(12288) {
		rows.Add([]source.ID{i + 1})
	}
	cancel()
	if _, err := in.index(rows); !errors.Is(err, context.Canceled) {
		t.Errorf("an index of rows: %v", err)
	}
}

// largest is a sink that keeps the number of rows of the largest batch.
type largest struct{ rows int }

func (l *largest) push(b *table.Batch) error { l.rows = max(l.rows, b.N); return nil }
func (l *largest) end() error                { return nil }

// GRAPH with a bound name passes on full batches.
func TestRowsOfABoundGraphDoNotGather(t *testing.T) {
	r := &Run{query: &algebra.Query{}, budget: budget.New(t.Context(), budget.Limits{}), named: map[source.ID]bool{1: true}, largest: lastBatch}
	next := &largest{}
	g := &graphs{output: newOutput(r, next), r: r, name: 0, active: 1}
	for range 20 {
		b := table.Batch{}
		for range lastBatch {
			b.Add([]source.ID{1, 0})
		}
		if err := g.push(&b); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.end(); err != nil || next.rows != lastBatch {
		t.Errorf("a batch of %d rows, %v", next.rows, err)
	}
}

// Merged graphs return each triple once, in the order of each index.
func TestMergedGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var quads []rdf.Quad
	all := map[rdf.Triple]bool{}
	for range 200 {
		q := quad(fmt.Sprint("s", rng.IntN(5)), fmt.Sprint("p", rng.IntN(3)), fmt.Sprint("o", rng.IntN(4)), fmt.Sprint("g", rng.IntN(4)))
		quads = append(quads, q)
		if q.G != iri("g3") {
			all[q.Triple()] = true
		}
	}
	m := newMemory(quads...)
	ds, err := source.Restrict(m, []rdf.Term{iri("g0"), iri("g1"), iri("g2"), iri("none"), iri("g0")}, []rdf.Term{iri("g3")})
	if err != nil {
		t.Fatal(err)
	}
	if got := ds.Graphs(); len(got) != 1 || got[0] != m.id(iri("g3")) {
		t.Errorf("the named graphs are %v", got)
	}
	for _, order := range []source.Order{source.SPO, source.POS, source.OSP} {
		s := ds.Scan(0, order)
		for range 2 { // a scan is used again
			lo, hi := source.Prefix(source.Tuple{}, 0)
			s.Seek(lo, hi)
			var got []source.Tuple
			for tuples := s.Next(); tuples != nil; tuples = s.Next() {
				got = append(got, tuples...)
			}
			if s.Err() != nil || len(got) != len(all) || !slices.IsSortedFunc(got, func(a, b source.Tuple) int { return slices.Compare(a[:], b[:]) }) {
				t.Errorf("order %d: %d triples, want %d in order; %v", order, len(got), len(all), s.Err())
			}
		}
	}
	m.fail = errors.New("damaged")
	s := ds.Scan(0, source.SPO)
	if s.Seek(source.Prefix(source.Tuple{}, 0)); s.Next() != nil || s.Err() == nil {
		t.Error("the error of a graph is lost")
	}
}

// A run releases its memory when it ends. Otherwise a long query with many small runs
// inside would reach its limit.
func TestMemoryIsGivenBack(t *testing.T) {
	parsed, err := syntax.ParseQuery("PREFIX : <x:> SELECT ?s { ?s :p ?o FILTER EXISTS { { ?s :p ?x . ?x :p ?y } { ?y :p ?z FILTER(?z != ?q) BIND(1 AS ?q) } } }", syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := algebra.Translate(parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(budget.New(context.Background(), budget.Limits{}), q, people())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Select(func([]rdf.Term) error { return nil }); err != nil {
		t.Fatal(err)
	}
	// Columns stay, as does the memory of computed terms.
	if left := r.budget.Memory() - r.exprs.Size(); left > 4096 {
		t.Errorf("%d bytes are not given back", left)
	}
}

// Estimates: counts are exact, and a few distinct values are counted.
func TestStatistics(t *testing.T) {
	var quads []rdf.Quad
	for i := range 300 {
		quads = append(quads, quad(fmt.Sprint("s", i), "kind", fmt.Sprint("k", i%3), ""), quad(fmt.Sprint("s", i%30), "p", fmt.Sprint("o", i), ""), quad("a", "p", fmt.Sprint("b", i), fmt.Sprint("g", i%20)))
	}
	c, err := statistics.Of(newMemory(quads...), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		graph   algebra.Node
		s, p, o rdf.Term
		want    int64
	}{
		{algebra.DefaultGraph, rdf.Term{}, iri("kind"), rdf.Term{}, 300},
		{algebra.DefaultGraph, rdf.Term{}, iri("kind"), iri("k1"), 100},
		{algebra.DefaultGraph, iri("s2"), iri("p"), rdf.Term{}, 10},
		{algebra.DefaultGraph, rdf.Term{}, iri("none"), rdf.Term{}, 0},
		{algebra.Constant(iri("g3")), rdf.Term{}, iri("p"), rdf.Term{}, 15},
		{algebra.Constant(iri("none")), rdf.Term{}, rdf.Term{}, rdf.Term{}, 0},
		{algebra.Variable(0), rdf.Term{}, iri("p"), rdf.Term{}, 300}, // 8 of 20 are counted
	} {
		if got, err := c.Count(tt.graph, tt.s, tt.p, tt.o); got != tt.want || err != nil {
			t.Errorf("%v %v %v: %d, %v; want %d", tt.s, tt.p, tt.o, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		p                 string
		subjects, objects float64
	}{{"kind", 300, 3}, {"p", 30, 300}, {"none", 1, 1}} {
		if s, o, err := c.Distinct(algebra.DefaultGraph, iri(tt.p)); s != tt.subjects || o != tt.objects || err != nil {
			t.Errorf("%s: %v subjects and %v objects, %v; want %v and %v", tt.p, s, o, err, tt.subjects, tt.objects)
		}
	}
}

// An operator that is no aggregate is an error, and not another aggregate.
func TestAnUnknownAggregateIsRefused(t *testing.T) {
	parsed, err := syntax.ParseQuery("SELECT (SUM(?o) AS ?n) { ?s <x:p> ?o }", syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := algebra.Translate(parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(budget.New(t.Context(), budget.Limits{}), q, people())
	if err != nil {
		t.Fatal(err)
	}
	for op, known := range map[syntax.Op]bool{syntax.OpSum: true, syntax.OpGroupConcat: true, syntax.OpSample: true, syntax.OpStr: false, "PRODUCT": false} {
		_, err := r.exprs.NewColumns().NewAccumulator(algebra.Aggregate{Op: op, Arg: &algebra.Var{Slot: 1}})
		if want := fmt.Sprintf("%q is not an aggregate", op); known != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// EXISTS of one pattern that was read into memory needs no copies of rows. All patterns of a
// longer one must match.
func TestExistsOfPatternsInMemory(t *testing.T) {
	var quads []rdf.Quad
	for i := range 1200 {
		s := fmt.Sprint("s", i)
		quads = append(quads, quad(s, "p", "o", ""))
		for property, every := range map[string]int{"even": 2, "third": 3} {
			if i%every == 0 {
				quads = append(quads, quad(s, property, "x", ""))
			}
		}
	}
	for pattern, want := range map[string]int{"EXISTS { ?s :even :x }": 600, "NOT EXISTS { ?s :third ?x }": 800,
		"EXISTS { ?s :even :x . ?s :third :x }": 200, "NOT EXISTS { ?s :even ?x . ?s :third ?y }": 1000} {
		got, err := rows(t, newMemory(quads...), "SELECT ?s { ?s :p ?o FILTER "+pattern+" }")
		if err != nil || len(got) != want {
			t.Errorf("%s: %d rows, %v; want %d", pattern, len(got), err, want)
		}
	}
}
