package report

import (
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// TestSessionsAreSummarized has two robots that report one event, a person, a robot as a
// partner, and a second session that overlaps another.
func TestSessionsAreSummarized(t *testing.T) {
	const m = time.Minute
	event, maria, robot := rdf.NewIRI("http://e/event"), rdf.NewIRI("http://e/maria"), rdf.NewIRI("http://e/tiago")
	p := &sessionParts{
		moments: []Moment{
			after(0, "ari", "maria"), after(m, "tiago", "maria"), after(2*m, "ari", "tiago"),
			after(90*time.Second, "temi"), after(20*m, "ari"),
		},
		events:   [][]rdf.Term{{event}, {event}, {event}, nil, nil},
		messages: []int{1, 0, 2, 0, 0},
		feelings: []int{0, 3, 0, 0, 0},
		decided:  []bool{true, false, true, false, false},
		people:   map[string]person{maria.String(): {term: maria}, robot.String(): {term: robot, robot: true}},
	}
	if oldest, newest := p.span(); !oldest.Equal(noon) || !newest.Equal(noon.Add(20*m)) {
		t.Errorf("from %v to %v", oldest, newest)
	}
	out := &Sessions{Gap: 5 * m}
	p.list(out, noon, false)
	if len(out.List) != 3 || !out.Before.IsZero() {
		t.Fatalf("%+v", out)
	}
	last, temi, first := out.List[0], out.List[1], out.List[2]
	if first.Messages != 3 || first.Emotions != 3 || first.Decisions != 2 || first.Shared != 1 || len(first.People) != 1 || first.People[0] != maria {
		t.Errorf("the first is %+v", first)
	}
	if !first.Overlaps || !temi.Overlaps || last.Overlaps {
		t.Errorf("overlaps: %t %t %t", first.Overlaps, temi.Overlaps, last.Overlaps)
	}
	cut := &Sessions{Gap: 5 * m}
	p.list(cut, noon, true)
	if len(cut.List) != 1 || !cut.Before.Equal(noon.Add(20*m)) {
		t.Errorf("with more before: %+v", cut)
	}
	p.from, p.to = noon.Add(30*time.Second), noon.Add(m)
	s := p.summary(first.Session)
	if !s.Since.Equal(p.from) || !s.Until.Equal(p.to) {
		t.Errorf("clipped to %v and %v", s.Since, s.Until)
	}
}
