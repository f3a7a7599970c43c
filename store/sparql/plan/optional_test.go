package plan_test

import "testing"

// TestPlansWithOptionalMinusAndExists plans queries with OPTIONAL, MINUS and EXISTS.
func TestPlansWithOptionalMinusAndExists(t *testing.T) {
	checkPlans(t, []planTest{
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
      triple ?b <x:few> ?c, full scan
    materialize
      triple ?a <x:few> ?d`},
		{"MINUS with a variable that may be unbound is none of an antijoin", "SELECT ?a { ?a :mid ?b OPTIONAL { ?a :few ?c } MINUS { ?a :few ?c } }", `
project ?a
  minus
    leftjoin
      triple ?a <x:mid> ?b
      triple ?a <x:few> ?c, full scan
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
      triple ?b <x:few> ?c, full scan`},
		{"OPTIONAL for what has no match is an antijoin", "SELECT ?a { ?a :mid ?b OPTIONAL { ?b :few ?c FILTER(?c != ?a) } FILTER(!BOUND(?c)) }", `
project ?a
  antijoin !=(?c, ?a)
    triple ?a <x:mid> ?b
    triple ?b <x:few> ?c, full scan`},
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
        triple ?b <x:few> ?c, full scan
      triple ?a <x:few> ?c, full scan`},
		{"EXISTS is tested before other patterns multiply the rows", "SELECT * { ?p :few ?x . ?b :big ?p . ?q :big :x OPTIONAL { ?x :few ?y } FILTER NOT EXISTS { ?q :mid ?p } FILTER(STR(?b) != STR(?x)) FILTER(STRLEN(STR(?b)) > 1) FILTER(BOUND(?y)) }", `
project ?p ?x ?b ?q ?y
  filter BOUND(?y)
    leftjoin
      filter !=(STR(?b), STR(?x))
        join
          filter not exists
            exists
              triple ?q <x:mid> ?p
            join
              triple ?p <x:few> ?x
              triple ?q <x:big> <x:x>
          materialize
            filter >(STRLEN(STR(?b)), "1"^^<http://www.w3.org/2001/XMLSchema#integer>)
              triple ?b <x:big> ?p
      triple ?x <x:few> ?y, full scan`},
		{"but not before patterns that leave few rows", "SELECT * { ?p :few ?x . ?b :mid ?p . ?q :big :x FILTER NOT EXISTS { ?q :mid ?p } }", `
project ?p ?x ?b ?q
  filter not exists
    exists
      triple ?q <x:mid> ?p
    join
      triple ?p <x:few> ?x
      triple ?b <x:mid> ?p
      triple ?q <x:big> <x:x>`},
	})
}
