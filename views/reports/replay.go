package reports

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

const (
	replayRobots = 50 // most robots that an address may name
)

// version identifies the state of the published graph, for caches; "" if it is unknown.
func (u *handlers) version(r *http.Request) string {
	tag, err := u.Service.ETag(r.Context(), rdf.Term{}, turtle.NTriples)
	if err != nil {
		return ""
	}
	return tag
}

// replayTime parses a time of an address. Without one it returns the zero time.
func replayTime(q url.Values, name string) (time.Time, error) {
	text := q.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	t, ok := views.ParseTime(text)
	if !ok {
		return t, front.NewProblem(http.StatusUnprocessableEntity, "%s is %q, which is not a time; an example is 2026-02-24T12:20:00Z", name, text)
	}
	return t, nil
}

// askedReplay is the replay that an address describes, before it is read.
type askedReplay struct {
	Replay
	report *Report
	robots []rdf.Term
	first  string
	cases  bool // the reader may decide them
}

// readReplay reads the address of a replay: the range, the robots, the current time (t), the visible range (since,
// until), and how it is shown.
func (u *handlers) readReplay(r *http.Request, v *views.Visit) (a askedReplay, err error) {
	q := r.URL.Query()
	times := map[string]time.Time{}
	for _, name := range []string{"from", "to", "t", "since", "until"} {
		if times[name], err = replayTime(q, name); err != nil {
			return a, err
		}
	}
	from, to := times["from"], times["to"]
	switch {
	case from.IsZero() || !from.Before(to):
		return a, front.NewProblem(http.StatusUnprocessableEntity, "a replay needs a time from and a later time to")
	case to.Sub(from) > LongestReplay:
		return a, front.NewProblem(http.StatusUnprocessableEntity, "a replay has at most 7 days; choose a later from or an earlier to")
	}
	a.Robots = q["robot"]
	if len(a.Robots) > replayRobots || slices.ContainsFunc(a.Robots, func(iri string) bool { return !rdf.IsIRI(iri) }) {
		return a, front.NewProblem(http.StatusUnprocessableEntity, "robot must be an IRI, at most %d times", replayRobots)
	}
	for _, iri := range a.Robots {
		a.robots = append(a.robots, rdf.NewIRI(iri))
	}
	if a.report, err = u.newReport(r, v, mostRows); err != nil {
		return a, err
	}
	a.report.From, a.report.To = from, to
	a.Data = &ReplayData{From: from, To: to}
	a.T, a.Since, a.Until = times["t"], from, to
	if s := times["since"]; !s.IsZero() && s.After(from) && s.Before(to) {
		a.Since = s
	}
	if t := times["until"]; !t.IsZero() && t.After(a.Since) && t.Before(to) {
		a.Until = t
	}
	a.View, a.Kind, a.Straight, a.Whole = q.Get("view"), q.Get("kind"), q.Get("silences") == "kept", q.Get("rows") == "all"
	a.LeftBefore, a.LeftAfter = slices.Contains(q["left"], "before"), slices.Contains(q["left"], "after")
	if a.Notes, err = u.RemarksIn(from, to, r.URL.RequestURI()); err != nil {
		return a, err
	}
	a.first, a.cases = q.Get("first"), v.Actor.Is(auth.Admin)
	return a, nil
}

// load reads what happened. If there is too much, and the current time is after what was read, the replay begins later,
// so that it has that time.
func (a askedReplay) load(ctx context.Context) (m Replay, err error) {
	m = a.Replay
	if m.Data, err = a.report.Replay(ctx, a.robots); err != nil {
		return m, err
	}
	if cut := m.Data.Cut; !cut.IsZero() && !m.T.Before(cut) {
		later := *a.report
		if later.From, err = later.ReplayFrom(ctx, m.T); err != nil {
			return m, err
		}
		if m.Data, err = later.Replay(ctx, a.robots); err != nil {
			return m, err
		}
		a.report, m.LeftBefore = &later, true
		if m.Since.Before(later.From) {
			m.Since = later.From
		}
	}
	if a.cases {
		if m.Cases, err = a.report.Cases(ctx, m.Data); err != nil {
			return m, err
		}
	}
	if m.First, err = strconv.Atoi(a.first); err != nil { // the address names no entry
		m.First = 0
		if m.View == "" && !m.T.IsZero() {
			m.First = m.Data.FeedPage(m.Data.At(m.T))
		}
	}
	m.First = max(0, m.First)
	return m, nil
}

// mostCauses is how many causes of an event are shown, and how far they reach.
const mostCauses = 3

// because reads what led to the events that the feed shows, and what led to that, in at most mostCauses steps. It sets
// Because of a copy of the events.
func (u *handlers) because(ctx context.Context, m *Replay) error {
	entries, _, _ := m.feed()
	var asked []rdf.Term
	for _, i := range entries {
		if iri := m.Data.Events[i].IRI; rdf.IsIRI(iri) {
			asked = with(asked, rdf.NewIRI(iri))
		}
	}
	own := *m.Data // the cache has the other
	own.Events = slices.Clone(own.Events)
	m.Data = &own
	at := map[string]int{}
	for i, e := range m.Data.Events {
		if _, known := at[e.IRI]; !known && !e.Same {
			at[e.IRI] = i
		}
	}
	causes := map[string][]int{}
	for range mostCauses {
		if len(asked) == 0 {
			break
		}
		query := fmt.Sprintf("SELECT DISTINCT ?a ?c { VALUES ?a { %s} { ?a <%s> ?c } UNION { ?a <%s>/<%s> ?c } }",
			listed(asked), vocabulary.SegbTriggeredByActivity, vocabulary.SegbTriggeredByEntity, vocabulary.ProvWasGeneratedBy)
		asked = nil
		err := u.Each(ctx, query, func(row []rdf.Term) error {
			if c, there := at[row[1].Value()]; there && row[1].IsIRI() {
				causes[row[0].Value()] = with(causes[row[0].Value()], c)
				if causes[row[1].Value()] == nil {
					asked = with(asked, row[1])
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, i := range entries {
		e := &m.Data.Events[i]
		for queue := []string{e.IRI}; len(queue) > 0; queue = queue[1:] { // the nearest causes first
			for _, c := range causes[queue[0]] {
				if iri := m.Data.Events[c].IRI; iri != e.IRI && len(e.Because) < mostCauses && !slices.Contains(e.Because, c) {
					e.Because, queue = append(e.Because, c), append(queue, iri)
				}
			}
		}
	}
	return nil
}

// replayOf returns the replay that an address describes.
func (u *handlers) replayOf(r *http.Request, v *views.Visit) (Replay, error) {
	a, err := u.readReplay(r, v)
	if err != nil {
		return a.Replay, err
	}
	return a.load(r.Context())
}

func drawReplay(ctx context.Context, m *Replay) {
	var times []time.Time
	for _, e := range m.Data.Events {
		times = append(times, e.At)
	}
	m.Strip = NewReplayStrip(m.Data, SessionScale(m.Since, m.Until, times, !m.Straight).in(views.ZoneOf(ctx)), m.T, m.Cases)
}

// getReplay shows what robots did in a range. Without one it redirects to the session at
// a time, or to the newest.
func (u *handlers) getReplay(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	if q := r.URL.Query(); !q.Has("from") && !q.Has("to") {
		return u.findReplay(w, r, v)
	}
	a, err := u.readReplay(r, v)
	if err != nil {
		return err
	}
	f := u.Frame(r, v, a.PageTitle(r.Context()))
	f.Styles, f.Scripts = []string{"replay.css"}, []string{"replay.js"}
	f.Keys = []views.Key{{Press: "space", Does: "play or pause"}, {Press: "← →", Does: "move by a hundredth"}, {Press: "j k", Does: "next or previous event"}}
	early := a.Replay // apart from what is read meanwhile
	read := views.Begin(r.Context(), u.UI, func() (Replay, error) {
		m, err := a.load(r.Context())
		if err == nil {
			drawReplay(r.Context(), &m)
			if m.View == "" {
				err = u.because(r.Context(), &m)
			}
		}
		return m, err
	})
	defer read.Join()
	if !read.Soon() {
		early.Later = read.Wait
		return u.Stream(w, r, ReplayPage(f, early))
	}
	m, err := read.Wait()
	if err != nil {
		return err
	}
	return u.Show(w, r, http.StatusOK, ReplayPage(f, m))
}

// findReplay redirects to the session at the time of the address, or to the newest.
func (u *handlers) findReplay(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	at, err := replayTime(r.URL.Query(), "at")
	if err != nil {
		return err
	}
	near := at
	if at.IsZero() {
		near = v.Now
	}
	asked, err := u.newReport(r, v, mostRows)
	if err != nil {
		return err
	}
	found, err := asked.SessionAt(r.Context(), near)
	if err != nil {
		return err
	}
	if found == nil {
		f := u.Frame(r, v, "Replay")
		return u.Show(w, r, http.StatusOK, NoReplayPage(f))
	}
	u.Redirect(w, r, found.PathAt(at))
	return nil
}

// getReplayFeed returns a page of the list of events, for scripts.
func (u *handlers) getReplayFeed(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	m, err := u.replayOf(r, v)
	if err != nil {
		return err
	}
	if err := u.because(r.Context(), &m); err != nil {
		return err
	}
	return u.Show(w, r, http.StatusOK, ReplayFeed(m))
}

// getReplayEvents returns the events for scripts, as arrays of equal length.
func (u *handlers) getReplayEvents(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	m, err := u.replayOf(r, v)
	if err != nil {
		return err
	}
	drawReplay(r.Context(), &m)
	return front.WriteJSON(w, http.StatusOK, m.Script(r.Context()))
}
