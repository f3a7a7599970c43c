package jsonld_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// entry is a test of a JSON-LD manifest.
type entry struct {
	ID     string   `json:"@id"`
	Type   []string `json:"@type"`
	Input  string   `json:"input"`
	Expect string   `json:"expect"`
	Code   string   `json:"expectErrorCode"`
	Option struct {
		Base          string `json:"base"`
		Version       string `json:"specVersion"`
		Mode          string `json:"processingMode"`
		Generalized   bool   `json:"produceGeneralizedRdf"`
		Direction     string `json:"rdfDirection"`
		ExpandContext string `json:"expandContext"`
		NativeTypes   bool   `json:"useNativeTypes"`
		RDFType       bool   `json:"useRdfType"`
	} `json:"option"`
}

// leftOut returns why a test of the suite does not apply, or "".
func (e entry) leftOut() string {
	switch {
	case e.Option.Version == "json-ld-1.0" || e.Option.Mode == "json-ld-1.0":
		return "JSON-LD 1.0 only"
	case e.Option.Generalized:
		return "generalized RDF"
	case e.ID == "#ter56":
		return "its input is missing from the suite"
	}
	return ""
}

// TestW3CToRDF runs the W3C suite of JSON-LD to RDF: every entry of its manifest, counted.
func TestW3CToRDF(t *testing.T) {
	folder := suite.Shared(t, "w3c", "json-ld")
	m := readManifest(t, folder, "toRdf-manifest.jsonld", 467)
	left := map[string]int{}
	for _, e := range m.Sequence {
		if why := e.leftOut(); why != "" {
			left[why]++
			continue
		}
		t.Run(strings.TrimPrefix(e.ID, "#"), func(t *testing.T) { e.run(t, folder, m.Base) })
	}
	t.Logf("toRdf: %d entries, without %v", len(m.Sequence), left)
}

type testManifest struct {
	Base     string  `json:"baseIri"`
	Sequence []entry `json:"sequence"`
}

// readManifest reads a manifest and checks that it has the expected number of entries.
func readManifest(t *testing.T, folder, name string, entries int) (m testManifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil || len(m.Sequence) != entries {
		t.Fatalf("%s: error %v, %d entries, want %d", name, err, len(m.Sequence), entries)
	}
	return m
}

var directions = map[string]jsonld.Direction{"i18n-datatype": jsonld.I18nDatatype, "compound-literal": jsonld.CompoundLiteral}

func (e entry) run(t *testing.T, folder, base string) {
	file := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	o := jsonld.Options{Base: base + e.Input, Context: func(iri string) ([]byte, error) {
		name, ok := strings.CutPrefix(iri, base)
		if !ok {
			return nil, fmt.Errorf("%s is not part of the suite", iri)
		}
		return os.ReadFile(filepath.Join(folder, name))
	}}
	if e.Option.Base != "" {
		o.Base = e.Option.Base
	}
	if e.Option.ExpandContext != "" {
		o.ExpandContext = file(e.Option.ExpandContext)
	}
	o.Direction = directions[e.Option.Direction]
	var quads []rdf.Quad
	err := jsonld.Read(bytes.NewReader(file(e.Input)), o, func(q rdf.Quad) error {
		quads = append(quads, q)
		return nil
	})
	if slices.Contains(e.Type, "jld:NegativeEvaluationTest") {
		var invalid *jsonld.Error
		if !errors.As(err, &invalid) || invalid.Code != e.Code {
			t.Errorf("the error is %v, want %q", err, e.Code)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if e.Expect == "" {
		return // a test of syntax
	}
	want, err := turtle.Parse(file(e.Expect), turtle.NQuads, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !rdf.Isomorphic(quads, want) {
		t.Errorf("got\n%v\nwant\n%v", quads, want)
	}
}

// TestW3CFromRDF runs the W3C suite of RDF to JSON-LD: every entry of its manifest,
// counted.
func TestW3CFromRDF(t *testing.T) {
	folder := suite.Shared(t, "w3c", "json-ld")
	m := readManifest(t, folder, "fromRdf-manifest.jsonld", 54)
	left := map[string]int{}
	for _, e := range m.Sequence {
		if why := e.leftOut(); why != "" {
			left[why]++
			continue
		}
		t.Run(strings.TrimPrefix(e.ID, "#"), func(t *testing.T) { e.runFromRDF(t, folder) })
	}
	t.Logf("fromRdf: %d entries, without %v", len(m.Sequence), left)
}

func (e entry) runFromRDF(t *testing.T, folder string) {
	input, err := os.ReadFile(filepath.Join(folder, e.Input))
	if err != nil {
		t.Fatal(err)
	}
	quads, err := turtle.Parse(input, turtle.NQuads, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := jsonld.WriteOptions{Whole: true, NativeTypes: e.Option.NativeTypes, RDFType: e.Option.RDFType, Direction: directions[e.Option.Direction]}
	text, err := write(quads, o)
	if slices.Contains(e.Type, "jld:NegativeEvaluationTest") {
		var invalid *jsonld.Error
		if !errors.As(err, &invalid) || invalid.Code != e.Code {
			t.Errorf("the error is %v, want %q", err, e.Code)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(folder, e.Expect))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := normal(t, []byte(text)), normal(t, want); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

// write returns quads as JSON-LD.
func write(quads []rdf.Quad, o jsonld.WriteOptions) (string, error) {
	var out strings.Builder
	w := jsonld.NewWriter(&out, o)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			return "", err
		}
	}
	err := w.Close()
	return out.String(), err
}

// normal returns expanded JSON-LD in one form: arrays sorted, unless they are lists.
func normal(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	sortArrays(v, false)
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func sortArrays(v any, isList bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			sortArrays(item, false)
		}
		if !isList {
			slices.SortFunc(v, func(a, b any) int {
				x, _ := json.Marshal(a)
				y, _ := json.Marshal(b)
				return bytes.Compare(x, y)
			})
		}
	case map[string]any:
		for key, item := range v {
			if !(key == "@value" && v["@type"] == "@json") {
				sortArrays(item, key == "@list")
			}
		}
	}
}
