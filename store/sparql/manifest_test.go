package sparql_test

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

const (
	manifestNS = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	queryNS    = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
	rdfsLabel  = "http://www.w3.org/2000/01/rdf-schema#label"
)

// evaluation is a query evaluation test of a manifest. Files are by their IRIs.
type evaluation struct {
	folder, name, kind string
	query, result      string
	data               []string
	graphs             []namedGraph
}

type namedGraph struct{ name, file string }

// evaluations gives the evaluation tests of a manifest of the SPARQL suites and of those it
// includes, in their order.
func evaluations(t testing.TB, elem ...string) []evaluation {
	t.Helper()
	m := &manifest{t: t, graph: map[[2]rdf.Term][]rdf.Term{}}
	m.read(fileIRI(t, suite.Shared(t, append([]string{"w3c", "sparql"}, elem...)...)))
	return m.tests
}

func fileIRI(t testing.TB, path string) string {
	t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: absolute}).String()
}

// pathOf gives the path of a file's IRI.
func pathOf(t testing.TB, iri string) string {
	t.Helper()
	u, err := url.Parse(iri)
	if err != nil {
		t.Fatal(err)
	}
	return u.Path
}

func readText(t testing.TB, iri string) string {
	t.Helper()
	text, err := os.ReadFile(pathOf(t, iri))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type manifest struct {
	t     testing.TB
	graph map[[2]rdf.Term][]rdf.Term // objects by subject and predicate
	tests []evaluation
}

func (m *manifest) read(here string) {
	m.t.Helper()
	r := turtle.NewReader(strings.NewReader(readText(m.t, here)), turtle.Turtle, turtle.Options{Base: here, Scope: here})
	var selves []rdf.Term
	for {
		q, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			m.t.Fatalf("reading %s: %v", here, err)
		}
		if q.P.Value() == rdf.RDFType && q.O.Value() == manifestNS+"Manifest" {
			selves = append(selves, q.S) // some have a name that is not their address
		}
		key := [2]rdf.Term{q.S, q.P}
		m.graph[key] = append(m.graph[key], q.O)
	}
	for _, self := range selves {
		for _, included := range m.list(m.one(self, manifestNS+"include")) {
			m.read(included.Value())
		}
		for _, test := range m.list(m.one(self, manifestNS+"entries")) {
			m.add(test, filepath.Base(filepath.Dir(pathOf(m.t, here))))
		}
	}
}

func (m *manifest) add(test rdf.Term, folder string) {
	_, kind, _ := strings.Cut(m.one(test, rdf.RDFType).Value(), "#")
	if kind != "QueryEvaluationTest" && kind != "CSVResultFormatTest" {
		return
	}
	action := m.one(test, manifestNS+"action")
	e := evaluation{folder: folder, kind: kind, name: m.one(test, manifestNS+"name").Value(),
		query: m.one(action, queryNS+"query").Value(), result: m.one(test, manifestNS+"result").Value()}
	for _, data := range m.all(action, queryNS+"data") {
		e.data = append(e.data, data.Value())
	}
	for _, g := range m.all(action, queryNS+"graphData") {
		if g.IsIRI() {
			e.graphs = append(e.graphs, namedGraph{g.Value(), g.Value()})
		} else {
			e.graphs = append(e.graphs, namedGraph{m.one(g, rdfsLabel).Value(), m.one(g, queryNS+"graph").Value()})
		}
	}
	m.tests = append(m.tests, e)
}

func (m *manifest) all(subject rdf.Term, predicate string) []rdf.Term {
	return m.graph[[2]rdf.Term{subject, rdf.NewIRI(predicate)}]
}

// one gives the first object of a subject's predicate, and zero for none.
func (m *manifest) one(subject rdf.Term, predicate string) rdf.Term {
	if objects := m.all(subject, predicate); len(objects) > 0 {
		return objects[0]
	}
	return rdf.Term{}
}

func (m *manifest) list(head rdf.Term) (items []rdf.Term) {
	for ; !head.IsZero() && head.Value() != rdf.RDFNil; head = m.one(head, rdf.RDFRest) {
		items = append(items, m.one(head, rdf.RDFFirst))
	}
	return items
}
