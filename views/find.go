package views

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store/trigram"
)

// Limits of the search page, which scripts show as the command palette.
const (
	longestFind = 200 // bytes of the text
	FoundEach   = 8   // results of one kind
)

// Found returns what a search finds by name: pages, robots and people, sessions, logs, saved queries and nodes of the
// graph. It returns only what the visitor may open.
func (u *UI) Found(r *http.Request, v *Visit) (Find, error) {
	m := Find{Text: Searched(r)}
	var err error
	m.Groups, err = u.find(r, v, m.Text)
	return m, err
}

// Searched returns the text of a search, cut to a length that is searched.
func Searched(r *http.Request) string {
	text := strings.TrimSpace(r.URL.Query().Get("q"))
	return strings.ToValidUTF8(text[:min(len(text), longestFind)], "")
}

// finder finds things of one kind or more for a visitor who may see the graph. For the text "" it
// returns only what a search without a text offers.
type finder func(r *http.Request, v *Visit, text string) ([]FoundGroup, error)

// foundOrder is the order of the groups.
var foundOrder = []string{"Pages", "Robots and people", "Logs", "Sessions", "Saved queries", "Graph"}

// foundAll are the pages with all that a group has, before the text of the search.
var foundAll = map[string]string{"Logs": "/logs?q=", "Graph": "/kg-graph?q="}

// find returns the groups of results that are not empty.
func (u *UI) find(r *http.Request, v *Visit, text string) ([]FoundGroup, error) {
	groups := []FoundGroup{BestFound("Pages", u.findPages(v, text), text)}
	if v.Known && v.Actor.Is(auth.Auditor, auth.Admin) {
		for _, find := range u.finders {
			more, err := find(r, v, text)
			if err != nil {
				return nil, err
			}
			groups = append(groups, more...)
		}
	}
	groups = slices.DeleteFunc(groups, empty)
	for i := range groups {
		if g := &groups[i]; foundAll[g.Name] != "" {
			g.All = foundAll[g.Name] + url.QueryEscape(text)
		}
	}
	slices.SortFunc(groups, func(a, b FoundGroup) int {
		return slices.Index(foundOrder, a.Name) - slices.Index(foundOrder, b.Name)
	})
	return groups, nil
}

func empty(g FoundGroup) bool { return len(g.List) == 0 }

// findPages returns the pages whose name or path contains a text. For "" it returns all.
func (u *UI) findPages(v *Visit, text string) (list []Found) {
	for _, p := range u.Pages {
		if p.Name != "" && p.opens(v) && (Contains(p.Name, text) || Contains(p.Path, text)) {
			list = append(list, Found{Name: p.Name, Note: p.Path, Href: p.Path})
		}
	}
	return list
}

// NameRank returns how well a name matches a text, ignoring case and accents: 0 if they are equal, 1
// if the name begins with the text, 2 if a later word does, 3 if the name contains it,
// and 4 otherwise.
func NameRank(name, text string) int {
	name, text = Folded(name), Folded(text)
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

// BestFound returns a group of the results whose names fit a text best. For "" it has all.
func BestFound(name string, list []Found, text string) FoundGroup {
	g := FoundGroup{Name: name, List: list, Total: len(list)}
	if text != "" {
		slices.SortStableFunc(list, func(a, b Found) int { return NameRank(a.Name, text) - NameRank(b.Name, text) })
		g.List = list[:min(len(list), FoundEach)]
	}
	return g
}

// Contains reports whether a text contains a part, ignoring case and accents.
func Contains(text, part string) bool { return strings.Contains(Folded(text), Folded(part)) }

// Folded returns a text without differences of case, accents and forms.
func Folded(text string) string { return string(trigram.Fold(nil, text)) }
