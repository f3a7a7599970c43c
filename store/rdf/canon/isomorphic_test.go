package canon_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
)

// undirected is arrows with every edge in both directions.
func undirected(pairs ...[2]int) (quads []rdf.Quad) {
	for _, p := range pairs {
		quads = append(quads, arrows(p, [2]int{p[1], p[0]})...)
	}
	return quads
}

func ring(from, length int) (quads []rdf.Quad) {
	for i := range length {
		quads = append(quads, arrows([2]int{from + i, from + (i+1)%length})...)
	}
	return quads
}

// prism returns the graph of a prism over a cycle, and moebius the same with a twist.
// Both are 3-regular, so colours alone do not distinguish them.
func prism(n int) (quads []rdf.Quad) {
	for i := range n {
		j := (i + 1) % n
		quads = append(quads, undirected([2]int{i, j}, [2]int{n + i, n + j}, [2]int{i, n + i})...)
	}
	return quads
}

func moebius(n int) (quads []rdf.Quad) {
	for i := range 2 * n {
		quads = append(quads, undirected([2]int{i, (i + 1) % (2 * n)})...)
	}
	for i := range n {
		quads = append(quads, undirected([2]int{i, n + i})...)
	}
	return quads
}

func TestIsomorphicTellsApart(t *testing.T) {
	p, q := rdf.NewIRI("p"), rdf.NewIRI("q")
	for _, c := range []struct {
		name string
		a, b []rdf.Quad
	}{
		{"number of quads", arrows([2]int{1, 2}), arrows([2]int{1, 2}, [2]int{2, 1})},
		{"ground terms", []rdf.Quad{{S: p, P: p, O: p}}, []rdf.Quad{{S: p, P: p, O: q}}},
		{"blank node against IRI", []rdf.Quad{{S: blank(1), P: p, O: p}}, []rdf.Quad{{S: p, P: p, O: p}}},
		{"predicate", []rdf.Quad{{S: blank(1), P: p, O: blank(2)}}, []rdf.Quad{{S: blank(1), P: q, O: blank(2)}}},
		{"loop against edge", arrows([2]int{1, 1}, [2]int{2, 2}), arrows([2]int{1, 2}, [2]int{2, 1})},
		{"direction", arrows([2]int{0, 1}, [2]int{0, 2}), arrows([2]int{1, 0}, [2]int{2, 0})},
		{"graph name", []rdf.Quad{{S: p, P: p, O: p}}, []rdf.Quad{{S: p, P: p, O: p, G: q}}},
		{"blank graph name shared or not",
			[]rdf.Quad{{S: blank(1), P: p, O: p, G: blank(1)}, {S: blank(2), P: p, O: p, G: blank(2)}},
			[]rdf.Quad{{S: blank(1), P: p, O: p, G: blank(2)}, {S: blank(2), P: p, O: p, G: blank(1)}}},
		{"language", []rdf.Quad{{S: blank(1), P: p, O: rdf.NewLang("a", "en")}}, []rdf.Quad{{S: blank(1), P: p, O: rdf.NewLang("a", "en-GB")}}},
		{"cycle against two", ring(0, 8), append(ring(0, 4), ring(4, 4)...)},
		{"4+4 against 3+5", append(ring(0, 4), ring(4, 4)...), append(ring(0, 3), ring(3, 5)...)},
		{"K3,3 against prism", moebius(3), prism(3)},
		{"prism against moebius", prism(5), moebius(5)},
		{"two shapes, other numbers", slices.Concat(ring(0, 6), ring(6, 3), ring(9, 3)), slices.Concat(ring(0, 3), ring(3, 3), ring(6, 3), ring(9, 3))},
		{"a label used twice", arrows([2]int{0, 1}, [2]int{0, 2}), arrows([2]int{0, 1}, [2]int{3, 2})},
	} {
		t.Run(c.name, func(t *testing.T) {
			if canon.Isomorphic(c.a, c.b) || canon.Isomorphic(c.b, c.a) {
				t.Error("they are taken for the same")
			}
			r := rand.New(rand.NewPCG(7, 1))
			if !canon.Isomorphic(c.a, shuffled(r, c.a)) || !canon.Isomorphic(shuffled(r, c.b), c.b) {
				t.Error("other labels make it another dataset")
			}
		})
	}
}

func TestIsomorphicIgnoresTheCaseOfLanguageTags(t *testing.T) {
	p := rdf.NewIRI("p")
	some := func(tags ...string) (quads []rdf.Quad) {
		for _, tag := range tags {
			quads = append(quads, rdf.Quad{S: blank(1), P: p, O: rdf.NewLang("a", tag)}, rdf.Quad{S: p, P: p, O: rdf.NewLang("a", tag)})
		}
		return quads
	}
	if !canon.Isomorphic(some("en", "de"), some("DE", "EN", "en")) {
		t.Error("tags in upper case make it another dataset")
	}
}

func TestIsomorphicIgnoresRepeatedQuads(t *testing.T) {
	if !canon.Isomorphic(slices.Concat(ring(0, 3), ring(0, 3)), ring(5, 3)) {
		t.Error("repeated quads count")
	}
	if canon.Isomorphic(slices.Concat(ring(0, 3), ring(0, 3)), slices.Concat(ring(0, 3), ring(3, 3))) {
		t.Error("repeated quads are taken for other quads")
	}
}

// Small graphs are compared with the definition: some permutation maps one to the other.
func TestIsomorphicAgreesWithPermutations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	perms := permutations(5)
	var yes int
	for range 400 {
		a, b := randomGraph(r), randomGraph(r)
		if r.IntN(2) == 0 { // the same graph, sometimes with one edge moved
			b = slices.Clone(a)
			b[r.IntN(len(b))][1] = r.IntN(5)
		}
		want := slices.ContainsFunc(perms, func(perm []int) bool { return sameUnder(a, b, perm) })
		if want {
			yes++
		}
		if got := canon.Isomorphic(arrows(a...), arrows(b...)); got != want {
			t.Fatalf("%v and %v: %v, want %v", a, b, got, want)
		}
	}
	if yes < 20 || yes > 380 {
		t.Errorf("%d of 400 are isomorphic: this tests nothing", yes)
	}
}

// randomGraph returns about one edge out of and one into each of 5 nodes.
func randomGraph(r *rand.Rand) (pairs [][2]int) {
	for i, j := range r.Perm(5) {
		pairs = append(pairs, [2]int{i, j})
	}
	return append(pairs, [2]int{r.IntN(5), r.IntN(5)})
}

func sameUnder(a, b [][2]int, perm []int) bool {
	setA, setB := make(map[[2]int]bool), make(map[[2]int]bool)
	for _, p := range a {
		setA[[2]int{perm[p[0]], perm[p[1]]}] = true
	}
	for _, p := range b {
		setB[p] = true
		if !setA[p] {
			return false
		}
	}
	return len(setA) == len(setB)
}

func permutations(n int) (out [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, shorter := range permutations(n - 1) {
		for i := range n {
			out = append(out, slices.Insert(slices.Clone(shorter), i, n-1))
		}
	}
	return out
}

// Blank nodes inside triple terms are mapped too.
func TestBlankNodesInTripleTermsAreMapped(t *testing.T) {
	b, iri := rdf.NewBlank, func(s string) rdf.Term { return rdf.NewIRI("http://e/" + s) }
	term := func(s, o rdf.Term) rdf.Term { return rdf.NewTripleTerm(rdf.Triple{S: s, P: iri("p"), O: o}) }
	quads := func(os ...rdf.Term) (out []rdf.Quad) {
		for _, o := range os {
			out = append(out, rdf.Quad{S: iri("s"), P: iri("q"), O: o})
		}
		return out
	}
	for i, c := range []struct {
		a, b []rdf.Quad
		same bool
	}{
		{quads(term(b("x"), iri("o"))), quads(term(b("y"), iri("o"))), true},
		{quads(term(b("x"), iri("o"))), quads(term(iri("y"), iri("o"))), false},
		{quads(term(b("x"), b("x"))), quads(term(b("y"), b("z"))), false},
		{quads(term(b("x"), b("y"))), quads(term(b("y"), b("x"))), true},
		{quads(term(b("x"), b("y")), b("x")), quads(term(b("x"), b("y")), b("y")), false},
		{quads(term(b("x"), b("y")), b("x")), quads(term(b("1"), b("2")), b("1")), true},
		{quads(term(iri("a"), term(b("x"), rdf.NewString("_:x")))), quads(term(iri("a"), term(b("z"), rdf.NewString("_:x")))), true},
		{quads(term(iri("a"), term(b("x"), rdf.NewString("_:x")))), quads(term(iri("a"), term(b("z"), rdf.NewString("_:z")))), false},
		{quads(term(iri("a"), rdf.NewLang("_:x", "EN"))), quads(term(iri("a"), rdf.NewLang("_:x", "en"))), true},
		{quads(term(b("x"), iri("o")), term(b("y"), iri("o"))), quads(term(b("x"), iri("o"))), false},
		{quads(term(b("x"), iri("o")), term(b("x"), iri("o"))), quads(term(b("x"), iri("o"))), true},
	} {
		if got := canon.Isomorphic(c.a, c.b); got != c.same {
			t.Errorf("%d: %v", i, got)
		}
		if got := canon.Isomorphic(c.b, c.a); got != c.same {
			t.Errorf("%d the other way round: %v", i, got)
		}
	}
}
