package rdfxml_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/rdfxml"
	"github.com/segraph/segraph/store/turtle"
)

func write(triples []rdf.Triple, prefixes ...turtle.Prefix) (string, error) {
	var b bytes.Buffer
	w := rdfxml.NewWriter(&b, prefixes)
	for _, t := range triples {
		if err := w.Write(t); err != nil {
			return "", err
		}
	}
	err := errors.Join(w.Close(), w.Close())
	return b.String(), err
}

func roundTrip(triples []rdf.Triple) ([]rdf.Triple, error) {
	text, err := write(triples)
	if err != nil {
		return nil, err
	}
	return rdfxml.Parse([]byte(text), rdfxml.Options{})
}

func same(a, b []rdf.Triple) bool {
	quads := func(triples []rdf.Triple) (out []rdf.Quad) {
		for _, t := range triples {
			out = append(out, t.In(rdf.Term{}))
		}
		return out
	}
	return canon.Isomorphic(quads(a), quads(b))
}

func iri(s string) rdf.Term { return rdf.NewIRI("http://e/" + s) }

func TestWrite(t *testing.T) {
	got, err := write([]rdf.Triple{
		{S: iri("s"), P: iri("p"), O: rdf.NewString("a<b & \"c\"\r")},
		{S: iri("s"), P: rdf.NewIRI("http://other/x/12y"), O: rdf.NewLang("x", "de")},
		{S: rdf.NewBlank("b1"), P: iri("p"), O: rdf.NewLiteral("1", rdf.XSDInteger)},
		{S: rdf.NewBlank("b1"), P: iri("p"), O: rdf.NewBlank("1.-")},
		{S: iri("s"), P: iri("p"), O: rdf.NewIRI("http://e/?a=1&b=2")},
	}, turtle.Prefix{Label: "e", Namespace: "http://e/"}, turtle.Prefix{Label: "xmlx", Namespace: "http://x/"}, turtle.Prefix{Label: "", Namespace: "http://d/"})
	want := `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:e="http://e/">
  <rdf:Description rdf:about="http://e/s">
    <e:p>a&lt;b &amp; "c"&#xD;</e:p>
    <ns:y xmlns:ns="http://other/x/12" xml:lang="de">x</ns:y>
  </rdf:Description>
  <rdf:Description rdf:nodeID="b1">
    <e:p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">1</e:p>
    <e:p rdf:nodeID="_x312e2d"/>
  </rdf:Description>
  <rdf:Description rdf:about="http://e/s">
    <e:p rdf:resource="http://e/?a=1&amp;b=2"/>
  </rdf:Description>
</rdf:RDF>
`
	if err != nil || got != want {
		t.Errorf("error %v, and the document is\n%s", err, got)
	}
	if empty, err := write(nil); err != nil || !strings.HasSuffix(empty, "#\">\n</rdf:RDF>\n") {
		t.Errorf("no triples are %q, error %v", empty, err)
	}
}

// nested returns a triple term with others in it, depth deep.
func nested(depth int) rdf.Term {
	t := iri("o")
	for range depth {
		t = rdf.NewTripleTerm(rdf.Triple{S: iri("s"), P: rdf.NewIRI("http://other/p"), O: t})
	}
	return t
}

func TestWriteRDF12(t *testing.T) {
	s, its := iri("s"), turtle.Prefix{Label: "its", Namespace: "http://e/"}
	inner := rdf.Triple{S: rdf.NewBlank("b"), P: rdf.NewIRI("http://other/q"), O: rdf.NewDirLang("x", "he", "rtl")}
	triples := []rdf.Triple{
		{S: s, P: rdf.NewIRI(rdf.RDFReifies), O: rdf.NewTripleTerm(rdf.Triple{S: s, P: iri("p"), O: rdf.NewTripleTerm(inner)})},
		{S: s, P: iri("p"), O: rdf.NewDirLang("y", "en-GB", "ltr")},
		{S: s, P: rdf.NewIRI("http://www.w3.org/2005/11/its#p"), O: rdf.NewDirLang("z", "en", "ltr")},
	}
	want := `  <rdf:Description rdf:about="http://e/s">
    <rdf:reifies rdf:version="1.2" rdf:parseType="Triple">
      <rdf:Description rdf:about="http://e/s">
        <its:p rdf:parseType="Triple">
          <rdf:Description rdf:nodeID="b">
            <ns:q xmlns:ns="http://other/" xml:lang="he" xmlns:its_="http://www.w3.org/2005/11/its" rdf:version="1.2" its_:version="2.0" its_:dir="rtl">x</ns:q>
          </rdf:Description>
        </its:p>
      </rdf:Description>
    </rdf:reifies>
    <its:p xml:lang="en-GB" xmlns:its_="http://www.w3.org/2005/11/its" rdf:version="1.2" its_:version="2.0" its_:dir="ltr">y</its:p>
`
	got, err := write(triples, its)
	if err != nil || !strings.Contains(got, want) {
		t.Errorf("error %v, and the document is\n%s", err, got)
	}
	for _, prefixes := range [][]turtle.Prefix{nil, {its}, {{Label: "ns", Namespace: "http://www.w3.org/2005/11/its"}, {Label: "its", Namespace: "http://other/"}}} {
		triples := append(triples, rdf.Triple{S: s, P: iri("p"), O: nested(50)})
		text, err := write(triples, prefixes...)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := rdfxml.Parse([]byte(text), rdfxml.Options{}); err != nil || !same(triples, again) {
			t.Errorf("error %v, and this is read as %v:\n%s", err, again, text)
		}
	}
}

func TestWriteRefusesWhatXMLCanNotHold(t *testing.T) {
	s, p, o := iri("s"), iri("p"), iri("o")
	for _, tt := range []struct {
		triple rdf.Triple
		want   string
	}{
		{rdf.Triple{S: s, P: iri("p/"), O: o}, "the predicate <http://e/p/> does not end in an XML name: use another format"},
		{rdf.Triple{S: s, P: iri("12"), O: o}, "the predicate <http://e/12> does not end in an XML name"},
		{rdf.Triple{S: s, P: rdf.NewIRI(rdf.RDF + "li"), O: o}, "has another meaning in RDF/XML"},
		{rdf.Triple{S: s, P: p, O: rdf.NewString("\x00")}, "a literal contains U+0000, which XML can't represent"},
		{rdf.Triple{S: s, P: p, O: rdf.NewString("\uFFFE")}, "U+FFFE"},
		{rdf.Triple{S: s, P: p, O: rdf.NewString("\xff")}, "U+FFFD"},
		{rdf.Triple{S: s, P: p, O: iri("\uFFFE")}, "an IRI contains U+FFFE"},
		{rdf.Triple{S: iri("\uFFFF"), P: p, O: o}, "an IRI contains U+FFFF"},
		{rdf.Triple{S: s, P: iri("\uFFFE/p"), O: o}, "an IRI contains U+FFFE"},
		{rdf.Triple{S: s, P: p, O: rdf.NewLiteral("x", "http://e/\uFFFE")}, "an IRI contains U+FFFE"},
		{rdf.Triple{S: s, P: p, O: rdf.NewDirLang("x", "ar", "up")}, `"up" is not a base direction`},
		{rdf.Triple{S: s, P: p, O: rdf.NewDirLang("x", "", "rtl")}, `"" is not a language tag`},
		{rdf.Triple{S: s, P: p, O: rdf.NewLiteral("x", rdf.RDFDirLangString)}, "has no language tag"},
		{rdf.Triple{S: s, P: p, O: rdf.NewTripleTerm(rdf.Triple{S: s, P: iri("p/"), O: o})}, "does not end in an XML name"},
		{rdf.Triple{S: s, P: p, O: rdf.NewTripleTerm(rdf.Triple{S: s, P: p, O: rdf.NewString("\x01")})}, "U+0001"},
		{rdf.Triple{S: rdf.NewTripleTerm(rdf.Triple{S: s, P: p, O: o}), P: p, O: o}, "neither an IRI nor a blank node"},
		{rdf.Triple{S: s, P: p, O: nested(51)}, "triple terms are nested deeper than 50"},
		{rdf.Triple{S: s, P: rdf.NewIRI(rdf.RDF + "annotation"), O: o}, "has another meaning in RDF/XML"},
		{rdf.Triple{S: s, P: p, O: rdf.NewLang("x", "en us")}, "is not a language tag"},
		{rdf.Triple{S: rdf.NewString("s"), P: p, O: o}, "neither an IRI nor a blank node"},
		{rdf.Triple{S: s, P: p, O: rdf.NewIRI("relative")}, "is not absolute"},
	} {
		if _, err := write([]rdf.Triple{tt.triple}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: the error is %v, want %q", tt.triple, err, tt.want)
		}
	}
	long := rdf.Triple{S: s, P: iri(strings.Repeat("1", 65_536) + "p"), O: o}
	if _, err := write([]rdf.Triple{long}); err == nil || !strings.Contains(err.Error(), "more than 65536 bytes: use another format") {
		t.Errorf("a namespace of 64 KiB: the error is %v", err)
	}
	w := rdfxml.NewWriter(iotest.TruncateWriter(nil, 0), nil)
	_ = w.Close()
	if err := w.Write(rdf.Triple{S: s, P: p, O: o}); err == nil {
		t.Error("a closed Writer wrote a triple")
	}
}

// A declared namespace never makes a document that a Reader refuses, nor do many references.
func TestPrefixesAndReferencesKeepADocumentReadable(t *testing.T) {
	long := "http://e/" + strings.Repeat("n", 1000) + "/"
	var triples []rdf.Triple
	for range 10_000 {
		triples = append(triples, rdf.Triple{S: iri("s"), P: rdf.NewIRI(long + "p"), O: rdf.NewString("<&>&<&>&")})
	}
	text, err := write(triples, turtle.Prefix{Label: "x", Namespace: "http://e/\uFFFE"}, turtle.Prefix{Label: "l", Namespace: long})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := rdfxml.Parse([]byte(text), rdfxml.Options{}); err != nil || len(again) != len(triples) {
		t.Errorf("%d of %d triples are read back, error %v", len(again), len(triples), err)
	}
}

// Every document of the W3C suite, and every robot log, is the same after a round trip.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	check := func(name string, triples []rdf.Triple) {
		if again, err := roundTrip(triples); err != nil || !same(triples, again) {
			t.Errorf("%s: error %v, and %d triples became %d", name, err, len(triples), len(again))
		}
	}
	files, err := filepath.Glob(suite.Shared(t, "w3c", "rdf") + "/rdf1*/rdf-xml/*/*.rdf")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if triples, err := rdfxml.Parse(text, rdfxml.Options{Base: "http://b/"}); err == nil {
			check(path, triples)
		}
	}
	quads, err := turtle.Parse(suite.RobotLogs(t, 200), turtle.Turtle, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var triples []rdf.Triple
	for _, q := range quads {
		triples = append(triples, q.Triple())
	}
	check("robot logs", triples)
}
