package rdf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// edges returns a graph of blank nodes, with edges between pairs of numbers.
func edges(pairs ...[2]int) (quads []Quad) {
	for _, p := range pairs {
		quads = append(quads, Quad{S: node(p[0]), P: NewIRI("p"), O: node(p[1])})
	}
	return quads
}

// undirected is edges with every edge in both directions.
func undirected(pairs ...[2]int) (quads []Quad) {
	for _, p := range pairs {
		quads = append(quads, edges(p, [2]int{p[1], p[0]})...)
	}
	return quads
}

func node(i int) Term { return NewBlank(fmt.Sprint("n", i)) }

func cycle(from, length int) (quads []Quad) {
	for i := range length {
		quads = append(quads, edges([2]int{from + i, from + (i+1)%length})...)
	}
	return quads
}

func complete(from, size int) (quads []Quad) {
	for i := range size {
		for j := range size {
			if i != j {
				quads = append(quads, edges([2]int{from + i, from + j})...)
			}
		}
	}
	return quads
}

// relabelled returns the same dataset with other labels, in another order.
func relabelled(quads []Quad, seed uint64) []Quad {
	r := rand.New(rand.NewPCG(seed, 1))
	labels := make(map[Term]Term)
	var blanks []Term
	for _, q := range quads {
		for _, t := range q.terms() {
			if _, ok := labels[t]; t.IsBlank() && !ok {
				labels[t] = Term{}
				blanks = append(blanks, t)
			}
		}
	}
	for i, n := range r.Perm(len(blanks)) {
		labels[blanks[i]] = NewBlank(fmt.Sprint("m", n))
	}
	out := make([]Quad, len(quads))
	for i, q := range quads {
		terms := q.terms()
		for j, t := range terms {
			if t.IsBlank() {
				terms[j] = labels[t]
			}
		}
		out[i] = Quad{terms[0], terms[1], terms[2], terms[3]}
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// prism returns the graph of a prism over a cycle, and moebius the same with a twist.
// Both are 3-regular, so colours alone do not distinguish them.
func prism(n int) (quads []Quad) {
	for i := range n {
		j := (i + 1) % n
		quads = append(quads, undirected([2]int{i, j}, [2]int{n + i, n + j}, [2]int{i, n + i})...)
	}
	return quads
}

func moebius(n int) (quads []Quad) {
	for i := range 2 * n {
		quads = append(quads, undirected([2]int{i, (i + 1) % (2 * n)})...)
	}
	for i := range n {
		quads = append(quads, undirected([2]int{i, n + i})...)
	}
	return quads
}

// rook and shrikhande are the two strongly regular graphs with parameters (16,6,2,2).
func rook() (quads []Quad) {
	for a := range 16 {
		for b := range 16 {
			if a != b && (a/4 == b/4 || a%4 == b%4) {
				quads = append(quads, edges([2]int{a, b})...)
			}
		}
	}
	return quads
}

func shrikhande() (quads []Quad) {
	for a := range 16 {
		for _, d := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {0, 3}, {3, 0}, {3, 3}} {
			quads = append(quads, edges([2]int{a, (a/4+d[0])%4*4 + (a+d[1])%4})...)
		}
	}
	return quads
}

// rungs returns a ladder whose levels of two nodes are completely connected. Each level
// can be swapped independently.
func rungs(n int) (quads []Quad) {
	for i := range n {
		for _, p := range [][2]int{{0, 2}, {0, 3}, {1, 2}, {1, 3}} {
			quads = append(quads, edges([2]int{2*i + p[0], 2*i + p[1]})...)
		}
	}
	return quads
}

func list(length int, item func(i int) Term) (quads []Quad) {
	for i := range length {
		next := node(i + 1)
		if i == length-1 {
			next = NewIRI(RDFNil)
		}
		quads = append(quads, Quad{S: node(i), P: NewIRI(RDFFirst), O: item(i)}, Quad{S: node(i), P: NewIRI(RDFRest), O: next})
	}
	return quads
}

func TestIsomorphicFindsMapping(t *testing.T) {
	star := func(leaves int) (quads []Quad) {
		for i := range leaves {
			quads = append(quads, edges([2]int{0, i + 1})...)
		}
		return quads
	}
	var separate []Quad
	for i := range 5_000 {
		separate = append(separate, Quad{S: node(i), P: NewIRI("p"), O: NewString("same")})
	}
	var graphs []Quad
	for i := range 5 {
		graphs = append(graphs, Quad{S: node(i), P: NewIRI("p"), O: node((i + 1) % 5), G: node((i + 2) % 5)})
	}
	var mixed []Quad
	for i := range 300 {
		shape := cycle(i*6, 6)
		if i%2 == 0 {
			shape = append(cycle(i*6, 3), cycle(i*6+3, 3)...)
			shape = append(shape, undirected([2]int{i * 6, i*6 + 3})...)
		}
		mixed = append(mixed, shape...)
	}
	for name, quads := range map[string][]Quad{
		"empty":                nil,
		"ground":               {{NewIRI("s"), NewIRI("p"), NewLang("o", "en"), Term{}}},
		"one node":             edges([2]int{1, 1}),
		"cycle":                cycle(0, 1000),
		"two cycles":           append(cycle(0, 100), cycle(100, 100)...),
		"three K4":             slices.Concat(complete(0, 4), complete(4, 4), complete(8, 4)),
		"K30":                  complete(0, 30),
		"prism":                prism(20),
		"moebius":              moebius(20),
		"rook":                 rook(),
		"shrikhande":           shrikhande(),
		"star":                 star(5_000),
		"rungs":                rungs(200),
		"separate":             separate,
		"blank graph names":    graphs,
		"mixed parts":          mixed,
		"list of equal items":  list(5_000, func(int) Term { return NewString("x") }),
		"list of blank items":  list(5_000, func(i int) Term { return node(1_000_000 + i) }),
		"list of other items":  list(5_000, func(i int) Term { return NewString(fmt.Sprint(i)) }),
		"node as s, o and g":   {{node(0), NewIRI("p"), node(0), node(0)}, {node(0), NewIRI("p"), node(1), node(0)}},
		"blank node predicate": {{node(0), node(1), node(2), Term{}}, {node(1), NewIRI("p"), node(0), Term{}}},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(2) {
				same, err := IsomorphicWithin(quads, relabelled(quads, seed), 100_000_000)
				if !same || err != nil {
					t.Fatalf("seed %d: %v, %v", seed, same, err)
				}
			}
		})
	}
}

func TestIsomorphicTellsApart(t *testing.T) {
	p, q := NewIRI("p"), NewIRI("q")
	for _, c := range []struct {
		name string
		a, b []Quad
	}{
		{"number of quads", edges([2]int{1, 2}), edges([2]int{1, 2}, [2]int{2, 1})},
		{"ground terms", []Quad{{p, p, p, Term{}}}, []Quad{{p, p, q, Term{}}}},
		{"blank node against IRI", []Quad{{node(1), p, p, Term{}}}, []Quad{{p, p, p, Term{}}}},
		{"predicate", []Quad{{node(1), p, node(2), Term{}}}, []Quad{{node(1), q, node(2), Term{}}}},
		{"loop against edge", edges([2]int{1, 1}, [2]int{2, 2}), edges([2]int{1, 2}, [2]int{2, 1})},
		{"direction", edges([2]int{0, 1}, [2]int{0, 2}), edges([2]int{1, 0}, [2]int{2, 0})},
		{"graph name", []Quad{{p, p, p, Term{}}}, []Quad{{p, p, p, q}}},
		{"blank graph name shared or not",
			[]Quad{{node(1), p, p, node(1)}, {node(2), p, p, node(2)}},
			[]Quad{{node(1), p, p, node(2)}, {node(2), p, p, node(1)}}},
		{"language", []Quad{{node(1), p, NewLang("a", "en"), Term{}}}, []Quad{{node(1), p, NewLang("a", "en-GB"), Term{}}}},
		{"cycle against two", cycle(0, 8), append(cycle(0, 4), cycle(4, 4)...)},
		{"4+4 against 3+5", append(cycle(0, 4), cycle(4, 4)...), append(cycle(0, 3), cycle(3, 5)...)},
		{"K3,3 against prism", moebius(3), prism(3)},
		{"prism against moebius", prism(20), moebius(20)},
		{"strongly regular", rook(), shrikhande()},
		{"two shapes, other numbers", slices.Concat(cycle(0, 6), cycle(6, 3), cycle(9, 3)), slices.Concat(cycle(0, 3), cycle(3, 3), cycle(6, 3), cycle(9, 3))},
		{"a label used twice", edges([2]int{0, 1}, [2]int{0, 2}), edges([2]int{0, 1}, [2]int{3, 2})},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, pair := range [][2][]Quad{{c.a, c.b}, {c.b, c.a}, {relabelled(c.a, 7), c.b}} {
				same, err := IsomorphicWithin(pair[0], pair[1], 50_000_000)
				if same || err != nil {
					t.Fatalf("%v, %v", same, err)
				}
			}
		})
	}
}

func TestIsomorphicIgnoresTheCaseOfLanguageTags(t *testing.T) {
	p := NewIRI("p")
	some := func(tags ...string) (quads []Quad) {
		for _, tag := range tags {
			quads = append(quads, Quad{S: node(1), P: p, O: NewLang("a", tag)}, Quad{S: p, P: p, O: NewLang("a", tag)})
		}
		return quads
	}
	if !Isomorphic(some("en", "de"), some("DE", "EN", "en")) {
		t.Error("tags in upper case make it another dataset")
	}
}

func TestIsomorphicIgnoresRepeatedQuads(t *testing.T) {
	if !Isomorphic(slices.Concat(cycle(0, 3), cycle(0, 3)), cycle(5, 3)) {
		t.Error("repeated quads count")
	}
	if Isomorphic(slices.Concat(cycle(0, 3), cycle(0, 3)), slices.Concat(cycle(0, 3), cycle(3, 3))) {
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
		if got := Isomorphic(edges(a...), edges(b...)); got != want {
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

func TestIsomorphicWithinGivesUp(t *testing.T) {
	a := complete(0, 40)
	same, err := IsomorphicWithin(a, relabelled(a, 1), 10_000)
	if same || !errors.Is(err, ErrWorkLimit) {
		t.Errorf("%v, %v", same, err)
	}
	same, err = IsomorphicWithin(a, relabelled(a, 1), 10_000_000)
	if !same || err != nil {
		t.Errorf("with more steps: %v, %v", same, err)
	}
}

// Blank nodes inside triple terms are mapped too.
func TestBlankNodesInTripleTermsAreMapped(t *testing.T) {
	b, iri := NewBlank, func(s string) Term { return NewIRI("http://e/" + s) }
	term := func(s, o Term) Term { return NewTripleTerm(Triple{S: s, P: iri("p"), O: o}) }
	quads := func(os ...Term) (out []Quad) {
		for _, o := range os {
			out = append(out, Quad{S: iri("s"), P: iri("q"), O: o})
		}
		return out
	}
	for i, c := range []struct {
		a, b []Quad
		same bool
	}{
		{quads(term(b("x"), iri("o"))), quads(term(b("y"), iri("o"))), true},
		{quads(term(b("x"), iri("o"))), quads(term(iri("y"), iri("o"))), false},
		{quads(term(b("x"), b("x"))), quads(term(b("y"), b("z"))), false},
		{quads(term(b("x"), b("y"))), quads(term(b("y"), b("x"))), true},
		{quads(term(b("x"), b("y")), b("x")), quads(term(b("x"), b("y")), b("y")), false},
		{quads(term(b("x"), b("y")), b("x")), quads(term(b("1"), b("2")), b("1")), true},
		{quads(term(iri("a"), term(b("x"), NewString("_:x")))), quads(term(iri("a"), term(b("z"), NewString("_:x")))), true},
		{quads(term(iri("a"), term(b("x"), NewString("_:x")))), quads(term(iri("a"), term(b("z"), NewString("_:z")))), false},
		{quads(term(iri("a"), NewLang("_:x", "EN"))), quads(term(iri("a"), NewLang("_:x", "en"))), true},
		{quads(term(b("x"), iri("o")), term(b("y"), iri("o"))), quads(term(b("x"), iri("o"))), false},
		{quads(term(b("x"), iri("o")), term(b("x"), iri("o"))), quads(term(b("x"), iri("o"))), true},
	} {
		if got := Isomorphic(c.a, c.b); got != c.same {
			t.Errorf("%d: %v", i, got)
		}
		if got := Isomorphic(c.b, c.a); got != c.same {
			t.Errorf("%d the other way round: %v", i, got)
		}
	}
}
