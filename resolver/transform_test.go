package resolver_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
)

// later returns a timestamp that is d later, in the same form.
func later(t testing.TB, stamp string, d time.Duration) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		t.Fatal(err)
	}
	layout := "2006-01-02T15:04:05"
	if _, behind, ok := strings.Cut(stamp, "."); ok {
		layout += "." + strings.Repeat("0", strings.IndexFunc(behind, func(r rune) bool { return r < '0' || r > '9' }))
	}
	return at.Add(d).Format(layout + "Z07:00")
}

// withArrival returns a stream whose observations have the times of arrival that arrival
// returns.
func (s stream) withArrival(arrival func(i int) time.Time) stream {
	s.observations = slices.Clone(s.observations)
	for i := range s.observations {
		s.observations[i].ReceivedAt = arrival(i).Format(time.RFC3339Nano)
	}
	return s
}

// live returns a stream whose observations have their times of arrival.
func (s stream) live() stream {
	return s.withArrival(func(i int) time.Time { return s.arrived[i] })
}

// stepped returns a stream in which a robot's clock jumps by d at a point in time.
func (s stream) stepped(t testing.TB, robot string, at time.Time, d time.Duration) stream {
	s.observations = slices.Clone(s.observations)
	for i, o := range s.observations {
		if s.truths[i].Robot == robot && !s.arrived[i].Before(at) {
			s.observations[i].ObservedAt = later(t, o.ObservedAt, d)
		}
	}
	return s
}

// twice returns a stream and a copy of it, heard by other robots in another room d later.
// The copy's events are different. places are the locations of the rooms, in order; ""
// means unknown.
func (s stream) twice(t testing.TB, d time.Duration, places ...string) stream {
	var out stream
	order := make([]int, 0, 2*len(s.observations))
	at := func(i int) time.Time {
		if n := len(s.arrived); i >= n {
			return s.arrived[i-n].Add(d)
		}
		return s.arrived[i]
	}
	for i := range 2 * len(s.observations) {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return at(i).Compare(at(j)) })
	where := make(map[int]int, len(order))
	for to, i := range order {
		where[i] = to
	}
	n := len(s.observations)
	for _, i := range order {
		o, x := s.observations[i%n], s.truths[i%n]
		x.Of = where[x.Of+i/n*n]
		if i >= n {
			o.RobotURI = strings.Replace(o.RobotURI, "/robot/", "/other/", 1)
			o.ObservationURI = strings.Replace(o.ObservationURI, "/robot/", "/other/", 1)
			o.ObservedAt = later(t, o.ObservedAt, d)
			x.Event, x.Robot = x.Event+"'", x.Robot+"'"
		}
		if len(places) > 0 {
			o.LocationURI = places[i/n]
		}
		out.observations, out.truths, out.arrived = append(out.observations, o), append(out.truths, x), append(out.arrived, at(i))
	}
	return out
}

// about returns a stream in which all observations with a subject have this one.
func (s stream) about(subject string) stream {
	s.observations, s.truths = slices.Clone(s.observations), slices.Clone(s.truths)
	for i := range s.observations {
		if s.observations[i].SubjectURI != "" {
			s.observations[i].SubjectURI, s.truths[i].Subject = subject, &subject
		}
	}
	return s
}

// recallOf returns the share of the eligible pairs, among those that keep accepts, that
// was joined automatically.
func recallOf(truths []truth, a answered, keep func(i, j int) bool) float64 {
	joined, all := 0, 0
	auto := union{}
	for s, t := range a.merged {
		auto.join(s, t)
	}
	type group struct {
		event, subject, modality string
		text                     bool
	}
	groups := map[group][]int{}
	for j, x := range truths {
		if x.Retry || x.Subject == nil || x.Modality == nil {
			continue
		}
		g := group{x.Event, *x.Subject, *x.Modality, x.Text}
		for _, i := range groups[g] {
			if keep(i, j) {
				all++
				if auto.find(a.uris[i]) == auto.find(a.uris[j]) {
					joined++
				}
			}
		}
		groups[g] = append(groups[g], j)
	}
	return share(joined, all)
}

// resolveAll resolves a stream without reconciling, so that nothing is learnt too early.
func resolveAll(t testing.TB, r *resolver.Resolver, s stream) answered {
	t.Helper()
	var a answered
	for _, o := range s.observations {
		x := resolve(t, r, o)
		a.outcomes, a.uris = append(a.outcomes, x.Outcome), append(a.uris, x.SharedContextURI)
	}
	return a
}
