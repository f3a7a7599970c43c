package algebra_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// translate translates a query, in which ":" stands for "x:".
func translate(t *testing.T, text string) *algebra.Query {
	t.Helper()
	parsed, err := syntax.ParseQuery("PREFIX : <x:> "+text, syntax.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	q, err := algebra.Translate(parsed, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}

// Queries and their trees (SPARQL 1.1, section 18.2).
func TestTranslate(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"basic graph pattern", "SELECT ?s { ?s :p ?o ; :q [] }", `
project ?s
  join
    triple ?s <x:p> ?o
    triple ?s <x:q> ?.2`},
		{"a filter holds for its group", "SELECT * { ?s :p ?o FILTER(?o > 1) ?s :q ?x }", `
project ?s ?o ?x
  filter >(?o, "1"^^<http://www.w3.org/2001/XMLSchema#integer>)
    join
      triple ?s <x:p> ?o
      triple ?s <x:q> ?x`},
		{"filters of an OPTIONAL are its conditions", "SELECT ?s { ?s :p ?o OPTIONAL { ?s :q ?x FILTER(?x = ?o) } }", `
project ?s
  leftjoin =(?x, ?o)
    triple ?s <x:p> ?o
    triple ?s <x:q> ?x`},
		{"a nested group joins as it is", "SELECT ?s { ?s :p ?o { ?s :q ?x FILTER(BOUND(?o)) } }", `
project ?s
  join
    triple ?s <x:p> ?o
    filter BOUND(?o)
      triple ?s <x:q> ?x`},
		{"BIND, VALUES, UNION and MINUS", "SELECT ?s { BIND(1 AS ?o) VALUES ?s { :a } { ?s :p ?o } UNION {} MINUS { ?s :q ?o } }", `
project ?s
  minus
    join
      extend ?o = "1"^^<http://www.w3.org/2001/XMLSchema#integer>
        unit
      values ?s, 1 rows
      union
        triple ?s <x:p> ?o
        unit
    triple ?s <x:q> ?o`},
		{"GRAPH has a variable of its own inside", "SELECT ?g { GRAPH ?g { ?s :p ?o } GRAPH :h { ?s :p ?o } }", `
project ?g
  join
    graph ?g
      triple ?s <x:p> ?o in ?.1
    graph <x:h>
      triple ?s <x:p> ?o in <x:h>`},
		{"paths become patterns as far as they can", "SELECT ?s { ?s (:p/^:q)|(:r*) ?o ; !(:p|^:q) ?x }", `
project ?s
  join
    union
      join
        triple ?s <x:p> ?.2
        triple ?o <x:q> ?.2
      path ?s <x:r>* ?o
    union
      path ?s !<x:p> ?x
      path ?x !<x:q> ?s`},
		{"paths that are walked", "SELECT ?s { ?s (^(:p/:q?)|!^:r)+ ?o }", `
project ?s
  path ?s (((^<x:q>)?/^<x:p>)|^!<x:r>)+ ?o`},
		{"a subquery's variables are its own", "SELECT ?s { ?s :p ?o { SELECT ?s { ?s :q ?o } LIMIT 3 } }", `
project ?s
  join
    triple ?s <x:p> ?o
    slice 0 3
      project ?s
        triple ?s <x:q> ?o`},
		{"grouping", "SELECT ?k (SUM(?v) + 1 AS ?n) { ?s :k ?k ; :v ?v } GROUP BY ?k HAVING(COUNT(*) > 1) ORDER BY DESC(?n) LIMIT 5", `
slice 0 5
  project ?k ?n
    order desc ?n
      extend ?n = +(?.4, "1"^^<http://www.w3.org/2001/XMLSchema#integer>)
        filter >(?.3, "1"^^<http://www.w3.org/2001/XMLSchema#integer>)
          group ?k ?.3 = COUNT(*), ?.4 = SUM(?v)
            join
              triple ?s <x:k> ?k
              triple ?s <x:v> ?v`},
		{"EXISTS", "ASK { ?s :p ?o FILTER(?o = 1 || NOT EXISTS { ?s :q ?o }) }", `
filter ||(=(?o, "1"^^<http://www.w3.org/2001/XMLSchema#integer>), not exists)
  exists
    triple ?s <x:q> ?o
  triple ?s <x:p> ?o`},
		{"DISTINCT, and VALUES behind the query", "SELECT DISTINCT ?s { ?s :p ?o } VALUES ?o { 1 2 }", `
distinct
  project ?s
    join
      triple ?s <x:p> ?o
      values ?o, 2 rows`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := translate(t, tt.text).String(), strings.TrimPrefix(tt.want, "\n")+"\n"; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// A variable that a subquery does not return differs from an outer one with the same
// name. After grouping, a name may be reused.
func TestScopes(t *testing.T) {
	q := translate(t, "SELECT ?s { ?s :p ?o { SELECT ?s (COUNT(?o) AS ?n) { ?s :q ?o } GROUP BY ?s } }")
	join := q.Root.(*algebra.Project).Op.(*algebra.Join)
	outside := new(algebra.Variables).May(join.Ops[0])
	group := join.Ops[1].(*algebra.Project).Op.(*algebra.Extend).Op.(*algebra.Group)
	inside := new(algebra.Variables).May(group.Op)
	if shared := inside.And(outside).Slots(); len(shared) != 1 || q.Names[shared[0]] != "s" {
		t.Errorf("the subquery shares %v with what is around it", shared)
	}
	if again := translate(t, "SELECT (COUNT(?s) AS ?s) { ?s :p ?o }"); len(again.Columns) != 1 ||
		new(algebra.Variables).May(again.Root.(*algebra.Project).Op.(*algebra.Extend).Op.(*algebra.Group).Op).Has(again.Columns[0].Slot) {
		t.Errorf("the name is not another variable after grouping:\n%s", again)
	}
}

// TakesBindings allows earlier bindings only if the result then equals that of
// joining. The earlier pattern is { ?a :p ?b }.
func TestTakesBindings(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		want    bool
	}{
		{"?a :q ?c", true},
		{"?a :q* ?c", true},
		{"{ ?a :q ?c FILTER(?c > 1) }", true},
		{"{ ?a :q ?c FILTER(?a != ?c) }", true}, // it binds ?a itself
		{"{ ?a :q ?c FILTER(?b = ?c) }", false}, // it would see ?b
		{"{ ?a :q ?c FILTER(BOUND(?b)) }", false},
		{"{ ?a :q ?c FILTER EXISTS { ?c :r ?b } }", false},
		{"{ ?a :q ?c FILTER EXISTS { ?c :r ?d } }", true},
		{"{ ?c :q ?d OPTIONAL { ?c :r ?e } }", true},
		{"{ ?c :q ?d OPTIONAL { ?c :r ?b } }", false}, // ?b would choose among the matches
		{"{ ?c :q ?b OPTIONAL { ?c :r ?b } }", true},
		{"{ ?c :q ?d OPTIONAL { ?c :r ?e FILTER(?a = ?e) } }", false},
		{"{ ?a :q ?d OPTIONAL { ?d :r ?e FILTER(?a = ?e) } }", true},
		{"{ ?a :q ?c MINUS { ?c :r ?b } }", false},
		{"{ ?a :q ?c MINUS { ?a :r ?c } }", true},
		{"{ ?c :q ?d BIND(?b AS ?e) }", false},
		{"{ ?c :q ?d BIND(?d AS ?e) }", true},
		{"{ ?c :q ?d BIND(?d AS ?b) }", true},                        // the two values are compared
		{"{ { ?a :q ?c FILTER(?b = 1) } UNION { ?a :q ?b } }", true}, // about the union alone, not its arms
		{"GRAPH ?a { ?c :q ?d }", true},
		{"{ SELECT ?a { ?a :q ?b } }", true},
		{"{ SELECT DISTINCT ?a { ?a :q ?b } }", false},
		{"{ SELECT ?a { ?a :q ?b } LIMIT 1 }", false},
		{"{ SELECT ?a { ?a :q ?b } ORDER BY ?b }", true}, // about the projection alone, not the order below it
		{"VALUES ?a { :x }", true},
	} {
		q := translate(t, "SELECT ?z { ?a :p ?b . "+tt.pattern+" }")
		join, ok := q.Root.(*algebra.Project).Op.(*algebra.Join)
		if !ok || len(join.Ops) != 2 {
			t.Fatalf("%s is no join of two:\n%s", tt.pattern, q)
		}
		if got := new(algebra.Variables).TakesBindings(join.Ops[1], new(algebra.Variables).May(join.Ops[0])); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.pattern, got, tt.want)
		}
	}
}

func TestMayAndCertain(t *testing.T) {
	for _, tt := range []struct{ pattern, may, certain string }{
		{"?a :p ?b", "a b", "a b"},
		{"?a :p ?b OPTIONAL { ?b :p ?c }", "a b c", "a b"},
		{"{ ?a :p ?b } UNION { ?a :p ?c }", "a b c", "a"},
		{"?a :p ?b MINUS { ?a :q ?c }", "a b", "a b"},
		{"VALUES (?a ?b) { (1 2) (1 UNDEF) }", "a b", "a"},
		{"BIND(1 AS ?a) BIND(?a AS ?b) BIND(?b + 1 AS ?c)", "a b c", "a b"},
		{"GRAPH ?a { ?b :p ?c }", "a b c", "a b c"},
		{"{ SELECT ?a (COUNT(?b) AS ?n) (SUM(?b) AS ?s) { ?a :p ?b } GROUP BY ?a }", "a n s", "a n"},
		{"?a :p* ?b FILTER(?c = 1)", "a b", "a b"},
		{"FILTER EXISTS { ?a :p ?b }", "", ""},
	} {
		q := translate(t, "SELECT ?z { "+tt.pattern+" }")
		op := q.Root.(*algebra.Project).Op
		names := func(s algebra.Set) string {
			var out []string
			for _, slot := range s.Slots() {
				if q.Names[slot] != "" {
					out = append(out, q.Names[slot])
				}
			}
			return strings.Join(out, " ")
		}
		// Slots are in order of first occurrence. In a subquery, SELECT comes first.
		if may, certain := names(new(algebra.Variables).May(op)), names(new(algebra.Variables).Certain(op)); !sameWords(may, tt.may) || !sameWords(certain, tt.certain) {
			t.Errorf("%s: may bind %q, certainly %q; want %q and %q", tt.pattern, may, certain, tt.may, tt.certain)
		}
	}
}

func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, w := range strings.Fields(a) {
		count[w]++
	}
	for _, w := range strings.Fields(b) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestSet(t *testing.T) {
	a, b := algebra.SetOf(1, 70, 200, algebra.NoSlot), algebra.SetOf(70, 3)
	for _, tt := range []struct {
		name string
		got  algebra.Set
		want []algebra.Slot
	}{
		{"of", a, []algebra.Slot{1, 70, 200}},
		{"or", a.Or(b), []algebra.Slot{1, 3, 70, 200}},
		{"and", a.And(b), []algebra.Slot{70}},
		{"without", a.Without(b), []algebra.Slot{1, 200}},
		{"empty", algebra.Set{}.Or(algebra.Set{}), nil},
	} {
		if got := tt.got.Slots(); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if !a.Has(70) || a.Has(71) || a.Has(algebra.NoSlot) || a.Has(100_000) {
		t.Error("Has")
	}
	if !a.And(b).In(a) || a.In(b) || !a.Meets(b) || a.Meets(algebra.SetOf(2)) || a.Empty() || !(algebra.Set{}).In(b) {
		t.Error("In, Meets or Empty")
	}
}

// The graph variable of a pattern comes from outside only up to the GRAPH that binds it.
func TestActiveGraph(t *testing.T) {
	q := translate(t, "SELECT ?g { GRAPH ?g { ?s :p ?o OPTIONAL { ?s :q ?x FILTER EXISTS { ?x :r ?y } } GRAPH :h { ?s :p ?o } } }")
	graph := q.Root.(*algebra.Project).Op.(*algebra.Graph)
	if got := algebra.ActiveGraph(graph); got != algebra.NoSlot {
		t.Errorf("outside: %v", got)
	}
	if got := algebra.ActiveGraph(graph.Op); got != graph.Active {
		t.Errorf("inside: %v, want %v", got, graph.Active)
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT * { ?s ?p ?o FILTER EXISTS { SERVICE <x:y> { ?s ?p ?o } } }": "SERVICE",
		"SELECT (<x:aggregate>(DISTINCT ?s) AS ?n) { ?s ?p ?o }":             "x:aggregate",
	} {
		parsed, err := syntax.ParseQuery(text, syntax.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := algebra.Translate(parsed, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Rewriting with the identity returns an equal tree and visits every operator once.
func TestRewriteVisitsAll(t *testing.T) {
	q := translate(t, `SELECT DISTINCT ?k (MAX(?v) AS ?n) { { ?s :k ?k } UNION { GRAPH ?g { ?s :k ?k } } OPTIONAL { ?s :v ?v FILTER EXISTS { ?v :p ?x MINUS { ?v :q 1 } } }
		BIND(?k IN (1, 2) AS ?b) VALUES ?s { :a } } GROUP BY ?k ORDER BY ?n LIMIT 2`)
	visited := 0
	again := *q
	again.Root = strategies.Rewrite(q.Root, func(op algebra.Op) algebra.Op { visited++; return op })
	if again.String() != q.String() {
		t.Errorf("got\n%s\nwant\n%s", again.String(), q)
	}
	lines := 0
	for line := range strings.Lines(q.String()) {
		if strings.TrimSpace(line) != "exists" {
			lines++
		}
	}
	if visited != lines {
		t.Errorf("%d operators of %d of\n%s", visited, lines, q)
	}
}
