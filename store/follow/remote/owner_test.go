package remote

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Another segraph that takes the graph over is noticed within seconds. Then nothing is written
// there, nothing is posted or answered, and the owner is named, until the graph is free again.
func TestAGraphThatAnotherSegraphTookOverIsLeftAlone(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	for _, c := range []struct{ name, mark, owner string }{
		{"another file", "0f2b 7 another-process robot-9", "the segraph on robot-9 with the file 0f2b"},
		{"another file that is sending everything", "0f2b - another-process robot-9", "robot-9"},
		{"a copy of this file", "SELF 7 another-process robot-9", "robot-9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			f := follow(t, s, Dialect{})
			add(t, f, rdf.NewString("before"))
			eventually(t, "it is sent", func() bool { return len(s.received(`"before"`)) > 0 })
			s.do(func() { s.mark = strings.ReplaceAll(c.mark, "SELF", f.followers[0].fileID()) })
			eventually(t, "the owner is noticed", func() bool { return state(f) == store.FollowConflict })
			if d := f.Following()[0].Detail; !strings.Contains(d, c.owner) || !strings.Contains(d, "the graph urn:g of the server follows another file") {
				t.Errorf("the reason is %q, want the owner %s", d, c.owner)
			}
			if err := f.Ready(t.Context()); err == nil {
				t.Error("it is ready")
			}
			d := &store.Document{}
			d.Add(rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString("after")})
			if _, err := f.Add(t.Context(), d, journal.Entry{Action: journal.Insert}); err == nil {
				t.Error("a document is accepted")
			}
			s.do(func() { s.mark = "" }) // an operator drops the mark and the graph, which looks empty here
			eventually(t, "it owns the graph again", func() bool { return state(f) == store.FollowOK })
			add(t, f, rdf.NewString("later"))
			eventually(t, "it is sent", func() bool { return len(s.received(`"later"`)) > 0 })
		})
	}
}

// A change that is stored just when another segraph takes the graph over is not sent there.
func TestNothingIsSentToAGraphOfAnotherSegraph(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := follow(t, s, Dialect{})
	s.do(func() { s.mark = "0f2b 7 another-process robot-9" })
	d := &store.Document{}
	d.Add(rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString("at once")})
	_, _ = f.Add(t.Context(), d, journal.Entry{Action: journal.Insert}) // refused if the owner was noticed before
	eventually(t, "the owner is noticed", func() bool { return state(f) == store.FollowConflict })
	if sent := s.received(`"at once"`); len(sent) > 0 {
		t.Errorf("it was sent: %q", sent)
	}
	host, err := os.Hostname()
	if marks := s.received(markProperty); err != nil || len(marks) == 0 || !strings.Contains(marks[len(marks)-1], host) {
		t.Errorf("the marks %q do not name the host %s (%v)", marks, host, err)
	}
}

// A server that restarts between two probes, and loses its last transactions with the mark, gets the changes again.
func TestChangesThatAServerLostWithTheMarkAreSentAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := followAs(t, s, as{Config: Config{markTime: time.Millisecond}})
	add(t, f, rdf.NewString("first"))
	marked := func(n string) func() bool {
		return func() (is bool) {
			s.do(func() { is = len(strings.Fields(s.mark)) > 1 && strings.Fields(s.mark)[1] == n })
			return is
		}
	}
	eventually(t, "the first change is marked", marked("1"))
	var before string
	s.do(func() { before = s.mark })
	add(t, f, rdf.NewString("lost"))
	eventually(t, "the second change is marked", marked("2"))
	s.do(func() { s.mark = before })
	eventually(t, "the second change is sent again", func() bool { return len(s.received(`"lost"`)) > 1 })
	eventually(t, "and marked", marked("2"))
}
