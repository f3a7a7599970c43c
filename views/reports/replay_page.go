package reports

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/segraph/segraph/views"
)

// Replay is the model of /replay.
type Replay struct {
	Data   *ReplayData
	Cases  []ReplayShared // pending cases; nil unless the reader may decide them
	Robots []string       // IRIs of the robots that the address names
	T      time.Time      // the current time; zero at first
	// Since and Until are the visible range. They are those of Data if nothing is zoomed.
	Since, Until time.Time
	Straight     bool   // silences are not cut
	View         string // "", "table" or "print"
	Kind         string // of the rows of the table; "" for all
	First        int    // of the feed or the table: its first row, from 0
	Whole        bool   // the page for printing has all rows
	// LeftBefore and LeftAfter mean that the session has more before and after Data.
	LeftBefore, LeftAfter bool
	Strip                 ReplayStrip
	Notes                 views.Remarks
	// Later waits until the events of Data are read, and returns the model with Data,
	// Cases, First and Strip. Before that, Data has only its range. Later is nil if the
	// model is complete.
	Later func() (Replay, error)
}

// Sizes of parts of a replay.
const (
	// FeedSize is how many entries the feed has.
	FeedSize = 12
	// briefLetters is how much of a cause an entry of the feed quotes.
	briefLetters = 60
	// tableSize is how many rows a page of the table has.
	tableSize = 40
	// printSize is how many rows a page for printing has.
	printSize = 200
)

// path returns an address below /replay for the session, with some values changed. An
// empty value removes one.
func (m Replay) path(part string, change ...string) string {
	q := url.Values{"from": {exact(m.Data.From)}, "to": {exact(m.Data.To)}, "robot": m.Robots}
	if m.LeftBefore {
		q.Add("left", "before")
	}
	if m.LeftAfter {
		q.Add("left", "after")
	}
	set := func(name, value string, on bool) {
		if on {
			q.Set(name, value)
		}
	}
	set("t", exact(m.T), !m.T.IsZero())
	set("since", exact(m.Since), !m.Since.Equal(m.Data.From))
	set("until", exact(m.Until), !m.Until.Equal(m.Data.To))
	set("silences", "kept", m.Straight)
	set("view", m.View, m.View != "")
	set("kind", m.Kind, m.Kind != "")
	for i := 0; i < len(change); i += 2 {
		if q.Set(change[i], change[i+1]); change[i+1] == "" {
			q.Del(change[i])
		}
	}
	return "/replay" + part + "?" + views.PlainIRIs.Replace(q.Encode())
}

// shownPart says which part of a long session is shown.
func (m Replay) shownPart(ctx context.Context) string {
	text := "It is shown"
	if m.LeftBefore {
		text += " from " + views.Clock(ctx, m.Data.From)
	}
	if to := m.shownTo(); !to.IsZero() {
		text += " until " + views.Clock(ctx, to)
	}
	return text + "."
}

// shownTo returns until when a session is shown that has more, or the zero time.
func (m Replay) shownTo() time.Time {
	if m.Data.Cut.IsZero() && m.LeftAfter {
		return m.Data.To
	}
	return m.Data.Cut
}

// exact formats a time for an address.
func exact(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// tabs returns the views of a replay.
func (m Replay) tabs() []views.Tab {
	return []views.Tab{
		{Name: "Replay", Href: m.path("", "view", "", "kind", ""), Current: m.View == ""},
		{Name: "Table", Href: m.path("", "view", "table"), Current: m.View == "table"},
		{Name: "Print", Href: m.path("", "view", "print", "kind", ""), Current: m.View == "print"},
	}
}

// caseFile is the address where a case file of the session is made.
func (m Replay) caseFile() string {
	q := url.Values{"from": {m.Data.From.UTC().Format(time.RFC3339Nano)}, "to": {m.Data.To.UTC().Format(time.RFC3339Nano)}}
	if len(m.Robots) > 0 {
		q["robot"] = m.Robots
	}
	return "/case-file?" + views.PlainIRIs.Replace(q.Encode())
}

// zooms returns links to other visible ranges. They keep the current time in view.
func (m Replay) zooms() []views.Link {
	wide := m.Until.Sub(m.Since)
	centre := m.T
	if centre.Before(m.Since) || centre.After(m.Until) {
		centre = m.Since.Add(wide / 2)
	}
	to := func(d time.Duration) string {
		since, until := centre.Add(-d/2), centre.Add(d/2)
		if since.Before(m.Data.From) {
			since, until = m.Data.From, m.Data.From.Add(d)
		}
		if until.After(m.Data.To) {
			since, until = m.Data.To.Add(-d), m.Data.To
		}
		if !since.After(m.Data.From) && !until.Before(m.Data.To) {
			return m.path("", "since", "", "until", "")
		}
		return m.path("", "since", exact(since), "until", exact(until))
	}
	var out []views.Link
	if wide > 2*time.Second {
		out = append(out, views.Link{Path: to(wide / 4), Name: "Zoom in"})
	}
	if m.zoomed() {
		out = append(out, views.Link{Path: to(min(4*wide, m.Data.To.Sub(m.Data.From))), Name: "Zoom out"}, views.Link{Path: m.path("", "since", "", "until", ""), Name: "Whole session"})
	}
	return out
}

func (m Replay) zoomed() bool { return m.Since.After(m.Data.From) || m.Until.Before(m.Data.To) }

// current returns the time that is shown: t, or the start.
func (m Replay) current() time.Time {
	if m.T.IsZero() {
		return m.Since
	}
	return m.T
}

// Entries returns the indexes of the events that the feed lists: all but repeated
// messages and, if something was said and the lanes have room for states, the states.
func (d *ReplayData) Entries() []int {
	var out []int
	lanes := d.laneSizes() == roomyLanes && d.Count(KindMessage) > 0
	for i, e := range d.Events {
		if !e.Same && !(lanes && e.Kind == KindState) {
			out = append(out, i)
		}
	}
	return out
}

// feed returns the indexes of the events of the feed's page, their total, and the index of the
// current one or -1.
func (m Replay) feed() (list []int, total, now int) {
	all := m.Data.Entries()
	first := min(max(0, m.First), max(0, len(all)-1))
	now = -1
	if !m.T.IsZero() {
		for _, i := range all {
			if !m.Data.Events[i].At.After(m.T) {
				now = i
			}
		}
	}
	return all[first:min(len(all), first+FeedSize)], len(all), now
}

// FeedPage returns the first entry of the feed's page for an event. The pages overlap by half,
// so that each has the entry before the current one and some after it.
func (d *ReplayData) FeedPage(event int) int {
	n, _ := slices.BinarySearch(d.Entries(), event+1)
	return max(0, n-2) / (FeedSize / 2) * (FeedSize / 2)
}

// rows returns the indexes of the events of the table's page, and their total.
func (m Replay) rows() (list []int, total int) {
	var all []int
	for i, e := range m.Data.Events {
		switch m.Kind {
		case "", e.Kind: // all kinds, or this one
		case "model":
			if len(e.Models) == 0 {
				continue
			}
		default:
			continue
		}
		all = append(all, i)
	}
	first := min(max(0, m.First), len(all))
	return all[first:min(len(all), first+tableSize)], len(all)
}

// printed returns the indexes of the events of a part of the page for printing, and their
// total.
func (m Replay) printed() (list []int, total int) {
	total = len(m.Data.Events)
	first, last := min(max(0, m.First), total), total
	if !m.Whole {
		last = min(total, first+printSize)
	}
	for i := first; i < last; i++ {
		list = append(list, i)
	}
	return list, total
}

// pager returns the links between pages of n entries.
func (m Replay) pager(n, size, total int) views.Pager {
	return views.PagerAt(m.First, n, total, size, func(from int) string { return m.path("", "first", strconv.Itoa(from)) })
}

// robot returns the name of a lane.
func (d *ReplayData) robot(lane int) string {
	if lane < 0 || lane >= len(d.Robots) {
		return ""
	}
	return d.Robots[lane]
}

// sentence says what happened, with at most shownLetters of each value. The values in it are
// quoted.
func (e ReplayEvent) sentence() string { return e.told(shownLetters) }

// told returns what happened in words, each quotation cut to at most the given number of letters.
func (e ReplayEvent) told(letters int) string {
	quote := func(s string) string { return views.SomeSaid(shortened(s, letters)) }
	switch e.Kind {
	case KindMessage:
		if e.Confidence >= 0 {
			return quote(e.Text) + " (confidence " + views.Percentage(e.Confidence) + ")"
		}
		return quote(e.Text)
	case KindEmotion:
		var facts []string // in the order that /why has
		if e.Confidence >= 0 {
			facts = append(facts, "confidence "+views.Percentage(e.Confidence))
		}
		if e.Intensity >= 0 {
			facts = append(facts, "strength "+views.Percentage(e.Intensity))
		} else {
			facts = append(facts, "strength not logged")
		}
		return views.Name(e.Text) + " (" + strings.Join(facts, ", ") + ")"
	case KindState:
		if e.What != "" {
			return views.JoinWords(views.Name(e.What), quote(e.Text))
		}
	}
	parts := []string{quote(e.What), quote(e.Text)}
	for _, f := range e.Facts {
		parts = append(parts, f.Said(quote))
	}
	return views.JoinWords(parts...)
}

// briefly says in a few words what happened.
func (e ReplayEvent) briefly() string {
	if e.Who != "" {
		return views.Name(e.Who) + ": " + e.told(briefLetters)
	}
	return e.told(briefLetters)
}

// whom says who spoke to whom, or who felt.
func (e ReplayEvent) whom() string {
	if len(e.To) > 0 {
		return views.Name(e.Who) + " → " + views.AllNamed(e.To)
	}
	return views.Name(e.Who)
}

// whyPath returns the address of the causes of an activity, or "".
func (e ReplayEvent) whyPath() string {
	if e.Kind == KindState {
		return ""
	}
	return views.WhyAddress(e.IRI)
}

// named shows the name of a robot or a person, with a link to their story if there is one.
func (d *ReplayData) named(name string) templ.Component {
	if to := views.WhyAddress(d.IRIs[name]); to != "" {
		return storyLink(name, to)
	}
	return views.PlainName(name)
}

// nodePath returns the address of a node in the graph, or "".
func nodePath(iri string) string {
	if iri == "" {
		return ""
	}
	return "/kg-graph?node=" + views.PlainIRIs.Replace(url.QueryEscape(iri))
}

// kinds returns links to the rows of each kind, with their numbers. The first leads to all rows. The next inHead ones
// are also in the head of the page.
func (m Replay) kinds() (out []views.Tab, inHead int) {
	d := m.Data
	models := 0
	for _, e := range d.Events {
		if len(e.Models) > 0 {
			models++
		}
	}
	out = []views.Tab{{Name: "All " + views.Count(len(d.Events)), Href: m.path("", "view", "table", "kind", "", "first", ""), Current: m.Kind == ""}}
	for _, k := range []struct {
		kind, noun string
		n          int
	}{
		{KindMessage, "message", d.Count(KindMessage)}, {KindEmotion, "emotion", d.Count(KindEmotion)}, {KindDecision, "decision", d.Count(KindDecision)}, {KindIncident, "incident", d.Count(KindIncident)},
		{KindShared, "shared event", len(d.Shared)}, {KindActivity, "other", d.Count(KindActivity)}, {KindState, "state", d.Count(KindState)}, {"model", "model run", models},
	} {
		if k.kind == KindActivity {
			inHead = len(out) - 1
		}
		name := views.Plural(k.n, k.noun)
		if k.kind == KindActivity {
			name = views.Count(k.n) + " other"
		}
		if k.n > 0 {
			out = append(out, views.Tab{Name: name, Href: m.path("", "view", "table", "kind", k.kind, "first", ""), Current: m.Kind == k.kind})
		}
	}
	return out, inHead
}

// PageTitle names the session in the browser's tabs.
func (m Replay) PageTitle(ctx context.Context) string {
	return "Session of " + views.Clock(ctx, m.Since)
}

// title names a session by when it began and, once they are read, by its robots.
func (m Replay) title(ctx context.Context) string {
	text := "Session of " + views.Local(ctx, m.Data.From).Format("15:04")
	if n := len(m.Data.Robots); n > 3 {
		return text + ", " + views.Count(n) + " robots"
	} else if n > 0 {
		return text + ", " + views.AllNamed(m.Data.Robots)
	}
	return text
}

// when says when a session was.
func (m Replay) when(ctx context.Context) string {
	return (views.Period{From: views.Local(ctx, m.Data.From), To: m.Data.To.Add(-time.Second)}).Words()
}

// maxNamed is how many participants the head of a session names.
const maxNamed = 12

// with returns the names of the participants, and the number of those that it leaves out.
func (m Replay) with() (names []string, more int) {
	names = slices.Concat(m.Data.Robots, m.Data.People)
	if len(names) > maxNamed+2 {
		return names[:maxNamed], len(names) - maxNamed
	}
	return names, 0
}
