package jsonld_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
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

func TestStrictRefusesWhatWouldBeDropped(t *testing.T) {
	for text, detail := range map[string]string{
		`{"@id": "http://e/a", "name": "x"}`:                                             `no context maps the member "name" to an IRI`,
		`{"@id": "a", "http://e/p": 1}`:                                                  `"a" is not an absolute IRI`,
		`{"@id": "http://e/a", "http://e/p": {"@value": "x", "@language": "not a tag"}}`: "not a tag",
		`{"@id": "http://e/a", "_:p": 1}`:                                                "is a blank node",
	} {
		if got, err := read(text, jsonld.Options{}); err != nil || len(got) > 0 {
			t.Errorf("%s: %v, error %v", text, got, err)
		}
		wantCode(t, text, jsonld.Options{Strict: true}, "dropped data", detail)
	}
	ignored := `{"@context": {"note": null, "p": "http://e/p"}, "@id": "http://e/a", "note": "x", "p": null}`
	if got, err := read(ignored, jsonld.Options{Strict: true}); err != nil || len(got) > 0 {
		t.Errorf("what a document itself ignores: %v, error %v", got, err)
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

func TestSyntaxErrorsOfJSONHaveAPlace(t *testing.T) {
	_, err := read("{\"a\":\n x}", jsonld.Options{})
	var invalid *jsonld.Error
	if !errors.As(err, &invalid) || invalid.Offset != 8 {
		t.Errorf("the error is %#v, want one at byte 8", err)
	}
	for _, text := range []string{"", "{} {}", "{", "nul"} {
		wantCode(t, text, jsonld.Options{}, "loading document failed", "")
	}
}

// 16 MiB of contexts, nested or side by side, are read or refused within 5 seconds.
func TestManyContextsTakeLinearTime(t *testing.T) {
	size := suite.Times(16, 1) << 20
	repeat := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	var terms strings.Builder
	for i := range 9_000 {
		fmt.Fprintf(&terms, `"t%d":"http://e/%d",`, i, i)
	}
	deep := 60
	nest := strings.Repeat(`{"@context":{"a":"http://e/a"},"a":`, deep) + `[{}` + repeat(`,{"a":1,"b":2}`) + `]` + strings.Repeat("}", deep)
	for name, text := range map[string]string{
		"side by side":                `[{}` + repeat(`,{"@context":{"a":"http://e/a"},"a":1}`) + `]`,
		"below many terms":            `{"@context":{` + terms.String() + `"p":"http://e/p"},"p":[{}` + repeat(`,{"@context":{"a":"http://e/a"},"a":1}`) + `]}`,
		"in one array":                `{"@context":[{}` + repeat(`,{"a":"http://e/a"}`) + `],"a":1}`,
		"60 deep":                     nest,
		"nested":                      strings.Repeat(`{"@context":{"a":"http://e/a"},"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		"of null":                     `{"@context":[{}` + repeat(`,null`) + `],"a":1}`,
		"scoped contexts, nested":     strings.Repeat(`{"@context":{"a":{"@id":"http://e/a","@context":`, 200) + "{}" + strings.Repeat("}}}", 200),
		"types with a scoped context": `{"@context":{"T":{"@id":"http://e/T","@context":{"a":"http://e/a"}},"p":"http://e/p"},"p":[{}` + repeat(`,{"@type":"T","a":1}`) + `]}`,
	} {
		begin := time.Now()
		_, err := read(text, jsonld.Options{})
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

// FuzzReadJSONLD checks that no document makes Read panic, and that reading is
// deterministic.
func FuzzReadJSONLD(f *testing.F) {
	f.Add(`{"@context": {"p": {"@id": "http://e/p", "@container": "@list"}}, "p": [1, "a", true]}`)
	f.Add(`{"@context": {"@vocab": "http://e/", "t": {"@context": {"@propagate": false}}}, "@type": "t", "@reverse": {"a": {}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		a, errA := read(text, jsonld.Options{Base: "http://b/"})
		b, errB := read(text, jsonld.Options{Base: "http://b/"})
		if !slices.Equal(a, b) || (errA == nil) != (errB == nil) {
			t.Errorf("%q was read twice as\n%v %v\n%v %v", text, a, errA, b, errB)
		}
	})
}
