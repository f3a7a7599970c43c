package reports

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/views"
)

// sessionTime limits the time to read the list of sessions, which is cached.
const sessionTime = 150 * time.Millisecond

// findSession returns a link to the session at a time, if the text is a time.
func findSession(text string, z *time.Location) []views.Found {
	at, ok := views.ParseTimeIn(text, z)
	if !ok {
		return nil
	}
	return []views.Found{{Name: "Session at " + at.In(z).Format(views.TimeForm+".999999999 MST"), Href: views.ReplayAt(at)}}
}

// findSessions returns the session at a time if the text is a time. It also returns the newest sessions that match
// every word of the text by their time, robots or people, such as "ari 2026-05-31" or "maria today". It returns none of
// these if they can't be read within sessionTime.
func (u *handlers) findSessions(r *http.Request, v *views.Visit, text string) ([]views.FoundGroup, error) {
	if text == "" {
		return nil, nil
	}
	g := views.FoundGroup{Name: "Sessions", List: findSession(text, v.Zone)}
	g.Total = len(g.List)
	ctx, cancel := context.WithTimeout(r.Context(), sessionTime)
	defer cancel()
	asked, err := u.newReport(r, v, mostRows)
	if err != nil {
		u.Log.DebugContext(ctx, "the sessions can't be read", "error", err)
		g.More = g.Total > 0
		return []views.FoundGroup{g}, nil
	}
	all, err := asked.Sessions(ctx)
	if err != nil {
		u.Log.DebugContext(ctx, "the sessions can't be read", "error", err)
		g.More = g.Total > 0
		return []views.FoundGroup{g}, nil
	}
	names := views.Names(views.TellApart(asked.Persons.Fold(u.Parties(ctx)), u.Ages))
	for _, s := range all.List {
		var who, shown []string
		for _, t := range slices.Concat(s.Robots, s.People) {
			who, shown = append(who, names.Of(t.Value())), append(shown, quoted.Name(names.Of(t.Value())))
		}
		when, with := asked.in(s.From).Format(views.DayForm+", 15:04 MST"), strings.Join(who, ", ")
		const form = " Monday 2 January 2006 2006-01-02"
		day := asked.in(s.From).Format(form)
		switch day {
		case v.Now.Format(form):
			day += " today"
		case v.Now.AddDate(0, 0, -1).Format(form):
			day += " yesterday"
		}
		if hasWords("session "+when+day+" "+with, text) {
			if g.Total++; len(g.List) == views.FoundEach {
				continue
			}
			g.List = append(g.List, views.Found{Name: "Session of " + when, Note: strings.Join(shown, ", "), Href: s.Path()})
		}
	}
	g.More = g.Total > 0 && !all.Before.IsZero()
	return []views.FoundGroup{g}, nil
}

// hasWords reports whether a text contains each word of another.
func hasWords(text, words string) bool {
	for _, w := range strings.Fields(words) {
		if !views.Contains(text, w) {
			return false
		}
	}
	return true
}
