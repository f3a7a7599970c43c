package reports

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// after returns a moment some time after noon.
func after(d time.Duration, robot string, with ...string) Moment {
	m := Moment{At: noon.Add(d)}
	if robot != "" {
		m.Robot = rdf.NewIRI("http://e/" + robot)
	}
	for _, w := range with {
		m.With = append(m.With, rdf.NewIRI("http://e/"+w))
	}
	return m
}

func TestSplitGroupsByRobotsPeopleAndGaps(t *testing.T) {
	t.Parallel()
	const m = time.Minute
	for _, c := range []struct {
		name string
		list []Moment
		want [][]int
	}{
		{"nothing", nil, nil},
		{"one", []Moment{after(0, "ari")}, [][]int{{0}}},
		{"a gap ends a session", []Moment{after(0, "ari"), after(5*m, "ari"), after(10*m+1, "ari")}, [][]int{{0, 1}, {2}}},
		{"any order", []Moment{after(9*m, "ari"), after(0, "ari"), after(4*m, "ari")}, [][]int{{1, 2, 0}}},
		{"robots that are apart", []Moment{after(0, "ari"), after(m, "tiago"), after(2*m, "ari"), after(3*m, "tiago")}, [][]int{{0, 2}, {1, 3}}},
		{"a person connects robots", []Moment{after(0, "ari", "maria"), after(m, "tiago", "maria"), after(2*m, "ari")}, [][]int{{0, 1, 2}}},
		{"a person later does not", []Moment{after(0, "ari", "maria"), after(6*m, "tiago", "maria")}, [][]int{{0}, {1}}},
		{"a later moment connects both", []Moment{after(0, "ari"), after(m, "tiago"), after(2*m, "ari", "event"), after(2*m, "tiago", "event")}, [][]int{{0, 1, 2, 3}}},
		{"no robot", []Moment{after(0, ""), after(m, ""), after(m, "", "maria"), after(m, "ari", "maria")}, [][]int{{0, 1}, {2, 3}}},
	} {
		var got [][]int
		for _, s := range Split(c.list, 5*m) {
			got = append(got, s.Members)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestASessionEndsWithItsLastActivity(t *testing.T) {
	t.Parallel()
	long, endless := after(0, "ari", "maria"), after(time.Minute, "tiago", "maria")
	long.End, endless.End = noon.Add(3*time.Minute), noon.Add(time.Hour)
	s := Split([]Moment{long}, 5*time.Minute)[0]
	if !s.From.Equal(noon) || !s.To.Equal(long.End) {
		t.Errorf("from %v to %v", s.From, s.To)
	}
	s = Split([]Moment{long, endless}, 5*time.Minute)[0]
	if want := noon.Add(6 * time.Minute); !s.To.Equal(want) {
		t.Errorf("to %v, want %v", s.To, want)
	}
	if want := []rdf.Term{long.Robot, endless.Robot}; !slices.Equal(s.Robots, want) {
		t.Errorf("robots are %v, want %v", s.Robots, want)
	}
}

func TestTheGapComesFromTheData(t *testing.T) {
	t.Parallel()
	// talk returns moments of a robot with these silences between them.
	talk := func(robot string, silences ...time.Duration) []Moment {
		at, out := time.Duration(0), []Moment{after(0, robot)}
		for _, s := range silences {
			at += s
			out = append(out, after(at, robot))
		}
		return out
	}
	const s, m, h = time.Second, time.Minute, time.Hour
	for _, c := range []struct {
		name string
		list []Moment
		want time.Duration
	}{
		{"nothing", nil, usualGap},
		{"one conversation", talk("ari", 3*s, 20*s, 40*s), usualGap},
		{"pauses of minutes", talk("ari", 10*s, 30*s, 60*s, 6*m, 10*s, 50*s, 20*m), 2 * m},
		{"nights", talk("ari", 2*m, 40*m, 25*m, 11*h, 30*m, 13*h, 7*m), 3 * h},
		{"a year without robots changes nothing", talk("ari", 2*m, 40*m, 25*m, 11*h, 30*m, 365*24*h, 7*m), 3 * h},
		{"no clear gap", talk("ari", 1*m, 90*s, 2*m, 3*m, 4*m, 6*m, 9*m, 12*m, 17*m, 25*m, 40*m, 60*m, 90*m, 2*h, 3*h, 5*h, 8*h, 12*h), usualGap},
		{"each robot has its own silences", slices.Concat(talk("ari", 30*s, 1*h), talk("tiago", 30*s, 1*h)), 5 * m},
	} {
		if got := NaturalGap(c.list); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
