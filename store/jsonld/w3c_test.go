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
	var m struct {
		Base     string  `json:"baseIri"`
		Sequence []entry `json:"sequence"`
	}
	text, err := os.ReadFile(filepath.Join(folder, "toRdf-manifest.jsonld"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]int{}
	for _, e := range m.Sequence {
		if why := e.leftOut(); why != "" {
			left[why]++
			continue
		}
		t.Run(strings.TrimPrefix(e.ID, "#"), func(t *testing.T) { e.run(t, folder, m.Base) })
	}
	t.Logf("toRdf: %d entries, without %v", len(m.Sequence), left)
	if len(m.Sequence) != 467 {
		t.Errorf("the manifest has %d entries, want 467", len(m.Sequence))
	}
}

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
	switch e.Option.Direction {
	case "i18n-datatype":
		o.Direction = jsonld.I18nDatatype
	case "compound-literal":
		o.Direction = jsonld.CompoundLiteral
	}
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
