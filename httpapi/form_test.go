package httpapi

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// TestAGraphThatAFormatCannotHoldIsNotAcceptable asks for graphs as RDF/XML and JSON-LD,
// which can't hold all of them. The answer must say so, however late the export finds out.
func TestAGraphThatAFormatCannotHoldIsNotAcceptable(t *testing.T) {
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "<http://e/s%d> <http://e/p> \"%s\" .\n", i, strings.Repeat("x", 500))
	}
	for _, tt := range []struct{ text, accept, detail string }{
		{`<http://e/s> <http://e/p> "\u0001" .`, "application/rdf+xml", "a literal contains U+0001"},
		{`<http://e/s> <http://e/p/> 1 .`, "application/rdf+xml", "does not end in an XML name"},
		{long.String() + `<http://e/z> <http://e/p> <<( <http://e/s> <http://e/p> 1 )>> .`, "application/ld+json", "request Turtle"},
	} {
		s := newQueryService(t, tt.text)
		for _, path := range []string{"/events", "/rdf-graph-store?default", "/query?query=" + url.QueryEscape("DESCRIBE <http://e/z> <http://e/s>")} {
			wantProblem(t, s.do(t, call{method: "GET", path: path, header: map[string]string{"Accept": tt.accept}}), 406, tt.detail)
		}
	}
}
