package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

func example(s string) rdf.Term { return rdf.NewIRI("http://example/" + s) }

// numbers returns a dataset of the triples :n<i> :next :n<i+1> and :n<i> :is "i", for each i
// below most, in the default graph.
func numbers(most int) sparql.Dataset {
	var quads []rdf.Quad
	for i := range most {
		s := example(fmt.Sprint("n", i))
		quads = append(quads, rdf.Quad{S: s, P: example("next"), O: example(fmt.Sprint("n", i+1))},
			rdf.Quad{S: s, P: example("is"), O: rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger)})
	}
	return memory.New(quads)
}

// failing is a dataset whose scans fail.
type failing struct {
	sparql.Dataset
	err error
}

func (f failing) Scan(source.ID, source.Order) source.Scan { return failingScan{f.err} }

type failingScan struct{ err error }

func (failingScan) Seek(lo, hi source.Tuple) {}
func (failingScan) Next() []source.Tuple     { return nil }
func (s failingScan) Err() error             { return s.err }

func prepare(t testing.TB, text string) *sparql.Query {
	t.Helper()
	q, err := sparql.Prepare(context.Background(), scriptPrefixes+text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Breaking out of an iterator ends the query and its goroutines.
func TestBreakReleasesEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	ds := numbers(2000)
	shared := &pool{}
	for range 20 {
		for _, err := range prepare(t, "SELECT * { ?s :next ?o . ?o :next ?x }").Select(t.Context(), ds, budget.Limits{Shared: shared}) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		for _, err := range prepare(t, "CONSTRUCT { ?o :after ?s } { ?s :next ?o }").Graph(t.Context(), ds, budget.Limits{Shared: shared}) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if shared.held != 0 {
		t.Errorf("%d bytes are held", shared.held)
	}
	wantGoroutines(t, before)
}

// pool is unlimited memory.
type pool struct{ held int64 }

func (p *pool) Take(_, n int64) error  { p.held += n; return nil }
func (p *pool) Room(int64, int64) bool { return true }
func (p *pool) Give(n int64)           { p.held -= n }

// A panic in a loop body propagates, and releases the query's memory.
func TestPanicsComeOut(t *testing.T) {
	shared := &pool{}
	func() {
		defer func() {
			if recover() != "mine" {
				t.Error("the panic did not come out")
			}
		}()
		for range prepare(t, "SELECT * { ?s :next ?o }").Select(t.Context(), numbers(1000), budget.Limits{Shared: shared}) {
			panic("mine")
		}
	}()
	if shared.held != 0 {
		t.Errorf("%d bytes are held", shared.held)
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
		ds     sparql.Dataset
		limits budget.Limits
		is     func(error) bool
	}{
		"error":   {t.Context(), failing{numbers(10), mine}, budget.Limits{}, func(err error) bool { return errors.Is(err, mine) }},
		"context": {cancelled, numbers(1000), budget.Limits{}, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"time":    {t.Context(), numbers(1000), budget.Limits{Time: time.Millisecond}, isLimit("time")},
		"memory":  {t.Context(), numbers(1000), budget.Limits{Memory: 1 << 10}, isLimit("memory")},
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
		if errs != 1 {
			t.Errorf("%s: %d errors after %d rows", name, errs, rows)
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
	ds := numbers(3)
	ctx, none := t.Context(), budget.Limits{}
	if yes, err := prepare(t, "ASK { :n1 :is 1 }").Ask(ctx, ds, none); !yes || err != nil {
		t.Error(yes, err)
	}
	if yes, err := prepare(t, "ASK { :n1 :is 2 }").Ask(ctx, ds, none); yes || err != nil {
		t.Error(yes, err)
	}
	var made []string
	for triple, err := range prepare(t, "CONSTRUCT { ?o :after ?s . _:b :of ?s } { ?s :next ?o FILTER(?s = :n1) }").Graph(ctx, ds, none) {
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, triple.P.Value())
	}
	if slices.Sort(made); strings.Join(made, " ") != "http://example/after http://example/of" {
		t.Error(made)
	}
	described := 0
	for triple, err := range prepare(t, "DESCRIBE :n1").Graph(ctx, ds, none) {
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
	for _, err := range prepare(t, "ASK {}").Graph(ctx, ds, none) {
		if err == nil {
			t.Error("an ASK is a graph")
		}
	}
	if _, err := prepare(t, "SELECT * {}").Ask(ctx, ds, none); err == nil {
		t.Error("a SELECT is asked")
	}
}

// A Solution stays valid, and reports which of its variables are bound.
func TestSolutionsStay(t *testing.T) {
	var all []sparql.Solution
	for s, err := range prepare(t, "SELECT ?v ?none ?s { ?s :is ?v OPTIONAL { ?s :none ?none } } ORDER BY ?v").Select(t.Context(), numbers(50), budget.Limits{}) {
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
