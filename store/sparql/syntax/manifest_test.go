package syntax_test

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
	updateNS   = "http://www.w3.org/2009/sparql/tests/test-update#"
)

// suiteTest is one entry of a manifest.
type suiteTest struct {
	folder string // the name of the folder that its manifest is in
	name   string
	kind   string // the local name of its class, such as QueryEvaluationTest
	path   string // of the query or update
	base   string // the IRI of that file
	text   string
}

// suiteTests gives the entries of a manifest of the SPARQL suites, and of those it includes.
func suiteTests(t testing.TB, elem ...string) []suiteTest {
	t.Helper()
	m := &manifest{t: t, graph: map[[2]rdf.Term][]rdf.Term{}}
	m.read(suite.Shared(t, append([]string{"w3c", "sparql"}, elem...)...))
	return m.tests
}

// manifest collects the tests of a manifest and of those that it includes.
type manifest struct {
	t     testing.TB
	graph map[[2]rdf.Term][]rdf.Term // objects by subject and predicate
	tests []suiteTest
}

func (m *manifest) read(path string) {
	m.t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		m.t.Fatal(err)
	}
	file, err := os.Open(absolute)
	if err != nil {
		m.t.Fatal(err)
	}
	defer file.Close()
	here := (&url.URL{Scheme: "file", Path: absolute}).String()
	r := turtle.NewReader(file, turtle.Turtle, turtle.Options{Base: here, Scope: here})
	var selves []rdf.Term
	for {
		q, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			m.t.Fatalf("reading %s: %v", path, err)
		}
		if q.P.Value() == rdf.RDFType && q.O.Value() == manifestNS+"Manifest" {
			selves = append(selves, q.S) // some have a name that is not their address
		}
		key := [2]rdf.Term{q.S, q.P}
		m.graph[key] = append(m.graph[key], q.O)
	}
	for _, self := range selves {
		for _, included := range m.list(m.one(self, manifestNS+"include")) {
			m.read(m.path(included))
		}
		for _, test := range m.list(m.one(self, manifestNS+"entries")) {
			m.add(test, filepath.Base(filepath.Dir(absolute)))
		}
	}
}

// add takes a test whose action is a query or an update, or has one.
func (m *manifest) add(test rdf.Term, folder string) {
	m.t.Helper()
	action := m.one(test, manifestNS+"action")
	for _, property := range []string{queryNS + "query", updateNS + "request"} {
		if request := m.one(action, property); !request.IsZero() {
			action = request
		}
	}
	if !action.IsIRI() {
		return // a test of a protocol
	}
	e := suiteTest{folder: folder, name: m.one(test, manifestNS+"name").Value(), path: m.path(action), base: action.Value()}
	_, e.kind, _ = strings.Cut(m.one(test, rdf.RDFType).Value(), "#")
	text, err := os.ReadFile(e.path)
	if err != nil {
		m.t.Fatal(err)
	}
	e.text = string(text)
	m.tests = append(m.tests, e)
}

// one gives the first object of a subject's predicate, and zero for none.
func (m *manifest) one(subject rdf.Term, predicate string) rdf.Term {
	if objects := m.graph[[2]rdf.Term{subject, rdf.NewIRI(predicate)}]; len(objects) > 0 {
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

func (m *manifest) path(iri rdf.Term) string {
	m.t.Helper()
	u, err := url.Parse(iri.Value())
	if err != nil || u.Scheme != "file" {
		m.t.Fatalf("not a file: %v", iri)
	}
	return filepath.FromSlash(u.Path)
}
