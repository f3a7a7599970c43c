package webui

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
)

// Bounds of the robots and people that names are told apart from.
const (
	maxKnown  = 20_000
	knownLife = 10 * time.Second       // how long they are good for
	knownTime = 500 * time.Millisecond // how long a page waits for them
)

// peopleCache keeps the robots and people of the graph that were read last.
type peopleCache struct {
	sync.Mutex
	at   time.Time
	iris []string
}

// called returns what robots, people and other things are called: those of some IRIs, each told apart from all others
// and from the robots and people of the graph and of the resolver. A page does without those of the graph where they
// can't be read in time.
func (u *UI) called(ctx context.Context, iris ...string) (views.Names, error) {
	stats, err := u.config.API.ContextStats(ctx)
	if err != nil {
		return nil, err
	}
	labels := map[string]string{}
	for _, iri := range slices.Concat(u.knownIRIs(ctx), statisticsIRIs(stats), iris) {
		if iri != "" {
			labels[iri] = ""
		}
	}
	return views.TellApart(labels), nil
}

// knownIRIs returns the robots and people of the published graph.
func (u *UI) knownIRIs(ctx context.Context) []string {
	u.people.Lock()
	defer u.people.Unlock()
	now := u.config.Now()
	if u.people.iris != nil && now.Sub(u.people.at) < knownLife {
		return u.people.iris
	}
	ctx, cancel := context.WithTimeout(ctx, knownTime)
	defer cancel()
	classes := "<" + vocabulary.OroRobot + "> <" + vocabulary.OroHuman + "> <" + vocabulary.ProvPerson + "> <" + vocabulary.FOAFPerson + ">"
	rows, err := u.ask(ctx, "SELECT DISTINCT ?who { VALUES ?class { "+classes+" } ?who a ?class }")
	if err != nil {
		u.log.DebugContext(ctx, "the robots and people of the graph can't be read", "error", err)
		u.people.at, u.people.iris = now, append([]string{}, u.people.iris...)
		return u.people.iris
	}
	iris := []string{}
	for _, row := range rows[:min(len(rows), maxKnown)] {
		if row[0].IsIRI() {
			iris = append(iris, row[0].Value())
		}
	}
	u.people.at, u.people.iris = now, iris
	return iris
}

// statisticsIRIs returns the robots and people that the resolver tells of.
func statisticsIRIs(s *resolver.Statistics) []string {
	var out []string
	for _, c := range s.Clock.Robots {
		out = append(out, c.RobotURI)
	}
	for _, p := range s.Placeholders {
		out = append(out, p.SubjectURI)
	}
	for _, r := range s.Relays {
		out = append(out, r.RobotURI, r.Of)
	}
	for _, r := range s.ReusedIDs.Robots {
		out = append(out, given(r.RobotURI))
	}
	return out
}

// viewIRIs returns what the observations of a context name.
func viewIRIs(v resolver.ContextView) []string {
	out := []string{given(v.SubjectURI)}
	for _, o := range v.Observations {
		out = append(out, given(o.RobotURI), given(o.SubjectURI), given(o.LocationURI), given(o.ObservationURI))
	}
	return out
}

// calledIn returns what is called how in some cases.
func (u *UI) calledIn(ctx context.Context, cases ...*resolver.CaseFile) (views.Names, error) {
	var iris []string
	for _, k := range cases {
		iris = append(iris, viewIRIs(k.Source)...)
		for _, o := range k.Offers {
			iris = append(iris, viewIRIs(o.Context)...)
		}
	}
	return u.called(ctx, iris...)
}
