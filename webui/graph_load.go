package webui

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/httpapi"
	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Bounds of what is read of nodes.
const (
	maxNodeTriples = 20_000 // of all nodes together
	oneNodeTriples = 400    // of each, where together they have more
)

// graphNode is a node of the picture with what is said of it. Blank nodes are none: they are told of in the card of
// who has them.
type graphNode struct {
	iri    string
	group  int
	parent int // in picture.nodes, or -1
	out    []rdf.Triple
	label  string
	kind   string
	time   string
	robots []string
}

// picture is what a state shows, read from the store.
type picture struct {
	nodes   []*graphNode
	index   map[string]int
	edges   []rdf.Triple // between nodes
	full    bool         // there are more nodes than are shown
	partial bool         // not all that is said of the nodes was read
	filters int          // nodes that filters leave out
	kinds   map[string]int
	robots  []string // of all nodes, also of those that are left out
}

// loadGraph reads what a state shows: never more than it shows, however large the graph is.
func (u *UI) loadGraph(r *http.Request, st graphState) (*picture, error) {
	p := &picture{index: map[string]int{}, kinds: map[string]int{}}
	constructed, err := u.constructed(r, st, p)
	if err != nil {
		return nil, err
	}
	for i, op := range st.ops {
		if op.predicate == "" {
			p.add(op.iri, i+1, -1, st)
			continue
		}
		neighbours, err := u.neighbours(r.Context(), st, op)
		if err != nil {
			return nil, err
		}
		parent, ok := p.index[op.iri]
		if !ok {
			parent = -1
		}
		for _, iri := range neighbours {
			p.add(iri, i+1, parent, st)
		}
	}
	if err := u.describe(r.Context(), p); err != nil {
		return nil, err
	}
	p.filter(st)
	p.connect(constructed)
	return p, nil
}

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

// constructed adds the nodes of the state's query, and gives its triples.
func (u *UI) constructed(r *http.Request, st graphState, p *picture) ([]rdf.Triple, error) {
	if st.construct == "" {
		return nil, nil
	}
	q, err := u.config.API.Prepare(r, st.construct)
	if err != nil {
		return nil, err
	}
	if f := q.Form(); f != syntax.Construct && f != syntax.Describe {
		return nil, httpapi.NewProblem(http.StatusUnprocessableEntity, "a picture is made from a CONSTRUCT or DESCRIBE, not from %s", strings.ToUpper(f.String()))
	}
	var out []rdf.Triple
	err = u.config.API.Ask(r, q, st.construct, &fewRows{}, func(t rdf.Triple) error {
		for _, end := range []rdf.Term{t.S, t.O} {
			if end.IsIRI() && !(t.P.Value() == rdf.RDFType && end == t.O) {
				p.add(end.Value(), 0, -1, st)
			}
		}
		out = append(out, t)
		if p.full {
			return errEnough
		}
		return nil
	})
	if p.full {
		return out, nil
	}
	return out, err
}

// neighbours gives the IRIs that a step brings, those alone that the filters of time and robot let through, so that
// a node with millions of neighbours can be expanded to some of one day.
func (u *UI) neighbours(ctx context.Context, st graphState, op graphOp) ([]string, error) {
	pattern := fmt.Sprintf("<%s> <%s> ?n", op.iri, op.predicate)
	if op.in {
		pattern = fmt.Sprintf("?n <%s> <%s>", op.predicate, op.iri)
	}
	var filters strings.Builder
	for compare, moment := range map[string]string{"<": st.since, ">=": st.until} {
		if moment != "" {
			fmt.Fprintf(&filters, " FILTER NOT EXISTS { ?n <%s>|<%s> ?t FILTER(?t %s \"%s\"^^<%s>) }", vocabulary.ProvStartedAtTime, vocabulary.ProvGeneratedAtTime, compare, moment, rdf.XSDDateTime)
		}
	}
	if st.robot != "" {
		fmt.Fprintf(&filters, " FILTER NOT EXISTS { ?n <%s> ?r FILTER(?r != <%s>) }", vocabulary.SegbWasPerformedBy, st.robot)
	}
	rows, err := u.ask(ctx, fmt.Sprintf("SELECT ?n { %s FILTER(isIRI(?n))%s } LIMIT %d", pattern, filters.String(), op.count))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, row := range rows {
		out = append(out, row[0].Value())
	}
	return out, nil
}

// describe reads what is said of the nodes.
func (u *UI) describe(ctx context.Context, p *picture) error {
	if len(p.nodes) == 0 {
		return nil
	}
	var values strings.Builder
	for _, n := range p.nodes {
		values.WriteString("<" + n.iri + "> ")
	}
	rows, err := u.ask(ctx, fmt.Sprintf("SELECT ?s ?p ?o { VALUES ?s { %s} ?s ?p ?o } LIMIT %d", values.String(), maxNodeTriples))
	if err != nil {
		return err
	}
	if p.partial = len(rows) == maxNodeTriples; p.partial {
		rows = rows[:0]
		for _, n := range p.nodes {
			some, err := u.ask(ctx, fmt.Sprintf("SELECT ?s ?p ?o { VALUES ?s { <%s> } ?s ?p ?o } LIMIT %d", n.iri, oneNodeTriples))
			if err != nil {
				return err
			}
			rows = append(rows, some...)
		}
	}
	for _, row := range rows {
		n := p.nodes[p.index[row[0].Value()]]
		n.out = append(n.out, rdf.Triple{S: row[0], P: row[1], O: row[2]})
	}
	for _, n := range p.nodes {
		n.read()
	}
	return nil
}

// labelling are the predicates that name a thing, the best first.
var labelling = []string{vocabulary.SchemaName, vocabulary.FOAFFirstName, vocabulary.RDFSLabel, vocabulary.SchemaText, vocabulary.SchemaDescription}

// read takes the label, kind, time and robots of a node from its triples.
func (n *graphNode) read() {
	var classes []string
	rank := len(labelling)
	for _, t := range n.out {
		value := t.O.Value()
		switch p := t.P.Value(); p {
		case rdf.RDFType:
			classes = append(classes, value)
		case vocabulary.ProvStartedAtTime, vocabulary.ProvGeneratedAtTime, vocabulary.SOSAResultTime:
			if at, ok := graphTime(value); ok && (n.time == "" || at < n.time) {
				n.time = at
			}
		case vocabulary.SegbWasPerformedBy, vocabulary.ProvWasAttributedTo, vocabulary.ProvWasAssociatedWith:
			if t.O.IsIRI() && !slices.Contains(n.robots, value) {
				n.robots = append(n.robots, value)
			}
		default:
			if i := slices.Index(labelling, p); i >= 0 && t.O.IsLiteral() && (i < rank || i == rank && value < n.label) {
				n.label, rank = value, i
			}
		}
	}
	n.kind = vocabulary.Kind(classes)
}

// filter leaves out what the state's filters do, but never the node that is selected.
func (p *picture) filter(st graphState) {
	kept := p.nodes[:0:0]
	moved := make([]int, len(p.nodes))
	for i, n := range p.nodes {
		moved[i] = -1
		p.kinds[n.kind]++
		for _, r := range n.robots {
			if !slices.Contains(p.robots, r) {
				p.robots = append(p.robots, r)
			}
		}
		hidden := slices.Contains(st.without, n.kind) ||
			st.robot != "" && len(n.robots) > 0 && !slices.Contains(n.robots, st.robot) ||
			n.time != "" && (st.since != "" && n.time < st.since || st.until != "" && n.time >= st.until)
		if hidden && n.iri != st.selected {
			p.filters++
			delete(p.index, n.iri)
			continue
		}
		moved[i] = len(kept)
		p.index[n.iri] = len(kept)
		if n.parent >= 0 {
			n.parent = moved[n.parent]
		}
		kept = append(kept, n)
	}
	p.nodes = kept
	slices.Sort(p.robots)
}

// connect finds the edges between the nodes: those of the query where they are of it, and all that are stored else.
func (p *picture) connect(constructed []rdf.Triple) {
	edge := func(t rdf.Triple) bool {
		_, from := p.index[t.S.Value()]
		_, to := p.index[t.O.Value()]
		return from && to && t.S.IsIRI() && t.O.IsIRI() && t.P.Value() != rdf.RDFType
	}
	for _, t := range constructed {
		if edge(t) {
			p.edges = append(p.edges, t)
		}
	}
	for _, n := range p.nodes {
		for _, t := range n.out {
			of := func() bool { return n.group == 0 && p.nodes[p.index[t.O.Value()]].group == 0 }
			if edge(t) && !of() {
				p.edges = append(p.edges, t)
			}
		}
	}
}

// incoming counts the triples that have a node as their object, by predicate.
func (u *UI) incoming(ctx context.Context, iri string) ([]termCount, error) {
	return u.countTerms(ctx, fmt.Sprintf("SELECT ?p (COUNT(*) AS ?n) { ?s ?p <%s> } GROUP BY ?p", iri))
}

// below gives what is said of the blank nodes that a node has, by the predicate that it has them by.
func (u *UI) below(ctx context.Context, iri string) ([][]rdf.Term, error) {
	return u.ask(ctx, fmt.Sprintf("SELECT ?p ?b ?q ?v { <%s> ?p ?b FILTER(isBlank(?b)) ?b ?q ?v } LIMIT "+strconv.Itoa(oneNodeTriples), iri))
}
