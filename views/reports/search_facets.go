package reports

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// counting counts sentences by what facets show.
type counting struct {
	sessions                 []Summary // the newest ones, the newest first
	people, robots, emotions map[rdf.Term]int
	of                       map[int]int // by index in sessions
	total, shared, review    int
	whole                    bool // all were counted
	cut                      bool // there are earlier sessions
}

// count reads all sentences that are sought: it returns a page of them, whether there are more, and counts of all. If
// they are too many to count in time, the counts are not whole.
func (f *finding) count(ctx context.Context) (list []*sentence, more bool, c *counting, err error) {
	limited, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	sessions, err := f.ofAllTimes().Sessions(limited)
	if err == nil {
		err = f.learn(limited, nil)
	}
	if err != nil {
		return nil, false, nil, err
	}
	c = &counting{sessions: sessions.List, cut: !sessions.Before.IsZero(), people: map[rdf.Term]int{}, robots: map[rdf.Term]int{}, emotions: map[rdf.Term]int{}, of: map[int]int{}}
	unpaged, page := *f, paging{}
	unpaged.before = time.Time{}
	err = unpaged.all(limited, func(s *sentence) {
		c.add(f, s)
		if f.before.IsZero() || s.at.Before(f.before) {
			page.add(s)
		}
	})
	c.whole = err == nil && (f.emotion == "" || !f.lacks)
	if err != nil && (ctx.Err() != nil || !errors.Is(limited.Err(), context.DeadlineExceeded)) {
		return nil, false, nil, err
	}
	if err != nil && !page.more { // the page is far behind
		page.list, page.more, err = f.page(ctx)
		return page.list, page.more, c, err
	}
	return page.list, page.more, c, nil
}

// ofAllTimes returns the report without its range.
func (f *finding) ofAllTimes() *Report {
	all := *f.Report
	all.From, all.To = time.Time{}, time.Time{}
	return &all
}

// add counts a sentence.
func (c *counting) add(f *finding, s *sentence) {
	c.total++
	if !s.who.IsZero() {
		c.people[s.who]++
	}
	for _, r := range s.robots {
		c.robots[r]++
	}
	for _, x := range f.feelingsOf(s) {
		c.emotions[x.category]++
	}
	if s.shared() {
		c.shared++
	}
	if f.caseOf(s) != "" {
		c.review++
	}
	i := sort.Search(len(c.sessions), func(i int) bool { return !c.sessions[i].From.After(s.at) })
	for ; i < len(c.sessions); i++ { // from the newest that began by then; robots may have several at once
		if !s.at.After(c.sessions[i].To) {
			c.of[i]++
		}
		if !c.sessions[i].Overlaps {
			break
		}
	}
}

// facets adds the facets: how many of the counted sentences each person, robot, session, emotion and state has, with
// links that choose it.
func (f *finding) facets(ctx context.Context, c *counting, m *SearchModel) error {
	people, err := f.names(ctx)
	if err != nil {
		return err
	}
	speakers, robots := frequent(c.people), frequent(c.robots)
	if err := f.label(ctx, slices.Concat(speakers[:min(len(speakers), facetRows)], robots[:min(len(robots), facetRows)])...); err != nil {
		return err
	}
	person := Facet{Name: "Person", About: "who said it"}
	for _, t := range speakers {
		if !people[t.String()].robot && c.robots[t] == 0 {
			person.add(m.choice("person", t.Value(), f.name(t), c.people[t]))
		}
	}
	robot := Facet{Name: "Robot", About: "that said or heard it"}
	for _, t := range robots {
		robot.add(m.choice("robot", t.Value(), f.name(t), c.robots[t]))
	}
	session := Facet{Name: "Session"}
	if c.cut {
		session.About = "of the newest"
	}
	for i, s := range c.sessions {
		if n := c.of[i]; n > 0 {
			from, to := s.From.UTC().Format(views.RangeTime), s.To.UTC().Add(time.Microsecond).Format(views.RangeTime)
			x := FacetChoice{Name: sessionName(f.in(s.From), f.in(s.To), f.in(f.Now)), N: n}
			x.Chosen = m.given.Get("from") == from && m.given.Get("to") == to
			x.Href = m.with("from", unless(x.Chosen, from), "to", unless(x.Chosen, to))
			session.add(x)
		}
	}
	emotion := Facet{Name: "Emotion"}
	for _, t := range frequent(c.emotions) {
		x := m.choice("emotion", t.Value(), feeling(t), c.emotions[t])
		x.Colour = views.SeriesClass(views.SeriesOf(seriesKey(t)))
		emotion.add(x)
	}
	state := Facet{Name: "State"}
	for _, s := range []struct {
		state, name string
		n           int
	}{{stateShared, "shared events", c.shared}, {stateReview, "to review", c.review}} {
		if s.n > 0 {
			state.add(m.choice("state", s.state, s.name, s.n))
		}
	}
	for _, x := range []Facet{person, robot, session, emotion, state} {
		if !c.whole || f.lacks && x.Name == emotion.Name { // its numbers may be too small
			x.About = strings.TrimPrefix(x.About+", at least", ", ")
		}
		if len(x.Shown) > 0 {
			m.Facets = append(m.Facets, x)
		}
	}
	return nil
}

// frequent returns the IRIs that were counted, without unbound terms and literals, the most frequent first.
func frequent(counts map[rdf.Term]int) []rdf.Term {
	var out []rdf.Term
	for t := range counts {
		if t.IsIRI() {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b rdf.Term) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a.Value(), b.Value()))
	})
	return out
}

// about returns the people and sessions whose names or times a text has. A session is left out if the list of them takes
// too long: the facets have it.
func (u *handlers) about(r *http.Request, v *views.Visit, f *finding, text string) (out []AboutCard, err error) {
	if text == "" || f.person != (rdf.Term{}) {
		return nil, nil
	}
	labels := f.Persons.Fold(u.Parties(r.Context()))
	people, err := f.names(r.Context())
	if err != nil {
		return nil, err
	}
	var found []rdf.Term
	for iri, label := range labels {
		if views.Contains(cmp.Or(label, views.Short(iri)), text) && rdf.IsIRI(iri) {
			found = append(found, rdf.NewIRI(iri))
		}
	}
	slices.SortFunc(found, func(a, b rdf.Term) int {
		return cmp.Or(views.NameRank(f.name(a), text)-views.NameRank(f.name(b), text), strings.Compare(f.name(a), f.name(b)))
	})
	for _, t := range found[:min(len(found), aboutPeople)] {
		c := AboutCard{Name: f.name(t), Note: "person", Sign: "human", Href: why(t), Said: "/search?" + readable.Replace(url.Values{"person": {t.Value()}}.Encode())}
		if people[t.String()].robot {
			c.Note, c.Sign, c.Said = "robot", "robot", "/search?"+readable.Replace(url.Values{"robot": {t.Value()}}.Encode())
		}
		if n := len(f.Persons.All(t.Value())); n > 1 {
			c.Note += ", " + views.Plural(n, "name")
		}
		out = append(out, c)
	}
	soon, cancel := context.WithTimeout(r.Context(), u.Config.Patience/2)
	defer cancel()
	groups, err := u.findSessions(r.WithContext(soon), v, text)
	for _, g := range groups {
		for _, s := range g.List[:min(len(g.List), aboutPeople)] {
			out = append(out, AboutCard{Name: s.Name, Note: s.Note, Sign: "play", Href: s.Href})
		}
	}
	return out, err
}

// sessionName names a session by its time, with the year unless that is the one of now.
func sessionName(from, to, now time.Time) string {
	return from.Format(views.DayNear(now, from)+" 15:04") + " to " + to.Format("15:04")
}
