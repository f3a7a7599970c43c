package canon_test

import (
	"crypto"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// The W3C suite of RDFC-1.0: every entry of its manifest, counted.
func TestW3CCanonicalization(t *testing.T) {
	suite.NotShort(t)
	m := suite.ReadManifest(t, "w3c", "rdf-canon", "manifest.ttl")
	counts := make(map[string]int)
	for _, test := range m.Tests() {
		kind := test.Kind[strings.LastIndexAny(test.Kind, "#/")+1:]
		counts[kind]++
		one := func(p string) rdf.Term { return m.One(test.Node, p) }
		t.Run(strings.TrimPrefix(test.Node.Value(), test.Base), func(t *testing.T) {
			quads := read(t, m.Path(one(suite.ManifestNS+"action")))
			var o canon.Options
			if one("https://w3c.github.io/rdf-canon/tests/vocab#hashAlgorithm").Value() == "SHA384" {
				o.Hash = crypto.SHA384
			}
			switch kind {
			case "RDFC10EvalTest":
				got, err := canon.NQuads(quads, o)
				want := readFile(t, m.Path(one(suite.ManifestNS+"result")))
				if err != nil || string(got) != string(want) {
					t.Errorf("error %v, and the canonical form is\n%swant\n%s", err, got, want)
				}
			case "RDFC10MapTest":
				got, err := canon.Labels(quads, o)
				var want map[string]string
				if err := json.Unmarshal(readFile(t, m.Path(one(suite.ManifestNS+"result"))), &want); err != nil {
					t.Fatal(err)
				}
				if err != nil || !maps.Equal(got, want) {
					t.Errorf("error %v, and the labels are %v, want %v", err, got, want)
				}
			case "RDFC10NegativeEvalTest":
				if got, err := canon.NQuads(quads, o); !errors.Is(err, canon.ErrSteps) {
					t.Errorf("the error is %v and the canonical form %q, want ErrSteps", err, got)
				}
			default:
				t.Errorf("unknown kind of test %q", kind)
			}
		})
	}
	t.Log("RDFC-1.0:", counts)
	if want := map[string]int{"RDFC10EvalTest": 64, "RDFC10MapTest": 21, "RDFC10NegativeEvalTest": 1}; !maps.Equal(counts, want) {
		t.Errorf("the manifest has %v, want %v", counts, want)
	}
}

func readFile(t testing.TB, path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t testing.TB, path string) []rdf.Quad {
	quads, err := turtle.Parse(readFile(t, path), turtle.NQuads, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return quads
}
