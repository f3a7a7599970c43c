package explore

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// graphCard returns the card of node n: what it is, its facts, the ways to its neighbours and, if the address asks for tools,
// the forms for walks and paths. That of a shared event also has its open cases.
func (u *handlers) graphCard(r *http.Request, v *views.Visit, st graphState, p *picture, n *graphNode, names []turtle.Prefix) (*GraphCard, error) {
	ctx := r.Context()
	c := &GraphCard{
		Label: n.name(names), IRI: n.iri, Short: strings.Trim(views.ShortIRI(n.iri, names), "<>"), Kind: kindWord(n.kind), Sign: n.sign,
		Hide: st.hiding(n.iri).page(), About: "/query?" + url.Values{"query": {"DESCRIBE <" + n.iri + ">"}}.Encode(),
		Partial: p.partial && len(n.out) >= oneNodeTriples,
	}
	if u.Config.Walker != nil && !slices.ContainsFunc(st.ops, nearby(n.iri).same) {
		c.Near = st.walking(nearby(n.iri)).page()
	}
	if n.explained() {
		c.Why = views.WhyAddress(n.iri)
	}
	if st.expanded(n.iri) {
		c.Collapse = st.collapsing(n.iri).page()
	}
	counts, order, err := u.cardFacts(ctx, c, n, names)
	if err != nil {
		return nil, err
	}
	var outgoing []views.TermCount
	for _, p := range order {
		outgoing = append(outgoing, views.TermCount{IRI: p, Count: counts[p]})
	}
	if c.Out, err = u.ways(ctx, st, graphOp{iri: n.iri}, outgoing); err != nil {
		return nil, err
	}
	incoming, err := u.incoming(ctx, n.iri)
	if err != nil {
		return nil, err
	}
	for _, way := range incoming {
		order = append(order, way.IRI)
	}
	if c.In, err = u.ways(ctx, st, graphOp{iri: n.iri, in: true}, incoming); err != nil {
		return nil, err
	}
	if r.URL.Query().Get("tools") == "" {
		c.Tools = st.page() + "&tools=1"
	} else {
		for _, other := range p.nodes {
			if other != n {
				c.Others = append(c.Others, GraphOption{Value: other.iri, Name: other.name(names)})
			}
		}
		u.walkForm(st, p, c, order)
	}
	if !slices.Contains(n.classes, vocabulary.ScSharedContext) {
		return c, nil
	}
	if v.Actor.Is(auth.Admin) {
		c.Context = views.ContextAddress(n.iri)
	}
	c.Doubts, err = u.cardCases(ctx, v, st, p, n, names)
	return c, err
}

// cardFacts adds the classes and facts of a node to its card. It returns how many nodes each
// predicate leads to, and the predicates in order.
func (u *handlers) cardFacts(ctx context.Context, c *GraphCard, n *graphNode, names []turtle.Prefix) (counts map[string]int, order []string, err error) {
	counts = map[string]int{}
	blanks := false
	for i, t := range slices.Concat(n.out, n.own) {
		p := t.P.Value()
		switch {
		case p == rdf.RDFType:
			word := kindWord(t.O.Value())
			if !slices.ContainsFunc(c.Classes, func(o GraphOption) bool { return o.Name == word }) {
				c.Classes = append(c.Classes, GraphOption{Value: t.O.Value(), Name: word})
			}
		case t.O.IsIRI():
			if counts[p] == 0 {
				order = append(order, p)
			}
			counts[p]++
		case t.O.IsBlank():
			blanks = true
		default:
			f := GraphFact{Name: linkWord(p, false), IRI: p, Value: views.CellOf(t.O, names)}
			if at, ok := views.TimeOf(t.O); ok && t.O.Datatype() == rdf.XSDDateTime {
				f.Value.Text, f.Value.Full = views.Clock(ctx, at), t.O.Value()
			}
			if i < len(n.out) {
				f.Logs = views.TripleLogs(t)
			}
			if c.Facts = append(c.Facts, f); p == vocabulary.ProvStartedAtTime { // before the end
				c.Facts = slices.Concat([]GraphFact{f}, c.Facts[:len(c.Facts)-1])
			}
		}
	}
	if blanks {
		nested, err := u.nestedFacts(ctx, n.iri, names)
		if err != nil {
			return nil, nil, err
		}
		c.Facts = append(c.Facts, nested...)
	}
	return counts, order, nil
}

// cardCases returns the open cases about the context that a node is.
func (u *handlers) cardCases(ctx context.Context, v *views.Visit, st graphState, p *picture, n *graphNode, names []turtle.Prefix) (out []GraphOpenCase, err error) {
	cases, err := u.casesOf(ctx, n.iri)
	for _, k := range cases {
		other := k.source
		if other == n.iri {
			other = k.target
		}
		o := GraphOpenCase{Name: views.ShortIRI(other, names)}
		if _, there := p.index[other]; !there {
			o.Show = st.adding(other).selecting(n.iri).page()
		}
		o.Case = caseAddress(v, k.id)
		out = append(out, o)
	}
	return out, err
}

// caseAddress returns the address where the visitor can decide a case, or "" if the
// visitor may not.
func caseAddress(v *views.Visit, id string) string {
	if !v.Actor.Is(auth.Admin) {
		return ""
	}
	return "/shared-context?" + url.Values{"case": {id}}.Encode()
}

// nestedFacts returns the properties of a node's blank nodes.
func (u *handlers) nestedFacts(ctx context.Context, iri string, names []turtle.Prefix) ([]GraphFact, error) {
	rows, err := u.below(ctx, iri)
	if err != nil {
		return nil, err
	}
	var out []GraphFact
	var last rdf.Term
	for _, row := range rows {
		if len(out) == 0 || row[1] != last {
			out, last = append(out, GraphFact{Name: linkWord(row[0].Value(), false), IRI: row[0].Value()}), row[1]
		}
		whole := &out[len(out)-1]
		whole.Nested = append(whole.Nested, GraphFact{Name: views.PlainWords(row[2].Value()), IRI: row[2].Value(), Value: views.CellOf(row[3], names)})
	}
	return out, nil
}

// wayOf returns the links that show more, or none, of the count neighbours by op.
func wayOf(st graphState, op graphOp, count int) GraphWay {
	w := GraphWay{Name: linkWord(op.predicate, op.in), IRI: op.predicate, Count: count, Shown: st.shown(op), Incoming: op.in}
	next := min(expandBy, count-w.Shown)
	switch {
	case w.Shown == 0:
		w.Href, w.ExpandCount = st.expanding(op).page(), next
	case next > 0 && w.Shown < maxExpand:
		w.More, w.ExpandCount = st.expanding(op).page(), next
	}
	return w
}

// maxCovered is how many neighbours are compared to find that one way leads to those of another.
const maxCovered = 1000

// ways returns the ways from a node in the direction of op, by the predicates that it has, with the count of each. Those that
// are shown come first, then those with most neighbours. If two have one word, the later is left out if the earlier leads, in
// the published graph, to all its neighbours. Otherwise the later has its own words too.
func (u *handlers) ways(ctx context.Context, st graphState, op graphOp, predicates []views.TermCount) (out []GraphWay, err error) {
	to := func(predicate string) string {
		if op.in {
			return fmt.Sprintf("?n <%s> <%s>", predicate, op.iri)
		}
		return fmt.Sprintf("<%s> <%s> ?n", op.iri, predicate)
	}
	for _, p := range predicates {
		op.predicate = p.IRI
		out = append(out, wayOf(st, op, p.Count))
	}
	slices.SortStableFunc(out, func(a, b GraphWay) int { return cmp.Or(b.Shown-a.Shown, b.Count-a.Count) })
	first := map[string]GraphWay{}
	kept := out[:0]
	for _, w := range out {
		other, taken := first[w.Name]
		if !taken {
			first[w.Name] = w
		} else {
			all := to(w.IRI)
			rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?n { { SELECT ?n { { %s } UNION { %s } FILTER(isIRI(?n)) } LIMIT %d } FILTER NOT EXISTS { %s } } LIMIT 1", all, inContexts(all), maxCovered, to(other.IRI)))
			if err != nil {
				return nil, err
			}
			if len(rows) == 0 && w.Count <= other.Count { // only maxCovered were compared: the counts stand for the others
				continue
			}
			w.Name += " (" + views.PlainWords(w.IRI) + ")"
		}
		kept = append(kept, w)
	}
	return kept, nil
}

// logsTime limits the search for the newest logs of a line's edges. The search goes back
// in time, so old contributions may take seconds to find.
const logsTime = 120 * time.Millisecond

// edgeCard returns the card of the line that the state selects: its edges, and the newest
// log that contributed each. It returns nil if the picture has no such line.
func (u *handlers) edgeCard(ctx context.Context, st graphState, p *picture, names []turtle.Prefix) (*GraphEdgeCard, error) {
	from, to := p.resolveEdge(st)
	edges := p.between(from, to)
	if len(edges) == 0 {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, logsTime)
	defer cancel()
	c := &GraphEdgeCard{From: p.link(st, from, names), To: p.link(st, to, names)}
	for _, e := range edges {
		t := GraphTriple{Name: p.word(e, false), IRI: e.P.Value(), Told: e.told != ""}
		if !e.own {
			t.Logs = views.TripleLogs(e.Triple)
			page, err := u.Service.Logs(limited, journal.Filter{Limit: 1}, []rdf.Quad{e.In(rdf.Term{})})
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

func (p *picture) link(st graphState, iri string, names []turtle.Prefix) GraphLink {
	n := p.nodes[p.index[iri]]
	return GraphLink{Label: n.name(names), Kind: kindWord(n.kind), Sign: n.sign, Href: st.selecting(iri).page(), IRI: views.ShortIRI(iri, names)}
}
