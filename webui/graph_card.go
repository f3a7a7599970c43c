package webui

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// graphCard returns the card of a node.
func (u *UI) graphCard(r *http.Request, v *visit, st graphState, p *picture, n *graphNode, names []turtle.Prefix) (*views.GraphCard, error) {
	ctx := r.Context()
	c := &views.GraphCard{
		Label: n.name(names), IRI: n.iri, Kind: kindName(n.kind, names), Sign: n.sign,
		Hide: st.hiding(n.iri).page(), About: "/query?" + url.Values{"query": {"DESCRIBE <" + n.iri + ">"}}.Encode(),
		Partial: len(n.out) >= oneNodeTriples,
	}
	if u.config.Walker != nil && !slices.ContainsFunc(st.ops, nearby(n.iri).same) {
		c.Near = st.walking(nearby(n.iri)).page()
	}
	if n.explained() {
		c.Why = whyAddress(n.iri)
	}
	if st.expanded(n.iri) {
		c.Collapse = st.collapsing(n.iri).page()
	}
	counts := map[string]int{}
	var order []string
	blanks := false
	for i, t := range slices.Concat(n.out, n.own) {
		p := t.P.Value()
		switch {
		case p == rdf.RDFType:
			c.Classes = append(c.Classes, cell(t.O, names))
		case t.O.IsIRI():
			if counts[p] == 0 {
				order = append(order, p)
			}
			counts[p]++
		case t.O.IsBlank():
			blanks = true
		default:
			f := views.GraphFact{Name: shortIRI(p, names), Value: cell(t.O, names)}
			if i < len(n.out) {
				f.Logs = tripleLogs(t)
			}
			c.Facts = append(c.Facts, f)
		}
	}
	if blanks {
		nested, err := u.nestedFacts(ctx, n.iri, names)
		if err != nil {
			return nil, err
		}
		c.Facts = append(c.Facts, nested...)
	}
	for _, p := range order {
		c.Out = append(c.Out, graphWay(st, graphOp{iri: n.iri, predicate: p}, counts[p], names))
	}
	incoming, err := u.incoming(ctx, n.iri)
	if err != nil {
		return nil, err
	}
	for _, way := range incoming {
		order = append(order, way.IRI)
		c.In = append(c.In, graphWay(st, graphOp{iri: n.iri, predicate: way.IRI, in: true}, way.Count, names))
	}
	if r.URL.Query().Get("tools") == "" {
		c.Tools = st.page() + "&tools=1"
	} else {
		for _, other := range p.nodes {
			if other != n {
				c.Others = append(c.Others, views.GraphOption{Value: other.iri, Name: other.name(names)})
			}
		}
		u.walkForm(p, c, order, names)
	}
	if !slices.Contains(n.classes, vocabulary.ScSharedContext) {
		return c, nil
	}
	if v.actor.Is(auth.Admin) {
		c.Context = contextAddress(n.iri)
	}
	cases, err := u.casesOf(ctx, n.iri)
	for _, k := range cases {
		other := k.source
		if other == n.iri {
			other = k.target
		}
		o := views.GraphOpenCase{Name: shortIRI(other, names)}
		if _, there := p.index[other]; !there {
			o.Show = st.adding(other).selecting(n.iri).page()
		}
		o.Case = caseAddress(v, k.id)
		c.Doubts = append(c.Doubts, o)
	}
	return c, err
}

// caseAddress returns the address where the visitor can decide a case, or "" if the
// visitor may not.
func caseAddress(v *visit, id string) string {
	if !v.actor.Is(auth.Admin) {
		return ""
	}
	return "/shared-context?" + url.Values{"case": {id}}.Encode()
}

// nestedFacts returns the properties of a node's blank nodes.
func (u *UI) nestedFacts(ctx context.Context, iri string, names []turtle.Prefix) ([]views.GraphFact, error) {
	rows, err := u.below(ctx, iri)
	if err != nil {
		return nil, err
	}
	var out []views.GraphFact
	var last rdf.Term
	for _, row := range rows {
		if len(out) == 0 || row[1] != last {
			out, last = append(out, views.GraphFact{Name: shortIRI(row[0].Value(), names)}), row[1]
		}
		whole := &out[len(out)-1]
		whole.Nested = append(whole.Nested, views.GraphFact{Name: shortIRI(row[2].Value(), names), Value: cell(row[3], names)})
	}
	return out, nil
}

func graphWay(st graphState, op graphOp, count int, names []turtle.Prefix) views.GraphWay {
	w := views.GraphWay{Name: shortIRI(op.predicate, names), Count: count, Shown: st.shown(op), Incoming: op.in}
	next := min(expandBy, count-w.Shown)
	switch {
	case w.Shown == 0:
		w.Href, w.ExpandCount = st.expanding(op).page(), next
	case next > 0 && w.Shown < maxExpand:
		w.More, w.ExpandCount = st.expanding(op).page(), next
	}
	return w
}

// logsTime limits the search for the newest logs of a line's edges. The search goes back
// in time, so old contributions may take seconds to find.
const logsTime = 120 * time.Millisecond

// edgeCard returns the card of the line from one node to another: its edges, and the
// newest log that contributed each.
func (u *UI) edgeCard(ctx context.Context, st graphState, p *picture, names []turtle.Prefix) (*views.GraphEdgeCard, error) {
	from, to := p.resolveEdge(st)
	edges := p.between(from, to)
	if len(edges) == 0 {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, logsTime)
	defer cancel()
	c := &views.GraphEdgeCard{From: p.link(st, from, names), To: p.link(st, to, names)}
	for _, e := range edges {
		t := views.GraphTriple{Name: shortIRI(e.P.Value(), names)}
		if !e.own {
			t.Logs = tripleLogs(e.Triple)
			page, err := u.service.Logs(limited, journal.Filter{Limit: 1}, quad(e.Triple))
			if err != nil && (limited.Err() == nil || ctx.Err() != nil) {
				return nil, err
			}
			t.Late = err != nil
			for _, l := range page.Entries {
				t.Newest = &views.TripleLog{Time: l.Time, Actor: l.Sender(), Claimed: l.Claimed, LogID: l.LogID, Triples: l.Triples, Added: l.Added}
			}
		}
		c.Triples = append(c.Triples, t)
	}
	return c, nil
}

// link returns a link to a node of the picture.
func (p *picture) link(st graphState, iri string, names []turtle.Prefix) views.GraphLink {
	n := p.nodes[p.index[iri]]
	return views.GraphLink{Label: n.name(names), Kind: kindName(n.kind, names), Sign: n.sign, Href: st.selecting(iri).page(), IRI: shortIRI(iri, names)}
}
