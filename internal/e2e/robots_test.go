package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// The 55 requests of two robots are accepted and returned as one graph. Sending them
// again does not double it, and it survives a kill byte for byte.
func TestRobotCaptureIsKeptForEver(t *testing.T) {
	t.Parallel()
	capture, err := os.ReadFile(suite.Shared(t, "data", "robot-capture.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	union, err := os.ReadFile(suite.Shared(t, "data", "robot-capture.nt"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := bytes.Split(bytes.TrimSpace(capture), []byte("\n"))
	if len(bodies) != 55 {
		t.Fatalf("the capture has %d bodies, want 55", len(bodies))
	}
	dir := t.TempDir()
	s := serve(t, dir, nil)

	postAll := func() (triples, added int) {
		for i, body := range bodies {
			a := request(t, "POST", s.api+"/ttl", body, "Content-Type", "application/json")
			if a.status != http.StatusCreated {
				t.Fatalf("body %d: %d\n%s", i+1, a.status, a.body)
			}
			triples += a.number(t, "triples")
			added += a.number(t, "added")
		}
		return triples, added
	}
	if triples, added := postAll(); triples != 2691 || added != 2592 {
		t.Errorf("sent first: %d triples, %d added; want 2691 and 2592", triples, added)
	}
	first := s.events()
	want := parse(t, union, turtle.NTriples)
	sameGraph(t, parse(t, first, turtle.Turtle), want)
	nt := request(t, "GET", s.api+"/events", nil, "Accept", "application/n-triples")
	sameGraph(t, parse(t, nt.body, turtle.NTriples), want)

	if triples, added := postAll(); triples != 2691 || added != 0 {
		t.Errorf("sent again: %d triples, %d added; want 2691 and 0", triples, added)
	}
	if !bytes.Equal(s.events(), first) {
		t.Error("sent again, the export is not the same bytes")
	}
	s.kill()
	s = serve(t, dir, nil)
	if !bytes.Equal(s.events(), first) {
		t.Error("after a kill and a restart the export is not the same bytes")
	}
	if triples, added := postAll(); triples != 2691 || added != 0 {
		t.Errorf("sent after the restart: %d triples, %d added; want 2691 and 0", triples, added)
	}
}

// A graph of two robots is returned isomorphic, with every literal exactly as sent.
func TestLiteralsRoundTrip(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(suite.Shared(t, "data", "demo-two-robots.ttl"))
	if err != nil {
		t.Fatal(err)
	}
	want := parse(t, text, turtle.Turtle)
	s := serve(t, t.TempDir(), nil)
	a := request(t, "POST", s.api+"/ttl?user=ari", text, "Content-Type", "text/turtle")
	if a.status != http.StatusCreated || a.number(t, "triples") != 627 {
		t.Fatalf("POST /ttl: %d\n%s", a.status, a.body)
	}
	for _, f := range []struct {
		accept string
		format turtle.Format
	}{{"text/turtle", turtle.Turtle}, {"application/n-triples", turtle.NTriples}} {
		got := parse(t, request(t, "GET", s.api+"/events", nil, "Accept", f.accept).body, f.format)
		sameGraph(t, got, want)
		if g, w := literals(got), literals(want); !slices.Equal(g, w) {
			t.Errorf("%s: the literals differ: %d came back, %d were sent", f.accept, len(g), len(w))
		}
	}
}

// literals returns the literals of a graph as they are written, sorted, once for each
// time one is an object.
func literals(quads []rdf.Quad) []string {
	var out []string
	for _, q := range quads {
		if q.O.IsLiteral() {
			b, _ := json.Marshal([]string{q.O.Value(), q.O.Datatype(), q.O.Tag()})
			out = append(out, string(b))
		}
	}
	slices.Sort(out)
	return out
}
