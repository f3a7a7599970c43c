package sparql_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

const rdfsLabel = "http://www.w3.org/2000/01/rdf-schema#label"

// evaluation is a query evaluation test of a manifest. Files are given by IRI.
type evaluation struct {
	folder, name, kind string
	query, result      string
	data               []string
	graphs             []namedGraph
}

type namedGraph struct{ name, file string }

// evaluations returns the evaluation tests of a manifest of the SPARQL suites, and of
// those it includes, in order.
func evaluations(t testing.TB, elem ...string) (tests []evaluation) {
	t.Helper()
	m := suite.ReadManifest(t, append([]string{"w3c", "sparql"}, elem...)...)
	for _, test := range m.Tests() {
		if test.Kind != "QueryEvaluationTest" && test.Kind != "CSVResultFormatTest" {
			continue
		}
		action := m.One(test.Node, suite.ManifestNS+"action")
		e := evaluation{folder: filepath.Base(test.Folder), kind: test.Kind, name: test.Name,
			query: m.One(action, suite.QueryNS+"query").Value(), result: m.One(test.Node, suite.ManifestNS+"result").Value()}
		for _, data := range m.All(action, suite.QueryNS+"data") {
			e.data = append(e.data, data.Value())
		}
		for _, g := range m.All(action, suite.QueryNS+"graphData") {
			if g.IsIRI() {
				e.graphs = append(e.graphs, namedGraph{g.Value(), g.Value()})
			} else {
				e.graphs = append(e.graphs, namedGraph{m.One(g, rdfsLabel).Value(), m.One(g, suite.QueryNS+"graph").Value()})
			}
		}
		tests = append(tests, e)
	}
	return tests
}

func readText(t testing.TB, iri string) string {
	t.Helper()
	text, err := os.ReadFile(suite.PathOf(t, iri))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
