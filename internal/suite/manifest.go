package suite

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Namespaces of W3C test manifests.
const (
	ManifestNS = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	QueryNS    = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
	UpdateNS   = "http://www.w3.org/2009/sparql/tests/test-update#"
)

// Manifest is the manifest of a W3C test suite with all manifests that it includes: a
// graph and a list of tests. IRIs with the scheme file identify files.
type Manifest struct {
	t     testing.TB
	graph map[[2]rdf.Term][]rdf.Term // objects by subject and predicate
	tests []ManifestTest
}

// ManifestTest is one test of a manifest.
type ManifestTest struct {
	Node   rdf.Term
	Name   string
	Kind   string // local name of its class, such as QueryEvaluationTest
	Folder string // path of the folder that contains its manifest
	Base   string // mf:assumedTestBase of the manifest, or ""
}

// ReadManifest reads the manifest at the path that Shared returns. It ends the test if it
// can't.
func ReadManifest(t testing.TB, elem ...string) *Manifest {
	t.Helper()
	m := &Manifest{t: t, graph: map[[2]rdf.Term][]rdf.Term{}}
	m.read(Shared(t, elem...))
	return m
}

// read reads a manifest and those that it includes. It ends the test on an error.
func (m *Manifest) read(path string) {
	m.t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		m.t.Fatal(err)
	}
	text, err := os.ReadFile(absolute)
	if err != nil {
		m.t.Fatal(err)
	}
	here := (&url.URL{Scheme: "file", Path: absolute}).String()
	quads, err := turtle.Parse(text, turtle.Turtle, turtle.Options{Base: here, Scope: here})
	if err != nil {
		m.t.Fatalf("reading %s: %v", path, err)
	}
	var selves []rdf.Term
	for _, q := range quads {
		if q.P.Value() == rdf.RDFType && q.O.Value() == ManifestNS+"Manifest" {
			selves = append(selves, q.S) // some have a name other than their URL
		}
		key := [2]rdf.Term{q.S, q.P}
		m.graph[key] = append(m.graph[key], q.O)
	}
	for _, self := range selves {
		for _, included := range m.List(m.One(self, ManifestNS+"include")) {
			m.read(m.Path(included))
		}
		for _, test := range m.List(m.One(self, ManifestNS+"entries")) {
			_, kind, _ := strings.Cut(m.One(test, rdf.RDFType).Value(), "#")
			m.tests = append(m.tests, ManifestTest{Node: test, Name: m.One(test, ManifestNS+"name").Value(), Kind: kind,
				Folder: filepath.Dir(absolute), Base: m.One(self, ManifestNS+"assumedTestBase").Value()})
		}
	}
}

// Tests returns the tests in order, those of included manifests first.
func (m *Manifest) Tests() []ManifestTest { return m.tests }

// All returns the objects of the triples with a subject and a predicate.
func (m *Manifest) All(subject rdf.Term, predicate string) []rdf.Term {
	return m.graph[[2]rdf.Term{subject, rdf.NewIRI(predicate)}]
}

// One returns the first object that All returns, or the zero Term.
func (m *Manifest) One(subject rdf.Term, predicate string) rdf.Term {
	if objects := m.All(subject, predicate); len(objects) > 0 {
		return objects[0]
	}
	return rdf.Term{}
}

// List returns the items of an RDF list; it is empty for the zero Term.
func (m *Manifest) List(head rdf.Term) (items []rdf.Term) {
	for ; !head.IsZero() && head.Value() != rdf.RDFNil; head = m.One(head, rdf.RDFRest) {
		items = append(items, m.One(head, rdf.RDFFirst))
	}
	return items
}

// Path returns the path that an IRI with the scheme file names.
func (m *Manifest) Path(iri rdf.Term) string {
	m.t.Helper()
	return PathOf(m.t, iri.Value())
}

// PathOf returns the path that an IRI with the scheme file names.
func PathOf(t testing.TB, iri string) string {
	t.Helper()
	u, err := url.Parse(iri)
	if err != nil || u.Scheme != "file" {
		t.Fatalf("not a file: %s", iri)
	}
	return filepath.FromSlash(u.Path)
}
