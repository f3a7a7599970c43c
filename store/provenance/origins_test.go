package provenance_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

func TestTheOriginOfATripleIsTheFirstLogSinceATimeOrElseTheNewest(t *testing.T) {
	s := openStore(t)
	noon := time.Date(2026, 2, 24, 12, 0, 0, 0, time.UTC)
	ids := make([]string, 8)
	for i := range ids {
		text := fmt.Sprintf("<http://e/s%d> <http://e/p> 1 . <http://e/often> <http://e/p> 1 .", i)
		if i == 5 {
			text += large(0, 2000) // stored in pieces
		}
		d := document(t, turtle.Turtle, text)
		ids[i] = journal.NewLogID()
		e := journal.Entry{LogID: ids[i], Action: journal.Insert, Actor: "ari", Time: noon.Add(time.Duration(i) * time.Minute), Triples: d.Distinct()}
		if _, err := s.Add(t.Context(), d, e); err != nil {
			t.Fatal(err)
		}
	}
	about := func(iri string) rdf.Quad {
		return rdf.Quad{S: rdf.NewIRI(iri), P: rdf.NewIRI("http://e/p"), O: rdf.NewLiteral("1", rdf.XSDInteger)}
	}
	quads := []rdf.Quad{about("http://e/often"), about("http://e/s1"), about("http://e/nowhere"), about("http://e/s5"), about("http://e/s7")}
	for _, c := range []struct {
		since time.Time
		most  int
		want  []int // logs, -1 for none
	}{
		{noon.Add(3 * time.Minute), 100, []int{3, 1, -1, 5, 7}},
		{time.Time{}, 100, []int{0, 1, -1, 5, 7}},
		{noon.Add(time.Hour), 100, []int{7, 1, -1, 5, 7}},
		{noon.Add(3 * time.Minute), 1, []int{3, -1, -1, -1, 7}},
	} {
		got, err := s.Origins(t.Context(), quads, c.since, c.most)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if want < 0 && got[i].Seq != 0 || want >= 0 && got[i].LogID != ids[want] {
				t.Errorf("since %v, at most %d: triple %d comes from log %d, want %d", c.since, c.most, i, got[i].Seq, want)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Origins(ended, quads, noon, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
