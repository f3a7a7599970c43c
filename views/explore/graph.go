package explore

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// getGraph shows a part of the graph as a picture.
func (u *handlers) getGraph(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	if r.URL.Query().Has("steps") {
		return u.getWithin(w, r)
	}
	return u.showGraph(w, r, v, readGraphState(r.URL.Query()), nil)
}

// showGraph shows the picture of a state. path is the notice of a failed path search, or
// nil.
func (u *handlers) showGraph(w http.ResponseWriter, r *http.Request, v *views.Visit, st graphState, path *GraphPath) error {
	names := u.Prefixes(nil)
	m := Graph{Search: st.search, Path: path}
	st, err := u.opening(r.Context(), st, &m)
	if err != nil {
		return err
	}
	for name, values := range st.values() {
		for _, value := range values {
			m.State = append(m.State, views.Field{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(m.State, func(a, b views.Field) int { return strings.Compare(a.Name, b.Name) })
	if st.search != "" {
		limit := findTime
		if r.URL.Query().Get("far") != "" {
			limit = findLong
		}
		found, cut, err := u.search(r.Context(), st.search, limit)
		if err != nil {
			return err
		}
		if m.Searched = true; cut {
			values := st.values()
			values.Set("q", st.search)
			values.Set("far", "1")
			m.Cut = "/kg-graph?" + values.Encode()
		}
		if m.MoreFound = len(found) > maxFound || cut; len(found) > maxFound {
			found = found[:maxFound]
		}
		if m.Found, err = u.foundLinks(r.Context(), st.search, found, names, func(iri string) string { return st.addingNear(iri).page() }); err != nil {
			return err
		}
		locate(m.Found)
	}
	if len(st.ops) > 0 || st.construct != "" || st.show != "" {
		if err := u.fillGraph(r, v, st, names, &m); err != nil {
			return err
		}
	}
	nothing := m.Drawing == nil && len(m.Found) == 0
	unchosen := m.Drawing != nil && m.Card == nil && m.Edge == nil && m.Rest == nil
	if nothing || unchosen {
		if err := u.whereToBegin(r, st, names, &m); err != nil {
			return err
		}
	}
	if views.Partial(r) {
		return u.Show(w, r, http.StatusOK, GraphView(m))
	}
	f := u.Frame(r, v, m.PageTitle())
	f.Path = "/kg-graph"
	f.Scripts, f.Styles, f.Width = []string{"graph.js"}, []string{"graph.css"}, "wide"
	f.Keys = []views.Key{{Press: "/", Does: "find something"}, {Press: "← ↑ → ↓", Does: "next node that way"}, {Press: "Shift ← ↑ → ↓", Does: "move the node"}, {Press: "e", Does: "expand"}, {Press: "n", Does: "show neighbours"}, {Press: "p", Does: "search paths"}, {Press: "c", Does: "collapse"}, {Press: "x", Does: "hide"},
		{Press: "z", Does: "undo"}, {Press: "y", Does: "redo"}, {Press: "+ −", Does: "zoom in, zoom out"}, {Press: "0", Does: "see all"}, {Press: "f", Does: "full screen"}}
	return u.Show(w, r, http.StatusOK, GraphPage(f, m))
}

// whereToBegin offers nodes to begin with, where there is no picture or nothing of it is chosen.
func (u *handlers) whereToBegin(r *http.Request, st graphState, names []turtle.Prefix, m *Graph) error {
	begin, err := u.beginnings(r.Context())
	if err != nil {
		return err
	}
	if len(begin) == 0 {
		m.First = u.FirstLog(r)
	}
	st.show = ""
	m.Begin, err = u.graphLinks(r.Context(), begin, names, func(iri string) string { return st.addingNear(iri).page() })
	seen := map[GraphLink]bool{}
	m.Begin = slices.DeleteFunc(m.Begin, func(l GraphLink) bool {
		one := GraphLink{Label: l.Label, Sign: l.Sign} // each robot logs a sentence that several heard
		double := seen[one]
		seen[one] = true
		return double
	})
	locate(m.Begin)
	return err
}

// locate adds to a link where its node is, which is the IRI without the scheme, if another link has the same name, apart from
// case and from what tells the two apart.
func locate(links []GraphLink) {
	start := func(l GraphLink) string {
		name, _, _ := strings.Cut(views.Folded(l.Label), " (")
		return name
	}
	called := map[string]int{}
	for _, l := range links {
		called[start(l)]++
	}
	for i, l := range links {
		if called[start(l)] > 1 {
			plain := strings.Trim(l.IRI, "<>")
			if _, rest, ok := strings.Cut(plain, "://"); ok {
				plain = rest
			}
			links[i].Kind += " ·\u00a0" + plain
		}
	}
}

// fillGraph draws the picture of a state, with its card, legend and filters.
func (u *handlers) fillGraph(r *http.Request, v *views.Visit, st graphState, names []turtle.Prefix, m *Graph) error {
	p, err := u.loadGraph(r, st, names)
	if err != nil {
		return err
	}
	if p.cut {
		m.ShowText = strings.Replace(m.ShowText, "last session", fmt.Sprintf("newest %s activities", views.Count(lastActivities)), 1)
	}
	if st.show != "" && len(p.nodes) == 0 {
		return nil
	}
	if gone, err := u.broken(r.Context(), p, st.along); err != nil {
		return err
	} else if gone {
		st.along = nil
		m.Path = &GraphPath{Text: "The path of this address is no longer in the graph.", Clear: st.page()}
	}
	if !p.newest.IsZero() {
		m.ShowText = strings.Replace(m.ShowText, "last session", "last session, "+strings.ReplaceAll(p.newest.Format(views.DayForm), " ", "\u00a0"), 1)
	}
	m.Drawing = draw(p, st, v, names)
	m.Drawing.Here, m.Drawing.Stage = st.values().Encode(), len(st.ops)
	reset, table := st, st
	reset.moves = nil
	if table.table = !st.table; len(st.moves) > 0 {
		m.Reset = reset.page()
	}
	m.Table, m.Tables = table.page(), st.table
	m.SVG, m.Turtle = st.address("/kg-graph/picture.svg"), st.address("/kg-graph/picture.ttl")
	if at := p.momentOf(st.selected); !at.IsZero() {
		m.Replay = views.ReplayAt(at)
	}
	m.legend(p, st)
	m.filters(p, st, names)
	if m.Path == nil && len(st.along) > 1 {
		forget := st
		forget.along = nil
		m.Path = &GraphPath{Clear: forget.page(), Text: fmt.Sprintf("A path of %s", views.Plural(len(st.along)-1, "step")), Steps: p.steps(st, names)}
	}
	m.Notes = append(m.Notes, p.notes(st, m.Drawing, names)...)
	if m.ShowText == "" {
		m.ShowText = p.about(st, names)
	}
	if m.Rest = p.restCard(st, names); m.Rest != nil {
		return nil
	}
	if i, ok := p.index[st.selected]; ok {
		m.Card, err = u.graphCard(r, v, st, p, p.nodes[i], names)
	} else if st.edge[0] != "" {
		m.Edge, err = u.edgeCard(r.Context(), st, p, names)
	}
	return err
}

// momentOf returns the time of a node or, if it has none, the newest of the picture; the zero time if no node has one.
func (p *picture) momentOf(iri string) (newest time.Time) {
	for _, n := range p.nodes {
		if n.iri == iri && !n.at.IsZero() {
			return n.at
		}
		if n.at.After(newest) {
			newest = n.at
		}
	}
	return newest
}

// filters sets the choices of a picture's filters, and what is chosen.
func (m *Graph) filters(p *picture, st graphState, names []turtle.Prefix) {
	for _, iri := range p.participants {
		m.Robots = append(m.Robots, GraphOption{Value: iri, Name: p.name(iri, names)})
	}
	m.Robot, m.Since, m.Until = p.same.First(st.robot), st.since, st.until
	if m.Robot != "" && !slices.Contains(p.participants, m.Robot) {
		m.Robots = append(m.Robots, GraphOption{Value: m.Robot, Name: p.name(m.Robot, names)})
	}
	all := st
	all.robot, all.since, all.until, all.without, all.hidden = "", "", "", nil, nil
	m.Filtered, m.Clear = st.robot != "" || st.since != "" || st.until != "" || len(st.without)+len(st.hidden) > 0, all.page()
}

// maxLegend is how many kinds the legend has, apart from those behind "more".
const maxLegend = 8

// legend sets the kinds of a picture, those that the reader left out and then the most frequent first. Those of which nothing is drawn are behind "more", unless the
// reader left them out.
func (m *Graph) legend(p *picture, st graphState) {
	drawn := map[string]int{}
	for _, n := range p.nodes {
		drawn[kindWord(n.kind)]++
	}
	for _, k := range p.kinds {
		name, off := kindWord(k.iris[0]), slices.Contains(st.without, k.iris[0])
		kind := GraphKind{Name: name, Sign: k.sign, Count: cmp.Or(drawn[name], k.count), Off: off, Href: st.toggling(k.iris...).page()}
		if drawn[name] > 0 || off && !slices.Contains(structural, k.iris[0]) {
			m.Kinds = append(m.Kinds, kind)
		} else {
			m.Others = append(m.Others, kind)
		}
	}
	frequent := func(a, b GraphKind) int {
		off := func(k GraphKind) int { return map[bool]int{true: 1}[k.Off] }
		return cmp.Or(off(b)-off(a), b.Count-a.Count, strings.Compare(a.Name, b.Name))
	}
	slices.SortFunc(m.Kinds, frequent)
	slices.SortFunc(m.Others, frequent)
	if most := min(len(m.Kinds), maxLegend); most < len(m.Kinds) {
		m.Kinds, m.Others = m.Kinds[:most:most], append(m.Kinds[most:], m.Others...)
	}
}

// about says what the picture shows.
func (p *picture) about(st graphState, names []turtle.Prefix) string {
	name := func(iri string) string {
		if i, ok := p.index[iri]; ok && !p.nodes[i].isParty() {
			return views.Said(p.name(iri, names))
		}
		return views.Name(p.name(iri, names))
	}
	text := "How these things are linked"
	walk, _, ringed := st.ringed()
	switch {
	case len(st.along) > 1:
		text = "How " + name(st.along[0]) + " and " + name(st.along[len(st.along)-1]) + " are linked: a path of " + views.Plural(len(st.along)-1, "step")
	case st.construct != "":
		text = "What the query found"
	case ringed && walk.count > 1:
		text = "What is within " + views.Plural(walk.count, "step") + " of " + name(walk.iri)
	case len(st.ops) > 0 && !slices.ContainsFunc(st.ops, func(o graphOp) bool { return o.iri != st.ops[0].iri }):
		text = name(st.ops[0].iri) + " and what is linked to it"
	}
	return text + "."
}

// notes says what the picture leaves out.
func (p *picture) notes(st graphState, d *GraphDrawing, names []turtle.Prefix) []string {
	var out []string
	if d.Beside > 0 {
		out = append(out, fmt.Sprintf("%s not drawn: choose a node to see all of its lines.", views.Plural(d.Beside, "line")))
	}
	if walk, _, ok := st.ringed(); p.full && ok && walk.count > 1 {
		out = append(out, fmt.Sprintf("There are more: the search takes at most %d nodes.", maxGraphNodes))
	} else if p.full {
		out = append(out, fmt.Sprintf("The picture is full at %d nodes; some results are missing. Collapse or filter something.", maxGraphNodes))
	}
	if p.beyond > 0 {
		out = append(out, fmt.Sprintf("There are %s more that took part.", views.Count(p.beyond)))
	}
	if p.unsaid > 0 {
		out = append(out, fmt.Sprintf("%s not drawn. Reports, Last session, has all.", views.Plural(p.unsaid, "sentence")))
	}
	if d.Unseen > 0 {
		out = append(out, fmt.Sprintf("%s between nodes not drawn, because there are too many. Download the Turtle to get all.", views.Plural(d.Unseen, "line")))
	}
	if len(st.hidden) > 0 {
		out = append(out, fmt.Sprintf("You have hidden %s.", views.Plural(len(st.hidden), "node")))
	}
	if p.filters > 0 {
		out = append(out, fmt.Sprintf("Filters hide %s.", views.Plural(p.filters, "node")))
	}
	if p.partial {
		out = append(out, "Some nodes have too many triples to read all: edges may be missing.")
	}
	return append(out, p.walkNotes(names)...)
}

// name returns the name of a node, even if it is not shown.
func (p *picture) name(iri string, names []turtle.Prefix) string {
	if i, ok := p.index[iri]; ok {
		return p.nodes[i].name(names)
	} else if name, ok := p.partyNames[iri]; ok {
		return name
	}
	return views.ShortIRI(iri, names)
}

// graphLinks returns links to the given addresses of nodes, by IRI.
func (u *handlers) graphLinks(ctx context.Context, iris []string, names []turtle.Prefix, address func(iri string) string) ([]GraphLink, error) {
	return u.foundLinks(ctx, "", iris, names, address)
}

// foundLinks returns links to the nodes that a search for a text found, best first. If
// the text is "", it keeps their order.
func (u *handlers) foundLinks(ctx context.Context, text string, iris []string, names []turtle.Prefix, address func(iri string) string) ([]GraphLink, error) {
	nodes, err := u.foundNodes(ctx, text, iris)
	var out []GraphLink
	for _, n := range nodes {
		l := GraphLink{Label: n.toldApart(), Kind: kindWord(n.kind), Sign: n.sign, Href: address(n.iri), IRI: views.ShortIRI(n.iri, names)}
		if n.label != "" && n.isActivity() && !n.at.IsZero() {
			now := u.Config.Now().In(n.at.Location())
			l.Kind += " · " + n.at.Format(views.DayNear(now, n.at)+", 15:04:05")
		}
		out = append(out, l)
	}
	return out, err
}

// foundNodes reads the nodes that a search for a text found, and returns them best first.
// If the text is "", it keeps their order.
func (u *handlers) foundNodes(ctx context.Context, text string, iris []string) ([]*graphNode, error) {
	p := &picture{index: map[string]int{}}
	for _, iri := range iris {
		p.add(iri, 0, -1, graphState{})
	}
	if err := u.describe(ctx, p); err != nil {
		return nil, err
	}
	if err := u.sentences(ctx, p); err != nil {
		return nil, err
	}
	if text != "" {
		rankFound(text, p.nodes)
	}
	return p.nodes, nil
}
