package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
	"github.com/segraph/segraph/store/turtle"
)

// onProcessors runs do as on a machine with n processors.
func onProcessors(n int, do func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	do()
}

// sameOnProcessors runs a query on each of the given numbers of processors. The query
// uses them from the given number of rows on. The answers must have the rows of want,
// the answer on one processor, in the same order.
func sameOnProcessors(t *testing.T, q *sparql.Query, ds sparql.Dataset, want *answer, rows int, processors ...int) {
	t.Helper()
	for _, n := range processors {
		var got *answer
		var err error
		onProcessors(n, func() {
			got, err = run(t.Context(), q, ds, budget.Limits{Processors: budget.NewProcessors(n), ParallelRows: rows})
		})
		if err != nil {
			t.Fatalf("on %d processors: %v", n, err)
		}
		if want.unlabelled() != got.unlabelled() {
			plan, _ := q.Plan(t.Context(), ds, budget.Limits{})
			t.Fatalf("on one processor:\n%s\non %d:\n%s\nplan:\n%s", want, n, got, plan)
		}
	}
}

// newLabels matches labels of blank nodes that a query makes over a dataset without ids.
var newLabels = regexp.MustCompile(`_:new[0-9a-f]{16}n`)

// unlabelled returns an answer as text, in its order, without the labels of new blank
// nodes.
func (a *answer) unlabelled() string {
	return newLabels.ReplaceAllString(fmt.Sprint(a.rows, a.triples, a.boolean), "_:")
}

// The queries of the benchmark return the same rows in the same order on 1, 2 and 8
// processors.
func TestBenchmarkQueriesAreTheSameOnAnyNumberOfProcessors(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(suite.Shared(t, "bench", "queries"), "*.rq"))
	analytics, err2 := filepath.Glob(filepath.Join("..", "..", "internal", "e2e", "testdata", "analytics", "*.rq"))
	if err := errors.Join(err, err2); err != nil || len(paths) == 0 || len(analytics) == 0 {
		t.Fatalf("%d and %d queries, %v", len(paths), len(analytics), err)
	}
	paths = append(paths, analytics...)
	s := openStore(t)
	addText(t, s, string(suite.RobotLogs(t, suite.Size(1000, 200))), turtle.Turtle, "", rdf.Term{})
	ds := snapshot(t, s)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		q, err := sparql.Prepare(context.Background(), string(text), sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := run(t.Context(), q, ds, budget.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) { sameOnProcessors(t, q, ds, want, 32, 2, 8) })
	}
}

// Expressions have the same values whichever goroutine computes them, also those that the
// dataset does not have, and errors.
func TestExpressionsAreTheSameOnAnyNumberOfProcessors(t *testing.T) {
	s, d, quads := openStore(t), &store.Document{}, []rdf.Quad(nil)
	for i := range 3000 {
		text := rdf.NewLang(strings.Repeat("aé x", i%9)+fmt.Sprint(i%700), []string{"en", "de", "fr"}[i%3])
		if i%5 == 0 {
			text = rdf.NewString(fmt.Sprint("Plain ", i%11))
		}
		node := rdf.NewIRI(fmt.Sprint("http://example/", i))
		for p, o := range map[string]rdf.Term{"text": text, "n": rdf.NewLiteral(fmt.Sprint(i%977), rdf.XSDInteger), "of": rdf.NewIRI(fmt.Sprint("http://example/of/", i%40))} {
			if i%13 == 0 && p == "n" {
				o = rdf.NewString("no number")
			}
			q := rdf.Quad{S: node, P: rdf.NewIRI("http://example/" + p), O: o}
			d.Add(q)
			quads = append(quads, q)
		}
	}
	addDocument(t, s, d)
	for _, text := range []string{
		`SELECT ?k (COUNT(*) AS ?c) (SUM(?n) AS ?all) { ?s :n ?n } GROUP BY (?n / 7 AS ?k)`,
		`SELECT ?k ?l (COUNT(*) AS ?c) { ?s :n ?n ; :text ?t } GROUP BY (?n * 0.0000001 AS ?k) (LANG(?t) AS ?l)`,
		`SELECT ?s ?x { ?s :n ?n BIND(xsd:double(?n) / 3 AS ?x) } ORDER BY DESC(?x) ?s`,
		`SELECT ?l (AVG(STRLEN(?t)) AS ?a) (MAX(STRLEN(?t)) AS ?b) (COUNT(DISTINCT STRLEN(?t)) AS ?d) (MIN(STRLEN(?n)) AS ?e) { ?s :text ?t ; :n ?n } GROUP BY (LANG(?t) AS ?l)`,
		`SELECT ?of (STRLEN(GROUP_CONCAT(?t)) AS ?x) (GROUP_CONCAT(?t) AS ?y) (STRLEN(GROUP_CONCAT(STR(?s); SEPARATOR="")) AS ?z) { ?s :of ?of ; :text ?t } GROUP BY ?of HAVING(STRLEN(GROUP_CONCAT(?t)) > 20)`,
		`SELECT ?s ?t { ?s :text ?t ; :n ?n . ?s :of ?of } ORDER BY DESC(STRLEN(?t)) STRLEN(STR(?of)) LIMIT 300`,
		`SELECT ?of (COUNT(*) AS ?c) { ?s :text ?t FILTER(REGEX(?t, "é X.*[37]$", "i") || CONTAINS(STR(?s), "99")) ?s :of ?of FILTER(STRLEN(STR(?of)) > 19) } GROUP BY ?of`,
		`SELECT * { ?s :text ?t OPTIONAL { ?s :n ?n FILTER(STRLEN(STR(?n)) < 3) } FILTER(!CONTAINS(LCASE(?t), "plain")) } ORDER BY ?s`,
		`SELECT ?u (SAMPLE(?s) AS ?one) { ?s :text ?t } GROUP BY (UCASE(SUBSTR(?t, 1, 3)) AS ?u)`,
		`SELECT * { { ?s :text ?t FILTER(CONTAINS(?t, "a")) } UNION { ?s :n ?t } }`,
		`SELECT (GROUP_CONCAT(?s) AS ?all) ?of { { ?s :text ?t FILTER(REGEX(?t, "a")) } UNION { ?s :n ?t } ?s :of ?of } GROUP BY ?of`,
		`SELECT ?x (COUNT(*) AS ?c) { { SELECT ?s (STRLEN(?t) AS ?x) { ?s :text ?t } } UNION { ?s :n ?n BIND(?n + 0.5 AS ?x) } } GROUP BY ?x`,
	} {
		q, err := sparql.Prepare(t.Context(), "PREFIX : <http://example/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "+text, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, ds := range []sparql.Dataset{snapshot(t, s), memory.New(quads)} {
			want, err := run(t.Context(), q, ds, budget.Limits{})
			if err != nil || len(want.rows) < 3 {
				t.Fatalf("%s: %v, %v", text, want, err)
			}
			sameOnProcessors(t, q, ds, want, 32, 2, 8)
		}
	}
}

// Values that are computed for a long answer or a sum are not kept, on any number of processors.
func TestComputedNumbersAreNotKept(t *testing.T) {
	s, d := openStore(t), &store.Document{}
	for i := range 60_000 {
		d.Add(rdf.Quad{S: rdf.NewIRI(fmt.Sprint("http://example/", i)), P: rdf.NewIRI("http://example/n"), O: rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger)})
	}
	addDocument(t, s, d)
	for _, text := range []string{
		`SELECT ?s (?n * 1.5 AS ?x) { ?s <http://example/n> ?n }`,
		`SELECT (SUM(IF(STRLEN(STR(?s)) > 3, ?n * 1000.5, ?n)) AS ?x) { ?s <http://example/n> ?n }`,
	} {
		q, err := sparql.Prepare(t.Context(), text, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 2} {
			onProcessors(n, func() {
				_, err = run(t.Context(), q, snapshot(t, s), budget.Limits{Memory: 12 << 20, Processors: budget.NewProcessors(n), ParallelRows: 64})
			})
			if err != nil {
				t.Errorf("%s on %d processors: %v", text, n, err)
			}
		}
	}
}

// An aggregate without GROUP BY has one row also for no solutions. On several processors,
// an arm of a UNION had that row twice: of the goroutine that made the rows, and of the
// query's own.
func TestAnAggregateInAUnionHasOneRowOnAnyNumberOfProcessors(t *testing.T) {
	ds := dense(t)
	const text = "SELECT (COUNT(*) AS ?n) { ?s (^<urn:none>)* ?s . { ?x ?y ?z FILTER(?x = <urn:none>) } UNION { SELECT (COUNT(*) AS ?m) { ?a <urn:none> ?b . ?b <urn:none> ?c } } }"
	q, err := sparql.Prepare(t.Context(), text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := run(t.Context(), q, ds, budget.Limits{})
	if err != nil || len(want.rows) != 1 {
		t.Fatalf("%v, %v", want, err)
	}
	sameOnProcessors(t, q, ds, want, 8, 2, 8)
}

// A query on several processors returns its own error and leaves no goroutine behind.
// It ends if its client disconnects, its time or memory is used up, or its caller
// panics or wants no more rows.
func TestHelpersEndWithTheirQuery(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	ds := dense(t)
	before := runtime.NumGoroutine()
	gone := errors.New("the client disconnected")
	for _, text := range []string{endless["join"], endless["cross product"], endless["distinct"], endless["order"], endless["exists"], endless["optional"]} {
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(10*time.Millisecond, func() { cancel(gone) })
		if err := endlessly(t, ctx, ds, text, strategies.Planned, budget.Limits{ParallelRows: 64}); !errors.Is(err, gone) {
			t.Errorf("%s: the error is %v", text, err)
		}
		timer.Stop()
		var limit *budget.LimitError
		if err := endlessly(t, t.Context(), ds, text, strategies.Planned, budget.Limits{ParallelRows: 64, Time: 5 * time.Millisecond}); !errors.As(err, &limit) {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
	var limit *budget.LimitError
	if err := endlessly(t, t.Context(), ds, endless["group"], strategies.Planned, budget.Limits{ParallelRows: 64, Memory: 1 << 20}); !errors.As(err, &limit) || limit.Limit != "memory" {
		t.Errorf("the error is %v", err)
	}
	full := errors.New("no more rows, please")
	q, err := sparql.Prepare(t.Context(), endless["optional"], sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	answer := &endsAfter{rows: 5000, err: full}
	if err := q.Run(t.Context(), ds, budget.Limits{ParallelRows: 64}, answer); !errors.Is(err, full) || answer.goroutines <= before {
		t.Errorf("%d goroutines during the answer, %d before; the error is %v", answer.goroutines, before, err)
	}
	func() {
		defer func() {
			if r := recover(); r != "the caller panics" {
				t.Errorf("the panic is %v", r)
			}
		}()
		_ = q.Run(t.Context(), ds, budget.Limits{ParallelRows: 64}, &endsAfter{rows: 5000, panics: true})
	}()
	wantGoroutines(t, before)
}

// wantGoroutines checks that no more goroutines run than before.
func wantGoroutines(t *testing.T, before int) {
	t.Helper()
	for begun := time.Now(); runtime.NumGoroutine() > before && time.Since(begun) < 5*time.Second; {
		runtime.Gosched() // a goroutine that was waited for may still be exiting
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

// endsAfter is an answer that takes a number of rows and then fails or panics.
type endsAfter struct {
	counting
	rows       int
	err        error
	panics     bool
	goroutines int // the largest number in a call of Row
}

func (e *endsAfter) Row(terms []rdf.Term) error {
	e.goroutines = max(e.goroutines, runtime.NumGoroutine())
	if e.rows--; e.rows < 0 && e.panics {
		panic("the caller panics")
	}
	if e.rows < 0 {
		return e.err
	}
	return nil
}

// Six queries share four processors, which move between them as queries end. All
// answers are right.
func TestQueriesBesideEachOtherShareProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	s := openStore(t)
	addText(t, s, string(suite.RobotLogs(t, 300)), turtle.Turtle, "", rdf.Term{})
	ds := func() sparql.Dataset { return snapshot(t, s) }
	q, err := sparql.Prepare(t.Context(), `SELECT ?k (COUNT(DISTINCT ?o) AS ?n) (MAX(?o) AS ?m) { ?s a ?k ; ?p ?o } GROUP BY ?k`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := run(t.Context(), q, ds(), budget.Limits{})
	if err != nil || len(want.rows) < 5 {
		t.Fatalf("%d rows, %v", len(want.rows), err)
	}
	p := budget.NewProcessors(4)
	var queries sync.WaitGroup
	for range 6 {
		own := ds()
		queries.Go(func() {
			for range 5 {
				got, err := run(t.Context(), q, own, budget.Limits{Processors: p, ParallelRows: 16})
				if err != nil || got.unlabelled() != want.unlabelled() {
					t.Errorf("%v\n%s\nwant\n%s", err, got, want)
				}
			}
		})
	}
	queries.Wait()
}

// Memory that helpers use counts for their query, and all of it is released.
func TestMemoryOfHelpersCounts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	s := openStore(t)
	addText(t, s, string(suite.RobotLogs(t, 1500)), turtle.Turtle, "", rdf.Term{})
	ds := snapshot(t, s)
	q, err := sparql.Prepare(t.Context(), `SELECT ?e ?o (COUNT(*) AS ?n) { ?e <http://www.w3.org/ns/prov#startedAtTime> ?start ; ?p ?o } GROUP BY ?e ?o`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var most [2]int64
	for i, n := range []int{1, 8} {
		m := &countedMemory{}
		l := budget.Limits{Shared: m, Processors: budget.NewProcessors(n), ParallelRows: 64}
		if _, err := run(t.Context(), q, ds, l); err != nil || m.held != 0 {
			t.Errorf("on %d processors %d bytes are not released, %v", n, m.held, err)
		}
		most[i] = m.most
		var limit *budget.LimitError
		l.Memory = m.most / 4
		if _, err := run(t.Context(), q, ds, l); !errors.As(err, &limit) || limit.Limit != "memory" || m.held != 0 {
			t.Errorf("on %d processors with a quarter of the memory: %v; %d bytes are not released", n, err, m.held)
		}
	}
	if most[1] < most[0] {
		t.Errorf("%d bytes with helpers, %d without", most[1], most[0])
	}
}

// countedMemory is unlimited shared memory.
type countedMemory struct {
	mu         sync.Mutex
	held, most int64
}

func (m *countedMemory) Take(_, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held += n
	m.most = max(m.most, m.held)
	return nil
}
func (m *countedMemory) Room(_, _ int64) bool { return true }
func (m *countedMemory) Give(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held -= n
}

// A panic on another goroutine reaches the query's own, where the caller can recover
// from it, and leaves no goroutine behind.
func TestPanicsOnOtherGoroutinesReachTheQuery(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var quads []rdf.Quad
	for i := range 2000 {
		quads = append(quads, rdf.Quad{S: rdf.NewIRI(fmt.Sprint("http://example/", i)), P: rdf.NewIRI("http://example/p"), O: rdf.NewString(fmt.Sprint(i))})
	}
	s, d := openStore(t), &store.Document{}
	for _, q := range quads {
		d.Add(q)
	}
	addDocument(t, s, d)
	data := snapshot(t, s)
	q, err := sparql.Prepare(t.Context(), `SELECT ?s (STRLEN(?o) AS ?n) { ?s <http://example/p> ?o FILTER(CONTAINS(?o, "1")) }`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for _, broken := range []brokenForks{{scans: true}, {terms: true}} {
		broken.Reader = data
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "cannot be read") {
					t.Errorf("recovered %.200s", text)
				}
			}()
			_, err := run(t.Context(), q, broken, budget.Limits{Processors: budget.NewProcessors(8), ParallelRows: 64})
			t.Errorf("no panic, %v", err)
		}()
	}
	wantGoroutines(t, before)
}

// brokenForks is a dataset that panics in forks, when they scan or read terms.
type brokenForks struct {
	source.Reader
	scans, terms bool
}

func (b brokenForks) Fork() source.Reader { return brokenFork{b.Reader, b} }

type brokenFork struct {
	source.Reader
	brokenForks brokenForks
}

func (b brokenFork) Scan(g source.ID, o source.Order) source.Scan {
	if b.brokenForks.scans {
		panic("the fork cannot be read")
	}
	return b.Reader.Scan(g, o)
}

func (b brokenFork) Value(id source.ID) (value.Value, error) {
	if b.brokenForks.terms {
		panic("the fork cannot be read")
	}
	return b.Reader.Value(id)
}

func (b brokenFork) Terms(ids []source.ID, terms []rdf.Term, texts []byte, limit int) (int, []byte, error) {
	if b.brokenForks.terms {
		panic("the fork cannot be read")
	}
	return b.Reader.Terms(ids, terms, texts, limit)
}

func (b brokenFork) Term(id source.ID) (rdf.Term, error) {
	if b.brokenForks.terms {
		panic("the fork cannot be read")
	}
	return b.Reader.Term(id)
}
