package query

import (
	"testing"
	"time"

	"github.com/segraph/segraph/store/sparql"
)

// With a graph store, the page of a plan says which store answers, and with which query
// or why.
func TestAPlanSaysWhoAnswers(t *testing.T) {
	for _, tt := range []struct {
		server                  *sparql.Server
		heading, asked, unasked string
	}{
		{nil, "", "", ""},
		{&sparql.Server{Product: "the graph store", Query: "ASK { <urn:a> ?p ?o }"}, "The graph store answers this query", "ASK { <urn:a> ?p ?o }", ""},
		{&sparql.Server{Product: "Virtuoso", Because: "nested OPTIONAL may lose bindings"}, "segraph’s own engine answers this query, not Virtuoso", "", "Nested OPTIONAL may lose bindings."},
	} {
		x := &sparql.Explanation{Plan: &sparql.Step{Operator: "ask"}, Server: tt.server}
		got := planModel(x, "", time.Second, 1<<20, nil)
		if got.Server != tt.heading || got.Asked != tt.asked || got.Unasked != tt.unasked {
			t.Errorf("%+v: %q, %q, %q", tt.server, got.Server, got.Asked, got.Unasked)
		}
	}
}
