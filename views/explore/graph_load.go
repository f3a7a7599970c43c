package explore

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// picture is the content of a state, read from the published graph and the resolver's
// graph.
type picture struct {
	nodes        []*graphNode
	index        map[string]int
	edges        []graphEdge // edges between nodes
	full         bool        // there are more nodes than shown
	partial      bool        // not all triples of the nodes were read
	filters      int         // nodes hidden by filters
	kinds        []*pictureKind
	participants []string                   // of all nodes, including hidden ones
	told         []graphEdge                // of an offered picture
	sides        map[string]map[string]bool // where its edges of each word begin and end, including nodes for which there is no room
	cut          bool                       // an offered picture shows only the newest activities of its session
	beyond       int                        // nodes that an offered picture leaves out
	unsaid       int                        // sentences of the last session that an offered picture leaves out
	newest       time.Time                  // when what an offered picture shows last happened; zero if it shows nothing
	hulls        []contextHull
	doubts       []contextDoubt
	walks        []walked
	distances    map[string]distance // of nodes that walks reached, including hidden ones
	partyNames   views.Names         // names of robots and people, including hidden ones
	persons      views.Persons       // whose names are one; nil where each node has a name of its own
	same         views.Persons       // whom a filter, and an offered picture, take for one
}

// graphEdge is a triple between two nodes. Triples of the resolver are in no log.
type graphEdge struct {
	rdf.Triple
	own  bool   // in no log
	told string // what an edge of an offered picture says; it is no triple
	// times is how often that is told, and last when, or 0 if that says nothing.
	times int
	last  time.Time
}

// loadGraph reads the content of a state. It reads no more than is shown, however large
// the graph is.
func (u *handlers) loadGraph(r *http.Request, st graphState, names []turtle.Prefix) (*picture, error) {
	p := &picture{index: map[string]int{}, distances: map[string]distance{}, sides: map[string]map[string]bool{}}
	constructed, err := u.constructed(r, st, p)
	if err != nil {
		return nil, err
	}
	if p.same, err = u.Persons(r.Context()); err != nil {
		return nil, err
	}
	if err := u.show(r.Context(), st, p); err != nil {
		return nil, err
	}
	p.beyond = p.left()
	for i, op := range st.ops {
		if err := u.take(r.Context(), p, st, op, i+1); err != nil {
			return nil, err
		}
	}
	if err := u.describe(r.Context(), p); err != nil {
		return nil, err
	}
	for _, n := range p.nodes {
		if n.kind == vocabulary.MLSModel && n.label != "" && !strings.HasSuffix(n.label, n.version) {
			n.label += " " + n.version
		}
	}
	if _, start, ok := st.causal(); ok {
		p.fold(start)
	}
	if err := u.sentences(r.Context(), p); err != nil {
		return nil, err
	}
	if err := u.results(r.Context(), p); err != nil {
		return nil, err
	}
	p.gatherKinds()
	p.filter(st)
	p.thin(st)
	p.connect(constructed)
	return p, u.findContexts(r.Context(), p, names)
}

// take adds the nodes of a step of st, the group-th.
func (u *handlers) take(ctx context.Context, p *picture, st graphState, op graphOp, group int) error {
	switch {
	case op.puts():
		p.add(op.iri, group, -1, st)
		return nil
	case op.walk:
		return u.walk(ctx, p, st, op, group)
	}
	neighbours, err := u.neighbours(ctx, p.same.All(st.robot), st, op)
	if err != nil {
		return err
	}
	parent, ok := p.index[op.iri]
	if !ok {
		parent = -1
	}
	for _, iri := range neighbours {
		p.add(iri, group, parent, st)
	}
	return nil
}

// add adds a node, unless the picture has it, st hides it, or the picture is full. group is the number of
// the step of st that adds it, from 1, or 0 for none. parent is the index of the node that it is drawn
// beside, or -1.
func (p *picture) add(iri string, group, parent int, st graphState) {
	if _, there := p.index[iri]; there || slices.Contains(st.hidden, iri) {
		return
	}
	if len(p.nodes) == maxGraphNodes {
		p.full = true
		return
	}
	p.index[iri] = len(p.nodes)
	p.nodes = append(p.nodes, &graphNode{iri: iri, group: group, parent: parent})
}

// constructed adds the nodes of the state's query, and returns its triples.
func (u *handlers) constructed(r *http.Request, st graphState, p *picture) ([]rdf.Triple, error) {
	if st.construct == "" {
		return nil, nil
	}
	q, err := u.Service.Prepare(r.Context(), views.Asked(r, st.construct))
	if err != nil {
		return nil, err
	}
	if f := q.Form(); f != syntax.Construct && f != syntax.Describe {
		return nil, front.NewProblem(http.StatusUnprocessableEntity, "a picture needs a CONSTRUCT or DESCRIBE query, not %s", strings.ToUpper(f.String()))
	}
	var out []rdf.Triple
	var kept service.Kept
	err = u.Service.Ask(r.Context(), q, st.construct, &views.FewRows{}, func(t rdf.Triple) error {
		for _, end := range []rdf.Term{t.S, t.O} {
			if end.IsIRI() && !(t.P.Value() == rdf.RDFType && end == t.O) {
				p.add(end.Value(), 0, -1, st)
			}
		}
		out = append(out, t)
		if err := kept.Add(t.S, t.P, t.O); err != nil {
			return err
		}
		if p.full {
			return views.ErrEnough
		}
		return nil
	})
	if p.full {
		return out, nil
	}
	return out, err
}

// inContexts wraps a pattern to match the resolver's graph. It skips merges that are also
// published.
func inContexts(pattern string) string {
	return fmt.Sprintf("GRAPH <%s> { %s }", vocabulary.ScGraph, pattern)
}

// neighbours returns the IRIs that a step adds. The query applies the filters of time and
// participant, whose names are given, so that a node with millions of neighbours can be expanded to those of one
// day. Neighbours of the published graph come first.
func (u *handlers) neighbours(ctx context.Context, names []string, st graphState, op graphOp) ([]string, error) {
	pattern := fmt.Sprintf("<%s> <%s> ?n", op.iri, op.predicate)
	if op.in {
		pattern = fmt.Sprintf("?n <%s> <%s>", op.predicate, op.iri)
	}
	var filters strings.Builder
	for _, bound := range [][2]string{{"<", st.since}, {">=", st.until}} {
		if bound[1] != "" {
			fmt.Fprintf(&filters, " FILTER NOT EXISTS { ?n <%s>|<%s> ?t FILTER(?t %s \"%s\"^^<%s>) }", vocabulary.ProvStartedAtTime, vocabulary.ProvGeneratedAtTime, bound[0], bound[1], rdf.XSDDateTime)
		}
	}
	if st.robot != "" {
		by := "<" + strings.Join(participating, ">|<") + ">"
		fmt.Fprintf(&filters, " FILTER(EXISTS { VALUES ?who { %s } ?n %s ?who } || NOT EXISTS { ?n %s ?r })", iriValues(names), by, by)
	}
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?n { %s FILTER(isIRI(?n))%s } LIMIT %d", pattern, filters.String(), op.count))
	if err != nil {
		return nil, err
	}
	if rest := op.count - len(rows); rest > 0 && op.predicate != vocabulary.ScMergedInto {
		own, err := u.Ask(ctx, fmt.Sprintf("SELECT ?n { %s FILTER(isIRI(?n)) } LIMIT %d", inContexts(pattern), rest))
		if err != nil {
			return nil, err
		}
		rows = append(rows, own...)
	}
	var out []string
	for _, row := range rows {
		out = append(out, row[0].Value())
	}
	return out, nil
}

// filter hides nodes according to the state's filters, but never the selected node.
func (p *picture) filter(st graphState) {
	since, _ := views.ParseTime(st.since)
	until, _ := views.ParseTime(st.until)
	robot := p.same.First(st.robot)
	p.keep(func(i int) bool {
		n := p.nodes[i]
		ofOthers := robot != "" && len(n.participants) > 0
		for _, r := range n.participants {
			r = p.same.First(r)
			if ofOthers = ofOthers && r != robot; !slices.Contains(p.participants, r) {
				p.participants = append(p.participants, r)
			}
		}
		early := !since.IsZero() && n.at.Before(since)
		late := !until.IsZero() && !n.at.Before(until)
		outside := !n.at.IsZero() && (early || late)
		hidden := n.iri != st.selected && (slices.Contains(st.without, n.kind) || ofOthers || outside)
		if hidden {
			p.filters++
		}
		return !hidden
	})
	slices.Sort(p.participants)
}

// keep removes the nodes for whose indexes holds returns false.
func (p *picture) keep(holds func(i int) bool) {
	kept, moved := p.nodes[:0:0], make([]int, len(p.nodes))
	for i, n := range p.nodes {
		if moved[i] = -1; !holds(i) {
			continue
		}
		moved[i] = len(kept)
		if n.parent >= 0 {
			n.parent = moved[n.parent]
		}
		kept = append(kept, n)
	}
	p.nodes = kept
	for iri, i := range p.index {
		if p.index[iri] = moved[i]; moved[i] < 0 {
			delete(p.index, iri)
		}
	}
}

// connect computes the edges between the nodes: in the picture of a query the edges that
// it returned, otherwise all stored edges.
func (p *picture) connect(constructed []rdf.Triple) {
	edge := func(t rdf.Triple) bool {
		i, from := p.index[t.S.Value()]
		j, to := p.index[t.O.Value()]
		inside := i == j && t.S != t.O // between a node and what is folded into it
		return from && to && !inside && t.S.IsIRI() && t.O.IsIRI() && t.P.Value() != rdf.RDFType
	}
	for _, e := range p.told {
		_, from := p.index[e.S.Value()]
		_, to := p.index[e.O.Value()]
		if from && to {
			p.edges = append(p.edges, e)
		}
	}
	for _, t := range constructed {
		if edge(t) {
			p.edges = append(p.edges, graphEdge{Triple: t})
		}
	}
	for _, n := range p.nodes {
		for i, t := range slices.Concat(n.out, n.own) {
			ofQuery := func() bool { return len(constructed) > 0 && n.group == 0 && p.nodes[p.index[t.O.Value()]].group == 0 }
			if edge(t) && !ofQuery() {
				p.edges = append(p.edges, graphEdge{Triple: t, own: i >= len(n.out)})
			}
		}
	}
}

// between returns the edges from one node to another.
func (p *picture) between(from, to string) []graphEdge {
	var out []graphEdge
	i, ok := p.index[from]
	j, there := p.index[to]
	for _, e := range p.edges {
		if ok && there && p.index[e.S.Value()] == i && p.index[e.O.Value()] == j {
			out = append(out, e)
		}
	}
	return out
}
