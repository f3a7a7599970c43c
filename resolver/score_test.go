package resolver_test

import (
	"fmt"

	"github.com/segraph/segraph/resolver"
)

// truth is what the generator knows about an observation.
type truth struct {
	Event    string  `json:"event"`
	Robot    string  `json:"robot"`
	Subject  *string `json:"subject"`
	Modality *string `json:"modality"`
	Text     bool    `json:"text"`
	Keyed    bool    `json:"keyed"`
	Retry    bool    `json:"retry"`
	Of       int     `json:"of"`
}

// answered holds the resolver's results for a stream: an answer to each observation, the
// merges by reconciling, and the pending cases after that.
type answered struct {
	outcomes []resolver.Outcome
	uris     []string
	first    *resolver.Queue // before reconciling
	merged   map[string]string
	cases    map[string][]string // source to targets, best first
}

// score holds counts over one or several streams. The kit's scores are ratios of them.
type score struct {
	observations          int
	decided, wrong        int // automatic merges
	eligible, joined      int // pairs that may be joined automatically
	cases, needed, useful int
	pairs, lost           int // true pairs, and those still apart after a perfect review
	retries, violations   int
}

func (s *score) add(t score) {
	s.observations += t.observations
	s.decided += t.decided
	s.wrong += t.wrong
	s.eligible += t.eligible
	s.joined += t.joined
	s.cases += t.cases
	s.needed += t.needed
	s.useful += t.useful
	s.pairs += t.pairs
	s.lost += t.lost
	s.retries += t.retries
	s.violations += t.violations
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func (s score) falseAuto() float64  { return share(s.wrong, s.decided) }
func (s score) recall() float64     { return share(s.joined, s.eligible) }
func (s score) overNeeded() float64 { return share(s.cases, s.needed) }
func (s score) yield() float64      { return share(s.useful, s.cases) }
func (s score) lostShare() float64  { return share(s.lost, s.pairs) }

func (s score) String() string {
	return fmt.Sprintf("wrong %.3f %% (%d/%d), recall %.4f, cases %.3f of needed, yield %.3f, lost %.2f %%, retry violations %d/%d",
		100*s.falseAuto(), s.wrong, s.decided, s.recall(), s.overNeeded(), s.yield(), 100*s.lostShare(), s.violations, s.retries)
}

// union is a disjoint-set forest of names.
type union map[string]string

func (u union) find(x string) string {
	for {
		p, ok := u[x]
		if !ok || p == x {
			return x
		}
		x = p
	}
}

func (u union) join(child, parent string) {
	if c, p := u.find(child), u.find(parent); c != p {
		u[c] = p
	}
}

// scoreOf computes a score like the kit's metrics.py.
func scoreOf(truths []truth, a answered) score {
	auto, after := union{}, union{}
	for s, t := range a.merged {
		auto.join(s, t)
		after.join(s, t)
	}
	var out score
	founder := map[string]string{}
	for i, t := range truths {
		if t.Retry {
			continue
		}
		out.observations++
		uri := a.uris[i]
		if _, ok := founder[uri]; !ok {
			founder[uri] = t.Event
		}
		if a.outcomes[i] == resolver.Matched {
			out.decided++
			if founder[uri] != t.Event {
				out.wrong++
			}
		}
	}
	for s, t := range a.merged {
		out.decided++
		if founder[s] != founder[t] {
			out.wrong++
		}
	}
	out.cases = len(a.cases)
	for source, targets := range a.cases {
		for _, t := range targets {
			if founder[source] == founder[t] {
				after.join(source, t)
				out.useful++
				break
			}
		}
	}
	out.countPairs(truths, a.uris, auto, after)
	for i, t := range truths {
		if t.Retry && t.Keyed {
			out.retries++
			if auto.find(a.uris[i]) != auto.find(a.uris[t.Of]) {
				out.violations++
			}
		}
	}
	return out
}

// countPairs counts the true pairs, the lost and the eligible ones, and the cases that
// even a perfect resolver needs.
func (s *score) countPairs(truths []truth, uris []string, auto, after union) {
	type group struct {
		event, subject, modality string
		text                     bool
	}
	pairs := func(n int) int { return n * (n - 1) / 2 }
	groups, joined := map[group]int{}, map[group]map[string]int{}
	events, kept, alone := map[string]int{}, map[string]map[string]int{}, map[string]int{}
	for i, t := range truths {
		if t.Retry {
			continue
		}
		events[t.Event]++
		if kept[t.Event] == nil {
			kept[t.Event] = map[string]int{}
		}
		kept[t.Event][after.find(uris[i])]++
		if t.Subject == nil || t.Modality == nil {
			alone[t.Event]++
			continue
		}
		g := group{t.Event, *t.Subject, *t.Modality, t.Text}
		groups[g]++
		if joined[g] == nil {
			joined[g] = map[string]int{}
		}
		joined[g][auto.find(uris[i])]++
	}
	parts := map[string]int{}
	for g, n := range groups {
		s.eligible += pairs(n)
		for _, k := range joined[g] {
			s.joined += pairs(k)
		}
		parts[g.event]++
	}
	for e, n := range events {
		s.needed += parts[e] + alone[e] - 1
		s.pairs += pairs(n)
		s.lost += pairs(n)
		for _, k := range kept[e] {
			s.lost -= pairs(k)
		}
	}
}
