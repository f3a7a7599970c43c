package syntax_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// suiteTest is one entry of a manifest.
type suiteTest struct {
	folder string // the name of the folder of its manifest
	name   string
	kind   string // the local name of its class, such as QueryEvaluationTest
	path   string // of the query or update
	base   string // the IRI of the query or update
	text   string
}

// suiteTests returns the entries of a manifest of the SPARQL suites, and of those it
// includes, that have a query or an update as their action, or in it.
func suiteTests(t testing.TB, elem ...string) (tests []suiteTest) {
	t.Helper()
	m := suite.ReadManifest(t, append([]string{"w3c", "sparql"}, elem...)...)
	for _, test := range m.Tests() {
		action := m.One(test.Node, suite.ManifestNS+"action")
		for _, property := range []string{suite.QueryNS + "query", suite.UpdateNS + "request"} {
			if request := m.One(action, property); !request.IsZero() {
				action = request
			}
		}
		if !action.IsIRI() {
			continue // a protocol test
		}
		path := m.Path(action)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, suiteTest{filepath.Base(test.Folder), test.Name, test.Kind, path, action.Value(), string(text)})
	}
	return tests
}
