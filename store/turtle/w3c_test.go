package turtle_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// The W3C suites of RDF 1.1 and 1.2: every entry of their manifests, checked by number.
// None is left out.
func TestW3CTurtle(t *testing.T) {
	runSuite(t, turtle.Turtle, 313, "rdf11", "rdf-turtle")
	runSuite(t, turtle.Turtle, 74, "rdf12", "rdf-turtle", "syntax")
	runSuite(t, turtle.Turtle, 29, "rdf12", "rdf-turtle", "eval")
}

func TestW3CNTriples(t *testing.T) {
	runSuite(t, turtle.NTriples, 70, "rdf11", "rdf-n-triples")
	runSuite(t, turtle.NTriples, 29, "rdf12", "rdf-n-triples", "syntax")
}

func TestW3CNQuads(t *testing.T) {
	runSuite(t, turtle.NQuads, 87, "rdf11", "rdf-n-quads")
	runSuite(t, turtle.NQuads, 27, "rdf12", "rdf-n-quads", "syntax")
}

func TestW3CTriG(t *testing.T) {
	runSuite(t, turtle.TriG, 356, "rdf11", "rdf-trig")
	runSuite(t, turtle.TriG, 35, "rdf12", "rdf-trig", "syntax")
	runSuite(t, turtle.TriG, 25, "rdf12", "rdf-trig", "eval")
}

// entry is one test of a manifest.
type entry struct {
	name           string
	kind           string // such as TestTurtlePositiveSyntax
	action, result string // paths
	base           string
}

// entries returns the tests of a folder.
func entries(t *testing.T, folder ...string) (out []entry) {
	t.Helper()
	path := append([]string{"w3c", "rdf"}, folder...)
	m := suite.ReadManifest(t, append(path, "manifest.ttl")...)
	for _, test := range m.Tests() {
		action, result := m.One(test.Node, suite.ManifestNS+"action"), m.One(test.Node, suite.ManifestNS+"result")
		e := entry{name: test.Name, kind: test.Kind, action: m.Path(action)}
		if !result.IsZero() {
			e.result = m.Path(result)
		}
		if test.Base != "" {
			e.base = test.Base + strings.TrimPrefix(e.action, test.Folder+"/")
		}
		out = append(out, e)
	}
	return out
}

func runSuite(t *testing.T, f turtle.Format, want int, folder ...string) {
	tests := entries(t, folder...)
	for _, e := range tests {
		t.Run(e.name, func(t *testing.T) { runEntry(t, e, f) })
	}
	t.Logf("%s: %d entries", strings.Join(folder, "/"), len(tests))
	if len(tests) != want {
		t.Errorf("the manifest holds %d entries, want %d", len(tests), want)
	}
}

func runEntry(t *testing.T, e entry, f turtle.Format) {
	quads, err := readFile(t, e.action, f, e.base)
	switch {
	case strings.HasSuffix(e.kind, "NegativeSyntax") || strings.HasSuffix(e.kind, "NegativeEval"):
		if err == nil && strictOnly[filepath.Base(e.action)] {
			_, err = turtle.Parse(text(t, e.action), f, turtle.Options{StrictIRIs: true})
		}
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
		g, ok := format.Of(e.result)
		if !ok {
			t.Fatalf("no format for %s", e.result)
		}
		expected, err := readFile(t, e.result, g, "")
		if err != nil {
			t.Fatal(err)
		}
		if !canon.Isomorphic(quads, expected) {
			t.Errorf("%s gives\n%v\nwant\n%v", e.action, quads, expected)
		}
	default:
		t.Fatalf("unknown kind of test <%s>", e.kind)
	}
}

// strictOnly are texts with a language tag that is not one of BCP 47, and could be stored
// by earlier versions. Only Options.StrictIRIs refuses them.
var strictOnly = map[string]bool{"ntriples-langdir-bad-4.nt": true}

func text(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readFile(t *testing.T, path string, f turtle.Format, base string) ([]rdf.Quad, error) {
	t.Helper()
	text := text(t, path)
	quads, err := turtle.Parse(text, f, turtle.Options{Base: base})
	r := turtle.NewReader(iotest.OneByteReader(bytes.NewReader(text)), f, turtle.Options{Base: base})
	for _, want := range quads {
		if q, err := r.Read(); q != want {
			t.Fatalf("%s byte by byte gives %v, %v; at once %v", path, q, err, want)
		}
	}
	return quads, err
}
