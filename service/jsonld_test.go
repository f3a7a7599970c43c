package service

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
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
			{S: a, P: p, O: rdf.NewLang("x", "he--rtl")},
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
		w := newJSONLD(&out, nil)
		for _, triple := range c.triples {
			if err := w.Triple(triple); err != nil {
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
	w := newJSONLD(&out, nil)
	const n = 10_000
	for i := range n {
		if err := w.Triple(rdf.Triple{S: rdf.NewIRI("http://e/a"), P: rdf.NewIRI("http://e/p"), O: rdf.NewString(strconv.Itoa(i))}); err != nil {
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
