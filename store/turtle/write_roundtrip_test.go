package turtle_test

import (
	"os"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Every valid document of the W3C suites, written in every format, reads back as the
// same quads.
func TestWrittenW3CSuitesReadBack(t *testing.T) {
	suite.NotShort(t)
	for folder, f := range map[string]turtle.Format{
		"rdf11/rdf-turtle": turtle.Turtle, "rdf11/rdf-n-triples": turtle.NTriples, "rdf11/rdf-n-quads": turtle.NQuads, "rdf11/rdf-trig": turtle.TriG,
		"rdf12/rdf-turtle/syntax": turtle.Turtle, "rdf12/rdf-turtle/eval": turtle.Turtle, "rdf12/rdf-n-triples/syntax": turtle.NTriples,
		"rdf12/rdf-n-quads/syntax": turtle.NQuads, "rdf12/rdf-trig/syntax": turtle.TriG, "rdf12/rdf-trig/eval": turtle.TriG,
	} {
		t.Run(folder, func(t *testing.T) {
			n := 0
			for _, e := range entries(t, strings.Split(folder, "/")...) {
				if strings.Contains(e.kind, "Negative") {
					continue
				}
				n++
				t.Run(e.name, func(t *testing.T) {
					quads, err := readFile(t, e.action, f, e.base)
					if err != nil {
						t.Fatal(err)
					}
					roundTrip(t, quads)
				})
			}
			t.Logf("%d documents", n)
			if n == 0 {
				t.Error("no documents")
			}
		})
	}
}

// The robots' demonstration data reads back unchanged from every format.
func TestWrittenRobotLogsReadBack(t *testing.T) {
	quads, err := readFile(t, suite.Shared(t, "data", "demo-two-robots.ttl"), turtle.Turtle, "")
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, quads)
}

// roundTrip writes quads in every format that can represent them, with and without
// prefixes.
func roundTrip(t testing.TB, quads []rdf.Quad) {
	t.Helper()
	var plain []rdf.Quad
	for _, q := range quads {
		plain = append(plain, q.Triple().In(rdf.Term{}))
	}
	for _, prefixes := range [][]turtle.Prefix{nil, guessPrefixes(quads)} {
		for _, f := range formats() {
			what := quads
			if f == turtle.Turtle || f == turtle.NTriples {
				what = plain
			}
			mustReadBack(t, written(t, what, f, prefixes), f, what)
		}
		mustReadBack(t, graphText(t, plain, prefixes), turtle.Turtle, plain)
	}
}

// guessPrefixes makes namespaces from the IRIs, cut at unfavourable places.
func guessPrefixes(quads []rdf.Quad) (prefixes []turtle.Prefix) {
	seen := make(map[string]bool)
	for _, q := range quads {
		for _, iri := range []string{q.S.Value(), q.P.Value(), q.O.Value(), q.O.Datatype()} {
			if cut := strings.LastIndexAny(iri, "/#:%.") + 1; cut > 0 && rdf.IsAbsoluteIRI(iri[:cut]) && !seen[iri[:cut]] && len(seen) < 26 {
				if strings.ContainsAny(iri[:cut], " <>\"{}|\\^`\n\r\t") {
					continue // the datatype of a literal
				}
				seen[iri[:cut]] = true
				prefixes = append(prefixes, turtle.Prefix{Label: string(rune('a' + len(prefixes))), Namespace: iri[:cut]})
			}
		}
	}
	return prefixes
}

// FuzzRoundTrip reads any valid text, and checks that the output of every writer reads
// back as the same quads.
func FuzzRoundTrip(f *testing.F) {
	for _, name := range []string{"lists", "names", "literals", "blank_nodes", "cycles", "subjects"} {
		text, err := os.ReadFile("testdata/write/" + name + ".ttl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), uint8(turtle.Turtle))
	}
	f.Add("<urn:g> { [] <urn:p> (1 2.5 [ a <urn:T> ]) . _:g a _:h } _:g { _:g a _:h } GRAPH <urn:a> {}", uint8(turtle.TriG))
	f.Add("_:a <urn:p> \"\\u0000\\uFFFE\\t\"@en-a _:g .\n<a:> <a:%> \"\"^^<a:b:> <a:.> .", uint8(turtle.NQuads))
	f.Add("@prefix : <x:y> . :a.b:c :-%20\\~ _:a0, _:_a0, _:x--a, [], () .", uint8(turtle.Turtle))
	f.Add("@base <http://a/b/c> . <> a <?q>, <#f>, <../x>, <//h> .", uint8(turtle.Turtle))
	f.Fuzz(func(t *testing.T, text string, format uint8) {
		quads, err := turtle.Parse([]byte(text), turtle.Format(format%4), turtle.Options{Base: "http://example.org/"})
		if err != nil || len(quads) > 1000 {
			return
		}
		roundTrip(t, quads)
	})
}
