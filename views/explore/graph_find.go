package explore

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// Limits of a search for logs.
const (
	shortestID = 3 // characters of a log's id
	logTime    = 100 * time.Millisecond
)

// findNodes finds logs by their ids, robots and people, and other nodes of the graph.
func (u *handlers) findNodes(r *http.Request, _ *views.Visit, text string) ([]views.FoundGroup, error) {
	if text == "" {
		return nil, nil
	}
	logs, err := u.logsByID(r.Context(), text)
	if err != nil {
		return nil, err
	}
	who, nodes, err := u.findThings(r.Context(), text)
	return []views.FoundGroup{who, logs, nodes}, err
}

// logsByID returns the newest logs whose id begins with a text of at least three hex
// digits, as far as they are found within logTime. A long prefix contains the time of the
// log, so it also finds old logs.
func (u *handlers) logsByID(ctx context.Context, text string) (g views.FoundGroup, err error) {
	g.Name = "Logs"
	text = strings.ToLower(text)
	if len(text) < shortestID || strings.Trim(text, "0123456789abcdef-") != "" {
		return g, nil
	}
	ctx, cancel := context.WithTimeout(ctx, logTime)
	defer cancel()
	f := journal.Filter{Limit: views.FoundEach + 1, Begins: text}
	if id, err := uuid.Parse(text); err == nil {
		f = journal.Filter{Limit: 1, LogID: id.String()}
	}
	page, err := u.Service.Logs(ctx, f, nil)
	if err != nil && ctx.Err() == nil {
		return g, err
	}
	entries := page.Entries[:min(len(page.Entries), views.FoundEach)]
	g.More = len(page.Entries) > len(entries)
	for _, e := range journal.OncePerLog(entries) {
		g.Total++
		g.List = append(g.List, views.Found{Name: e.LogID, Note: quoted.Name(e.Sender()) + ", " + views.Clock(ctx, e.Time), Href: "/log?" + url.Values{"id": {e.LogID}}.Encode()})
	}
	return g, nil
}

// findThings returns the robots and people whose name contains a text, and other nodes of
// the graph.
func (u *handlers) findThings(ctx context.Context, text string) (who, others views.FoundGroup, err error) {
	who, others = views.FoundGroup{Name: "Robots and people"}, views.FoundGroup{Name: "Graph"}
	labels := u.Parties(ctx)
	persons, err := u.Persons(ctx)
	if err != nil {
		return who, others, err
	}
	shown := views.Names(views.TellApart(persons.Fold(labels), u.Ages))
	var parties []string
	for first, name := range shown {
		var all []string // that the graph knows
		found := views.Contains(name, text)
		for _, iri := range persons.All(first) {
			if label, known := labels[iri]; known && rdf.IsIRI(iri) {
				all, found = append(all, iri), found || views.Contains(label, text) || views.Contains(iri, text)
			}
		}
		if found && all != nil {
			parties = append(parties, all[0])
		}
	}
	called := func(iri string) string { return shown.Of(persons.First(iri)) }
	slices.SortFunc(parties, func(a, b string) int {
		return cmp.Or(views.NameRank(called(a), text)-views.NameRank(called(b), text), strings.Compare(called(a), called(b)), strings.Compare(a, b))
	})
	who.Total = len(parties)
	if who.List, err = u.foundThings(ctx, "", parties); err != nil {
		return who, others, err
	}
	for i := range who.List {
		if n := len(persons[parties[i]]); n > 0 {
			who.List[i].Name, who.List[i].Note = called(parties[i]), who.List[i].Note+", "+views.Plural(n, "name")
		}
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
func (u *handlers) foundThings(ctx context.Context, text string, iris []string) (list []views.Found, err error) {
	names := u.Prefixes(nil)
	nodes, err := u.foundNodes(ctx, text, iris[:min(len(iris), views.FoundEach)])
	for _, n := range nodes {
		f := views.Found{Name: n.name(names), Note: kindWord(n.kind), Href: views.AboutIRI(n.iri), Said: n.isMessage() || n.family == "event"}
		if n.isParty() {
			f.Note, f.Href = n.family, views.WhyAddress(n.iri)
		} else if !n.at.IsZero() {
			f.Note = zoned(n, shownTime(n)) + ", " + f.Note
		}
		list = append(list, f)
	}
	return list, err
}
