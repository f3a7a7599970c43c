package webui

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/webui/report"
)

// Limits of the search page, which scripts show as the command palette.
const (
	longestFind = 200 // bytes of what is searched for
	foundEach   = 8   // results of one kind
	// sessionTime limits the time to read the list of sessions, which is cached.
	sessionTime = 150 * time.Millisecond
)

// getFind shows what a text names: pages, robots and people, sessions, a log, saved
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
		log, err := u.findLog(ctx, text)
		if err != nil {
			return nil, err
		}
		who, nodes, err := u.findThings(ctx, text)
		if err != nil {
			return nil, err
		}
		sessions := append(findSession(text), u.findSessions(r, v, text)...)
		groups = append(groups, views.FoundGroup{Name: "Log", List: log}, who, views.FoundGroup{Name: "Sessions", List: sessions}, queries, nodes)
	}
	return slices.DeleteFunc(groups, empty), nil
}

func empty(g views.FoundGroup) bool { return len(g.List) == 0 }

// findPages returns the pages whose name or path contains a text.
func (u *UI) findPages(v *visit, text string) (list []views.Found) {
	for _, p := range u.pages {
		if p.name != "" && p.opens(v) && (contains(p.name, text) || contains(p.path, text)) {
			list = append(list, views.Found{Name: p.name, Note: p.path, Href: p.path})
		}
	}
	return list
}

// contains reports whether a text contains a part, ignoring case.
func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func (u *UI) findSaved(text string) (list []views.Found, err error) {
	all, err := u.service.SavedQueries("")
	for _, q := range all {
		if contains(q.Name, text) && len(list) < foundEach {
			list = append(list, views.Found{Name: q.Name, Note: q.Owner, Href: savedAddress(q)})
		}
	}
	return list, err
}

// findLog returns the log with an id, if there is one.
func (u *UI) findLog(ctx context.Context, text string) ([]views.Found, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, nil
	}
	log, err := u.service.Log(ctx, id.String(), 0)
	var unknown *service.Error
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e := log.Entries[0]
	return []views.Found{{Name: id.String(), Note: e.Actor + ", " + e.Time.UTC().Format("2006-01-02 15:04:05 UTC"), Href: "/log?" + url.Values{"id": {id.String()}}.Encode()}}, nil
}

// sessionLayouts are the ways to write the time of a session, in UTC.
var sessionLayouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

// findSession returns the session at a time, if the text is one.
func findSession(text string) []views.Found {
	for _, layout := range sessionLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			at := t.UTC().Format(time.RFC3339)
			return []views.Found{{Name: "Session at " + t.UTC().Format("2006-01-02 15:04:05 UTC"), Href: "/replay?" + url.Values{"at": {at}}.Encode()}}
		}
	}
	return nil
}

// findSessions returns the newest sessions at a day or with a robot or a person. It
// returns none if they can't be read in time.
func (u *UI) findSessions(r *http.Request, v *visit, text string) (list []views.Found) {
	ctx, cancel := context.WithTimeout(r.Context(), sessionTime)
	defer cancel()
	asked := &report.Report{Now: v.now, Limit: reportRows, Ask: u.ask, Cache: u.replays, Version: u.version(r)}
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
		if (contains(when, text) || contains(with, text)) && len(list) < foundEach {
			list = append(list, views.Found{Name: "Session of " + when + " UTC", Note: with, Href: s.Path()})
		}
	}
	return list
}

// findThings returns the robots and people whose name contains a text, and other nodes of
// the graph.
func (u *UI) findThings(ctx context.Context, text string) (who, others views.FoundGroup, err error) {
	who = views.FoundGroup{Name: "Robots and people"}
	labels := u.parties(ctx)
	for iri, name := range views.TellApart(labels) {
		if contains(name, text) || contains(iri, text) {
			who.List = append(who.List, views.Found{Name: name, Note: views.Short(iri), Href: aboutIRI(iri)})
		}
	}
	slices.SortFunc(who.List, func(a, b views.Found) int { return strings.Compare(a.Name+a.Note, b.Name+b.Note) })
	who.List = who.List[:min(len(who.List), foundEach)]
	others = views.FoundGroup{Name: "Graph"}
	nodes, _, err := u.search(ctx, text, findTime)
	if err != nil {
		return who, others, err
	}
	for _, iri := range nodes {
		if _, ok := labels[iri]; !ok && len(others.List) < foundEach {
			others.List = append(others.List, views.Found{Name: views.Short(iri), Note: iri, Href: aboutIRI(iri)})
		}
	}
	return who, others, nil
}
