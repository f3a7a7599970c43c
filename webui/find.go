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
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
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
	groups := []views.FoundGroup{{Name: "Pages", List: u.findPages(v, text)}}
	if v.known && v.actor.Is(auth.Auditor, auth.Admin) {
		saved, err := u.findSaved(text)
		if err != nil {
			return nil, err
		}
		queries := views.FoundGroup{Name: "Saved queries", List: saved}
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
		sessions := append(findSession(text), u.findSessions(r, v, text)...)
		groups = append(groups, who, views.FoundGroup{Name: "Logs", List: logs}, views.FoundGroup{Name: "Sessions", List: sessions}, queries, nodes)
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
	if text == "" {
		return list
	}
	return byName(list, text)
}

// nameRank returns how well a name matches a text, ignoring case: 0 if they are equal, 1
// if the name begins with the text, 2 if a later word does, 3 if the name contains it,
// and 4 otherwise.
func nameRank(name, text string) int {
	name, text = strings.ToLower(name), strings.ToLower(text)
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

// byName sorts results by how well their names fit a text, and keeps the order of equals.
func byName(list []views.Found, text string) []views.Found {
	slices.SortStableFunc(list, func(a, b views.Found) int { return nameRank(a.Name, text) - nameRank(b.Name, text) })
	return list[:min(len(list), foundEach)]
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

// contains reports whether a text contains a part, ignoring case.
func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func (u *UI) findSaved(text string) (list []views.Found, err error) {
	all, err := u.service.SavedQueries("")
	for _, q := range all {
		if contains(q.Name, text) {
			list = append(list, views.Found{Name: q.Name, Note: q.Owner, Href: savedAddress(q)})
		}
	}
	return byName(list, text), err
}

// logsByID returns the newest logs whose id begins with a text of at least three hex
// digits. A long prefix contains the time of the log, so it also finds old logs.
func (u *UI) logsByID(ctx context.Context, text string) (list []views.Found, err error) {
	text = strings.ToLower(text)
	if len(text) < shortestID || strings.Trim(text, "0123456789abcdef-") != "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, logTime)
	defer cancel()
	f := journal.Filter{Limit: foundEach, Begins: text}
	if id, err := uuid.Parse(text); err == nil {
		f = journal.Filter{Limit: 1, LogID: id.String()}
	}
	page, err := u.service.Logs(ctx, f, nil)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	for _, e := range page.Entries {
		if n := len(list); n > 0 && list[n-1].Name == e.LogID { // a large log has an entry for each part
			continue
		}
		list = append(list, views.Found{Name: e.LogID, Note: e.Sender() + ", " + e.Time.UTC().Format("2006-01-02 15:04:05 UTC"), Href: "/log?" + url.Values{"id": {e.LogID}}.Encode()})
	}
	return list, nil
}

// findSession returns a link to the session at a time, if the text is a time.
func findSession(text string) []views.Found {
	at, ok := report.ParseTime(text)
	if !ok {
		return nil
	}
	return []views.Found{{Name: "Session at " + at.Format("2006-01-02 15:04:05.999999999 UTC"), Href: "/replay?" + url.Values{"at": {at.Format(time.RFC3339Nano)}}.Encode()}}
}

// findSessions returns the newest sessions that match every word of a text by their time,
// robots or people, such as "ari 2026-05-31" or "maria today". It returns none if they
// can't be read in time.
func (u *UI) findSessions(r *http.Request, v *visit, text string) (list []views.Found) {
	ctx, cancel := context.WithTimeout(r.Context(), sessionTime)
	defer cancel()
	asked, err := u.newReport(r, v, reportRows)
	if err != nil {
		u.log.DebugContext(ctx, "the sessions can't be read", "error", err)
		return nil
	}
	all, err := asked.Sessions(ctx)
	if err != nil {
		u.log.DebugContext(ctx, "the sessions can't be read", "error", err)
		return nil
	}
	names := views.Names(views.TellApart(u.parties(ctx)))
	for _, s := range all.List {
		var who []string
		for _, t := range slices.Concat(s.Robots, s.People) {
			who = append(who, names.Of(t.Value()))
		}
		when, with := s.From.UTC().Format("2006-01-02 15:04"), strings.Join(who, ", ")
		day := s.From.UTC().Format(" Monday 2 January 2006")
		switch v.now.UTC().Truncate(24 * time.Hour).Sub(s.From.UTC().Truncate(24 * time.Hour)) {
		case 0:
			day += " today"
		case 24 * time.Hour:
			day += " yesterday"
		}
		if hasWords("session "+when+day+" "+with, text) && len(list) < foundEach {
			list = append(list, views.Found{Name: "Session of " + when + " UTC", Note: with, Href: s.Path()})
		}
	}
	return list
}

// findThings returns the robots and people whose name contains a text, and other nodes of
// the graph.
func (u *UI) findThings(ctx context.Context, text string) (who, others views.FoundGroup, err error) {
	who, others = views.FoundGroup{Name: "Robots and people"}, views.FoundGroup{Name: "Graph"}
	labels := u.parties(ctx)
	shown := views.TellApart(labels)
	var parties []string
	for iri, name := range shown {
		if rdf.IsIRI(iri) && (contains(name, text) || contains(labels[iri], text) || contains(iri, text)) {
			parties = append(parties, iri)
		}
	}
	slices.SortFunc(parties, func(a, b string) int {
		return cmp.Or(nameRank(shown[a], text)-nameRank(shown[b], text), strings.Compare(shown[a], shown[b]), strings.Compare(a, b))
	})
	if who.List, err = u.foundThings(ctx, "", parties); err != nil {
		return who, others, err
	}
	nodes, _, err := u.search(ctx, text, findTime)
	if err != nil {
		return who, others, err
	}
	others.List, err = u.foundThings(ctx, text, slices.DeleteFunc(nodes, func(iri string) bool { _, ok := labels[iri]; return ok }))
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
