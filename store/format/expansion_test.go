package format_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// TestAShortTextDoesNotStandForLongTerms has documents of some 100 KiB whose prefixes,
// bases, namespaces or languages would make megabytes of terms.
func TestAShortTextDoesNotStandForLongTerms(t *testing.T) {
	suite.NotShort(t)
	const n = 3000
	repeat := func(pattern string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(pattern, "#", "%[1]d"), i)
		}
		return b.String()
	}
	xml := func(attributes, content string) string {
		return `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/" ` + attributes + ">" + content + "</rdf:RDF>"
	}
	for _, c := range []struct {
		name string
		f    turtle.Format
		text func(long string) string
	}{
		{"a prefix", turtle.Turtle, func(long string) string {
			return "@prefix p: <http://e/" + long + "> .\n" + repeat("p:# <e:p> 1 .\n")
		}},
		{"a base", turtle.TriG, func(long string) string {
			return "@base <http://e/" + long + "/> .\n" + repeat("<e:s> <e:p> <#> .\n")
		}},
		{"a prefix of equal triples", turtle.Turtle, func(long string) string {
			return "@prefix p: <http://e/" + long + "> .\n" + repeat("p:a <e:p> # .\n")
		}},
		{"prefixes made from a base", turtle.Turtle, func(long string) string {
			return "@base <http://e/" + long + "/> .\n" + repeat("@prefix p#: <#> .\n<e:s> <e:p> 1 .\n")
		}},
		{"bases made from a base", turtle.Turtle, func(long string) string {
			return "@base <http://e/" + long + "/> .\n" + repeat("@base <a> .\n<e:s> <e:p> # .\n")
		}},
		{"terms of triple terms", turtle.Turtle, func(long string) string {
			return "@prefix p: <http://e/" + long + "> .\n" + repeat("<e:s> <e:p> <<( p:# <e:p> 1 )>> .\n")
		}},
		{"a subject among others", turtle.Turtle, func(long string) string {
			return "<e:" + long + "> <e:p> 0" + repeat(", [ <e:p> # ]") + " ."
		}},
		{"a namespace", turtle.RDFXML, func(long string) string {
			return xml(`xmlns:p="http://e/`+long+`"`, `<rdf:Description rdf:about="e:s">`+repeat("<p:a#>x</p:a#>")+"</rdf:Description>")
		}},
		{"attributes", turtle.RDFXML, func(long string) string {
			return xml(`xmlns:p="http://e/`+long+`"`, `<rdf:Description rdf:about="e:s"`+repeat(` p:a#="x"`)+"/>")
		}},
		{"a base of XML", turtle.RDFXML, func(long string) string {
			return xml(`xml:base="http://e/`+long+`/"`, `<rdf:Description rdf:about="e:s">`+repeat(`<e:p rdf:resource="#"/>`)+"</rdf:Description>")
		}},
		{"bases of XML made from a base", turtle.RDFXML, func(long string) string {
			return xml(`xml:base="http://e/`+long+`/"`, repeat(`<rdf:Description xml:base="a" rdf:about="e:s" e:p="#"/>`))
		}},
		{"one property of XML", turtle.RDFXML, func(long string) string {
			return xml(`xmlns:p="http://e/`+long+`"`, `<rdf:Description rdf:about="e:s">`+repeat("<p:a>#</p:a>")+"</rdf:Description>")
		}},
		{"a language of XML", turtle.RDFXML, func(long string) string {
			return xml(`xml:lang="en-x-`+strings.TrimSuffix(strings.ReplaceAll(long, "xxxxxxxxx", "xxxxxxxx-"), "-")+`"`, `<rdf:Description rdf:about="e:s">`+repeat("<e:p>#</e:p>")+"</rdf:Description>")
		}},
		{"XML literals", turtle.RDFXML, func(long string) string {
			return xml(`xmlns:p="http://e/`+long+`"`, `<rdf:Description rdf:about="e:s">`+repeat(`<e:p rdf:parseType="Literal"><p:a#/></e:p>`)+"</rdf:Description>")
		}},
		{"a vocabulary", turtle.JSONLD, func(long string) string {
			return `{"@context": {"@vocab": "http://e/` + long + `"}, "@id": "e:s"` + repeat(`, "p#": 1`) + "}"
		}},
		{"a vocabulary in many objects", turtle.JSONLD, func(long string) string {
			return `{"@context": {"@vocab": "http://e/` + long + `"}, "@graph": [{}` + repeat(`, {"@id": "e:s", "p#": 1}`) + "]}"
		}},
		{"terms of a vocabulary", turtle.JSONLD, func(long string) string {
			return `{"@context": {"@vocab": "http://e/` + long + `"` + repeat(`, "t#": {}`) + `}, "@graph": [{}` + repeat(`, {"@id": "e:s", "e:p": #}`) + `]}`
		}},
		{"terms of a prefix", turtle.JSONLD, func(long string) string {
			return `{"@context": {"p": "http://e/` + long + `/"` + repeat(`, "p:#": {}`) + `}, "@graph": [{}` + repeat(`, {"@id": "e:s", "e:p": #}`) + `]}`
		}},
		{"a prefix of JSON-LD", turtle.JSONLD, func(long string) string {
			return `{"@context": {"p": "http://e/` + long + `/", "q": {"@id": "e:q", "@type": "@id"}}, "@id": "e:s", "q": ["e:a"` + repeat(`, "p:#"`) + "]}"
		}},
		{"a language of JSON-LD", turtle.JSONLD, func(long string) string {
			return `{"@context": {"@language": "en-x-` + strings.TrimSuffix(strings.ReplaceAll(long, "xxxxxxxxx", "xxxxxxxx-"), "-") + `"}, "@id": "e:s", "e:p": ["a"` + repeat(`, "#"`) + "]}"
		}},
		{"a datatype of JSON-LD", turtle.JSONLD, func(long string) string {
			return `{"@context": {"q": {"@id": "e:q", "@type": "http://e/` + long + `"}}, "@id": "e:s", "q": ["a"` + repeat(`, "#"`) + "]}"
		}},
	} {
		if count, err := quadsOf(c.text(strings.Repeat("x", 90)), c.f); err != nil || count < n {
			t.Errorf("%s of 100 bytes: %d quads, %v", c.name, count, err)
		}
		var wrong *turtle.SyntaxError
		if _, err := quadsOf(c.text(strings.Repeat("x", 9000)), c.f); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "longer than") {
			t.Errorf("%s of 9 KB: %v", c.name, err)
		}
	}
}

// TestALongTermMayRepeat has terms that are written once, and belong to many quads.
func TestALongTermMayRepeat(t *testing.T) {
	suite.NotShort(t)
	long := "http://e/" + strings.Repeat("x", 60_000)
	for text, f := range map[string]turtle.Format{
		"<" + long + "> <e:p> 1" + strings.Repeat(", 1", 5000) + " .":                                                 turtle.Turtle,
		`{"@id": "` + long + `", "e:p": [1` + strings.Repeat(", 1", 5000) + "]}":                                      turtle.JSONLD,
		`{"@context": {"t": "` + long + `"}, "@graph": [{}` + strings.Repeat(`, {"@id": "e:s", "t": 1}`, 5000) + "]}": turtle.JSONLD,
	} {
		if n, err := quadsOf(text, f); err != nil || n < 5000 {
			t.Errorf("%.20s: %d quads, %v", text, n, err)
		}
	}
}

// TestLongTermsAreReadBack writes long terms many times, where short text could stand for them.
func TestLongTermsAreReadBack(t *testing.T) {
	const n = 2000
	iri := func(i int, length int) rdf.Term {
		return rdf.NewIRI(fmt.Sprintf("http://e/%0*d", length, i))
	}
	p := rdf.NewIRI("http://e/p")
	named, annotated, nested := make([]rdf.Triple, n), make([]rdf.Triple, 2*n), make([]rdf.Triple, 2*n)
	for i := range n {
		o := rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger)
		named[i] = rdf.Triple{S: iri(i, 3200), P: p, O: o}
		annotated[2*i] = rdf.Triple{S: iri(0, 3000), P: p, O: o}
		annotated[2*i+1] = rdf.Triple{S: iri(i, 10), P: rdf.NewIRI(rdf.RDFReifies), O: rdf.NewTripleTerm(annotated[2*i])}
		b := rdf.NewBlank(fmt.Sprint("b", i))
		nested[2*i] = rdf.Triple{S: iri(0, 4000), P: p, O: b}
		nested[2*i+1] = rdf.Triple{S: b, P: p, O: o}
	}
	prefixes := []turtle.Prefix{{Label: "p", Namespace: "http://e/" + strings.Repeat("0", 3190)}, {Label: "q", Namespace: "http://e/"}}
	for name, triples := range map[string][]rdf.Triple{"names": named, "annotations": annotated, "brackets": nested, "one of 70 KB": {{S: iri(0, 70_000), P: p, O: iri(0, 10)}}} {
		var graph strings.Builder
		if err := turtle.WriteGraph(&graph, turtle.NewMemorySource(triples), prefixes); err != nil {
			t.Fatal(err)
		}
		if got, err := quadsOf(graph.String(), turtle.Turtle); err != nil || got != len(triples) {
			t.Errorf("%s as a graph: %d of %d, error %v", name, got, len(triples), err)
		}
		for _, f := range []turtle.Format{turtle.Turtle, turtle.NQuads, turtle.RDFXML} {
			var text strings.Builder
			w := format.NewWriter(&text, f, prefixes)
			for _, triple := range triples {
				_ = w.Write(triple.In(rdf.Term{})) // Close returns the error
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := quadsOf(text.String(), f); err != nil || got != len(triples) {
				t.Errorf("%s, format %d: %d of %d, error %v", name, f, got, len(triples), err)
			}
		}
	}
}

// quadsOf counts the quads of a text.
func quadsOf(text string, f turtle.Format) (n int, err error) {
	for in := format.NewReader(strings.NewReader(text), f, turtle.Options{}); ; n++ {
		if _, err := in.Read(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}
