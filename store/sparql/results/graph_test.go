package results_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/sparql/results"
)

const resultSetPrefix = `@prefix rs: <http://www.w3.org/2001/sw/DataAccess/tests/result-set#> .
`

// A result set in the vocabulary of the W3C's SPARQL 1.0 tests.
func TestReadResultSet(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"rows in the order of the text", `[] a rs:ResultSet ; rs:resultVariable "b" , "a" ;
			rs:solution [ rs:binding [ rs:variable "a" ; rs:value <http://e/> ] , [ rs:variable "b" ; rs:value "x"@en ] ] ;
			rs:solution [ rs:binding [ rs:value 5 ; rs:variable "a" ] ] , [ ] .`,
			"b a\n| \"x\"@en | <http://e/> |\n|  | \"5\"^^<http://www.w3.org/2001/XMLSchema#integer> |\n|  |  |"},
		{"rows by index", `[] a rs:ResultSet ; rs:resultVariable "a" ;
			rs:solution [ rs:index 10 ; rs:binding [ rs:variable "a" ; rs:value "third" ] ] ;
			rs:solution [ rs:index 9 ; rs:binding [ rs:variable "a" ; rs:value "second" ] ] ;
			rs:solution [ rs:index 1 ; rs:binding [ rs:variable "a" ; rs:value "first" ] ] .`,
			"a\n| \"first\" |\n| \"second\" |\n| \"third\" |"},
		{"a node in two rows", `[] a rs:ResultSet ; rs:resultVariable "a" ;
			rs:solution [ rs:binding [ rs:variable "a" ; rs:value _:n ] ] , [ rs:binding [ rs:variable "a" ; rs:value _:n ] ] .`,
			"a\n| _:n |\n| _:n |"},
		{"no rows", `<http://e/> a rs:ResultSet ; rs:resultVariable "a" .`, "a"},
		{"true", `[] a rs:ResultSet ; rs:boolean true .`, "true"},
		{"false", `[] rs:boolean false ; a rs:ResultSet .`, "false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := read(strings.NewReader(resultSetPrefix+tt.text), results.Turtle)
			if err != nil || a.String() != tt.want {
				t.Errorf("got %s, %v\nwant %s", a, err, tt.want)
			}
		})
	}
}

func TestReadRefusesBadResultSets(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`[] a rs:ResultSet ; rs:boolean 1 .`, "rs:boolean is neither true nor false"},
		{`[] a rs:ResultSet ; rs:boolean "true" .`, "rs:boolean is neither true nor false"},
		{`[] a rs:ResultSet ; rs:boolean true , false .`, "rs:boolean is neither true nor false"},
		{`[] a rs:ResultSet ; rs:resultVariable "" .`, "a variable without a name"},
		{`[] a rs:ResultSet ; rs:solution [ rs:binding [ rs:variable "a" ; rs:value 1 ] ] .`, `the variable "a" is not in the head`},
		{`[] a rs:ResultSet ; rs:resultVariable "a" ; rs:solution [ rs:binding [ rs:value 1 ] ] .`, "has 0 objects of <http://www.w3.org/2001/sw/DataAccess/tests/result-set#variable>, want 1"},
		{`[] a rs:ResultSet ; rs:resultVariable "a" ; rs:solution [ rs:binding [ rs:variable "a" ] ] .`, "has 0 objects of"},
		{`[] a rs:ResultSet ; rs:resultVariable "a" ; rs:solution [ rs:binding [ rs:variable "a" ; rs:value 1 , 2 ] ] .`, "has 2 objects of"},
		{`[] a rs:ResultSet ; rs:resultVariable "a" ; rs:solution [ rs:binding [ rs:variable "a" ; rs:value 1 ] , [ rs:variable "a" ; rs:value 2 ] ] .`, "has two values in one row"},
		{`[] a rs:ResultSet ; rs:solution [ rs:index 1 ] , [ ] .`, "1 of 2 rows have an rs:index"},
		{`[] a rs:ResultSet ; rs:solution [ rs:index "x" ] .`, "rs:index: "},
		{`[] a rs:ResultSet ; rs:solution [ rs:index 1 , 2 ] .`, "has 2 objects of"},
	} {
		a, err := read(strings.NewReader(resultSetPrefix+tt.text), results.Turtle)
		var syntax *results.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %s, %v; want %s", tt.text, a, err, tt.want)
		}
	}
}
