package plan_test

import "testing"

// TestPlansThatJoinByValues plans queries whose parts are connected only by conditions on
// values.
func TestPlansThatJoinByValues(t *testing.T) {
	checkPlans(t, []planTest{
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
    triple ?c <x:big> ?h, full scan`},
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
	})
}
