package webui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/trigram"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/webui/report"
)

// Limits of the search page, which scripts show as the command palette.
const (
	longestFind = 200 // bytes of the text
	foundEach   = 8   // results of one kind
	shortestID  = 3   // characters of a log's id
	logTime     = 100 * time.Millisecond
	// sessionTime limits the time to read the list of sessions, which is cached.
	sessionTime = 150 * time.Millisecond
)

// getFind shows what a search finds: pages, robots and people, sessions, logs, saved
// queries and nodes of the graph. It shows only what the visitor may open.
func (u *UI) getFind(w http.ResponseWriter, r *http.Request, v *visit) error {
	m := views.Find{Text: strings.TrimSpace(r.URL.Query().Get("q"))}
	if len(m.Text) > longestFind {
		m.Text = strings.ToValidUTF8(m.Text[:longestFind], "")
	}
	var err error
	if m.Groups, err = u.find(r, v, m.Text); err != nil {
		return err
	}
	if partial(r) {
		return u.show(w, r, http.StatusOK, views.FoundGroups(m))
	}
	return u.show(w, r, http.StatusOK, views.FindPage(u.frame(r, v, "Search"), m))
}

// find returns the groups of results that are not empty.
func (u *UI) find(r *http.Request, v *visit, text string) ([]views.FoundGroup, error) {
	ctx := r.Context()
	groups := []views.FoundGroup{found("Pages", u.findPages(v, text), text)}
	if v.known && v.actor.Is(auth.Auditor, auth.Admin) {
		saved, err := u.findSaved(text)
		if err != nil {
			return nil, err
		}
		queries := found("Saved queries", saved, text)
		if text == "" {
			return slices.DeleteFunc(append(groups, queries), empty), nil
		}
		logs, err := u.logsByID(ctx, text)
		if err != nil {
			return nil, err
		}
		who, nodes, err := u.findThings(ctx, text)
		if err != nil {
			return nil, err
		}
		groups = append(groups, who, logs, u.findSessions(r, v, text), queries, nodes)
	}
	return slices.DeleteFunc(groups, empty), nil
}

func empty(g views.FoundGroup) bool { return len(g.List) == 0 }

// findPages returns the pages whose name or path contains a text. For "" it returns all.
func (u *UI) findPages(v *visit, text string) (list []views.Found) {
	for _, p := range u.pages {
		if p.name != "" && p.opens(v) && (contains(p.name, text) || contains(p.path, text)) {
			list = append(list, views.Found{Name: p.name, Note: p.path, Href: p.path})
		}
	}
	return list
}

// nameRank returns how well a name matches a text, ignoring case and accents: 0 if they are equal, 1
// if the name begins with the text, 2 if a later word does, 3 if the name contains it,
// and 4 otherwise.
func nameRank(name, text string) int {
	name, text = folded(name), folded(text)
	switch {
	case name == text:
		return 0
	case strings.HasPrefix(name, text):
		return 1
	case strings.Contains(" "+name, " "+text):
		return 2
	case strings.Contains(name, text):
		return 3
	}
	return 4
}

// found returns a group of the results whose names fit a text best. For "" it has all.
func found(name string, list []views.Found, text string) views.FoundGroup {
	g := views.FoundGroup{Name: name, List: list, Total: len(list)}
	if text != "" {
		slices.SortStableFunc(list, func(a, b views.Found) int { return nameRank(a.Name, text) - nameRank(b.Name, text) })
		g.List = list[:min(len(list), foundEach)]
	}
	return g
}

// hasWords reports whether a text contains each word of another.
func hasWords(text, words string) bool {
	for _, w := range strings.Fields(words) {
		if !contains(text, w) {
			return false
		}
	}
	return true
}

// contains reports whether a text contains a part, ignoring case and accents.
func contains(text, part string) bool { return strings.Contains(folded(text), folded(part)) }

// folded returns a text without differences of case, accents and forms.
func folded(text string) string { return string(trigram.Fold(nil, text)) }

func (u *UI) findSaved(text string) (list []views.Found, err error) {
	all, err := u.service.SavedQueries("")
	for _, q := range all {
		if contains(q.Name, text) {
			list = append(list, views.Found{Name: q.Name, Note: q.Owner, Href: savedAddress(q)})
		}
	}
	return list, err
}

// logsByID returns the newest logs whose id begins with a text of at least three hex
// digits. A long prefix contains the time of the log, so it also finds old logs.
func (u *UI) logsByID(ctx context.Context, text string) (g views.FoundGroup, err error) {
	g.Name = "Logs"
	text = strings.ToLower(text)
	if len(text) < shortestID || strings.Trim(text, "0123456789abcdef-") != "" {
		return g, nil
	}
	ctx, cancel := context.WithTimeout(ctx, logTime)
	defer cancel()
	f := journal.Filter{Limit: foundEach + 1, Begins: text}
	if id, err := uuid.Parse(text); err == nil {
		f = journal.Filter{Limit: 1, LogID: id.String()}
	}
	page, err := u.service.Logs(ctx, f, nil)
	if err != nil && ctx.Err() == nil {
		return g, err
	}
	for i, e := range page.Entries {
		if n := len(g.List); n > 0 && g.List[n-1].Name == e.LogID { // a large log has an entry for each part
			continue
		}
		if g.More = i >= foundEach; g.More {
			break
		}
		g.Total++
		g.List = append(g.List, views.Found{Name: e.LogID, Note: quoted.Value(e.Sender()) + ", " + e.Time.UTC().Format("2006-01-02 15:04:05 UTC"), Href: "/log?" + url.Values{"id": {e.LogID}}.Encode()})
	}
	return g, nil
}

// findSession returns a link to the session at a time, if the text is a time.
func findSession(text string) []views.Found {
	at, ok := report.ParseTime(text)
	if !ok {
		return nil
	}
	return []views.Found{{Name: "Session at " + at.Format("2006-01-02 15:04:05.999999999 UTC"), Href: "/replay?" + url.Values{"at": {at.Format(time.RFC3339Nano)}}.Encode()}}
}

// findSessions returns the session at a time, if the text is one, and the newest that match every word of a text by their time,
// robots or people, such as "ari 2026-05-31" or "maria today". It returns none if they
// can't be read in time.
func (u *UI) findSessions(r *http.Request, v *visit, text string) views.FoundGroup {
	g := views.FoundGroup{Name: "Sessions", List: findSession(text)}
	g.Total = len(g.List)
	ctx, cancel := context.WithTimeout(r.Context(), sessionTime)
	defer cancel()
	asked, err := u.newReport(r, v, reportRows)
	if err != nil {
		u.log.DebugContext(ctx, "the sessions can't be read", "error", err)
		g.More = g.Total > 0
		return g
	}
	all, err := asked.Sessions(ctx)
	if err != nil {
		u.log.DebugContext(ctx, "the sessions can't be read", "error", err)
		g.More = g.Total > 0
		return g
	}
	names := views.Names(views.TellApart(u.parties(ctx), u.ages))
	for _, s := range all.List {
		var who, shown []string
		for _, t := range slices.Concat(s.Robots, s.People) {
			who, shown = append(who, names.Of(t.Value())), append(shown, quoted.Value(names.Of(t.Value())))
		}
		when, with := s.From.UTC().Format("2006-01-02 15:04"), strings.Join(who, ", ")
		day := s.From.UTC().Format(" Monday 2 January 2006")
		switch v.now.UTC().Truncate(24 * time.Hour).Sub(s.From.UTC().Truncate(24 * time.Hour)) {
		case 0:
			day += " today"
		case 24 * time.Hour:
			day += " yesterday"
		}
		if hasWords("session "+when+day+" "+with, text) {
			if g.Total++; len(g.List) == foundEach {
				continue
			}
			g.List = append(g.List, views.Found{Name: "Session of " + when + " UTC", Note: strings.Join(shown, ", "), Href: s.Path()})
		}
	}
	g.More = g.Total > 0 && !all.Before.IsZero()
	return g
}

// findThings returns the robots and people whose name contains a text, and other nodes of
// the graph.
func (u *UI) findThings(ctx context.Context, text string) (who, others views.FoundGroup, err error) {
	who, others = views.FoundGroup{Name: "Robots and people"}, views.FoundGroup{Name: "Graph"}
	labels := u.parties(ctx)
	shown := views.TellApart(labels, u.ages)
	var parties []string
	for iri, name := range shown {
		if rdf.IsIRI(iri) && (contains(name, text) || contains(labels[iri], text) || contains(iri, text)) {
			parties = append(parties, iri)
		}
	}
	slices.SortFunc(parties, func(a, b string) int {
		return cmp.Or(nameRank(shown[a], text)-nameRank(shown[b], text), strings.Compare(shown[a], shown[b]), strings.Compare(a, b))
	})
	who.Total = len(parties)
	if who.List, err = u.foundThings(ctx, "", parties); err != nil {
		return who, others, err
	}
	nodes, cut, err := u.search(ctx, text, findTime)
	if err != nil {
		return who, others, err
	}
	more := len(nodes) > maxFound
	nodes = slices.DeleteFunc(nodes, func(iri string) bool { _, ok := labels[iri]; return ok })
	others.Total, others.More = len(nodes), len(nodes) > 0 && (more || cut)
	if more && others.Total > maxFound {
		others.Total = maxFound
	}
	others.List, err = u.foundThings(ctx, text, nodes)
	return who, others, err
}

// foundThings returns the first of some nodes as results, as foundNodes orders them. A robot
// or a person leads to their story, and another node to the graph. Beside a node are its
// time and kind, because many have the same label.
func (u *UI) foundThings(ctx context.Context, text string, iris []string) (list []views.Found, err error) {
	names := u.names(nil)
	nodes, err := u.foundNodes(ctx, text, iris[:min(len(iris), foundEach)])
	for _, n := range nodes {
		f := views.Found{Name: n.name(names), Note: kindName(n.kind, names), Href: aboutIRI(n.iri)}
		if n.isParty() {
			f.Note, f.Href = n.family, whyAddress(n.iri)
		} else if !n.at.IsZero() {
			f.Note = shownTime(n) + " UTC, " + f.Note
		}
		list = append(list, f)
	}
	return list, err
}
