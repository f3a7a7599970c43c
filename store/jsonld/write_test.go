package jsonld_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

func TestAGraphAsJSONLD(t *testing.T) {
	a, b, p := rdf.NewIRI("http://e/a"), rdf.NewBlank("b"), rdf.NewIRI("http://e/p")
	isA := rdf.NewIRI(rdf.RDFType)
	for _, c := range []struct {
		name    string
		triples []rdf.Triple
		want    string
	}{
		{"nothing", nil, "[]\n"},
		{"one of each kind", []rdf.Triple{
			{S: a, P: isA, O: rdf.NewIRI("http://e/C")},
			{S: a, P: p, O: b},
			{S: a, P: p, O: rdf.NewString("x")},
			{S: a, P: p, O: rdf.NewLiteral("01", rdf.XSDInteger)},
			{S: a, P: p, O: rdf.NewLang("ja", "es")},
			{S: a, P: p, O: rdf.NewDirLang("x", "he", "rtl")},
		}, `[{"@id":"http://e/a","@type":["http://e/C"],"http://e/p":[{"@id":"_:b"},{"@value":"x"},` +
			`{"@value":"01","@type":"http://www.w3.org/2001/XMLSchema#integer"},{"@value":"ja","@language":"es"},` +
			`{"@value":"x","@language":"he","@direction":"rtl"}]}]` + "\n"},
		{"a node that comes again", []rdf.Triple{{S: a, P: p, O: a}, {S: b, P: p, O: a}, {S: a, P: p, O: b}},
			`[{"@id":"http://e/a","http://e/p":[{"@id":"http://e/a"}]},` + "\n" + `{"@id":"_:b","http://e/p":[{"@id":"http://e/a"}]},` + "\n" +
				`{"@id":"http://e/a","http://e/p":[{"@id":"_:b"}]}]` + "\n"},
		{"hostile text", []rdf.Triple{{S: a, P: p, O: rdf.NewString("</script>\"\\\u2028\x00")}},
			`[{"@id":"http://e/a","http://e/p":[{"@value":"\u003c/script\u003e\"\\\u2028\u0000"}]}]` + "\n"},
	} {
		var out strings.Builder
		w := jsonld.NewWriter(&out)
		for _, triple := range c.triples {
			if err := w.Write(triple.In(rdf.Term{})); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || out.String() != c.want || !json.Valid([]byte(out.String())) {
			t.Errorf("%s: %v\n%s, want\n%s", c.name, err, &out, c.want)
		}
	}
}

func TestJSONLDIsStreamed(t *testing.T) {
	var out strings.Builder
	w := jsonld.NewWriter(&out)
	const n = 10_000
	for i := range n {
		if err := w.Write(rdf.Quad{S: rdf.NewIRI("http://e/a"), P: rdf.NewIRI("http://e/p"), O: rdf.NewString(strconv.Itoa(i))}); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() == 0 {
		t.Error("a node of 10,000 values is held in memory as a whole")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var nodes []map[string]any
	if err := json.Unmarshal([]byte(out.String()), &nodes); err != nil {
		t.Fatal(err)
	}
	values := 0
	for _, node := range nodes {
		values += len(node["http://e/p"].([]any))
	}
	if values != n {
		t.Errorf("%d values, want %d", values, n)
	}
}

func TestNamedGraphsAreWritten(t *testing.T) {
	quads, err := turtle.Parse([]byte(`<http://e/a> <http://e/p> "1", "2" .
		<http://e/g> { <http://e/a> <http://e/p> _:b . _:b a <http://e/C> . }
		_:h { _:b <http://e/p> "he"@he }`), turtle.TriG, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := write(quads)
	if err != nil {
		t.Fatal(err)
	}
	back, err := readQuads(text)
	if err != nil || !canon.Isomorphic(back, quads) || strings.Count(text, "@graph") != 2 {
		t.Errorf("%v, %d quads from\n%s", err, len(back), text)
	}
}

// readQuads reads what a Writer wrote.
func readQuads(text string) (quads []rdf.Quad, err error) {
	err = jsonld.Read(strings.NewReader(text), jsonld.Options{Strict: true}, func(q rdf.Quad) error {
		quads = append(quads, q)
		return nil
	})
	return quads, err
}

// TestWhatIsWrittenIsReadBack writes and reads random quads.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...rdf.Term) rdf.Term { return list[random.IntN(len(list))] }
	iri := func(name string) rdf.Term { return rdf.NewIRI("http://e/" + name) }
	nodes := []rdf.Term{iri("a"), iri("b"), rdf.NewBlank("x"), rdf.NewBlank("y"), rdf.NewBlank("z"), rdf.NewIRI(rdf.RDFNil)}
	predicates := []rdf.Term{iri("p"), rdf.NewIRI(rdf.RDFType), rdf.NewIRI(rdf.RDFFirst), rdf.NewIRI(rdf.RDFRest),
		rdf.NewIRI(rdf.RDF + "value"), rdf.NewIRI(rdf.RDF + "direction"), rdf.NewIRI(rdf.RDF + "language")}
	nodes = append(nodes, rdf.NewIRI("http://e/a#b#c")) // which Turtle allows
	literals := []rdf.Term{rdf.NewString(""), rdf.NewString("ltr"), rdf.NewString("en"), rdf.NewLang("x", "en"), rdf.NewDirLang("x", "he", "rtl"),
		rdf.NewLiteral("01", rdf.XSDInteger), rdf.NewLiteral(`{"a":[1,null]}`, rdf.RDF+"JSON"), rdf.NewLiteral("x", iri("type").Value())}
	for range 300 {
		seen := map[rdf.Quad]bool{}
		var quads []rdf.Quad
		for range 1 + random.IntN(8) {
			q := rdf.Quad{S: pick(nodes...), P: pick(predicates...), O: pick(append(nodes, literals...)...), G: pick(rdf.Term{}, rdf.Term{}, iri("g"), rdf.NewBlank("x"))}
			if !seen[q] {
				seen[q] = true
				quads = append(quads, q)
			}
		}
		text, err := write(quads)
		if err != nil {
			t.Fatal(err)
		}
		back, err := readQuads(text)
		if err != nil || !canon.Isomorphic(back, quads) {
			t.Fatalf("%v\n%v\nis written as\n%s\nand read as\n%v", err, quads, text, back)
		}
	}
}

func TestWhatJSONLDCanNotHoldIsRefused(t *testing.T) {
	a := rdf.NewIRI("http://e/a")
	if _, err := write([]rdf.Quad{{S: a, P: a, O: rdf.NewTripleTerm(rdf.Triple{S: a, P: a, O: a})}}); err != jsonld.ErrTripleTerms {
		t.Errorf("a triple term: %v", err)
	}
	bad := rdf.NewIRI("http://e/a b")
	for _, q := range []rdf.Quad{{S: bad, P: a, O: a}, {S: a, P: bad, O: a}, {S: a, P: a, O: bad}, {S: a, P: a, O: a, G: bad}, {S: a, P: a},
		{S: a, P: a, O: rdf.NewLiteral("x", "relative")}, {S: a, P: a, O: rdf.NewLiteral("x", rdf.RDFDirLangString)}, {S: a, P: a, O: rdf.NewString("\xff")},
		{S: a, P: rdf.NewBlank("b"), O: a}, {S: rdf.NewString("x"), P: a, O: a}, {S: a, P: a, O: a, G: rdf.NewString("x")}} {
		if text, err := write([]rdf.Quad{q}); err == nil || !strings.HasPrefix(err.Error(), "writing JSON-LD: ") {
			t.Errorf("%v: error %v, and the text is %s", q, err, text)
		}
	}
	w := jsonld.NewWriter(&strings.Builder{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rdf.Quad{S: a, P: a, O: a}); err == nil || w.Close() != nil {
		t.Error("a closed writer took a quad, or failed to close again")
	}
}

func TestADirectionNeedsALanguage(t *testing.T) {
	const text = `{"@id": "http://e/a", "http://e/p": {"@value": "x", "@direction": "rtl"}}`
	wantCode(t, text, jsonld.Options{Strict: true}, "dropped data", "no language")
	got, err := read(text, jsonld.Options{})
	if err != nil || !slices.Equal(got, []string{`<http://e/a> <http://e/p> "x" .`}) {
		t.Errorf("%q, %v", got, err)
	}
}
