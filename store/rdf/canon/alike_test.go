package canon

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
)

// TestNodesThatAreTooSimilarDoNotSpoilTheOthers has eight nodes that all point to each
// other, a ring of 1,000, more such groups than all steps suffice for, and ordinary data
// beside them.
func TestNodesThatAreTooSimilarDoNotSpoilTheOthers(t *testing.T) {
	suite.NotShort(t)
	p, blank := rdf.NewIRI("http://e/p"), func(prefix string, i int) rdf.Term { return rdf.NewBlank(fmt.Sprint(prefix, i)) }
	for _, x := range []struct {
		what  string
		alike int
		add   func(name string, add func(s, o rdf.Term))
	}{
		{"a clique of 8", 8, func(name string, add func(s, o rdf.Term)) {
			for i := range 64 {
				if i/8 != i%8 {
					add(blank(name, i/8), blank(name, i%8))
				}
			}
		}},
		{"a ring of 1000", 1000, func(name string, add func(s, o rdf.Term)) {
			for i := range 1000 {
				add(blank(name, i), blank(name, (i+1)%1000))
			}
		}},
		{"200 cliques of 8", 1600, func(name string, add func(s, o rdf.Term)) {
			for i := range 200 * 64 {
				if c := i / 64 * 8; i/8%8 != i%8 {
					add(blank(name, c+i/8%8), blank(name, c+i%8))
				}
			}
		}},
	} {
		form := func(seed int64) (ordinary, similar string) {
			name := fmt.Sprint("n", seed, "x")
			var quads []rdf.Quad
			add := func(s, o rdf.Term) { quads = append(quads, rdf.Quad{S: s, P: p, O: o}) }
			x.add(name, add)
			for i := range 50 { // pairs that only their texts tell apart, and pairs that nothing does
				add(blank(name+"o", i), rdf.NewString(fmt.Sprint(i/2)))
				add(blank(name+"o", i), blank(name+"o", i^1))
			}
			rand.New(rand.NewSource(seed)).Shuffle(len(quads), func(i, j int) { quads[i], quads[j] = quads[j], quads[i] })
			labels, alike, err := LabelsOrAlike(quads, Options{Steps: 20_000})
			if err != nil || len(alike) != x.alike {
				t.Fatalf("%s: %d nodes are alike, %v", x.what, len(alike), err)
			}
			var lines []string
			for _, q := range quads {
				line := string(AppendQuad(nil, q, labels))
				if strings.Contains(line, "_: ") {
					t.Fatalf("%s: a node has no label: %s", x.what, line)
				}
				lines = append(lines, line)
			}
			return split(lines)
		}
		first, _ := form(1)
		second, _ := form(2)
		if first != second || strings.Count(first, "\n") != 100 {
			t.Errorf("%s: the ordinary lines differ:\n%s\n%s", x.what, first, second)
		}
	}
	if _, alike, err := LabelsOrAlike([]rdf.Quad{{S: blank("a", 1), P: p, O: blank("a", 2)}}, Options{}); err != nil || len(alike) > 0 {
		t.Errorf("%v, %v", alike, err)
	}
}

// split returns the sorted lines without nodes that are alike, and the others.
func split(lines []string) (ordinary, similar string) {
	var a, b []string
	for _, l := range lines {
		if strings.Contains(l, "_:alike") {
			b = append(b, l)
		} else {
			a = append(a, l)
		}
	}
	slices.Sort(a)
	slices.Sort(b)
	return strings.Join(a, ""), strings.Join(b, "")
}
