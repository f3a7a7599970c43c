package algebra_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// slots is a set of slots as a map, with which a Set is compared.
type slots map[algebra.Slot]bool

func (s slots) set() algebra.Set { return algebra.SetOf(slices.Collect(maps.Keys(s))...) }

// where returns the slots of all for which in returns true.
func where(all slots, in func(algebra.Slot) bool) slots {
	out := slots{}
	for slot := range all {
		if in(slot) {
			out[slot] = true
		}
	}
	return out
}

// A Set must do what a map of slots does, whatever words its slots lie in.
func TestSetsDoWhatMapsDo(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	near := []algebra.Slot{0, 1, 62, 63, 64, 65, 127, 128, 129, 191, 192, 300, 319, 320, 1000, 4095}
	random := func() slots {
		out := slots{}
		for range rnd.IntN(5) {
			out[near[rnd.IntN(len(near))]] = true
		}
		return out
	}
	is := func(what string, got algebra.Set, want slots) {
		t.Helper()
		list := slices.Sorted(maps.Keys(want))
		if !slices.Equal(got.Slots(), list) || got.Empty() != (len(list) == 0) || got.Key() != want.set().Key() {
			t.Errorf("%s: %v, want %v", what, got.Slots(), list)
		}
		for _, slot := range append([]algebra.Slot{algebra.NoSlot, 5000}, near...) {
			if got.Has(slot) != want[slot] {
				t.Errorf("%s: it has %d: %t", what, slot, got.Has(slot))
			}
		}
		if got.Size() < (algebra.Set{}).Size() {
			t.Errorf("%s: %d bytes", what, got.Size())
		}
	}
	for range 3000 {
		a, b := random(), random()
		x, y := a.set(), b.set()
		all := maps.Clone(a)
		maps.Copy(all, b)
		is("or", x.Or(y), all)
		is("and", x.And(y), where(all, func(s algebra.Slot) bool { return a[s] && b[s] }))
		is("without", x.Without(y), where(all, func(s algebra.Slot) bool { return a[s] && !b[s] }))
		meet, in := false, true
		for slot := range a {
			meet, in = meet || b[slot], in && b[slot]
		}
		if x.Meets(y) != meet || x.In(y) != in || (x.Key() == y.Key()) != maps.Equal(a, b) {
			t.Errorf("%v and %v: meet %t, in %t, equal %t", x.Slots(), y.Slots(), x.Meets(y), x.In(y), x.Key() == y.Key())
		}
		is("left operand", x, a) // sets are immutable
		is("right operand", y, b)
		if t.Failed() {
			t.Fatalf("with %v and %v", x.Slots(), y.Slots())
		}
	}
}

// relation is a set of pairs of nodes.
type relation map[[2]int]bool

func (r relation) turned() relation {
	out := relation{}
	for p := range r {
		out[[2]int{p[1], p[0]}] = true
	}
	return out
}

func (r relation) then(s relation) relation {
	out := relation{}
	for p := range r {
		for q := range s {
			if p[1] == q[0] {
				out[[2]int{p[0], q[1]}] = true
			}
		}
	}
	return out
}

const nodes = 4

// pairs returns the pairs of nodes that a path connects (SPARQL 1.1, section 18.4), by its
// definition. links has the pairs of each property.
func pairs(s algebra.Step, links map[string]relation) relation {
	out := relation{}
	switch x := s.(type) {
	case *syntax.Link:
		return links[x.IRI]
	case *syntax.InversePath:
		return pairs(x.Path, links).turned()
	case *syntax.SequencePath:
		out = pairs(x.Paths[0], links)
		for _, step := range x.Paths[1:] {
			out = out.then(pairs(step, links))
		}
		return out
	case *syntax.AlternativePath:
		for _, step := range x.Paths {
			maps.Copy(out, pairs(step, links))
		}
	case *syntax.RepeatPath:
		once := pairs(x.Path, links)
		maps.Copy(out, once)
		for range nodes {
			if x.Many() {
				maps.Copy(out, out.then(once))
			}
		}
		for n := range nodes {
			if x.Zero() {
				out[[2]int{n, n}] = true
			}
		}
	case *syntax.NegatedSet:
		for iri, r := range links {
			if !slices.ContainsFunc(x.Links, func(l syntax.NegatedLink) bool { return l.IRI == iri }) {
				maps.Copy(out, r)
			}
		}
	}
	return out
}

// randomPath returns a path over the properties p, q and r.
func randomPath(rnd *rand.Rand, depth int) algebra.Step {
	iris := []string{"p", "q", "r"}
	some := func() (out []algebra.Step) {
		for range 1 + rnd.IntN(3) {
			out = append(out, randomPath(rnd, depth-1))
		}
		return out
	}
	kind := rnd.IntN(6)
	if depth == 0 {
		kind %= 2
	}
	switch kind {
	case 0:
		return &syntax.Link{IRI: iris[rnd.IntN(3)]}
	case 1:
		var set syntax.NegatedSet
		for _, iri := range iris[:rnd.IntN(3)] {
			set.Links = append(set.Links, syntax.NegatedLink{Link: syntax.Link{IRI: iri}})
		}
		return &set
	case 2:
		return &syntax.InversePath{Path: randomPath(rnd, depth-1)}
	case 3:
		return &syntax.SequencePath{Paths: some()}
	case 4:
		return &syntax.AlternativePath{Paths: some()}
	}
	return &syntax.RepeatPath{Path: randomPath(rnd, depth-1), Op: "*+?"[rnd.IntN(3)]}
}

func TestAReversedPathConnectsTheSameNodesTheOtherWay(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	for range 1000 {
		links := map[string]relation{}
		for _, iri := range []string{"p", "q", "r"} {
			links[iri] = relation{}
			for range rnd.IntN(4) {
				links[iri][[2]int{rnd.IntN(nodes), rnd.IntN(nodes)}] = true
			}
		}
		path := randomPath(rnd, 3)
		want := pairs(path, links).turned()
		if got := pairs(algebra.Reverse(path), links); !maps.Equal(got, want) {
			t.Fatalf("%#v: reversed it connects %v, want %v", path, got, want)
		}
		// Without any link, only a path that can be empty leads from a node to itself.
		if none := pairs(path, map[string]relation{}); algebra.CanBeEmpty(path) != none[[2]int{0, 0}] {
			t.Fatalf("%#v: can be empty: %t", path, algebra.CanBeEmpty(path))
		}
	}
}

func TestComparisonsOfAJoinOnValues(t *testing.T) {
	a, b, c := &algebra.Var{Slot: 1}, &algebra.Var{Slot: 2}, &algebra.Var{Slot: 3}
	compare := func(op syntax.Op, x, y algebra.Expr) algebra.Expr {
		return &algebra.Call{Op: op, Args: []algebra.Expr{x, y}}
	}
	for op, mirror := range map[syntax.Op]syntax.Op{
		syntax.OpLess: syntax.OpGreater, syntax.OpGreater: syntax.OpLess, syntax.OpEqual: syntax.OpEqual, syntax.OpSameTerm: syntax.OpSameTerm,
		syntax.OpLessEqual: syntax.OpGreaterEqual, syntax.OpGreaterEqual: syntax.OpLessEqual, syntax.OpNotEqual: syntax.OpNotEqual,
	} {
		e := compare(op, a, b)
		call, ok := algebra.Comparison(e)
		if ok != (op != syntax.OpNotEqual) {
			t.Errorf("%s is a comparison of a join: %t", op, ok)
		}
		if m := algebra.Mirrored(call); m.Op != mirror || !reflect.DeepEqual(m, compare(mirror, b, a)) {
			t.Errorf("%s is mirrored as %s", op, m.Op)
		}
	}
	if _, ok := algebra.Comparison(a); ok {
		t.Error("a variable is a comparison")
	}
	less, more, other := compare(syntax.OpLess, a, c), compare(syntax.OpGreaterEqual, b, c), compare(syntax.OpLessEqual, a, b)
	equal := compare(syntax.OpEqual, a, c)
	for _, x := range []struct {
		what       string
		conditions []algebra.Expr
		want       []algebra.Expr
		both       bool
	}{
		{"no condition", nil, nil, false},
		{"an equality bounds nothing", []algebra.Expr{equal}, nil, false},
		{"one bound", []algebra.Expr{equal, less}, []algebra.Expr{less}, false},
		{"both sides", []algebra.Expr{less, equal, more}, []algebra.Expr{less, more}, true},
		{"both sides are better than the first", []algebra.Expr{other, less, more}, []algebra.Expr{less, more}, true},
		{"more bounds are better", []algebra.Expr{other, less, less}, []algebra.Expr{less, less}, false},
		{"the first of equal ones", []algebra.Expr{other, less}, []algebra.Expr{other}, false},
	} {
		band, both := algebra.Band(x.conditions)
		var got []algebra.Expr
		for _, call := range band {
			got = append(got, call)
		}
		if !slices.Equal(got, x.want) || both != x.both {
			t.Errorf("%s: %v, both sides %t", x.what, got, both)
		}
	}
}
