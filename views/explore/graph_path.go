package explore

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of a path search. The page names the limit that ended a search.
const (
	pathSteps   = 8     // edges of a path
	pathRows    = 8_000 // edges read
	pathChunk   = 50    // nodes per query
	chunkRows   = 2_000 // edges per query; beyond it, pathPerNode applies
	pathPerNode = 200   // edges per node
	farther     = 20    // factor for an extended search
	pathTime    = 250 * time.Millisecond
)

// pathSearch searches for the shortest path between two nodes, from both ends, along edges
// in either direction. Paths do not pass through blank nodes or classes: two robots are not
// connected just because both are robots.
type pathSearch struct {
	ask     func(ctx context.Context, text string) ([][]rdf.Term, error)
	rows    int // edges that may still be read
	perNode int
	cut     bool // some node had too many edges to follow all
}

// side is the set of nodes reached from one end, each with its predecessor.
type side struct {
	before   map[string]string
	frontier []string
	steps    int
}

func newSide(iri string) *side {
	return &side{before: map[string]string{iri: ""}, frontier: []string{iri}}
}

// find returns the nodes of a path in order, both ends included. If it is nil, whole says whether there is none of up to
// pathSteps edges; if not whole, the search stopped at a limit. The path is a shortest one unless s.cut.
func (s *pathSearch) find(ctx context.Context, from, to string) (path []string, whole bool, err error) {
	a, b := newSide(from), newSide(to)
	if from == to {
		return []string{from}, true, nil
	}
	for a.steps+b.steps < pathSteps && len(a.frontier) > 0 && len(b.frontier) > 0 {
		near, far := a, b
		if len(b.frontier) < len(a.frontier) {
			near, far = b, a
		}
		if err := s.grow(ctx, near, far); err != nil {
			return nil, false, err
		}
		var met []string
		for _, iri := range near.frontier {
			if _, ok := far.before[iri]; ok {
				met = append(met, iri)
			}
		}
		if len(met) > 0 {
			middle := slices.Min(met)
			return append(back(a, middle), forth(b, middle)...), true, nil
		}
		if s.rows <= 0 {
			return nil, false, nil
		}
	}
	return nil, !s.cut, nil
}

// back returns the nodes from an end to one reached from it. forth returns the nodes
// after it up to the other end.
func back(s *side, iri string) []string {
	var out []string
	for ; iri != ""; iri = s.before[iri] {
		out = append(out, iri)
	}
	slices.Reverse(out)
	return out
}

func forth(s *side, iri string) []string {
	var out []string
	for iri = s.before[iri]; iri != ""; iri = s.before[iri] {
		out = append(out, iri)
	}
	return out
}

// grow advances one step from the nodes reached last. It stops at the limit, or with the
// query that reaches the other side.
func (s *pathSearch) grow(ctx context.Context, near, far *side) error {
	frontier := near.frontier
	near.frontier = nil
	near.steps++
	for chunk := range slices.Chunk(frontier, pathChunk) {
		rows, err := s.around(ctx, chunk)
		if err != nil {
			return err
		}
		met := false
		for _, row := range rows {
			from, to := row[0].Value(), row[1].Value()
			if _, there := near.before[to]; !there {
				near.before[to] = from
				near.frontier = append(near.frontier, to)
			}
			_, there := far.before[to]
			met = met || there
		}
		if met || s.rows <= 0 {
			return nil
		}
	}
	return nil
}

// around returns the neighbours of nodes with the node that they belong to, in either
// direction and in both graphs. It sets s.cut if it leaves some out.
func (s *pathSearch) around(ctx context.Context, nodes []string) ([][]rdf.Term, error) {
	var out [][]rdf.Term
	for _, pattern := range []string{"?n ?p ?o", "?o ?p ?n"} {
		for _, p := range []string{pattern, inContexts(pattern)} {
			rows, err := s.few(ctx, p, nodes, chunkRows)
			if err != nil {
				return nil, err
			}
			if len(rows) == chunkRows { // cut: a node with many neighbours must not hide those of the others
				rows = nil
				for _, n := range nodes {
					some, err := s.few(ctx, p, []string{n}, s.perNode)
					if err != nil {
						return nil, err
					}
					s.cut = s.cut || len(some) == s.perNode
					rows = append(rows, some...)
				}
			}
			out = append(out, rows...)
		}
	}
	return out, nil
}

// few returns at most limit neighbours of nodes by a pattern of ?n, ?p and ?o, without classes, and
// takes them off s.rows. If no rows are left, it sets s.cut and returns none.
func (s *pathSearch) few(ctx context.Context, pattern string, nodes []string, limit int) ([][]rdf.Term, error) {
	if s.rows <= 0 {
		s.cut = true
		return nil, nil
	}
	rows, err := s.ask(ctx, fmt.Sprintf("SELECT ?n ?o { VALUES ?n { %s } %s FILTER(isIRI(?o) && ?p != <%s> && ?p != <%s>) } LIMIT %d",
		iriValues(nodes), pattern, rdf.RDFType, vocabulary.RDFSSubClassOf, limit))
	s.rows -= len(rows)
	return rows, err
}

// getPath searches for a path between two nodes, and shows it or reports that there is none.
func (u *handlers) getPath(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	given := r.URL.Query()
	from, text, far := given.Get("from"), strings.TrimSpace(given.Get("to")), given.Get("far") != ""
	given.Del("edge")
	given.Set("node", from)
	st := readGraphState(given)
	st.along = nil
	told := &GraphPath{Clear: st.page()}
	if st.selected == "" || text == "" {
		told.Text = "A path needs two ends. Enter the label or the IRI of the other one."
		return u.showGraph(w, r, v, st, told)
	}
	names := u.Prefixes(nil)
	to, found, cut, err := u.oneNode(r.Context(), text)
	if err != nil {
		return err
	}
	if to == "" {
		told.Text = otherEnd(text, len(found), cut)
		if told.Which, err = u.graphLinks(r.Context(), found, names, func(iri string) string { return st.pathAddress(iri, false) }); err != nil {
			return err
		}
		locate(told.Which)
		return u.showGraph(w, r, v, st, told)
	}
	search := &pathSearch{ask: u.Ask, rows: pathRows, perNode: pathPerNode}
	limit := pathTime
	if far {
		search.rows, search.perNode, limit = search.rows*farther, search.perNode*farther, limit*farther
	}
	limited, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	path, whole, err := search.find(limited, from, to)
	if err != nil && (limited.Err() == nil || r.Context().Err() != nil) {
		return err
	}
	if len(path) > 0 {
		if !given.Has("v") { // only the path, without what is around its start
			st.ops = nil
		}
		for _, iri := range path {
			st = st.adding(iri)
		}
		st.along = path
		u.Redirect(w, r, st.selecting(from).page())
		return nil
	}
	if told.Text = fmt.Sprintf("There is no path of at most %d steps to %s.", pathSteps, views.ShortIRI(to, names)); !whole || err != nil {
		told.Text = fmt.Sprintf("The search for a path to %s stopped after %s edges: there may be one.", views.ShortIRI(to, names), views.Count(pathRows-max(search.rows, 0)))
		if far {
			told.Text = fmt.Sprintf("The extended search for a path to %s stopped after %s edges: there may be one.", views.ShortIRI(to, names), views.Count(pathRows*farther-max(search.rows, 0)))
		} else {
			told.Far = st.pathAddress(to, true)
		}
	}
	return u.showGraph(w, r, v, st, told)
}

// otherEnd says why the other end of a path is not known: found nodes have the name text. cut: there may be more.
func otherEnd(text string, found int, cut bool) string {
	switch {
	case found == 0 && cut:
		return "No node called " + quoted.Value(text) + " was found soon. There may be one: enter its IRI."
	case found == 0:
		return "No node is called " + quoted.Value(text) + "."
	case cut:
		return "Is it one of these? There may be more."
	}
	return "Several nodes have this name. Choose one."
}

// broken reports whether a path has two successive nodes that are shown and that nothing links: what linked them was withdrawn.
func (u *handlers) broken(ctx context.Context, p *picture, along []string) (bool, error) {
	for i := 1; i < len(along); i++ {
		a, b := along[i-1], along[i]
		_, from := p.index[a]
		_, to := p.index[b]
		if !from || !to || len(p.between(a, b))+len(p.between(b, a)) > 0 {
			continue
		}
		there, back := "<"+a+"> ?p <"+b+">", "<"+b+"> ?p <"+a+">"
		rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?p { { %s } UNION { %s } UNION { %s } UNION { %s } } LIMIT 1", there, back, inContexts(there), inContexts(back)))
		if err != nil || len(rows) == 0 {
			return true, err
		}
	}
	return false, nil
}

// steps returns the steps of the state's path, or nil if a node of it is not shown.
func (p *picture) steps(st graphState, names []turtle.Prefix) []GraphStep {
	var out []GraphStep
	for i, iri := range st.along {
		if _, there := p.index[iri]; !there {
			return nil
		}
		s := GraphStep{Node: p.link(st, iri, names)}
		if i > 0 {
			edges := p.between(st.along[i-1], iri)
			if s.Backward = len(edges) == 0; s.Backward {
				edges = p.between(iri, st.along[i-1])
			}
			var words []string
			turned := false
			for _, e := range edges {
				_, ok := edgeWords[e.P.Value()] // which has a word for each direction
				turned = turned || s.Backward && ok
				w := p.word(e, s.Backward)
				if !slices.Contains(words, w) {
					words = append(words, w)
				}
			}
			s.Backward = s.Backward && !turned
			s.Name = strings.Join(words, ", ")
		}
		out = append(out, s)
	}
	return out
}

// pathAddress returns the address of a path search from the selected node. A far search
// reads more, so it may find what the first did not.
func (st graphState) pathAddress(to string, far bool) string {
	values := st.values()
	values.Set("from", st.selected)
	values.Set("to", to)
	if far {
		values.Set("far", "1")
	}
	return "/kg-graph/path?" + values.Encode()
}

// oneNode returns the node that a text names: as a known prefix with a name, an IRI, or a
// label, in this order. If several nodes or none may be meant, iri is "" and found has them; cut says that there may be more.
func (u *handlers) oneNode(ctx context.Context, text string) (iri string, found []string, cut bool, err error) {
	if label, local, ok := strings.Cut(text, ":"); ok && !strings.HasPrefix(local, "//") {
		for _, p := range u.Prefixes(nil) {
			if p.Label == label && rdf.IsIRI(p.Namespace+local) {
				if rows, err := u.Ask(ctx, fmt.Sprintf("SELECT * { { <%[1]s> ?p ?o } UNION { ?s ?p <%[1]s> } } LIMIT 1", p.Namespace+local)); err != nil || len(rows) > 0 {
					return p.Namespace + local, nil, false, err
				}
			}
		}
	}
	given := strings.TrimSuffix(strings.TrimPrefix(text, "<"), ">")
	meansIRI := given != text || strings.Contains(text, "//") || strings.HasPrefix(text, "urn:") // otherwise a label with a colon
	if meansIRI && rdf.IsIRI(given) {
		return given, nil, false, nil
	}
	found, cut, err = u.search(ctx, text, findTime)
	if err != nil {
		return "", nil, false, err
	}
	if len(found) == 1 && !cut {
		return found[0], nil, false, nil
	}
	things := &picture{index: map[string]int{}} // for their labels
	for _, iri := range found {
		things.add(iri, 0, -1, graphState{})
	}
	if err := u.describe(ctx, things); err != nil {
		return "", nil, false, err
	}
	matches := slices.DeleteFunc(things.nodes, func(n *graphNode) bool { return !strings.EqualFold(n.label, text) })
	if len(matches) == 1 { // other nodes that merely contain the text do not matter
		return matches[0].iri, nil, false, nil
	}
	return "", found, cut, nil
}
