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
	// silence is how long nothing happens between two meetings.
	silence = 5 * time.Minute
)

// taleLists are the lists of events.
var taleLists = []string{"said", "received", "emotions", "decisions"}

// tale is what is known of a person, each event once.
type tale struct {
	met  []meeting
	said map[string]int // how many events there are of a list, by its name; missing if not all are told
	cut  bool           // some facts are not told
}

// meeting is events without a silence between them.
type meeting struct {
	name   string // its day and time, or "Without a time"
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

// tell returns the tale of the list that is shown, or of all taleLists, with clock times in zone z. It counts the events
// of every list that was read in full, shown or not.
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
	var last time.Time
	for _, e := range all {
		if m.current().facts != nil && e.show != m.Show { // another list is shown
			continue
		}
		if !e.at.IsZero() {
			e.clock = e.at.In(z).Format(time.TimeOnly)
		}
		if e.at.Sub(last) > silence || len(out.met) == 0 {
			out.met = append(out.met, meeting{})
		}
		last = e.at
		d := &out.met[len(out.met)-1]
		d.events = append(d.events, e)
	}
	for i, d := range out.met {
		out.met[i].name = period(d.events[0].at.In(z), d.events[len(d.events)-1].at.In(z))
	}
	return out
}

// period names the time from an event to another, in their zone.
func period(from, to time.Time) string {
	if from.IsZero() {
		return "Without a time"
	}
	name := from.Format("2 Jan 2006, 15:04")
	if end := to.Format("15:04"); !strings.HasSuffix(name, end) {
		name += "–" + end
	}
	return name
}

// events groups the facts of a list by event. Facts are of one event if they have the same text, their times differ by at
// most sameEvent, and another robot reported each, or they have one IRI.
func (m *PersonData) events(show string, facts []service.PersonFact) (all []*taleEvent) {
	for _, f := range facts {
		at, _ := views.ParseTime(f.Time)
		by, text, felt := m.called(f.By), f.Text, ""
		if show == "emotions" {
			text, felt, _ = strings.Cut(text, " ")
		}
		i := slices.IndexFunc(all, func(e *taleEvent) bool {
			another := !slices.Contains(e.by, by)
			if show == "received" { // by is no robot, but who said it, and all reports name the same one
				another = !another
			}
			return e.text == text && at.Sub(e.at).Abs() <= sameEvent && (another || e.iri == f.IRI && f.IRI != "")
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
			if name = views.Name(name); e.strength() == "" {
				name = strings.TrimSpace(name + " " + e.felt[i])
			}
			who = append(who, name)
		}
	}
	if verb == "" || len(who) == 0 {
		return ""
	}
	return verb + views.List(who)
}

// strength is how strong all robots read an emotion, or "" if they differ.
func (e *taleEvent) strength() string {
	if slices.ContainsFunc(e.felt, func(felt string) bool { return felt != e.felt[0] }) {
		return ""
	}
	return e.felt[0]
}

// robots returns the names of robots with how many of the events each reported.
func (t tale) robots() map[string]int {
	out := map[string]int{}
	for _, d := range t.met {
		for _, e := range d.events {
			for _, name := range e.by {
				if name != "" && e.show != "received" { // then by is who said it
					out[name]++
				}
			}
		}
	}
	return out
}

// percent shows an intensity from 0 to 1 as a percentage, and quotes another.
func percent(text string) string {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n <= 1 {
		return fmt.Sprintf("%.0f %%", 100*n)
	}
	if text != "" {
		text = views.Said(text)
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
	for _, day := range t.met {
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
