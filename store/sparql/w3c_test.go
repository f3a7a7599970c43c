package sparql_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/answers"
	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
)

// The evaluation tests of SPARQL 1.0: all of manifest-evaluation.ttl.
func TestW3CEvaluation10(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	runEvaluations(t, evaluations(t, "sparql10", "manifest-evaluation.ttl"), 283)
}

// The evaluation tests of SPARQL 1.1 Query, and the tests of its results in JSON, CSV
// and TSV.
func TestW3CEvaluation11(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	tests := evaluations(t, "sparql11", "manifest-sparql11-query.ttl")
	for _, folder := range []string{"json-res", "csv-tsv-res"} {
		tests = append(tests, evaluations(t, "sparql11", folder, "manifest.ttl")...)
	}
	runEvaluations(t, tests, 235)
}

// The evaluation tests of SPARQL 1.2: all of its manifest. By expression/not-not, the truth
// of "a"@en and of "z"^^xsd:boolean is an error. SPARQL 1.1, section 17.2.2, contradicts:
// it makes the first true and the second false. Value.Truth follows 1.2.
func TestW3CEvaluation12(t *testing.T) {
	suite.NotShort(t)
	runEvaluations(t, evaluations(t, "sparql12", "manifest.ttl"), 63)
}

func runEvaluations(t *testing.T, tests []evaluation, want int) {
	parent := t
	passed, all, byValue := map[string]int{}, map[string]int{}, map[string]bool{}
	loaded := map[string]map[string]sparql.Dataset{} // by the content of their documents: many tests have the same
	var folders []string
	for _, e := range tests {
		if all[e.folder] == 0 {
			folders = append(folders, e.folder)
		}
		all[e.folder]++
		if t.Run(e.folder+"/"+e.name, func(t *testing.T) {
			d, parsed := documentsOf(t, e)
			key := fmt.Sprint(d)
			if loaded[key] == nil {
				loaded[key] = d.datasets(parent)
			}
			runEvaluation(t, e, parsed, loaded[key], byValue)
		}) {
			passed[e.folder]++
		}
	}
	sum := 0
	for _, f := range folders {
		t.Logf("%s: %d of %d", f, passed[f], all[f])
		sum += passed[f]
	}
	t.Logf("together: %d of %d, %d of them by value: %q", sum, len(tests), len(byValue), slices.Sorted(maps.Keys(byValue)))
	if len(tests) != want {
		t.Errorf("%d tests, want %d", len(tests), want)
	}
}

// documentsOf returns the data of a test, and its query.
func documentsOf(t *testing.T, e evaluation) (d documents, parsed *syntax.Query) {
	parsed, err := syntax.ParseQuery(readText(t, e.query), syntax.Options{Base: e.query})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range e.data {
		d.readFile(t, file, rdf.Term{})
	}
	for _, g := range e.graphs {
		d.readFile(t, g.file, rdf.NewIRI(g.name))
	}
	read := map[string]bool{}
	for _, from := range append(parsed.From, parsed.FromNamed...) {
		if !read[from.Value()] {
			read[from.Value()] = true
			d.readFile(t, from.Value(), from.Term)
		}
	}
	return d, parsed
}

// runEvaluation compares terms exactly. It adds tests that pass only by value to byValue.
func runEvaluation(t *testing.T, e evaluation, parsed *syntax.Query, datasets map[string]sparql.Dataset, byValue map[string]bool) {
	text := readText(t, e.query)
	expected, ordered := readExpected(t, e.result)
	ordered = ordered || len(parsed.OrderBy) > 0 && expected.vars != nil
	for name, ds := range datasets {
		for _, strategy := range allStrategies {
			q, err := sparql.Prepare(context.Background(), text, sparql.Options{Base: e.query, Plan: strategy.Plan})
			if err != nil {
				t.Fatal(err)
			}
			got, err := run(t.Context(), q, ds, budget.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if strategy == strategies.Planned && name == "engine" {
				sameOnProcessors(t, q, ds, got, 2, 2)
			}
			want := expected
			if e.kind == "CSVResultFormatTest" && strings.HasSuffix(e.result, ".csv") {
				got, want = throughCSV(t, got), withBlanks(want)
			}
			if parsed.Reduced {
				// REDUCED may drop repeated rows (mf:LaxCardinality).
				if len(got.rows) > len(want.rows) {
					t.Errorf("%d rows, want %d at most", len(got.rows), len(want.rows))
				}
				got, want = got.distinct(), want.distinct()
			}
			if got.same(want, ordered) {
				continue
			}
			if got.byValue().same(want.byValue(), ordered) {
				byValue[e.folder+"/"+e.name] = true
			} else {
				t.Errorf("%s, strategy %d: got\n%s\nwant\n%s", name, strategy, got, want)
			}
		}
	}
}

// readFile adds a file of the suite.
func (d *documents) readFile(t *testing.T, iri string, graph rdf.Term) {
	t.Helper()
	if strings.HasSuffix(iri, ".rdf") {
		var quads []rdf.Quad
		for _, triple := range readRDFXML(t, strings.NewReader(readText(t, iri)), iri) {
			quads = append(quads, triple.In(graph))
		}
		d.add(quads, graph)
		return
	}
	f, ok := format.Of(suite.PathOf(t, iri))
	if !ok {
		t.Fatalf("no format for %s", iri)
	}
	d.read(t, readText(t, iri), f, iri, graph)
}

// readExpected reads an expected answer, and reports whether its rows are ordered.
func readExpected(t *testing.T, iri string) (_ *answer, ordered bool) {
	t.Helper()
	path := suite.PathOf(t, iri)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	extension := filepath.Ext(path)
	for f, e := range map[results.Format]string{results.JSON: ".srj", results.XML: ".srx", results.CSV: ".csv", results.TSV: ".tsv"} {
		if e == extension {
			a, err := answers.Read(file, f)
			return toAnswer(t, a, err), false
		}
	}
	var triples []rdf.Triple
	if extension == ".rdf" {
		triples = readRDFXML(t, file, iri)
	} else {
		f, ok := format.Of(path)
		if !ok {
			t.Fatalf("no format for %s", path)
		}
		quads, err := turtle.Parse([]byte(readText(t, iri)), f, turtle.Options{Base: iri})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range quads {
			triples = append(triples, q.Triple())
		}
	}
	isResultSet := false
	for _, triple := range triples {
		isResultSet = isResultSet || strings.HasSuffix(triple.O.Value(), "result-set#ResultSet")
		ordered = ordered || strings.HasSuffix(triple.P.Value(), "result-set#index")
	}
	if !isResultSet {
		return &answer{triples: triples}, false
	}
	set, err := answers.FromGraph(triples)
	return toAnswer(t, set, err), ordered
}

func toAnswer(t *testing.T, a *answers.Answer, err error) *answer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return &answer{vars: a.Vars, rows: a.Rows, boolean: a.Boolean, isBoolean: a.IsBoolean}
}

// throughCSV returns what CSV keeps of an answer, as in the file with the expected
// answer.
func throughCSV(t *testing.T, a *answer) *answer {
	t.Helper()
	var b strings.Builder
	w := results.NewWriter(&b, results.CSV)
	if err := w.Head(a.vars); err != nil {
		t.Fatal(err)
	}
	for _, row := range a.rows {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	read, err := answers.Read(strings.NewReader(b.String()), results.CSV)
	return withBlanks(toAnswer(t, read, err))
}

// withBlanks replaces what looks like a blank node in CSV, whose labels have no meaning,
// by blank nodes.
func withBlanks(a *answer) *answer {
	for _, row := range a.rows {
		for c, term := range row {
			if label, ok := strings.CutPrefix(term.Value(), "_:"); ok {
				row[c] = rdf.NewBlank(label)
			}
		}
	}
	return a
}
