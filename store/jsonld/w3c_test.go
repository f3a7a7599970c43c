package jsonld_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
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
	case e.Option.Generalized:
		return "generalized RDF"
	case e.Option.Version == "json-ld-1.0" || e.Option.Mode == "json-ld-1.0":
		return "JSON-LD 1.0 only"
	}
	return ""
}

// notOffered returns which option of a test of reading is not offered, and why, or "".
func (e entry) notOffered() string {
	switch {
	case e.Option.ExpandContext != "":
		return "expandContext: a document says which contexts it uses"
	case e.Option.Direction != "":
		return "rdfDirection: a string with a direction is a literal of RDF 1.2"
	}
	return e.leftOut()
}

// input returns the path of the input. The manifest names the input of #ter56 by its
// path in the expansion suite, which is not here.
func (e entry) input() string {
	return strings.Replace(e.Input, "expand/", "toRdf/", 1)
}

// runAll runs the entries that apply. It logs their number, and for each other entry
// why it is left out.
func (m testManifest) runAll(t *testing.T, leftOut func(entry) string, run func(t *testing.T, e entry)) {
	left := map[string][]string{}
	passed := 0
	for _, e := range m.Sequence {
		name := strings.TrimPrefix(e.ID, "#")
		if why := leftOut(e); why != "" {
			left[why] = append(left[why], name)
		} else if t.Run(name, func(t *testing.T) { run(t, e) }) {
			passed++
		}
	}
	t.Logf("%d of %d entries passed", passed, len(m.Sequence))
	for _, why := range slices.Sorted(maps.Keys(left)) {
		t.Logf("%d left out (%s): %s", len(left[why]), why, strings.Join(left[why], " "))
	}
}

// TestW3CToRDF runs the W3C suite of JSON-LD to RDF: every entry of its manifest, counted.
func TestW3CToRDF(t *testing.T) {
	folder := suite.Shared(t, "w3c", "json-ld")
	m := readManifest(t, folder, "toRdf-manifest.jsonld", 467)
	m.runAll(t, entry.notOffered, func(t *testing.T, e entry) { e.run(t, folder, m.Base) })
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

func (e entry) run(t *testing.T, folder, base string) {
	file := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	o := jsonld.Options{Base: base + e.input(), Context: func(iri string) ([]byte, error) {
		name, ok := strings.CutPrefix(iri, base)
		if !ok {
			return nil, fmt.Errorf("%s is not part of the suite", iri)
		}
		return os.ReadFile(filepath.Join(folder, name))
	}}
	if e.Option.Base != "" {
		o.Base = e.Option.Base
	}
	var quads []rdf.Quad
	err := jsonld.Read(bytes.NewReader(file(e.input())), o, func(q rdf.Quad) error {
		if q.O.Direction() != "" {
			q.O = rdf.NewLang(q.O.Value(), q.O.Language()) // as in RDF 1.1
		}
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
	if !canon.Isomorphic(quads, want) {
		t.Errorf("got\n%v\nwant\n%v", quads, want)
	}
}

// TestW3CFromRDF writes the graphs of the W3C suite of RDF to JSON-LD, and reads them back:
// every entry of its manifest, counted. A Writer streams, so it does not write what the
// suite expects: lists as @list, all that is said of a node in one object, and native
// numbers.
func TestW3CFromRDF(t *testing.T) {
	folder := suite.Shared(t, "w3c", "json-ld")
	m := readManifest(t, folder, "fromRdf-manifest.jsonld", 54)
	m.runAll(t, entry.leftOut, func(t *testing.T, e entry) { e.runFromRDF(t, folder) })
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
	text, err := write(quads)
	if err != nil {
		t.Fatal(err)
	}
	back, err := readQuads(text)
	if err != nil || !canon.Isomorphic(back, quads) {
		t.Errorf("%v\n%v\nis written as\n%s\nand read as\n%v", err, quads, text, back)
	}
}

// write returns quads as JSON-LD.
func write(quads []rdf.Quad) (string, error) {
	var out strings.Builder
	w := jsonld.NewWriter(&out)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			return "", err
		}
	}
	err := w.Close()
	return out.String(), err
}
