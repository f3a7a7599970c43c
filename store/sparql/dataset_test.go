package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

func example(s string) rdf.Term { return rdf.NewIRI("http://example/" + s) }

// numbers is a custom Dataset: the triples :n<i> :next :n<i+1> up to a limit, and :n<i>
// :is "i", in the default graph. It counts its calls.
type numbers struct {
	most           int
	naive          bool // Match yields everything, and Estimate returns 1
	fail           error
	read           int // triples yielded
	running, begun int // Matches
}

func (n *numbers) Graphs(context.Context) ([]rdf.Term, error) { return nil, nil }

func (n *numbers) Estimate(_ context.Context, _ rdf.Term, p rdf.Triple) (int64, error) {
	switch {
	case n.naive:
		return 1, nil
	case !p.S.IsZero() || !p.O.IsZero():
		return 2, nil
	}
	return 2 * int64(n.most), nil
}

func (n *numbers) Match(_ context.Context, graph rdf.Term, p rdf.Triple) iter.Seq2[rdf.Triple, error] {
	return func(yield func(rdf.Triple, error) bool) {
		n.running++
		n.begun++
		defer func() { n.running-- }()
		if !graph.IsZero() {
			return
		}
		first, last := 0, n.most-1
		if k, err := fmt.Sscanf(p.S.Value(), "http://example/n%d", &first); k == 1 && err == nil && !n.naive {
			last = min(last, first)
		}
		for i := first; i <= last; i++ {
			for _, t := range []rdf.Triple{
				{S: example(fmt.Sprint("n", i)), P: example("next"), O: example(fmt.Sprint("n", i+1))},
				{S: example(fmt.Sprint("n", i)), P: example("is"), O: rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger)},
			} {
				if !n.naive && (!p.P.IsZero() && p.P != t.P || !p.O.IsZero() && p.O != t.O) {
					continue
				}
				n.read++
				if !yield(t, nil) {
					return
				}
			}
			if n.fail != nil {
				yield(rdf.Triple{}, n.fail)
				return
			}
		}
	}
}

func prepare(t testing.TB, text string) *sparql.Query {
	t.Helper()
	q, err := sparql.Prepare(context.Background(), scriptPrefixes+text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Answers are right even if Match yields extra triples and Estimate knows nothing.
func TestNaiveDatasetIsAnsweredRight(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT (COUNT(*) AS ?n) { ?s :next ?o }":                                       "100",
		"SELECT (COUNT(*) AS ?n) { ?s ?p ?o }":                                          "200",
		"SELECT (COUNT(*) AS ?n) { ?s :next ?o . ?o :next ?x . ?x :is ?v }":             "98",
		"SELECT (COUNT(*) AS ?n) { ?s :is ?v FILTER(?v >= 90) }":                        "10",
		"SELECT (MAX(?v) AS ?n) { ?s :is ?v }":                                          "99",
		"SELECT ?n { ?s :is ?n } ORDER BY DESC(?n) LIMIT 1":                             "99",
		"SELECT ?n { :n40 :next+ ?s . ?s :is ?n } ORDER BY ?n LIMIT 1":                  "41",
		"SELECT (COUNT(*) AS ?n) { ?s :is ?v FILTER NOT EXISTS { ?x :next ?s } }":       "1",
		"SELECT (COUNT(*) AS ?n) { ?s :is ?v MINUS { :n7 :is ?v } }":                    "99",
		"SELECT ?n { ?s :is ?n . :n3 :next ?s }":                                        "4",
		"SELECT (COUNT(DISTINCT ?p) AS ?n) { ?s ?p ?o OPTIONAL { ?o :next ?x } }":       "2",
		"SELECT (COUNT(*) AS ?n) FROM <http://example/g> { ?s ?p ?o }":                  "0",
		"SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }":                             "0",
		"SELECT (COUNT(*) AS ?n) { { ?s :next ?o } UNION { ?o :next ?s } ?s :is 5 }":    "2",
		"SELECT (SUM(?v) AS ?n) { VALUES ?s { :n1 :n2 :none } ?s :is ?v }":              "3",
		"SELECT (COUNT(*) AS ?n) { ?s :is ?v . ?t :is ?w FILTER(?v = ?w + 1) }":         "99",
		"SELECT (COUNT(*) AS ?n) { ?s :next ?o { SELECT ?o { ?o :is ?v } LIMIT 1000 }}": "99",
	} {
		for _, naive := range []bool{true, false} {
			ds := &numbers{most: 100, naive: naive}
			var got []string
			for s, err := range prepare(t, text).Select(t.Context(), ds, budget.Limits{}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, s.Get("n").Value())
			}
			if len(got) != 1 || got[0] != want {
				t.Errorf("%s gives %v, want %s", text, got, want)
			}
			if ds.running != 0 {
				t.Errorf("%s: %d Matches are still open", text, ds.running)
			}
		}
	}
}

// A query over a plain Dataset reads no more than needed, also in a join.
func TestDatasetIsStreamed(t *testing.T) {
	suite.NotShort(t)
	ds := &numbers{most: 1_000_000}
	for s, err := range prepare(t, "SELECT ?o { ?s :next ?o . ?o :next ?x } LIMIT 3").Select(t.Context(), ds, budget.Limits{}) {
		if err != nil || s.Get("o").IsZero() {
			t.Fatal(s, err)
		}
	}
	if ds.read > 1000 {
		t.Errorf("%d triples were read for three rows", ds.read)
	}
	ds = &numbers{most: 3000, naive: true}
	for s, err := range prepare(t, "SELECT (COUNT(*) AS ?n) { ?s :next ?o . ?o :is ?v }").Select(t.Context(), ds, budget.Limits{}) {
		if err != nil || s.Get("n").Value() != "2999" {
			t.Fatal(s, err)
		}
	}
	if ds.begun > 500 {
		t.Errorf("%d Matches for a join of two patterns", ds.begun)
	}
}

// Breaking out of an iterator ends the query, its Matches and their goroutines.
func TestBreakReleasesEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	ds := &numbers{most: 2000}
	shared := &pool{}
	for range 20 {
		for _, err := range prepare(t, "SELECT * { ?s :next ?o . ?o :next ?x }").Select(t.Context(), ds, budget.Limits{Shared: shared}) {
			if err != nil {
				t.Fatal(err)
			}
			if ds.running == 0 {
				t.Fatal("no Match is open while rows come")
			}
			break
		}
		for _, err := range prepare(t, "CONSTRUCT { ?o :after ?s } { ?s :next ?o }").Construct(t.Context(), ds, budget.Limits{Shared: shared}) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if ds.running != 0 || shared.held != 0 {
		t.Errorf("%d Matches are open and %d bytes are held", ds.running, shared.held)
	}
	wantGoroutines(t, before)
}

// pool is unlimited memory.
type pool struct{ held int64 }

func (p *pool) Take(_, n int64) error  { p.held += n; return nil }
func (p *pool) Room(int64, int64) bool { return true }
func (p *pool) Give(n int64)           { p.held -= n }

// A panic in a loop body or in Match propagates, and closes everything that was open.
func TestPanicsComeOut(t *testing.T) {
	ds := &numbers{most: 1000}
	func() {
		defer func() {
			if recover() != "mine" {
				t.Error("the panic did not come out")
			}
		}()
		for range prepare(t, "SELECT * { ?s :next ?o }").Select(t.Context(), ds, budget.Limits{}) {
			panic("mine")
		}
	}()
	if ds.running != 0 {
		t.Errorf("%d Matches are open", ds.running)
	}
}

// Errors of the dataset, of the context and at a limit come last, once, and with their
// identity.
func TestErrorsComeLast(t *testing.T) {
	mine := errors.New("the disk is gone")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	const all = "SELECT * { ?s :next ?o . ?a :next ?b . ?c :next ?d }"
	for name, c := range map[string]struct {
		ctx    context.Context
		ds     *numbers
		limits budget.Limits
		is     func(error) bool
	}{
		"error":   {t.Context(), &numbers{most: 10, fail: mine}, budget.Limits{}, func(err error) bool { return errors.Is(err, mine) }},
		"context": {cancelled, &numbers{most: 1000}, budget.Limits{}, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"time":    {t.Context(), &numbers{most: 1000}, budget.Limits{Time: time.Millisecond}, isLimit("time")},
		"memory":  {t.Context(), &numbers{most: 100_000}, budget.Limits{Memory: 1 << 20}, isLimit("memory")},
	} {
		errs, rows := 0, 0
		for s, err := range prepare(t, all).Select(c.ctx, c.ds, c.limits) {
			if err == nil {
				rows++
				if errs > 0 {
					t.Errorf("%s: a row behind the error", name)
				}
				continue
			}
			if errs++; !c.is(err) || s.Terms() != nil {
				t.Errorf("%s: %v with %v", name, err, s)
			}
		}
		if errs != 1 || c.ds.running != 0 {
			t.Errorf("%s: %d errors after %d rows, and %d Matches open", name, errs, rows, c.ds.running)
		}
	}
}

func isLimit(name string) func(error) bool {
	return func(err error) bool {
		var limit *budget.LimitError
		return errors.As(err, &limit) && limit.Limit == name
	}
}

// Each form has its own method, and other methods return an error.
func TestFormsHaveTheirMethods(t *testing.T) {
	ds := &numbers{most: 3}
	ctx, none := t.Context(), budget.Limits{}
	if yes, err := prepare(t, "ASK { :n1 :is 1 }").Ask(ctx, ds, none); !yes || err != nil {
		t.Error(yes, err)
	}
	if yes, err := prepare(t, "ASK { :n1 :is 2 }").Ask(ctx, ds, none); yes || err != nil {
		t.Error(yes, err)
	}
	var made []string
	for triple, err := range prepare(t, "CONSTRUCT { ?o :after ?s . _:b :of ?s } { ?s :next ?o FILTER(?s = :n1) }").Construct(ctx, ds, none) {
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, triple.P.Value())
	}
	if slices.Sort(made); strings.Join(made, " ") != "http://example/after http://example/of" {
		t.Error(made)
	}
	described := 0
	for triple, err := range prepare(t, "DESCRIBE :n1").Describe(ctx, ds, none) {
		if described++; err != nil || triple.S != example("n1") {
			t.Error(triple, err)
		}
	}
	if described != 2 {
		t.Errorf("%d triples describe :n1", described)
	}
	for _, err := range prepare(t, "ASK {}").Select(ctx, ds, none) {
		if err == nil || err.Error() != "the query is of the form ASK, not SELECT" {
			t.Error(err)
		}
	}
	for _, err := range prepare(t, "DESCRIBE :n1").Construct(ctx, ds, none) {
		if err == nil {
			t.Error("a DESCRIBE is constructed")
		}
	}
	if _, err := prepare(t, "SELECT * {}").Ask(ctx, ds, none); err == nil {
		t.Error("a SELECT is asked")
	}
}

// A Solution stays valid, and reports which of its variables are bound.
func TestSolutionsStay(t *testing.T) {
	var all []sparql.Solution
	for s, err := range prepare(t, "SELECT ?v ?none ?s { ?s :is ?v OPTIONAL { ?s :none ?none } } ORDER BY ?v").Select(t.Context(), &numbers{most: 50}, budget.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	for i, s := range all {
		var bound []string
		for name, term := range s.All() {
			bound = append(bound, name)
			if term != s.Get(name) {
				t.Errorf("%s is %s and %s", name, term, s.Get(name))
			}
		}
		if s.Get("v").Value() != fmt.Sprint(i) || !s.Get("none").IsZero() || !s.Get("other").IsZero() || fmt.Sprint(bound) != "[v s]" ||
			fmt.Sprint(s.Variables()) != "[v none s]" || len(s.Terms()) != 3 {
			t.Errorf("solution %d: %v, bound are %v", i, s, bound)
		}
	}
	if len(all) != 50 {
		t.Errorf("%d solutions", len(all))
	}
}

// Syntax errors have positions.
func TestSyntaxErrorsHavePlaces(t *testing.T) {
	_, err := sparql.Prepare(t.Context(), "SELECT *\n{ ?s ?p }", sparql.Options{})
	var wrong *sparql.SyntaxError
	if !errors.As(err, &wrong) || wrong.Line != 2 || wrong.Column != 9 {
		t.Error(err)
	}
}

// Blank nodes made by a query differ from those of the dataset.
func TestNewBlankNodesAreTheQuerysOwn(t *testing.T) {
	var d documents
	d.read(t, "_:new1 <http://example/p> _:new2 .", 0, "", rdf.Term{})
	for name, ds := range d.datasets(t) {
		nodes := map[rdf.Term]bool{}
		n := 0
		for s, err := range prepare(t, "SELECT ?b ?s ?o { BIND(BNODE() AS ?b) ?s :p ?o }").Select(t.Context(), ds, budget.Limits{}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, term := range s.Terms() {
				nodes[term] = true
				n++
			}
		}
		if len(nodes) != 3 || n != 3 {
			t.Errorf("%s: %d terms are %v", name, n, nodes)
		}
	}
}
