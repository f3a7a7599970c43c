package admin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

const (
	// maxTale is how many facts of each list the tale of all has.
	maxTale = 200
	// sameEvent is how far apart robots report one event.
	sameEvent = 3 * time.Second
)

// taleLists are the lists of events.
var taleLists = []string{"said", "received", "emotions", "decisions"}

// tale is what is known of a person, each event once.
type tale struct {
	days []taleDay
	said map[string]int // how many events there are of a list, by its name; missing if not all are told
	cut  bool           // some facts are not told
}

type taleDay struct {
	name   string
	events []*taleEvent
}

// taleEvent is a sentence, an emotion or a decision that some robots report.
type taleEvent struct {
	show  string // the list
	at    time.Time
	clock string
	by    []string // names of robots
	text  string
	felt  []string // how strong an emotion is, by robot
	iri   string   // of the first report
	kind  string   // the IRI of an emotion's category
}

// tell returns the tale of the lists of what was said, felt and decided.
func (m *PersonData) tell(z *time.Location) (out tale) {
	var all []*taleEvent
	out.said = map[string]int{}
	for _, t := range m.tabs() {
		if !slices.Contains(taleLists, t.show) {
			continue
		}
		events := m.events(t.show, t.facts.Facts)
		if all = append(all, events...); len(t.facts.Facts) < t.facts.Count {
			out.cut = true
		} else {
			out.said[t.show] = len(events)
		}
	}
	slices.SortStableFunc(all, func(a, b *taleEvent) int { return a.at.Compare(b.at) })
	for _, e := range all {
		if m.current().facts != nil && e.show != m.Show {
			continue
		}
		day := "Without a time"
		if !e.at.IsZero() {
			at := e.at.In(z)
			day, e.clock = at.Format("2 January 2006"), at.Format(time.TimeOnly)
		}
		if n := len(out.days); n == 0 || out.days[n-1].name != day {
			out.days = append(out.days, taleDay{name: day})
		}
		d := &out.days[len(out.days)-1]
		d.events = append(d.events, e)
	}
	return out
}

// events groups the facts of a list by event.
func (m *PersonData) events(show string, facts []service.PersonFact) (all []*taleEvent) {
	for _, f := range facts {
		at, _ := views.ParseTime(f.Time)
		by, text, felt := m.called(f.By), f.Text, ""
		if show == "emotions" {
			text, felt, _ = strings.Cut(text, " ")
		}
		i := slices.IndexFunc(all, func(e *taleEvent) bool {
			return e.text == text && at.Sub(e.at).Abs() <= sameEvent && (show != "received" || e.by[0] == by)
		})
		if i < 0 {
			i, all = len(all), append(all, &taleEvent{show: show, at: at.UTC(), text: text, iri: f.IRI, kind: f.Category})
		}
		if e := all[i]; !slices.Contains(e.by, by) {
			e.by, e.felt = append(e.by, by), append(e.felt, percent(felt))
		}
	}
	return all
}

// reported says who reported an event, and how.
func (e *taleEvent) reported() string {
	verb := map[string]string{"said": "heard by ", "emotions": "read by ", "decisions": "decided by "}[e.show]
	var who []string
	for i, name := range e.by {
		if name != "" {
			who = append(who, strings.TrimSpace(views.Name(name)+" "+e.felt[i]))
		}
	}
	if verb == "" || len(who) == 0 {
		return ""
	}
	return verb + strings.Join(who, ", ")
}

// percent shows an intensity from 0 to 1.
func percent(text string) string {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n <= 1 {
		return fmt.Sprintf("%.0f %%", 100*n)
	}
	return text
}

// called returns the name of a robot or a person.
func (m *PersonData) called(iri string) string {
	if iri == "" {
		return ""
	}
	return m.Names.Of(iri)
}

// span returns the first and the last time of the events; zero if none has one.
func (t tale) span() (first, last time.Time) {
	for _, day := range t.days {
		for _, e := range day.events {
			if first.IsZero() {
				first = e.at
			}
			last = e.at
		}
	}
	return first, last
}

// whole reports whether the tale has all events of a list.
func (t tale) whole(show string) bool { _, all := t.said[show]; return all }

// count returns how many events of a list there are or, if not all are read, how many facts.
func (t tale) count(l personTab) int {
	if n, all := t.said[l.show]; all {
		return n
	}
	return l.facts.Count
}
