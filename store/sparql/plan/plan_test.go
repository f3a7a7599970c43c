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
	out := algebra.TripleTermCounts{Indexed: true, Count: 1_000_000, All: 1_000_000, Per: [3]float64{10, 10_000, 1}}
	for _, part := range []rdf.Term{s, p, o} {
		if !part.IsZero() {
			out.Count /= 100
		}
	}
	return out, c.err
}

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
func TestPlans(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
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
        triple ?c <x:mid> ?d, read as a whole
        triple ?d <x:mid> ?g, read as a whole`},
		{"what is not connected comes last, though it is small", "SELECT ?a { ?a :big :x . ?a :mid ?b . ?z :few ?y . ?z :mid ?w }", `
project ?a
  join
    triple ?a <x:mid> ?b
    triple ?a <x:big> "x:x"
    triple ?z <x:few> ?y
    triple ?z <x:mid> ?w, read as a whole`},
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
		{"where a few rows are wanted, nothing is read as a whole", "SELECT ?a { ?a :mid ?b . ?b :few ?c } LIMIT 5", `
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
    term ?.1 = <<( ?s <x:p> ?o )>>, read as a whole`},
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
		{"a condition of OPTIONAL about the right side goes there", "SELECT ?a { ?a :few ?b OPTIONAL { ?a :mid ?c FILTER(?c > 1 && ?c > ?b) } }", `
project ?a
  leftjoin >(?c, ?b)
    triple ?a <x:few> ?b
    triple ?a <x:mid> ?c, ?c > "1"^^<http://www.w3.org/2001/XMLSchema#integer>`},
		{"a filter goes to the left side of an OPTIONAL and of a MINUS", "SELECT ?a { ?a :mid ?b OPTIONAL { ?b :few ?c } MINUS { ?a :few ?d } FILTER(?a != ?b) }", `
project ?a
  antijoin
    leftjoin
      filter !=(?a, ?b)
        triple ?a <x:mid> ?b
      triple ?b <x:few> ?c, read as a whole
    materialize
      triple ?a <x:few> ?d`},
		{"MINUS with a variable that may be unbound is none of an antijoin", "SELECT ?a { ?a :mid ?b OPTIONAL { ?a :few ?c } MINUS { ?a :few ?c } }", `
project ?a
  minus
    leftjoin
      triple ?a <x:mid> ?b
      triple ?a <x:few> ?c, read as a whole
    triple ?a <x:few> ?c`},
		{"the right side of MINUS is looked up for what is little", "SELECT ?a { ?a :few ?b MINUS { ?a :big ?c } }", `
project ?a
  antijoin
    triple ?a <x:few> ?b
    triple ?a <x:big> ?c`},
		{"EXISTS for many rows is evaluated once", "SELECT ?a { ?a :big ?b . ?b :mid ?c FILTER(EXISTS { ?a :mid ?d FILTER(?d > 1) } && NOT EXISTS { ?b :few ?d }) }", `
project ?a
  semijoin
    join
      antijoin
        triple ?b <x:mid> ?c
        materialize
          triple ?b <x:few> ?d
      triple ?a <x:big> ?b
    materialize
      triple ?a <x:mid> ?d, ?d > "1"^^<http://www.w3.org/2001/XMLSchema#integer>`},
		{"EXISTS whose pattern does not bind what it tests is not", "SELECT ?a { ?a :big ?b FILTER EXISTS { ?a :few ?d FILTER(?d = ?b) } FILTER EXISTS { ?a :few* ?c } }", `
project ?a
  filter exists, exists
    exists
      filter =(?d, ?b)
        triple ?a <x:few> ?d
    exists
      path ?a <x:few>* ?c
    triple ?a <x:big> ?b`},
		{"a filter on what an OPTIONAL may leave unbound stays behind it", "SELECT ?a { ?a :mid ?b OPTIONAL { ?b :few ?c } FILTER(COALESCE(?c, 1) = 1) }", `
project ?a
  filter =(COALESCE(?c, "1"^^<http://www.w3.org/2001/XMLSchema#integer>), "1"^^<http://www.w3.org/2001/XMLSchema#integer>)
    leftjoin
      triple ?a <x:mid> ?b
      triple ?b <x:few> ?c, read as a whole`},
		{"OPTIONAL for what has no match is an antijoin", "SELECT ?a { ?a :mid ?b OPTIONAL { ?b :few ?c FILTER(?c != ?a) } FILTER(!BOUND(?c)) }", `
project ?a
  antijoin !=(?c, ?a)
    triple ?a <x:mid> ?b
    triple ?b <x:few> ?c, read as a whole`},
		{"also before other patterns", "SELECT ?a { ?a :mid ?b OPTIONAL { ?b :few ?c } ?a :few ?d FILTER(!BOUND(?c) && ?d != ?b) }", `
project ?a
  antijoin
    filter !=(?d, ?b)
      join
        triple ?a <x:few> ?d
        triple ?a <x:mid> ?b
    triple ?b <x:few> ?c`},
		{"but not where another pattern may bind the variable", "SELECT ?a { ?a :mid ?b OPTIONAL { ?b :few ?c } OPTIONAL { ?a :few ?c } FILTER(!BOUND(?c)) }", `
project ?a
  filter !(BOUND(?c))
    leftjoin
      leftjoin
        triple ?a <x:mid> ?b
        triple ?b <x:few> ?c, read as a whole
      triple ?a <x:few> ?c, read as a whole`},
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
      triple ?b <x:few> ?c, read as a whole
    triple ?c <x:big> ?e`},
		{"an equality of nodes becomes one variable", "SELECT ?a { ?a :few ?b . ?c :mid ?d FILTER(?b = ?c) }", `
project ?a
  extend ?c = ?b
    join
      triple ?a <x:few> ?b
      triple ?b <x:mid> ?d`},
		{"an equality that may be one of literals stays, and is joined by value", "SELECT ?a { ?a :few ?b . ?c :mid ?d FILTER(?b = ?d) }", `
project ?a
  hashjoin =(?d, ?b)
    triple ?c <x:mid> ?d
    triple ?a <x:few> ?b`},
		{"what only computed values connect is joined by them, with other conditions on the side that they are about", "SELECT ?a { ?a :few ?b . ?c :big ?d . ?c :mid ?e FILTER(YEAR(?b) = YEAR(?d) && ?e > 1 && ?b != 7 && ?b + ?e != 9) }", `
project ?a
  filter !=(+(?b, ?e), "9"^^<http://www.w3.org/2001/XMLSchema#integer>)
    hashjoin =(YEAR(?d), YEAR(?b))
      join
        triple ?c <x:mid> ?e, ?e > "1"^^<http://www.w3.org/2001/XMLSchema#integer>
        triple ?c <x:big> ?d
      filter !=(?b, "7"^^<http://www.w3.org/2001/XMLSchema#integer>)
        triple ?a <x:few> ?b`},
		{"bounds on both sides say what is sorted, though it is the larger", "SELECT ?a { ?a :few ?b . ?c :mid ?d FILTER(?d > ?b && ?d < ?b + 5) }", `
project ?a
  bandjoin <(?b, ?d), >(+(?b, "5"^^<http://www.w3.org/2001/XMLSchema#integer>), ?d)
    triple ?a <x:few> ?b
    triple ?c <x:mid> ?d`},
		{"a third part is joined with the first two", "SELECT ?a { ?a :few ?b . ?c :mid ?d . ?e :mid ?f FILTER(STR(?b) = STR(?d) && STR(?d) = STR(?f)) }", `
project ?a
  hashjoin =(STR(?f), STR(?d))
    triple ?e <x:mid> ?f
    hashjoin =(STR(?d), STR(?b))
      triple ?c <x:mid> ?d
      triple ?a <x:few> ?b`},
		{"pairs of what one variable alone connects, if they are many", "SELECT ?a { ?a :big ?h ; :mid ?b . ?c :big ?h ; :mid ?d FILTER(?d > ?b && ?d < ?b + 5 && ?h != 7) }", `
project ?a
  bandjoin <(?b, ?d), >(+(?b, "5"^^<http://www.w3.org/2001/XMLSchema#integer>), ?d)
    join
      triple ?a <x:mid> ?b
      triple ?a <x:big> ?h
    filter !=(?h, "7"^^<http://www.w3.org/2001/XMLSchema#integer>)
      join
        triple ?c <x:mid> ?d
        triple ?c <x:big> ?h`},
		{"and by one bound they are made", "SELECT ?a { ?a :big ?h ; :mid ?b . ?c :big ?h ; :mid ?d FILTER(?d > ?b) }", `
project ?a
  join
    filter >(?d, ?b)
      join
        triple ?a <x:mid> ?b
        triple ?a <x:big> ?h
        triple ?c <x:mid> ?d
    triple ?c <x:big> ?h, read as a whole`},
		{"or if they are few", "SELECT ?a { ?a :few ?h ; :mid ?b . ?c :few ?h ; :mid ?d FILTER(STR(?d) = STR(?b)) }", `
project ?a
  filter =(STR(?d), STR(?b))
    join
      triple ?a <x:few> ?h
      triple ?c <x:few> ?h
      triple ?a <x:mid> ?b
      triple ?c <x:mid> ?d`},
		{"variables of BIND join by what they are computed from", "SELECT ?a { ?a :few ?b BIND(YEAR(?b) AS ?y) ?c :mid ?d BIND(YEAR(?d) AS ?z) FILTER(?y = ?z) }", `
project ?a
  filter =(?y, ?z)
    extend ?z = YEAR(?d)
      filter =(?y, YEAR(?d))
        hashjoin =(YEAR(?d), YEAR(?b))
          triple ?c <x:mid> ?d
          extend ?y = YEAR(?b)
            triple ?a <x:few> ?b`},
		{"an EXISTS that compares values with those outside is evaluated once", "SELECT ?a { ?a :mid ?b FILTER NOT EXISTS { ?c :mid ?d FILTER(?d > ?b && ?d < ?b + 5 && ?d != 7) } }", `
project ?a
  antijoin >(?d, ?b), <(?d, +(?b, "5"^^<http://www.w3.org/2001/XMLSchema#integer>))
    triple ?a <x:mid> ?b
    materialize
      filter !=(?d, "7"^^<http://www.w3.org/2001/XMLSchema#integer>)
        triple ?c <x:mid> ?d`},
		{"an OPTIONAL that only values connect is evaluated once", "SELECT ?a { ?a :mid ?b OPTIONAL { ?c :mid ?d FILTER(YEAR(?d) = YEAR(?b) && ?d > ?b) } }", `
project ?a
  leftjoin =(YEAR(?d), YEAR(?b)), >(?d, ?b)
    triple ?a <x:mid> ?b
    materialize
      triple ?c <x:mid> ?d`},
		{"but not where few are looked up", "SELECT ?a { ?a :few ?b FILTER NOT EXISTS { ?a :big ?d FILTER(?d > ?b) } }", `
project ?a
  filter not exists
    exists
      filter >(?d, ?b)
        triple ?a <x:big> ?d
    triple ?a <x:few> ?b`},
		{"a value that differs each time joins nothing", "SELECT ?a { ?a :few ?b . ?c :mid ?d FILTER(?b = ?d + RAND()) }", `
project ?a
  filter =(?b, +(?d, RAND()))
    join
      triple ?a <x:few> ?b
      triple ?c <x:mid> ?d`},
		{"a few rows within one bound are found by pairing", "SELECT ?a { ?a :few ?b . ?c :mid ?d FILTER(?b < ?d) } LIMIT 5", `
slice 0 5
  project ?a
    filter <(?b, ?d)
      join
        triple ?a <x:few> ?b
        triple ?c <x:mid> ?d`},
		{"a side of which rows from outside bind a variable is looked up", "SELECT ?a { ?x :few ?y OPTIONAL { ?y :big ?b . ?c :mid ?d FILTER(STR(?b) = STR(?d)) } }", `
project ?a
  leftjoin
    triple ?x <x:few> ?y
    hashjoin =(STR(?b), STR(?d))
      triple ?y <x:big> ?b
      triple ?c <x:mid> ?d`},
		{"an equality in the condition of an OPTIONAL", "SELECT ?a { ?a :few ?b OPTIONAL { ?c :mid ?d FILTER(?b = ?c && ?d > 1) } }", `
project ?a
  leftjoin
    triple ?a <x:few> ?b
    extend ?c = ?b
      triple ?b <x:mid> ?d, ?d > "1"^^<http://www.w3.org/2001/XMLSchema#integer>`},
		{"ORDER BY learns of LIMIT", "SELECT ?a { ?a :few ?b } ORDER BY ?b LIMIT 5 OFFSET 2", `
slice 2 5
  project ?a
    order ?b, the first 7
      triple ?a <x:few> ?b`},
		{"the first of many are walked to", "SELECT ?a { ?a :mid ?b . ?a :big :x } ORDER BY DESC(?b) ?a LIMIT 5", `
slice 0 5
  project ?a
    order desc ?b, ?a, the first 5, by a walk or else by sorting
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
	} {
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
