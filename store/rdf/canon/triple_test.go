package canon_test

import (
	"os"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// The W3C suites of canonical N-Triples and N-Quads of RDF 1.2, which keep labels.
func TestW3CCanonicalLines(t *testing.T) {
	for folder, f := range map[string]turtle.Format{"rdf-n-triples": turtle.NTriples, "rdf-n-quads": turtle.NQuads} {
		m := suite.ReadManifest(t, "w3c", "rdf", "rdf12", folder, "c14n", "manifest.ttl")
		n := 0
		for _, test := range m.Tests() {
			n++
			text, err := os.ReadFile(m.Path(m.One(test.Node, suite.ManifestNS+"action")))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(m.Path(m.One(test.Node, suite.ManifestNS+"result")))
			if err != nil {
				t.Fatal(err)
			}
			quads, err := turtle.Parse(text, f, turtle.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			for _, q := range quads {
				got = canon.AppendQuad(got, q, map[string]string{"o1": "o1"})
			}
			if string(got) != string(want) {
				t.Errorf("%s: %s is\n%s\nwant\n%s", folder, test.Name, got, want)
			}
		}
		t.Logf("%s: %d entries", folder, n)
		if n != 41 {
			t.Errorf("%s has %d entries, want 41", folder, n)
		}
	}
}

// Blank nodes in triple terms get canonical labels.
func TestBlankNodesInTripleTermsGetLabels(t *testing.T) {
	form := func(text string) string {
		quads, err := turtle.Parse([]byte("PREFIX : <http://e/> "+text), turtle.TriG, turtle.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := canon.NQuads(quads, canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := turtle.Parse(out, turtle.NQuads, turtle.Options{}); err != nil || !canon.Isomorphic(again, quads) {
			t.Errorf("%s has the form\n%s, %v", text, out, err)
		}
		return string(out)
	}
	for _, same := range [][2]string{
		{":s :p <<( _:a :q _:b )>> , _:a .", ":s :p _:b , <<( _:b :q _:x )>> ."},
		{":s :p :o ~ _:r {| :by <<( _:r :q 1 )>> |} .", ":s :p :o ~ _:z {| :by <<( _:z :q 1 )>> |} ."},
		{":s :p <<( _:a :q <<( _:b :q _:a )>> )>> .", ":s :p <<( _:b :q <<( _:a :q _:b )>> )>> ."},
	} {
		if a, b := form(same[0]), form(same[1]); a != b {
			t.Errorf("%s and %s differ:\n%s\n%s", same[0], same[1], a, b)
		}
	}
	if a, b := form(":s :p <<( _:a :q _:b )>> ."), form(":s :p <<( _:a :q _:a )>> ."); a == b {
		t.Errorf("both are %s", a)
	}
}
