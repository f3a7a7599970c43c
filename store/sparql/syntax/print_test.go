package syntax_test

import (
	"reflect"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

func TestPrintedForm(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{
			`prefix : <http://e/> prefix prov: <http://www.w3.org/ns/prov#> version '1.2'
select distinct ?a (count(distinct ?b)+1 as ?n) from :g from named <http://e/h?x>
{ ?a a prov:Activity; prov:used/^:by* ?b, [ :size 5, "5"^^<http://www.w3.org/2001/XMLSchema#int> ]
  filter(?b>1 && !(?b=5||regex(str(?b),"^x\\\"")))
  optional { graph ?g { ?a :p _:x filter not exists { ?a :q true } } }
  { bind(1-(2-3) as ?c) } union { values (?d ?e) { (1.50 undef) ("x"@en-GB :y) } } minus { } }
group by ?a (str(?a) as ?k) having (max(?b) > 2) order by desc(?n) ?a limit 10 offset 3 values ?k { "a" }`,
			`PREFIX : <http://e/>
PREFIX prov: <http://www.w3.org/ns/prov#>
VERSION "1.2"
SELECT DISTINCT ?a (COUNT(DISTINCT ?b) + 1 AS ?n)
FROM :g
FROM NAMED <http://e/h?x>
WHERE {
  ?a a prov:Activity .
  ?a prov:used/^:by* ?b .
  ?a prov:used/^:by* _:b0 .
  _:b0 :size 5 .
  _:b0 :size "5"^^<http://www.w3.org/2001/XMLSchema#int> .
  OPTIONAL {
    GRAPH ?g {
      ?a :p _:x .
      FILTER NOT EXISTS {
        ?a :q true .
      }
    }
  }
  {
    BIND (1 - (2 - 3) AS ?c)
  } UNION {
    VALUES (?d ?e) {
      (1.50 UNDEF)
      ("x"@en-GB :y)
    }
  }
  MINUS {
  }
  FILTER (?b > 1 && ! (?b = 5 || REGEX(STR(?b), "^x\\\"")))
}
GROUP BY ?a (STR(?a) AS ?k)
HAVING (MAX(?b) > 2)
ORDER BY DESC(?n) ?a
LIMIT 10
OFFSET 3
VALUES (?k) {
  ("a")
}
`,
		},
		{
			"BASE <http://e/> CONSTRUCT WHERE { <a> <b> (<c>) }",
			`BASE <http://e/>
CONSTRUCT {
  <http://e/a> <http://e/b> _:b0 .
  _:b0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> <http://e/c> .
  _:b0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .
}
WHERE {
  <http://e/a> <http://e/b> _:b0 .
  _:b0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> <http://e/c> .
  _:b0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .
}
`,
		},
		{"DESCRIBE <x:a> ?b", "DESCRIBE <x:a> ?b\n"},
		{"ASK { SELECT REDUCED * {} }", "ASK\nWHERE {\n  SELECT REDUCED *\n  WHERE {\n  }\n}\n"},
	} {
		q, err := syntax.ParseQuery(tt.text, syntax.Options{})
		if err != nil {
			t.Errorf("%s\n%v", tt.text, err)
			continue
		}
		checkPrint(t, q)
		if got := q.String(); got != tt.want {
			t.Errorf("printed as\n%s\nwant\n%s", got, tt.want)
		}
	}
}

// checkPrint checks that a parsed query prints as text that parses to the same query.
func checkPrint(t *testing.T, q *syntax.Query) {
	t.Helper()
	text := q.String()
	again, err := syntax.ParseQuery(text, syntax.Options{})
	if err != nil {
		t.Errorf("the printed text does not parse: %v\n%s", err, text)
		return
	}
	if !sameButPlaces(reflect.ValueOf(q), reflect.ValueOf(again)) {
		t.Errorf("another query came back, which prints as\n%s\ninstead of\n%s", again, text)
	}
}

// sameButPlaces compares two trees, ignoring Pos.
func sameButPlaces(a, b reflect.Value) bool {
	if a.Kind() != b.Kind() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Invalid: // a nil interface
		return true
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return sameButPlaces(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !sameButPlaces(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if a.Type() == reflect.TypeFor[syntax.Pos]() {
			return true
		}
		if a.Type() == reflect.TypeFor[rdf.Term]() {
			return a.Interface() == b.Interface()
		}
		for i := range a.NumField() {
			if !sameButPlaces(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Interface() == b.Interface()
}
