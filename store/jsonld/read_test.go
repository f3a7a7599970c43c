package jsonld_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
)

func read(text string, o jsonld.Options) (quads []string, err error) {
	err = jsonld.Read(strings.NewReader(text), o, func(q rdf.Quad) error {
		quads = append(quads, q.String())
		return nil
	})
	slices.Sort(quads)
	return quads, err
}

func wantCode(t *testing.T, text string, o jsonld.Options, code, detail string) {
	t.Helper()
	_, err := read(text, o)
	var invalid *jsonld.Error
	if !errors.As(err, &invalid) || invalid.Code != code || !strings.Contains(invalid.Detail, detail) {
		t.Errorf("%.80s: the error is %v, want %s: …%s…", text, err, code, detail)
	}
}

func TestContextsAreInlineOrBuiltIn(t *testing.T) {
	const doc = `{"@context": ["http://e/context.jsonld", {"says": "http://e/says"}], "@id": "http://e/ari", "says": "hi", "knows": "http://e/maria"}`
	wantCode(t, doc, jsonld.Options{}, "loading remote context failed", "the context http://e/context.jsonld is not built in")
	builtIn := func(iri string) ([]byte, error) {
		if iri != "http://e/context.jsonld" {
			return nil, errors.New("unknown")
		}
		return []byte(`{"@context": {"knows": {"@id": "http://e/knows", "@type": "@id"}}}`), nil
	}
	got, err := read(doc, jsonld.Options{Context: builtIn})
	want := []string{`<http://e/ari> <http://e/knows> <http://e/maria> .`, `<http://e/ari> <http://e/says> "hi" .`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("error %v, and the quads are %q", err, got)
	}
}

func TestContextsHaveABaseWithoutOneOfTheDocument(t *testing.T) {
	for context, want := range map[string]string{
		`{"@base": "http://e/base/"}`:                                               "http://e/base/a",
		`[{"@base": null}, {"@base": "http://e/"}]`:                                 "http://e/a",
		`[{"@base": "http://e/x/"}, {"@base": "../y/"}]`:                            "http://e/y/a",
		`[{"@base": "http://e/x/"}, {"@base": null}, {"@base": "http://f/"}]`:       "http://f/a",
		`[{"@base": "http://e/x/"}, null, {"@base": "http://f/#g"}]`:                "http://f/a",
		`[{"@base": "http://e/"}, {"@base": "b/"}, {"@base": ""}, {"@base": "?q"}]`: "http://e/b/a",
		`{"@base": "urn:x:y", "@vocab": "http://v/"}`:                               "urn:a",
	} {
		text := fmt.Sprintf(`{"@context": %s, "@id": "a", "http://e/p": {"@id": "a"}}`, context)
		got, err := read(text, jsonld.Options{Strict: true})
		if all := fmt.Sprintf("<%s> <http://e/p> <%s> .", want, want); err != nil || !slices.Equal(got, []string{all}) {
			t.Errorf("%s: error %v, and the quads are %q", text, err, got)
		}
	}
	for _, context := range []string{`{"@base": "b/"}`, `[{"@base": "http://e/"}, {"@base": null}, {"@base": "b/"}]`, `[{"@base": "http://e/"}, null, {"@base": ""}]`} {
		wantCode(t, fmt.Sprintf(`{"@context": %s, "@id": "http://e/a", "http://e/p": 1}`, context), jsonld.Options{}, "invalid base IRI", "is relative")
	}
}

func TestStrictRefusesWhatWouldBeDropped(t *testing.T) {
	for text, detail := range map[string]string{
		`{"@id": "http://e/a", "name": "x"}`:                                             `no context maps the member "name" to an IRI`,
		`{"@id": "a", "http://e/p": 1}`:                                                  `"a" is not an absolute IRI`,
		`{"@id": "http://e/a", "http://e/p": {"@value": "x", "@language": "not a tag"}}`: "not a tag",
		`{"@id": "http://e/a", "_:p": 1}`:                                                "is a blank node",
		`{"@id": "http://e/a", "http://e/p": -1e400}`:                                    "the number -1e400 is beyond the range",
		`{"@id": "@ignoreMe", "http://e/p": 1}`:                                          "has the form of a keyword",
		`{"@id": "@ignoreMe", "http://e/p": [1]}`:                                        "has the form of a keyword",
		`{"@id": "@ignoreMe", "@graph": [{"@id": "http://e/a", "http://e/p": 1}]}`:       "has the form of a keyword",
		`{"@id": "http://e/a", "http://e/p": {"@language": "en"}}`:                       "belongs to no string",
		`{"@id": "http://e/a", "@default": {"http://e/p": 1}}`:                           "@default means nothing here",
		`{"@context": {"n": "@none"}, "@id": "http://e/a", "n": "x"}`:                    "@none means nothing here",
		`["a"]`:                              "belongs to no property",
		`[{"@value": "a"}]`:                  "belongs to no property",
		`{"@set": [{"@list": ["a"]}]}`:       "belongs to no property",
		`{"@id": "http://e/a", "@graph": 1}`: "belongs to no property",
		`{"@context": {"v": "@value"}, "@included": [{"v": "a"}]}`: "belongs to no property",
	} {
		if got, err := read(text, jsonld.Options{}); err != nil || len(got) > 0 {
			t.Errorf("%s: %v, error %v", text, got, err)
		}
		wantCode(t, text, jsonld.Options{Strict: true}, "dropped data", detail)
	}
	for _, text := range []string{`{"@language": "en", "http://e/p": [1]}`, `{"@direction": "rtl", "http://e/p": 1}`} {
		wantCode(t, text, jsonld.Options{Strict: true}, "dropped data", "belongs to no string")
	}
	nested := `{"@context": {"p": "http://e/p"}, "@id": "http://e/a", "@nest": {"@context": {"p": "http://e/q"}, "p": "x"}}`
	if got, err := read(nested, jsonld.Options{}); err != nil || !slices.Equal(got, []string{`<http://e/a> <http://e/p> "x" .`}) {
		t.Errorf("%v, error %v", got, err)
	}
	wantCode(t, nested, jsonld.Options{Strict: true}, "dropped data", "@context means nothing here")
	for container, detail := range map[string]string{`"@id"`: "belongs to no node", `"@type"`: "belongs to no node", `["@graph", "@id"]`: "in a graph"} {
		text := `{"@context": {"p": {"@id": "http://e/p", "@container": ` + container + `}}, "@id": "http://e/a", "p": {"http://e/b": {"@value": "x"}}}`
		wantCode(t, text, jsonld.Options{Strict: true}, "dropped data", detail)
	}
	ignored := `{"@context": {"note": null, "p": "http://e/p"}, "@id": "http://e/a", "note": "x", "p": null}`
	if got, err := read(ignored, jsonld.Options{Strict: true}); err != nil || len(got) > 0 {
		t.Errorf("what a document itself ignores: %v, error %v", got, err)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, strict := range []bool{false, true} {
		o := jsonld.Options{Strict: strict}
		for _, name := range []string{"langString", "dirLangString"} {
			text := `{"@id": "http://e/a", "http://e/p": {"@value": "x", "@type": "http://www.w3.org/1999/02/22-rdf-syntax-ns#` + name + `"}}`
			wantCode(t, text, o, "invalid typed value", name+" has a @language instead of @type")
		}
		protected := `{"@context": [{"@protected": true, "a": {"@id": "http://e/a", "@context": {"x": "http://e/1"}}},
			{"a": {"@id": "http://e/a", "@context": {"x": "http://e/%d"}}}], "a": {"x": "v"}}`
		wantCode(t, fmt.Sprintf(protected, 2), o, "protected term redefinition", "")
		if got, err := read(fmt.Sprintf(protected, 1), o); err != nil || len(got) != 2 {
			t.Errorf("a term defined again: %v, error %v", got, err)
		}
		wantCode(t, `{"@context": {"@version": "1.1"}}`, o, "invalid @version value", "@version must be 1.1")
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	got, err := read(`{"@id": "http://e/a", "http://e/p": [12345678901234567890, 1.5, 1E2, -0.0]}`, jsonld.Options{})
	want := []string{
		`<http://e/a> <http://e/p> "0"^^<http://www.w3.org/2001/XMLSchema#integer> .`,
		`<http://e/a> <http://e/p> "1.5E0"^^<http://www.w3.org/2001/XMLSchema#double> .`,
		`<http://e/a> <http://e/p> "100"^^<http://www.w3.org/2001/XMLSchema#integer> .`,
		`<http://e/a> <http://e/p> "12345678901234567890"^^<http://www.w3.org/2001/XMLSchema#integer> .`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("error %v, and the quads are %q", err, got)
	}
}

// Errors say where: line, column and path.
func TestErrorsHaveAPlace(t *testing.T) {
	for text, want := range map[string]string{
		// of syntax
		"":                           "1:1 $ expected a value, found the end of the text",
		"{} {}":                      "1:4 $ expected the end of the text, found '{'",
		"{":                          "1:2 $ expected the name of a member in quotes, found the end",
		"nul":                        "1:1 $ expected a value, found 'n'",
		"{\"a\":\n x}":               "2:2 $['a'] expected a value, found 'x'",
		"{\"a\":\n \"ñ\", x}":        "2:7 $ expected the name of a member",
		`{"a": [1, {"b": 01}]}`:      `1:18 $['a'][1]['b'] expected "," or "}"`,
		`{"a": [1 2]}`:               `1:10 $['a'][0] expected "," or "]"`,
		`[{}, {"a": "\x"}]`:          "1:13 $[1]['a'] a backslash must begin",
		`{"a": "\ud800"}`:            "1:8 $['a'] a backslash must begin",
		"{\"a\": \"x\ny\"}":          "1:9 $['a'] the control character U+000A",
		"{\"a\": \"x\xff\"}":         "1:9 $['a'] the text is not UTF-8",
		`{"a'b": 1.}`:                `1:11 $['a\'b'] expected a digit`,
		`{"http://e/a": 1e}`:         "1:18 $['http://e/a'] expected a digit",
		`{"@id": "u:a", "@id": "u"}`: "1:2 $['@id'] an object has two members with this name",
		`{"u:j":0,"u:i":0,"u:h":0,"u:g":0,"u:f":0,"u:e":0,"u:d":0,"u:c":0,"u:b":0,"u:a":0,"u:e":0}`: "1:42 $['u:e'] an object has two members with this name",
		`{"@context": {"b": "u:b", "a": "u:a", "b": "u:c"}}`:                                        "1:15 $['@context']['b'] an object has two members with this name",
		// of JSON-LD
		"{\"@id\": \"http://e/a\",\n  \"http://e/p\": [1, {\"@id\": 5}]}":                          "2:22 $['http://e/p'][1]['@id'] @id must be a string",
		"{\"@id\": \"http://e/a\",\n\n  \"name\": \"x\"}":                                          "3:3 $['name'] no context maps",
		"{\"@context\": [{},\n {\"a\": 5}]}":                                                       "2:3 $['@context'][1]['a'] the definition of",
		"{\"@context\": {\"@vocab\": \"http://e/\"}, \"@graph\": [{},\n {\"p\": {\"@type\": 5}}]}": "2:9 $['@graph'][1]['p']['@type'] @type must be",
		"{\"@context\":\n \"http://e/c\"}":                                                         "1:2 $['@context'] the context http://e/c is not built in",
		"[{\"@id\": \"http://e/a\"},\n\n {\"@id\": \"a b\", \"http://e/p\": 1}]":                   "3:2 $[1] \"a b\" is not an absolute IRI",
		"{\"@id\": \"http://e/a\",\n \"@reverse\": {\"http://e/p\": 5}}":                           "2:2 $['@reverse'] a reverse property",
	} {
		for _, in := range []io.Reader{strings.NewReader(text), once{strings.NewReader(text)}} {
			err := jsonld.Read(in, jsonld.Options{Strict: true}, func(rdf.Quad) error { return nil })
			var invalid *jsonld.Error
			if !errors.As(err, &invalid) {
				t.Errorf("%s: the error is %v", text, err)
				continue
			}
			if got := fmt.Sprintf("%d:%d %s %s", invalid.Line, invalid.Column, invalid.Path, invalid.Detail); !strings.HasPrefix(got, want) {
				t.Errorf("%s:\n%s, want\n%s", text, got, want)
			}
		}
	}
}

// Quads are at the place of the object that they come from.
func TestQuadsHaveAPlace(t *testing.T) {
	const text = `{"@context": {"p": "http://e/p"}, "@graph": [
	{"@id": "http://e/a", "p": {"@id": "http://e/b",
		"p": "x"}},
	{"@id": "http://e/c", "p": ["y",
		"z"]}
]}`
	r := jsonld.NewReader(strings.NewReader(text), jsonld.Options{})
	var got []string
	for {
		q, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		line, column := r.Place()
		got = append(got, fmt.Sprintf("%s %d:%d", q.O, line, column))
	}
	want := []string{`<http://e/b> 2:29`, `"x" 2:29`, `"y" 4:30`, `"z" 5:3`}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// broken fails after a text.
type broken struct{ io.Reader }

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("the disk is gone")
	}
	return n, err
}

func TestErrorsOfTheInputAreReturned(t *testing.T) {
	for _, text := range []string{"", "[", `[{"@id": "http://e/a"}`, `{"a": "`, `{"@context": {}`, `[{}, {}]`, "{}"} {
		err := jsonld.Read(broken{strings.NewReader(text)}, jsonld.Options{}, func(rdf.Quad) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
}

// 16 MiB of contexts, nested or side by side, are read or refused within 5 seconds.
func TestManyContextsTakeLinearTime(t *testing.T) {
	suite.NotShort(t)
	size := suite.Times(16, 1) << 20
	repeat := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	var terms strings.Builder
	for i := range 9_000 {
		fmt.Fprintf(&terms, `"t%d":"http://e/%d",`, i, i)
	}
	deep := 60
	nest := strings.Repeat(`{"@context":{"a":"http://e/a"},"a":`, deep) + `[{}` + repeat(`,{"a":1,"b":2}`) + `]` + strings.Repeat("}", deep)
	for name, text := range map[string]string{
		"side by side":                   `[{}` + repeat(`,{"@context":{"a":"http://e/a"},"a":1}`) + `]`,
		"below many terms":               `{"@context":{` + terms.String() + `"p":"http://e/p"},"p":[{}` + repeat(`,{"@context":{"a":"http://e/a"},"a":1}`) + `]}`,
		"in one array":                   `{"@context":[{}` + repeat(`,{"a":"http://e/a"}`) + `],"a":1}`,
		"60 deep":                        nest,
		"nested":                         strings.Repeat(`{"@context":{"a":"http://e/a"},"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		"nested, again and again":        `[{}` + repeat(","+strings.Repeat(`{"@context":{"a":"http://e/a"},"a":`, 60)+"1"+strings.Repeat("}", 60)) + `]`,
		"of null":                        `{"@context":[{}` + repeat(`,null`) + `],"a":1}`,
		"scoped contexts, nested":        strings.Repeat(`{"@context":{"a":{"@id":"http://e/a","@context":`, 200) + "{}" + strings.Repeat("}}}", 200),
		"null, in a type's context":      `{"@context":{"t":{"@id":"u:t","@context":[{}` + strings.Repeat(",null", 180_000) + `]}},"@id":"u:s","@type":["t"` + strings.Repeat(`,"t"`, size/8) + `]}`,
		"null, in a property's context":  `{"@context":{"t":{"@id":"u:t","@context":[{}` + strings.Repeat(",null", 180_000) + `]}},"@graph":[{}` + repeat(`,{"@context":{"a":null},"t":"v"},{"@context":{"b":null},"t":"v"}`) + `]}`,
		"empty, in a property's context": `{"@context":{"t":{"@id":"u:t","@context":[{}` + strings.Repeat(",{}", 300_000) + `]}},"@graph":[{}` + repeat(`,{"@context":{"a":null},"t":"v"},{"@context":{"b":null},"t":"v"}`) + `]}`,
		"bases made from a long base":    `{"@context":[{"@base":"http://e/` + strings.Repeat("x", 500_000) + `/"}` + strings.Repeat(`,{"@base":"a"}`, 35_000) + `],"@id":"a"}`,
		"a long base":                    `{"@context":{"@base":"http://e/` + strings.Repeat("x", 1_000_000) + `"},"@graph":[{}` + repeat(`,{"@id":"a"}`) + `]}`,
		"arrays, nested":                 `[{}` + strings.Repeat(`,{"u:p":`+strings.Repeat("[", 980)+"0"+strings.Repeat(",0", 15_000)+strings.Repeat("]", 980)+"}", 128) + `]`,
		"types with a scoped context":    `{"@context":{"T":{"@id":"http://e/T","@context":{"a":"http://e/a"}},"p":"http://e/p"},"p":[{}` + repeat(`,{"@type":"T","a":1}`) + `]}`,
	} {
		begin := time.Now()
		err := jsonld.Read(strings.NewReader(text), jsonld.Options{MaxDepth: 1000}, func(rdf.Quad) error { return nil })
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%s: %v (error %v)", name, took, err)
		}
		t.Logf("%s: %.1f MiB in %v, error %v", name, float64(len(text))/(1<<20), time.Since(begin), err)
	}
}

func TestContextsHaveLimits(t *testing.T) {
	deep := func(n int) string {
		return strings.Repeat(`{"@context":{"a":"http://e/a"},"a":`, n) + "1" + strings.Repeat("}", n)
	}
	if _, err := read(deep(60), jsonld.Options{}); err != nil {
		t.Error(err)
	}
	wantCode(t, deep(70), jsonld.Options{}, "context overflow", "more than 64 contexts are nested")
	wantCode(t, strings.Repeat("[", 600)+strings.Repeat("]", 600), jsonld.Options{}, "loading document failed", "nested more than 500 deep")
	var terms strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&terms, `"t%d":"http://e/%d",`, i, i)
	}
	wantCode(t, `{"@context":{`+terms.String()+`"p":"http://e/p"}}`, jsonld.Options{}, "context overflow", "more than 10000 terms")
	wantCode(t, `{"@context":{"p":"`+"http://e/"+strings.Repeat("x", 1<<20)+`"}}`, jsonld.Options{}, "context overflow", "longer than")
	wantCode(t, `{"@context":"http://e/a"}`, jsonld.Options{Context: func(iri string) ([]byte, error) {
		return []byte(`{"@context": "` + iri + `a"}`), nil
	}}, "context overflow", "")
}

// Lists, sets and plain values are read one by one, in any number. Of other values, the Reader holds 200,000.
func TestValuesThatAreHeldHaveALimit(t *testing.T) {
	doc := func(before, item, after string) string {
		return `{"@context": {"p": {"@id": "u:p", "@container": "@list"}}, "@id": "u:s", ` + before + item + strings.Repeat(","+item, 200_000) + after + `}`
	}
	for _, text := range []string{doc(`"u:p": {"@list": [`, "0", "]}"), doc(`"u:p": {"@index": "i", "@list": [`, "0", "]}"), doc(`"p": [`, "{}", "]"), doc(`"p": [[`, `"a"`, "]]"), doc(`"u:p": {"@set": [`, "0", "]}"), doc(`"u:p": [`, "0", "]")} {
		if quads, err := read(text, jsonld.Options{}); err != nil || len(quads) < 200_000 {
			t.Errorf("%.99s: %d quads, error %v", text, len(quads), err)
		}
	}
	for _, text := range []string{doc(`"@type": [`, `"u:t"`, "]"), doc(`"@included": [`, "{}", "]"), doc(`"@reverse": {"u:p": [`, "{}", "]}"), doc(`"u:p": {"@type": "@json", "@value": [`, "0", "]}")} {
		wantCode(t, text, jsonld.Options{}, "loading document failed", "more than 200000 values must be read at once")
	}
}

// Only a document that is one object with nothing but a @graph stands for the content of the graph.
func TestAGraphInASetOfTheDocumentIsNamed(t *testing.T) {
	quads, err := readQuads(`{"@set": [{"@graph": [{"@id": "u:s", "u:p": 1}]}]}`)
	if err != nil || len(quads) != 1 || !quads[0].G.IsBlank() {
		t.Errorf("%v, %v", quads, err)
	}
}

// What is in @included is read as a whole, and is the same as what is read value by value.
func TestListsAreTheSameReadAsAWhole(t *testing.T) {
	for _, value := range []string{`[]`, `[null]`, `[1, null, [2, 3], [], [[4], 5]]`, `[{"@id": "u:a", "p": [1]}, {"@list": [1, {"u:q": [2]}]}, "x"]`, `{"@list": [1, [2], {"@list": []}]}`,
		`{"@set": [1, [2], {"@set": [3, 4]}]}`, `[{"@set": [1, 2]}, {"@set": [3], "@index": "i"}]`, `{"@list": {"@id": "u:a"}}`, `{"@list": [{"@value": null}, {"@id": "u:a"}], "@index": "i"}`,
		`{"@context": {"q": "u:q"}, "@list": [{"q": 1}]}`, `{"@context": {"p": {"@id": "u:p", "@container": "@set"}}, "@set": [1, [2]]}`, `{"@context": {"u:q": {"@id": "u:q", "@container": "@list"}}, "@set": [1, 2]}`, `{"u:q": {"@list": [[[[[[[[[1], 2]]], {"p": [3]}]]]]]}}`, `[[[[[[[[1], 2]]], {"p": [3]}]]]]`, `{"@set": []}`} {
		for _, p := range []string{"p", "u:q", "set", "typed"} {
			context := `"@context": {"p": {"@id": "u:p", "@container": "@list"}, "set": {"@id": "u:set", "@container": "@set"}, "typed": {"@id": "u:p", "@container": "@list", "@type": "@id", "@context": {"@base": "u:"}}}`
			node := fmt.Sprintf(`{"@id": "u:s", %q: %s}`, p, value)
			var graphs [2][]rdf.Quad
			for i, text := range []string{`{` + context + `, "@graph": [` + node + `]}`, `{` + context + `, "@included": [` + node + `]}`} {
				quads, err := readQuads(text)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				graphs[i] = quads
			}
			if !canon.Isomorphic(graphs[0], graphs[1]) {
				t.Errorf("%s is read value by value as\n%v\nand as a whole as\n%v", node, graphs[0], graphs[1])
			}
		}
	}
}

// A large context may apply to every node, as long as it applies to the same context each
// time. If not, the work grows with the product of both, and the document is refused.
func TestTheWorkOfContextsHasALimit(t *testing.T) {
	suite.NotShort(t)
	var terms strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&terms, `"t%d":"http://e/%d",`, i, i)
	}
	large := `{` + terms.String() + `"p":"http://e/p"}`
	nodes := func(node string) string {
		var b strings.Builder
		for i := range 700 {
			fmt.Fprintf(&b, ","+node, i)
		}
		return `{"@context":{"T":{"@id":"http://e/T","@context":` + large + `}},"@graph":[{}` + b.String() + `]}`
	}
	context := func(string) ([]byte, error) { return []byte(`{"@context":` + large + `}`), nil }
	o := jsonld.Options{Context: context}
	for name, node := range map[string]string{
		"a type":                        `{"@type":"T","p":%d}`,
		"a type below the same context": `{"@context":{"a":"http://e/a"},"@type":"T","p":%d}`,
		"a context by its IRI":          `{"@context":"http://e/c","p":%d}`,
		"beside others":                 `{"@context":["http://e/c",{"n":"http://e/n%d"}],"p":1}`,
	} {
		if quads, err := read(nodes(node), o); err != nil || len(quads) < 700 {
			t.Errorf("%s: %d quads, error %v", name, len(quads), err)
		}
	}
	wantCode(t, nodes(`{"@context":{"n":"http://e/n%d"},"@type":"T"}`), o, "context overflow", "too much work")
}

// TestNamesForTypeOneAfterAnother has types whose contexts each define another name for @type, in an object of many members.
func TestNamesForTypeOneAfterAnother(t *testing.T) {
	text := func(types, members int) string {
		var context, node strings.Builder
		for i := range types {
			fmt.Fprintf(&context, `,"t%d":{"@id":"http://e/t%d","@context":{"a%02d":"@type"}}`, i, i, i+1)
			fmt.Fprintf(&node, `"a%02d":["t%d"],`, i, i)
		}
		for i := range members {
			fmt.Fprintf(&node, `"x:%d":[],`, i)
		}
		return `{"@context":{"a00":"@type"` + context.String() + `},` + node.String() + `"@id":"http://e/s"}`
	}
	if quads, err := read(text(40, 1000), jsonld.Options{}); err != nil || len(quads) != 40 {
		t.Errorf("%d types, %v", len(quads), err)
	}
	wantCode(t, text(40, 200_000), jsonld.Options{}, "context overflow", "too much work")
}

// FuzzReadJSONLD checks that no document makes Read panic, and that reading a text twice
// and once gives the same.
func FuzzReadJSONLD(f *testing.F) {
	f.Add(`{"@context": {"p": {"@id": "http://e/p", "@container": "@list"}}, "p": [1, "a", true]}`)
	f.Add(`{"@context": {"@vocab": "http://e/", "t": {"@context": {"@propagate": false}}}, "@type": "t", "@reverse": {"a": {}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		a, errA := read(text, jsonld.Options{Base: "http://b/"})
		var b []string
		errB := jsonld.Read(once{strings.NewReader(text)}, jsonld.Options{Base: "http://b/"}, func(q rdf.Quad) error {
			b = append(b, q.String())
			return nil
		})
		slices.Sort(b)
		if errA == nil && errB == nil && !slices.Equal(a, b) || (errA == nil) != (errB == nil) {
			t.Errorf("%q is read as\n%v %v\nand from a pipe as\n%v %v", text, a, errA, b, errB)
		}
	})
}

// TestAByteOrderMarkIsIgnored has one before a document, from a file and from a pipe.
func TestAByteOrderMarkIsIgnored(t *testing.T) {
	text := "\ufeff" + ` [{"@id": "http://e/a", "http://e/p": 1}]`
	for _, in := range []io.Reader{strings.NewReader(text), once{strings.NewReader(text)}} {
		n := 0
		if err := jsonld.Read(in, jsonld.Options{}, func(rdf.Quad) error { n++; return nil }); err != nil || n != 1 {
			t.Errorf("%d quads, %v", n, err)
		}
	}
}

// TestIncludedObjectsMayBeEmpty checks step 13.4.6: an object without content vanishes, and
// every other value must be a node. In an array, the standard drops values and lists before
// it looks for nodes; they are refused all the same, as other implementations do.
func TestIncludedObjectsMayBeEmpty(t *testing.T) {
	for value, good := range map[string]bool{`[{}]`: true, `[]`: true, `[{"@id": "http://e/b", "http://e/p": 2}, {}]`: true,
		`["a"]`: false, `[null]`: false, `"a"`: false, `[{"@list": []}]`: false, `[{"@value": "a"}]`: false, `{"@value": "a"}`: false} {
		text := `{"@id": "http://e/a", "http://e/p": 1, "@included": ` + value + `}`
		err := jsonld.Read(strings.NewReader(text), jsonld.Options{}, func(rdf.Quad) error { return nil })
		if (err == nil) != good {
			t.Errorf("%s: %v", value, err)
		}
	}
}
