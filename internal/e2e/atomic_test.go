package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// A document of 100,000 triples (fewer with the race detector) has an error in its last
// line. It is refused with the position of the error, and nothing of it is stored.
func TestAnErrorInTheLastLineStoresNothing(t *testing.T) {
	t.Parallel()
	size := suite.Size(100_000, 5_000)
	var doc strings.Builder
	for i := range size {
		fmt.Fprintf(&doc, "<http://example.org/e/%d> <http://example.org/p> %d .\n", i, i)
	}
	last := `<http://example.org/e/x> <http://example.org/p> "é" "more" .`
	doc.WriteString(last)
	// Columns count characters from 1, not bytes: é is two bytes.
	line, column := size+1, strings.Index(last, `"more"`)

	s := serve(t, t.TempDir(), nil)
	if a := s.publish(`<urn:kept> <urn:p> "before" .`, "ari"); a.status != http.StatusCreated {
		t.Fatalf("POST /ttl: %d\n%s", a.status, a.body)
	}
	before := s.events()
	byJSON := s.publish(doc.String(), "ari")
	byTurtle := request(t, "POST", s.api+"/ttl?user=ari", []byte(doc.String()), "Content-Type", "text/turtle")
	for name, a := range map[string]answer{"JSON": byJSON, "Turtle": byTurtle} {
		if a.status != http.StatusBadRequest || a.header.Get("Content-Type") != "application/problem+json" {
			t.Fatalf("%s: %d %s\n%s", name, a.status, a.header.Get("Content-Type"), a.body)
		}
		if l, c := a.number(t, "line"), a.number(t, "column"); l != line || c != column {
			t.Errorf("%s: the error is reported at line %d, column %d, and is at %d, %d", name, l, c, line, column)
		}
	}
	if !bytes.Equal(s.events(), before) {
		t.Error("a refused document changed the graph")
	}
	if a := s.publish(strings.TrimSuffix(doc.String(), last), "ari"); a.status != http.StatusCreated || a.number(t, "added") != size {
		t.Errorf("without its last line: %d, %s; want 201 and %d added", a.status, a.body, size)
	}
}
