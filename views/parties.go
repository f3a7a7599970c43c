package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of the robots and people whose names are kept distinct.
const (
	maxKnown  = 20_000
	knownLife = 10 * time.Second       // how long they are cached
	knownTime = 500 * time.Millisecond // how long a page waits for them
)

// peopleCache caches the robots and people of the graph.
type peopleCache struct {
	sync.Mutex
	at     time.Time
	labels map[string]string   // by IRI
	named  map[string][]string // IRIs by label or, without one, by local name
	robots map[string]bool     // IRIs of robots
}

// clear drops what is cached.
func (c *peopleCache) clear() {
	c.Lock()
	defer c.Unlock()
	c.labels, c.named, c.robots = nil, nil, nil
}

// NamesOf returns names for some IRIs. They differ from each other, and from the names of
// all other robots and people of the graph and of the resolver. If the graph can't be
// read in time, NamesOf ignores its names.
func (u *UI) NamesOf(ctx context.Context, iris ...string) (Names, error) {
	stats, err := u.Service.ContextStats(ctx)
	if err != nil {
		return nil, err
	}
	known, named := u.partiesByName(ctx)
	labels := map[string]string{}
	alike := func(name string) {
		for _, iri := range named[name] {
			labels[iri] = known[iri]
		}
	}
	for _, iri := range slices.Concat(statisticsIRIs(stats), iris) {
		if iri != "" {
			labels[iri] = known[iri]
			alike(PartyName(iri, known[iri]))
		}
	}
	names := TellApart(labels, u.Ages)
	for _, name := range names {
		alike(name) // a name that was made distinct may be that of somebody else
	}
	return TellApart(labels, u.Ages), nil
}

// PartyName returns the name of a robot or a person before it is told apart from others.
func PartyName(iri, label string) string { return cmp.Or(label, Short(iri)) }

// Parties returns the labels of the robots and people of the published graph, by IRI. The
// caller must not change the map.
func (u *UI) Parties(ctx context.Context) map[string]string {
	labels, _ := u.partiesByName(ctx)
	return labels
}

// IsRobot reports whether one of Parties is a robot.
func (u *UI) IsRobot(iri string) bool {
	u.people.Lock()
	defer u.people.Unlock()
	return u.people.robots[iri]
}

// partiesByName is like Parties, and also returns the IRIs by name (see PartyName). If the graph can't be read within
// knownTime, it returns what was read last, or none.
func (u *UI) partiesByName(ctx context.Context) (labels map[string]string, named map[string][]string) {
	u.people.Lock()
	defer u.people.Unlock()
	now := u.Config.Now()
	if u.people.labels != nil && now.Sub(u.people.at) < knownLife {
		return u.people.labels, u.people.named
	}
	visitor := ctx
	ctx, cancel := context.WithTimeout(ctx, knownTime)
	defer cancel()
	classes := "<" + vocabulary.OroRobot + "> <" + vocabulary.OroHuman + "> <" + vocabulary.ProvPerson + "> <" + vocabulary.FOAFPerson + ">"
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?who ?label ?class { VALUES ?class { %s } ?who a ?class OPTIONAL { ?who %s ?label } } LIMIT %d",
		classes, "<"+strings.Join(Labelling[:3], ">|<")+">", maxKnown))
	if err != nil {
		u.Log.DebugContext(ctx, "the robots and people of the graph can't be read", "error", err)
		if visitor.Err() != nil { // the next visitor tries again
			return u.people.labels, u.people.named
		}
		if u.people.at = now; u.people.labels == nil {
			u.people.labels = map[string]string{}
		}
		return u.people.labels, u.people.named
	}
	labels, named, u.people.robots = map[string]string{}, map[string][]string{}, map[string]bool{}
	for _, row := range rows {
		if row[2].Value() == vocabulary.OroRobot {
			u.people.robots[row[0].Value()] = true
		}
		if iri, label := row[0].Value(), row[1].Value(); row[0].IsIRI() && (labels[iri] == "" || label != "" && label < labels[iri]) {
			labels[iri] = label
		}
	}
	for iri, label := range labels {
		name := PartyName(iri, label)
		named[name] = append(named[name], iri)
	}
	u.people.at, u.people.labels, u.people.named = now, labels, named
	return labels, named
}

// statisticsIRIs returns the robots and people in the resolver's statistics.
func statisticsIRIs(s *resolver.Statistics) []string {
	var out []string
	for _, c := range s.Clock.Robots {
		out = append(out, c.RobotURI)
	}
	for _, p := range s.Placeholders {
		out = append(out, p.SubjectURI)
	}
	for _, p := range s.People {
		out = append(out, p.SubjectURIs[:]...)
	}
	for _, r := range s.Relays {
		out = append(out, r.RobotURI, r.Of)
	}
	for _, r := range s.ReusedIDs.Robots {
		out = append(out, Given(r.RobotURI))
	}
	return out
}

// ViewIRIs returns the IRIs that the observations of a context mention.
func ViewIRIs(v resolver.ContextView) []string {
	out := []string{Given(v.SubjectURI)}
	for _, o := range v.Observations {
		out = append(out, Given(o.RobotURI), Given(o.SubjectURI), Given(o.LocationURI), Given(o.ObservationURI))
	}
	return out
}

// CaseNames returns the names for the IRIs of some cases.
func (u *UI) CaseNames(ctx context.Context, cases ...*resolver.CaseDetail) (Names, error) {
	var iris []string
	for _, k := range cases {
		iris = append(iris, ViewIRIs(k.Source)...)
		for _, o := range k.Offers {
			iris = append(iris, ViewIRIs(o.Context)...)
		}
	}
	return u.NamesOf(ctx, iris...)
}

// Ages returns when IRIs were stored; see views.Ages.
func (u *UI) Ages(iris []string) []uint64 {
	out, err := u.Service.Ages(iris)
	if err != nil {
		u.Log.Warn("it can't be read when names were stored", "error", err)
		return make([]uint64, len(iris))
	}
	return out
}

func Given(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
