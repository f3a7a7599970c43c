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
)

// Limits of the search page, which scripts show as the command palette.
const (
	longestFind = 200 // bytes of what is searched for
	foundEach   = 8   // results of one kind
)

// getFind shows what a text names: pages, robots and people, sessions, a log, saved
// queries and nodes of the graph. It shows only what the visitor may open.
func (u *UI) getFind(w http.ResponseWriter, r *http.Request, v *visit) error {
	m := views.Find{Text: strings.TrimSpace(r.URL.Query().Get("q"))}
	if len(m.Text) > longestFind {
		m.Text = strings.ToValidUTF8(m.Text[:longestFind], "")
	}
	var err error
	if m.Groups, err = u.find(r.Context(), v, m.Text); err != nil {
		return err
	}
	if partial(r) {
		return u.show(w, r, http.StatusOK, views.FoundGroups(m))
	}
	return u.show(w, r, http.StatusOK, views.FindPage(u.frame(r, v, "Search"), m))
}

// find returns the groups of results that are not empty.
func (u *UI) find(ctx context.Context, v *visit, text string) ([]views.FoundGroup, error) {
	groups := []views.FoundGroup{{Name: "Pages", List: u.findPages(v, text)}}
	if v.known && v.actor.Is(auth.Auditor, auth.Admin) {
		saved, err := u.findSaved(text)
		if err != nil {
			return nil, err
		}
		groups = append(groups, views.FoundGroup{Name: "Saved queries", List: saved})
		if text != "" {
			log, err := u.findLog(ctx, text)
			if err != nil {
				return nil, err
			}
			things, err := u.findThings(ctx, text)
			if err != nil {
				return nil, err
			}
			groups = append([]views.FoundGroup{{Name: "Log", List: log}, {Name: "Session", List: findSession(text)}}, append(groups, things...)...)
		}
	}
	return slices.DeleteFunc(groups, func(g views.FoundGroup) bool { return len(g.List) == 0 }), nil
}

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

// findThings returns the robots and people whose name contains a text, and other nodes of
// the graph.
func (u *UI) findThings(ctx context.Context, text string) ([]views.FoundGroup, error) {
	who := views.FoundGroup{Name: "Robots and people"}
	labels := u.parties(ctx)
	for iri, name := range views.TellApart(labels) {
		if contains(name, text) || contains(iri, text) {
			who.List = append(who.List, views.Found{Name: name, Note: views.Short(iri), Href: aboutIRI(iri)})
		}
	}
	slices.SortFunc(who.List, func(a, b views.Found) int { return strings.Compare(a.Name+a.Note, b.Name+b.Note) })
	who.List = who.List[:min(len(who.List), foundEach)]
	others := views.FoundGroup{Name: "Graph"}
	nodes, _, err := u.search(ctx, text, findTime)
	if err != nil {
		return nil, err
	}
	for _, iri := range nodes {
		if _, ok := labels[iri]; !ok && len(others.List) < foundEach {
			others.List = append(others.List, views.Found{Name: views.Short(iri), Note: iri, Href: aboutIRI(iri)})
		}
	}
	return []views.FoundGroup{who, others}, nil
}
