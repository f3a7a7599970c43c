package rdfxml_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdfxml"
	"github.com/segraph/segraph/store/turtle"
)

// The W3C suite of RDF/XML 1.1: every entry of its manifest, counted.
func TestW3CRDFXML(t *testing.T) {
	m := suite.ReadManifest(t, "w3c", "rdf", "rdf11", "rdf-xml", "manifest.ttl")
	for _, test := range m.Tests() {
		t.Run(test.Name, func(t *testing.T) { runEntry(t, m, test) })
	}
	t.Logf("RDF/XML: %d entries", len(m.Tests()))
	if len(m.Tests()) != 166 {
		t.Errorf("the manifest has %d entries, want 166", len(m.Tests()))
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
		if !rdf.Isomorphic(got, want) {
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
