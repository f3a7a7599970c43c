package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/plan"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// counts is Statistics by predicate. :big has a million triples, with a million subjects
// and two objects. :mid has a thousand triples and :few ten, each with as many subjects
// and objects. Objects have equal numbers of triples.
type counts struct{ err error }

func (c counts) Count(_ algebra.Node, s, p, o rdf.Term) (int64, error) {
	n := map[string]int64{"x:big": 1_000_000, "x:mid": 1000, "x:few": 10, "": 2_000_000}[p.Value()]
	subjects, objects, _ := c.Distinct(algebra.DefaultGraph, p)
	if !s.IsZero() {
		n = int64(float64(n) / subjects)
	}
	if !o.IsZero() {
		n = int64(float64(n) / objects)
	}
	return n, c.err
}

// Within returns a hundredth of the triples, for any bounds.
func (c counts) Within(g algebra.Node, p rdf.Term, _ []algebra.Bound) (int64, error) {
	n, err := c.Count(g, rdf.Term{}, p, rdf.Term{})
	return n / 100, err
}

// Unordered returns 0 for :mid: an index has its objects in value order. For other
// predicates, it has none.
func (c counts) Unordered(g algebra.Node, p rdf.Term, _ []algebra.Bound) (int64, error) {
	if p.Value() == "x:mid" {
		return 0, c.err
	}
	return c.Count(g, rdf.Term{}, p, rdf.Term{})
}

// TripleTerms returns a hundredth of a million triple terms, for any constant part.
func (c counts) TripleTerms(s, p, o rdf.Term) (algebra.TripleTermCounts, error) {
	out := algebra.TripleTermCounts{Count: 1_000_000, All: 1_000_000, Per: [3]float64{10, 10_000, 1}}
	for _, part := range []rdf.Term{s, p, o} {
		if !part.IsZero() {
			out.Count /= 100
		}
	}
	return out, c.err
}

// OnlyNodes returns false: some objects may be literals.
func (c counts) OnlyNodes(algebra.Node, rdf.Term) (bool, error) { return false, c.err }

func (c counts) Distinct(_ algebra.Node, p rdf.Term) (subjects, objects float64, err error) {
	switch p.Value() {
	case "x:big":
		return 1_000_000, 2, c.err
	case "x:mid":
		return 1000, 1000, c.err
	case "x:few":
		return 10, 10, c.err
	}
	return 1_000_000, 1_000_000, c.err
}

// TestPlans compares the plans of queries with expected plans. Each row shows one
// rule. The one table makes the file long.
// planTest is a query and the plan it gets.
type planTest struct{ name, text, want string }

// checkPlans plans queries for the statistics of counts.
func checkPlans(t *testing.T, tests []planTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			planned, err := plan.Query(translate(t, tt.text), counts{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(strings.TrimPrefix(tt.want, "\n"), `"x:x"`, "<x:x>") + "\n"
			if got := planned.String(); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestPlans(t *testing.T) {
	checkPlans(t, []planTest{
		{"the smallest pattern comes first, and then what is connected", "SELECT ?a { ?a :big ?b . ?c :mid ?a . ?d :few ?c }", `
project ?a
  join
    triple ?d <x:few> ?c
    triple ?c <x:mid> ?a
    triple ?a <x:big> ?b`},
		{"DISTINCT is dropped where no two solutions of a group can be equal", "SELECT ?c (COUNT(DISTINCT ?a) AS ?n) (COUNT(DISTINCT *) AS ?m) { GRAPH :g { ?a :big ?c } FILTER(?a != :x) } GROUP BY ?c", `
project ?c ?n ?m
  extend ?n = ?.2, ?m = ?.4
    group ?c ?.2 = COUNT(?a), ?.4 = COUNT(*)
      graph <x:g>
        filter !=(?a, <x:x>)
          triple ?a <x:big> ?c in <x:g>`},
		{"DISTINCT stays where another variable or graph tells solutions apart", "SELECT ?c (COUNT(DISTINCT ?a) AS ?n) (MIN(DISTINCT ?d) AS ?m) { GRAPH ?g { ?a :mid ?c } ?c :mid ?d . ?d :mid ?g } GROUP BY ?c ?d", `
project ?c ?n ?m
  extend ?n = ?.5, ?m = ?.7
    group ?c ?d ?.5 = COUNT(distinct ?a), ?.7 = MIN(?d)
      join
        graph ?g
          triple ?a <x:mid> ?c in ?.1
        triple ?c <x:mid> ?d, full scan
        triple ?d <x:mid> ?g, full scan`},
		{"what is not connected comes last, though it is small", "SELECT ?a { ?a :big :x . ?a :mid ?b . ?z :few ?y . ?z :mid ?w }", `
project ?a
  join
    triple ?a <x:mid> ?b
    triple ?a <x:big> "x:x"
    triple ?z <x:few> ?y
    triple ?z <x:mid> ?w, full scan`},
		{"what is not connected comes first, if that makes the rest much smaller", "SELECT DISTINCT ?a { ?a :mid ?b { ?x :few ?y . ?y :mid ?a } UNION { ?x :few ?a } :x :few :y }", `
distinct
  project ?a
    join
      reduce ?a
        join
          triple <x:x> <x:few> <x:y>
          union
            join
              reduce ?b ?y
                triple ?x <x:few> ?y
              triple ?y <x:mid> ?a
            triple ?x <x:few> ?a
      triple ?a <x:mid> ?b`},
		{"VALUES comes where it makes no more rows than needed", "SELECT ?a { VALUES ?x { :v1 :v2 } VALUES ?y { :v3 :v4 :v5 } ?a :few ?x . ?a :mid ?y }", `
project ?a
  join
    values ?x, 2 rows
    triple ?a <x:few> ?x
    triple ?a <x:mid> ?y
    values ?y, 3 rows`},
		{"what is evaluated by itself waits for what matches nothing", "SELECT ?a { { SELECT ?a { ?a :mid ?b . ?c :mid ?d } LIMIT 3 } ?a :big ?e . :x :none ?e }", `
project ?a
  join
    triple <x:x> <x:none> ?e
    slice 0 3
      project ?a
        join
          triple ?a <x:mid> ?b
          triple ?c <x:mid> ?d
    triple ?a <x:big> ?e`},
		{"few nodes lead to themselves", "SELECT ?a { ?a :few ?b . ?c :mid ?c }", `
project ?a
  join
    triple ?c <x:mid> ?c
    triple ?a <x:few> ?b`},
		{"where a few rows are wanted, there is no full scan", "SELECT ?a { ?a :mid ?b . ?b :few ?c } LIMIT 5", `
slice 0 5
  project ?a
    join
      triple ?b <x:few> ?c
      triple ?a <x:mid> ?b`},
		{"triple terms with a constant part are read for many rows", "SELECT ?a { ?a :big <<( ?s :p ?o )>> FILTER(?a != :x) }", `
project ?a
  join
    filter !=(?a, <x:x>)
      triple ?a <x:big> ?.1
    term ?.1 = <<( ?s <x:p> ?o )>>, full scan`},
		{"and not for few", "SELECT ?a { ?a :few <<( ?s :p ?o )>> }", `
project ?a
  join
    triple ?a <x:few> ?.1
    term ?.1 = <<( ?s <x:p> ?o )>>`},
		{"a filter comes behind what binds its last variable", "SELECT ?a { ?d :few ?c . ?c :mid ?a . ?a :big ?b FILTER(?c != ?d && ?b != ?a) }", `
project ?a
  filter !=(?b, ?a)
    join
      filter !=(?c, ?d)
        triple ?d <x:few> ?c
      triple ?c <x:mid> ?a
      triple ?a <x:big> ?b`},
		{"a filter on the object of a pattern makes it small", "SELECT ?a { ?a :mid ?b . ?a :big ?c . ?d :mid ?c FILTER(?b != ?c && 3 <= ?b && ?b < 7) }", `
project ?a
  join
    filter !=(?b, ?c)
      join
        triple ?a <x:mid> ?b, ?b >= "3"^^<http://www.w3.org/2001/XMLSchema#integer>, ?b < "7"^^<http://www.w3.org/2001/XMLSchema#integer>
        triple ?a <x:big> ?c
    triple ?d <x:mid> ?c`},
		{"one pattern alone keeps it", "SELECT ?a { ?a :mid ?b . ?a :few ?b FILTER(?b = :x) }", `
project ?a
  join
    triple ?a <x:few> ?b, ?b = "x:x"
    triple ?a <x:mid> ?b`},
		{"a filter on what no index knows stays", "SELECT ?a { ?a :mid ?b FILTER(?b < 'x' && ?b = true && ?a = 5) }", `
project ?a
  filter <(?b, "x"), =(?b, "true"^^<http://www.w3.org/2001/XMLSchema#boolean>), =(?a, "5"^^<http://www.w3.org/2001/XMLSchema#integer>)
    triple ?a <x:mid> ?b`},
		{"an IRI is excluded from what an index returns, and nothing else is", "SELECT ?a { ?a :few ?b FILTER(:x != ?b) FILTER(?b != 1) FILTER(?a != :y) }", `
project ?a
  filter !=(?b, "1"^^<http://www.w3.org/2001/XMLSchema#integer>), !=(?a, <x:y>)
    triple ?a <x:few> ?b, ?b != <x:x>`},
		{"a filter goes into every arm of a UNION", "SELECT ?a { { ?a :mid ?b } UNION { ?a :few ?b } FILTER(?a != ?b) }", `
project ?a
  union
    filter !=(?a, ?b)
      triple ?a <x:mid> ?b
    filter !=(?a, ?b)
      triple ?a <x:few> ?b`},
		{"OPTIONAL waits for the patterns behind it", "SELECT ?a { ?a :mid ?b OPTIONAL { ?b :few ?c } ?a :few ?e }", `
project ?a
  leftjoin
    join
      triple ?a <x:few> ?e
      triple ?a <x:mid> ?b
    triple ?b <x:few> ?c`},
		{"OPTIONAL does not wait for a pattern that its variable meets", "SELECT ?a { ?a :mid ?b OPTIONAL { ?b :few ?c } ?c :big ?e }", `
project ?a
  join
    leftjoin
      triple ?a <x:mid> ?b
      triple ?b <x:few> ?c, full scan
    triple ?c <x:big> ?e`},
		{"ORDER BY learns of LIMIT", "SELECT ?a { ?a :few ?b } ORDER BY ?b LIMIT 5 OFFSET 2", `
slice 2 5
  project ?a
    order ?b, the first 7
      triple ?a <x:few> ?b`},
		{"the first of many are walked to", "SELECT ?a { ?a :mid ?b . ?a :big :x } ORDER BY DESC(?b) ?a LIMIT 5", `
slice 0 5
  project ?a
    order desc ?b, ?a, the first 5, by a walk, or by sorting
      join
        walk desc ?a <x:mid> ?b
        triple ?a <x:big> "x:x"
      join
        triple ?a <x:mid> ?b
        triple ?a <x:big> "x:x"`},
		{"they are not where many are wanted, or few match", "SELECT ?a { { SELECT ?a { ?a :mid ?b } ORDER BY ?b LIMIT 900 } { SELECT ?a { ?a :mid ?b . ?a :few :x } ORDER BY ?b LIMIT 5 } }", `
project ?a
  join
    slice 0 5
      project ?a
        order ?b, the first 5
          join
            triple ?a <x:few> "x:x"
            triple ?a <x:mid> ?b
    slice 0 900
      project ?a
        order ?b, the first 900
          triple ?a <x:mid> ?b`},
		{"ORDER BY does not learn of LIMIT across DISTINCT", "SELECT DISTINCT ?a { ?a :few ?b } ORDER BY ?b LIMIT 5", `
slice 0 5
  distinct
    project ?a
      order ?b
        triple ?a <x:few> ?b`},
		{"below DISTINCT, variables that are done with go", "SELECT DISTINCT ?a { ?a :few ?b . ?b :mid ?c . ?c :big ?d }", `
distinct
  project ?a
    join
      reduce ?a ?c
        join
          triple ?a <x:few> ?b
          triple ?b <x:mid> ?c
      triple ?c <x:big> ?d`},
		{"where solutions are counted, they do not", "SELECT (COUNT(?a) AS ?n) { ?a :few ?b . ?b :mid ?c . ?c :big ?d }", `
project ?n
  extend ?n = ?.4
    group  ?.4 = COUNT(?a)
      join
        triple ?a <x:few> ?b
        triple ?b <x:mid> ?c
        triple ?c <x:big> ?d`},
		{"nor where each gets something else", "SELECT DISTINCT ?a (RAND() AS ?r) { ?a :few ?b . ?b :mid ?c . ?c :big ?d }", `
distinct
  project ?a ?r
    extend ?r = RAND()
      join
        triple ?a <x:few> ?b
        triple ?b <x:mid> ?c
        triple ?c <x:big> ?d`},
		{"a group that computes what another one computes is evaluated once", "SELECT ?a { { ?a :mid ?b BIND(STR(?b) AS ?t) } { ?c :mid ?d BIND(STR(?d) AS ?t) } }", `
project ?a
  join
    extend ?t = STR(?b)
      triple ?a <x:mid> ?b
    materialize
      extend ?t = STR(?d)
        triple ?c <x:mid> ?d`},
		{"but for each row where that finds few", "SELECT ?a { { ?a :few ?b BIND(STR(?b) AS ?t) } { ?a :big ?d BIND(STR(?d) AS ?t) } }", `
project ?a
  join
    extend ?t = STR(?b)
      triple ?a <x:few> ?b
    extend ?t = STR(?d)
      triple ?a <x:big> ?d`},
		{"what an aggregate most likely binds is looked up", "SELECT ?a { { SELECT ?k (MAX(?v) AS ?m) { ?e :few ?k ; :mid ?v } GROUP BY ?k } ?a :mid ?m . ?a :big ?k }", `
project ?a
  join
    project ?k ?m
      extend ?m = ?.3
        group ?k ?.3 = MAX(?v)
          join
            triple ?e <x:few> ?k
            triple ?e <x:mid> ?v
    triple ?a <x:mid> ?m
    triple ?a <x:big> ?k`},
		{"patterns of EXISTS begin with what the rows outside bind", "ASK { ?a :mid ?b FILTER EXISTS { ?a :big ?c . ?c :big ?d . ?d :few <x:1> } }", `
filter exists
  exists
    join
      triple ?a <x:big> ?c
      triple ?c <x:big> ?d
      triple ?d <x:few> <x:1>
  triple ?a <x:mid> ?b`},
		{"patterns of EXISTS are planned too", "ASK { ?a :few ?b FILTER EXISTS { ?c :big ?d . ?d :few ?a } }", `
filter exists
  exists
    join
      triple ?d <x:few> ?a
      triple ?c <x:big> ?d
  triple ?a <x:few> ?b`},
	})
}

// Planning returns a new tree, and does not change the query's.
func TestPlanningLeavesTheQueryAlone(t *testing.T) {
	q := translate(t, "SELECT DISTINCT ?a { ?a :big ?b . ?b :few ?c FILTER(?a = ?c && EXISTS { ?a :mid ?b . ?b :few ?d }) OPTIONAL { ?a :few ?e FILTER(?e = ?b) } }")
	before := q.String()
	if _, err := plan.Query(q, counts{}, nil); err != nil {
		t.Fatal(err)
	}
	if after := q.String(); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
}

func TestErrorOfTheStatisticsIsGivenBack(t *testing.T) {
	damaged := errors.New("damaged")
	if _, err := plan.Query(translate(t, "SELECT * { ?a :big ?b . ?b :few ?c }"), counts{damaged}, nil); !errors.Is(err, damaged) {
		t.Errorf("the error is %v", err)
	}
}

func translate(t *testing.T, text string) *algebra.Query {
	t.Helper()
	parsed, err := syntax.ParseQuery("PREFIX : <x:> "+text, syntax.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	q, err := algebra.Translate(parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
