package rdfxml_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/rdfxml"
	"github.com/segraph/segraph/store/turtle"
)

// The W3C suites of RDF/XML 1.1 and 1.2: every entry of their manifests, counted.
func TestW3CRDFXML(t *testing.T) {
	for _, s := range []struct {
		version, folder string
		entries         int
	}{{"1.1", "rdf11/rdf-xml", 166}, {"1.2", "rdf12/rdf-xml/eval", 31}} {
		m := suite.ReadManifest(t, append([]string{"w3c", "rdf"}, strings.Split(s.folder+"/manifest.ttl", "/")...)...)
		passed := 0
		for _, test := range m.Tests() {
			if t.Run(test.Name, func(t *testing.T) { runEntry(t, m, test) }) {
				passed++
			}
		}
		t.Logf("RDF/XML %s: %d of %d entries", s.version, passed, len(m.Tests()))
		if len(m.Tests()) != s.entries {
			t.Errorf("the manifest of %s has %d entries, want %d", s.version, len(m.Tests()), s.entries)
		}
	}
}

func runEntry(t *testing.T, m *suite.Manifest, test suite.ManifestTest) {
	action := m.Path(m.One(test.Node, suite.ManifestNS+"action"))
	text, err := os.ReadFile(action)
	if err != nil {
		t.Fatal(err)
	}
	o := rdfxml.Options{Base: test.Base + strings.TrimPrefix(action, test.Folder+"/")}
	triples, err := rdfxml.Parse(text, o)
	switch test.Kind {
	case "TestXMLNegativeSyntax":
		var syntax *turtle.SyntaxError
		if !errors.As(err, &syntax) {
			t.Fatalf("the error is %v, want a *turtle.SyntaxError", err)
		}
		t.Log(err)
	case "TestXMLEval":
		if err != nil {
			t.Fatal(err)
		}
		var got []rdf.Quad
		for _, triple := range triples {
			got = append(got, triple.In(rdf.Term{}))
		}
		expected, err := os.ReadFile(m.Path(m.One(test.Node, suite.ManifestNS+"result")))
		if err != nil {
			t.Fatal(err)
		}
		want, err := turtle.Parse(expected, turtle.NTriples, turtle.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !canon.Isomorphic(got, want) {
			t.Errorf("got\n%v\nwant\n%v", got, want)
		}
	default:
		t.Fatalf("unknown kind of test %s", test.Kind)
	}
	slow, err := read(iotest.OneByteReader(strings.NewReader(string(text))), o)
	if len(slow) != len(triples) && err == nil {
		t.Errorf("byte by byte, %d triples are read (error %v), want %d", len(slow), err, len(triples))
	}
}
