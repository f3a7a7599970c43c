package reports

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// heard returns a row of a message, as threads takes it.
func heard(at time.Duration, sender, text, robot string) []rdf.Term {
	row := []rdf.Term{rdf.NewLiteral(noon.Add(at).Format(time.RFC3339Nano), "http://www.w3.org/2001/XMLSchema#dateTime"), rdf.NewIRI("http://e/" + sender), rdf.NewString(text), {},
		rdf.NewIRI(fmt.Sprint("http://e/", sender, at, robot))}
	if robot != "" {
		row[3] = rdf.NewIRI("http://e/" + robot)
	}
	return row
}

func TestThreadsGroupByPausesAndParties(t *testing.T) {
	t.Parallel()
	const m = time.Minute
	twice := [][]rdf.Term{heard(0, "maria", "a", "ari"), heard(1, "maria", "a", "tiago")}
	for _, c := range []struct {
		name   string
		rows   [][]rdf.Term // oldest first
		want   [][]int      // robots that logged each message of each conversation
		events map[rdf.Term][]rdf.Term
	}{
		{"nothing", nil, nil, nil},
		{"a silence just too short", [][]rdf.Term{heard(0, "maria", "a", "ari"), heard(2*m-1, "maria", "b", "ari")}, [][]int{{1, 1}}, nil},
		{"a silence of two minutes", [][]rdf.Term{heard(0, "maria", "a", "ari"), heard(2*m, "maria", "b", "ari")}, [][]int{{1}, {1}}, nil},
		{"a silence since the last message", [][]rdf.Term{heard(0, "maria", "a", "ari"), heard(m, "maria", "b", "ari"), heard(3*m-1, "maria", "c", "ari")}, [][]int{{1, 1, 1}}, nil},
		{"the robot answers", [][]rdf.Term{heard(0, "maria", "a", "ari"), heard(m, "ari", "b", "")}, [][]int{{1, 0}}, nil},
		{"others beside", [][]rdf.Term{heard(0, "maria", "a", "ari"), heard(m, "joan", "b", "tiago"), heard(m+1, "maria", "c", "ari")}, [][]int{{1, 1}, {1}}, nil},
		{"two robots log it", [][]rdf.Term{heard(0, "maria", "a", "ari"), heard(1, "maria", "a", "tiago")}, [][]int{{2}}, nil},
		{"two robots log one message", [][]rdf.Term{heard(0, "maria", "a", "ari"), append(heard(0, "maria", "a", "tiago")[:4], heard(0, "maria", "a", "ari")[4])}, [][]int{{2}}, nil},
		{"one robot logs it twice", [][]rdf.Term{heard(0, "maria", "a", "ari"), heard(1, "maria", "a", "ari")}, [][]int{{1, 1}}, nil},
		{"two robots at two events", twice, [][]int{{1, 1}}, map[rdf.Term][]rdf.Term{twice[0][4]: {rdf.NewIRI("http://e/e1")}, twice[1][4]: {rdf.NewIRI("http://e/e2")}}},
		{"two robots at one event", twice, [][]int{{2}}, map[rdf.Term][]rdf.Term{twice[0][4]: {rdf.NewIRI("http://e/e1")}, twice[1][4]: {rdf.NewIRI("http://e/e2"), rdf.NewIRI("http://e/e1")}}},
		{"said again later", [][]rdf.Term{heard(0, "maria", "a", "ari"), heard(m, "maria", "b", "ari"), heard(2*m, "maria", "a", "tiago")}, [][]int{{1, 1, 1}}, nil},
	} {
		var got [][]int
		rows := slices.Clone(c.rows)
		slices.Reverse(rows)
		for _, k := range threads(rows, c.events) {
			var robots []int
			for _, m := range k.messages {
				robots = append(robots, len(m.robots))
			}
			got = append(got, robots)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestWhatAnotherRobotHeardStandsBesideAnUnknownSpeaker has a sentence that one robot heard
// from Zoe and another misheard, and words that nobody else heard.
func TestWhatAnotherRobotHeardStandsBesideAnUnknownSpeaker(t *testing.T) {
	t.Parallel()
	said := func(at, iri, sender, text, robot string) []rdf.Term {
		row := []rdf.Term{rdf.NewLiteral("2026-01-02T10:"+at+"Z", rdf.XSDDateTime), {}, rdf.NewString(text), rdf.NewIRI("http://e/" + robot), rdf.NewIRI("http://e/" + iri)}
		if sender != "" {
			row[1] = rdf.NewIRI("http://e/" + sender)
		}
		return row
	}
	talks := threads([][]rdf.Term{ // newest first
		said("30:00", "late", "", "Hello?", "tiago"),
		said("00:05", "answer", "ari", "I am coming.", "ari"),
		said("00:03", "misheard", "", "My baboon is stuck.", "tiago"),
		said("00:02", "heard", "zoe", "My balloon is stuck.", "ari"),
	}, nil)
	got := map[string]string{}
	for _, k := range talks {
		for _, m := range k.messages {
			if other := heardInstead(talks, m); other != nil {
				got[m.text.Value()] = other.text.Value()
			}
		}
	}
	if len(got) != 1 || got["My baboon is stuck."] != "My balloon is stuck." {
		t.Errorf("%v", got)
	}
	for _, m := range talks[0].messages {
		m.robots = append(m.robots, rdf.NewIRI("http://e/ari")) // who heard the other sentence too
		if other := heardInstead(talks, m); m.sender.IsZero() && other != nil {
			t.Errorf("a robot that heard both has misheard: %q", other.text.Value())
		}
	}
}
