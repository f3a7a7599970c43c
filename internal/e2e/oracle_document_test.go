package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// documentFormats are the formats of documents, by their names in testdata/oracle.py.
var documentFormats = []struct {
	name   string
	format turtle.Format
	graphs bool // it can hold named graphs
}{
	{"Turtle", turtle.Turtle, false}, {"N-Triples", turtle.NTriples, false}, {"RDF/XML", turtle.RDFXML, false},
	{"TriG", turtle.TriG, true}, {"N-Quads", turtle.NQuads, true}, {"JSON-LD", turtle.JSONLD, true},
}

// TestRandomDocuments writes random quads in a random format. pyoxigraph reads them
// strictly and writes them in another format. The test reads that, and compares the quads
// each time. SEGRAPH_DOCUMENTS is the number of documents: 10,000 in CI, otherwise 500.
// SEGRAPH_SEED is as in TestRandomQueries.
//
//	SEGRAPH_DOCUMENTS=1000000 SEGRAPH_SEED=1 go test -count=1 -timeout 2h -run RandomDocuments -v ./internal/e2e
func TestRandomDocuments(t *testing.T) {
	seed, documents := oracleNumber(t, "SEGRAPH_SEED", int(time.Now().Unix())), oracleNumber(t, "SEGRAPH_DOCUMENTS", oracleUsual())
	t.Logf("seed %d", seed)
	w := oracleWorker(t)
	w.ensure()
	g := &documentGenerator{rand.New(rand.NewPCG(uint64(seed), 0)), false}
	for done := 0; done < documents; done += batch {
		var list []randomDocument
		var texts [][3]string
		for range batch {
			d := g.document(t)
			list, texts = append(list, d), append(texts, [3]string{d.text, documentFormats[d.ours].name, documentFormats[d.theirs].name})
		}
		line, err := json.Marshal(map[string]any{"read": texts})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.in.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
		for i, d := range list {
			answer, err := w.line(time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if problem := d.compare(answer); problem != "" {
				t.Errorf("document %d, %s and then %s: %s\n%s", done+i, documentFormats[d.ours].name, documentFormats[d.theirs].name, problem, d.text)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

// randomDocument is a document with its quads.
type randomDocument struct {
	quads        []rdf.Quad
	text         string
	ours, theirs int // indexes of documentFormats: of text, and of what Oxigraph writes
}

// compare compares the quads with those that Oxigraph has read, and with those that it
// has written.
func (d randomDocument) compare(answer string) string {
	if knownDocument(d) != "" {
		return ""
	}
	if why, refused := strings.CutPrefix(answer, "!"); refused {
		return "Oxigraph refuses it: " + why
	}
	var texts []string
	if err := json.Unmarshal([]byte(answer), &texts); err != nil {
		return err.Error()
	}
	for i, f := range []turtle.Format{turtle.NQuads, documentFormats[d.theirs].format} {
		var got []rdf.Quad
		r := format.NewReader(strings.NewReader(texts[i]), f, turtle.Options{})
		for {
			q, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				return fmt.Sprintf("%v in what Oxigraph writes:\n%s", err, texts[i])
			}
			got = append(got, q.Fold())
		}
		if !canon.Isomorphic(got, d.quads) {
			return fmt.Sprintf("%v is read back as %v, from\n%s", d.quads, got, texts[i])
		}
	}
	return ""
}

// documentGenerator generates documents.
type documentGenerator struct {
	*rand.Rand
	rdf12 bool // the document may have terms that RDF 1.1 lacks
}

func (g *documentGenerator) document(t *testing.T) randomDocument {
	t.Helper()
	graphs := g.IntN(2) == 0
	d := randomDocument{ours: 3 + g.IntN(3), theirs: 3 + g.IntN(3)}
	if !graphs {
		d.ours, d.theirs = g.IntN(len(documentFormats)), g.IntN(len(documentFormats))
	}
	isJSON := func(i int) bool { return documentFormats[i].format == turtle.JSONLD } // Oxigraph's is of RDF 1.1
	g.rdf12 = g.IntN(2) == 0 && !isJSON(d.ours) && !isJSON(d.theirs)
	seen := map[rdf.Quad]bool{}
	for range g.IntN(12) {
		for _, q := range g.statement(graphs) {
			if q = q.Fold(); !seen[q] {
				seen[q] = true
				d.quads = append(d.quads, q)
			}
		}
	}
	slices.SortFunc(d.quads, func(a, b rdf.Quad) int {
		if c := rdf.Compare(a.G, b.G); c != 0 {
			return c
		}
		return rdf.CompareTriples(a.Triple(), b.Triple())
	})
	var b bytes.Buffer
	prefixes := []turtle.Prefix{{Label: "e", Namespace: "http://e/"}, {Label: "", Namespace: "http://e/n#"}}
	if f := documentFormats[d.ours].format; (f == turtle.Turtle || f == turtle.TriG) && !graphs && g.IntN(2) == 0 { // like exports
		var triples []rdf.Triple
		for _, q := range d.quads {
			triples = append(triples, q.Triple())
		}
		if err := turtle.WriteGraph(&b, turtle.NewMemorySource(triples), prefixes); err != nil {
			t.Fatal(err)
		}
		d.text = b.String()
		return d
	}
	w := format.NewWriter(&b, documentFormats[d.ours].format, prefixes)
	for _, q := range d.quads {
		if err := w.Write(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d.text = b.String()
	return d
}

// statement returns a quad or, sometimes, a list and its quads.
func (g *documentGenerator) statement(graphs bool) []rdf.Quad {
	q := rdf.Quad{S: g.node(), P: g.predicate(), O: g.object()}
	if graphs && g.IntN(2) == 0 {
		q.G = g.node()
	}
	if g.rdf12 && g.IntN(4) == 0 {
		reifies := rdf.Quad{S: g.node(), P: rdf.NewIRI(rdf.RDFReifies), O: rdf.NewTripleTerm(q.Triple()), G: q.G}
		return []rdf.Quad{q, reifies}[g.IntN(2):]
	}
	if g.IntN(6) > 0 {
		return []rdf.Quad{q}
	}
	var out []rdf.Quad
	cell := rdf.NewIRI(rdf.RDFNil)
	for range g.IntN(4) {
		next := rdf.NewBlank(fmt.Sprint("cell", g.Uint32()))
		out = append(out, rdf.Quad{S: next, P: rdf.NewIRI(rdf.RDFFirst), O: g.object(), G: q.G}, rdf.Quad{S: next, P: rdf.NewIRI(rdf.RDFRest), O: cell, G: q.G})
		cell = next
	}
	q.O = cell
	return append(out, q)
}

func (g *documentGenerator) node() rdf.Term {
	if g.IntN(4) == 0 {
		return rdf.NewBlank(fmt.Sprint("b", g.IntN(6)))
	}
	return rdf.NewIRI(g.pick("http://e/a", "http://e/b", "http://e/n#c", "http://e/", "http://e/a/b;c=d?e=f&g='h'", "http://é.example/ñ/日本#x", "urn:uuid:1-2",
		"http://e/n#a.b", "http://e/n#-x", "http://e/n#1", "http://e/n#a%20b", "http://e/n#(x)", "mailto:a@b.c", rdf.RDFNil))
}

func (g *documentGenerator) predicate() rdf.Term {
	return rdf.NewIRI(g.pick("http://e/p", "http://e/n#q", rdf.RDFType, "http://e/a/b#c-d.e", "urn:x:y", "http://é.example/ñ", "http://other/ns#p"))
}

func (g *documentGenerator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *documentGenerator) object() rdf.Term {
	switch g.IntN(8) {
	case 0, 1, 2:
		return g.node()
	case 3:
		if g.rdf12 && g.IntN(2) == 0 {
			return rdf.NewDirLang(g.text(), g.pick("en", "ar-EG"), g.pick("ltr", "rtl"))
		}
		return rdf.NewLang(g.text(), g.pick("en", "es-419", "de-Latn-CH", "x-klingon"))
	case 5:
		if g.rdf12 {
			return rdf.NewTripleTerm(rdf.Triple{S: g.node(), P: g.predicate(), O: g.object()})
		}
	case 4:
		return rdf.NewLiteral(g.pick("1", "-0", "+7", "007", "1.50", "1e3", "INF", "true", "0", "not a number", ""),
			g.pick(rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDBoolean, "http://e/type", "urn:t"))
	}
	return rdf.NewString(g.text())
}

// text returns a text of characters that XML can hold.
func (g *documentGenerator) text() string {
	var b strings.Builder
	for range g.IntN(9) {
		b.WriteString(g.pick("a", "B", " ", "  ", "\n", "\r", "\r\n", "\t", `"`, `""`, "'", "''", `\`, "<", ">", "&", "&amp;", "]]>", "{", "}", "@", "^^", "_:", "\u00a0",
			"\u0085", "\u2028", "é", "e\u0301", "日本", "😀", "\ufeff", "\u007f", "\u200d", "\ufffd", "%41", "#", ";", "."))
	}
	return b.String()
}
