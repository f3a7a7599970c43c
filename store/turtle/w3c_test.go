package turtle_test

import (
	"bytes"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

const (
	manifestNS = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	testNS     = "http://www.w3.org/ns/rdftest#"
)

// The W3C suites of RDF 1.1, every entry of their manifests, and no fewer than there are.
func TestW3CTurtle(t *testing.T)   { runSuite(t, "rdf-turtle", turtle.Turtle, 313) }
func TestW3CNTriples(t *testing.T) { runSuite(t, "rdf-n-triples", turtle.NTriples, 70) }
func TestW3CNQuads(t *testing.T)   { runSuite(t, "rdf-n-quads", turtle.NQuads, 87) }
func TestW3CTriG(t *testing.T)     { runSuite(t, "rdf-trig", turtle.TriG, 356) }

// entry is one test of a manifest.
type entry struct {
	name, kind     string
	action, result string // paths
	base           string
}

func runSuite(t *testing.T, folder string, f turtle.Format, want int) {
	m := &manifest{t: t, graph: map[[2]rdf.Term][]rdf.Term{}}
	m.read(suite.Shared(t, "w3c", "rdf", "rdf11", folder, "manifest.ttl"))
	for _, e := range m.entries {
		t.Run(e.name, func(t *testing.T) { runEntry(t, e, f) })
	}
	t.Logf("%s: %d entries", folder, len(m.entries))
	if len(m.entries) != want {
		t.Errorf("the manifest holds %d entries, want %d", len(m.entries), want)
	}
}

func runEntry(t *testing.T, e entry, f turtle.Format) {
	quads, err := readFile(t, e.action, f, e.base)
	switch {
	case strings.HasSuffix(e.kind, "NegativeSyntax") || strings.HasSuffix(e.kind, "NegativeEval"):
		if err == nil {
			t.Fatalf("%s was read without an error", e.action)
		}
		if _, ok := err.(*turtle.SyntaxError); !ok {
			t.Fatalf("the error is a %T, want a *SyntaxError: %v", err, err)
		}
		t.Log(err)
	case err != nil:
		t.Fatal(err)
	case strings.HasSuffix(e.kind, "PositiveSyntax"):
	case strings.HasSuffix(e.kind, "Eval"):
		g, ok := turtle.FormatOf(e.result)
		if !ok {
			t.Fatalf("no format for %s", e.result)
		}
		expected, err := readFile(t, e.result, g, "")
		if err != nil {
			t.Fatal(err)
		}
		if !rdf.Isomorphic(quads, expected) {
			t.Errorf("%s gives\n%v\nwant\n%v", e.action, quads, expected)
		}
	default:
		t.Fatalf("unknown kind of test <%s>", e.kind)
	}
}

func readFile(t *testing.T, path string, f turtle.Format, base string) ([]rdf.Quad, error) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	quads, err := turtle.Parse(text, f, turtle.Options{Base: base})
	r := turtle.NewReader(iotest.OneByteReader(bytes.NewReader(text)), f, turtle.Options{Base: base})
	for _, want := range quads {
		if q, err := r.Read(); q != want {
			t.Fatalf("%s byte by byte gives %v, %v; at once %v", path, q, err, want)
		}
	}
	return quads, err
}

// manifest collects the entries of a manifest and of those that it includes.
type manifest struct {
	t       *testing.T
	graph   map[[2]rdf.Term][]rdf.Term // objects by subject and predicate
	entries []entry
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
	for {
		q, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			m.t.Fatalf("reading %s: %v", path, err)
		}
		key := [2]rdf.Term{q.S, q.P}
		m.graph[key] = append(m.graph[key], q.O)
	}
	self := rdf.NewIRI(here)
	for _, included := range m.list(m.one(self, manifestNS+"include")) {
		m.read(m.path(included))
	}
	folder := strings.TrimSuffix(here, "manifest.ttl")
	base := m.one(self, manifestNS+"assumedTestBase").Value()
	for _, test := range m.list(m.one(self, manifestNS+"entries")) {
		e := entry{
			name:   m.one(test, manifestNS+"name").Value(),
			kind:   strings.TrimPrefix(m.one(test, rdf.RDFType).Value(), testNS),
			action: m.path(m.one(test, manifestNS+"action")),
		}
		if result := m.one(test, manifestNS+"result"); !result.IsZero() {
			e.result = m.path(result)
		}
		if base != "" {
			e.base = base + strings.TrimPrefix(m.one(test, manifestNS+"action").Value(), folder)
		}
		m.entries = append(m.entries, e)
	}
}

// one gives the only object of a subject's predicate, and zero for none.
func (m *manifest) one(subject rdf.Term, predicate string) rdf.Term {
	m.t.Helper()
	objects := m.graph[[2]rdf.Term{subject, rdf.NewIRI(predicate)}]
	switch len(objects) {
	case 0:
		return rdf.Term{}
	case 1:
		return objects[0]
	}
	m.t.Fatalf("%v has %d objects of %s", subject, len(objects), predicate)
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
