package webui

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// getGraph shows a picture of a part of the graph.
func (u *UI) getGraph(w http.ResponseWriter, r *http.Request, v *visit) error {
	st := readGraphState(r.URL.Query())
	names := u.names(nil)
	m := views.Graph{Search: st.search}
	for name, values := range st.values() {
		for _, value := range values {
			m.State = append(m.State, views.Field{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(m.State, func(a, b views.Field) int { return strings.Compare(a.Name, b.Name) })
	if st.search != "" {
		found, cut, err := u.search(r.Context(), st.search)
		if err != nil {
			return err
		}
		m.Searched, m.Cut = true, cut
		if m.Found, err = u.graphLinks(r.Context(), st, found, names); err != nil {
			return err
		}
	}
	if len(st.ops) > 0 || st.construct != "" {
		if err := u.fillGraph(r, st, names, &m); err != nil {
			return err
		}
	} else if st.search == "" {
		begin, err := u.beginnings(r.Context())
		if err != nil {
			return err
		}
		if m.Begin, err = u.graphLinks(r.Context(), st, begin, names); err != nil {
			return err
		}
	}
	if partial(r) {
		return u.show(w, r, http.StatusOK, views.GraphView(m))
	}
	f := u.frame(r, v, "Graph")
	f.Scripts, f.Styles, f.Width = []string{"graph.js"}, []string{"graph.css"}, "wide"
	f.Keys = []views.Key{{Press: "/", Does: "find something"}, {Press: "z", Does: "undo"}, {Press: "y", Does: "redo"}, {Press: "+ −", Does: "nearer, further"}, {Press: "0", Does: "see all"}}
	return u.show(w, r, http.StatusOK, views.GraphPage(f, m))
}

// fillGraph draws what the state shows, with its card, legend and filters.
func (u *UI) fillGraph(r *http.Request, st graphState, names []turtle.Prefix, m *views.Graph) error {
	p, err := u.loadGraph(r, st)
	if err != nil {
		return err
	}
	m.Drawing = draw(p, st, names)
	m.SVG, m.Turtle = st.address("/kg-graph/picture.svg"), st.address("/kg-graph/picture.ttl")
	byTime, byLinks := st, st
	byTime.lanes, byLinks.lanes = true, false
	m.ByLinks = views.Tab{Name: "By links", Href: byLinks.page(), Current: !st.lanes}
	m.ByTime = views.Tab{Name: "By time", Href: byTime.page(), Current: st.lanes}
	for kind, n := range p.kinds {
		m.Kinds = append(m.Kinds, views.GraphKind{
			Name: kindName(kind, names), Family: family(kind), Count: n, Off: slices.Contains(st.without, kind), Href: st.toggling(kind).page(),
		})
	}
	slices.SortFunc(m.Kinds, func(a, b views.GraphKind) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Name, b.Name)
	})
	for _, iri := range p.robots {
		m.Robots = append(m.Robots, views.GraphOption{Value: iri, Name: shortIRI(iri, names)})
	}
	if st.robot != "" && !slices.Contains(p.robots, st.robot) {
		m.Robots = append(m.Robots, views.GraphOption{Value: st.robot, Name: shortIRI(st.robot, names)})
	}
	m.Robot, m.Since, m.Until = st.robot, timeField(st.since), timeField(st.until)
	clear := st
	clear.robot, clear.since, clear.until, clear.without, clear.hidden = "", "", "", nil, nil
	m.Filtered, m.Clear = st.robot != "" || st.since != "" || st.until != "" || len(st.without)+len(st.hidden) > 0, clear.page()
	if p.full {
		m.Notes = append(m.Notes, fmt.Sprintf("The picture is full: it has %d nodes, and what was asked for has more. Collapse or filter something.", maxGraphNodes))
	}
	if p.filters > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("Filters leave out %s of what was found.", views.Count(p.filters)))
	}
	if p.partial {
		m.Notes = append(m.Notes, "Some nodes have so many triples that not all were read: edges between nodes may be missing.")
	}
	if i, ok := p.index[st.selected]; ok {
		m.Card, err = u.graphCard(r.Context(), st, p.nodes[i], names)
	}
	return err
}

// timeField writes a time as a field of type datetime-local has it.
func timeField(s string) string { return strings.TrimSuffix(s, "Z") }

// families are colours and shapes; kinds that are in none are "other".
var families = map[string]string{
	vocabulary.OroRobot: "robot", vocabulary.ProvAgent: "robot",
	vocabulary.OroHuman: "human", vocabulary.ProvPerson: "human", vocabulary.FOAFPerson: "human",
	vocabulary.SchemaMessage: "message", vocabulary.OroInitialMessage: "message", vocabulary.OroResponseMessage: "message",
	vocabulary.ProvActivity: "activity", vocabulary.SegbLoggedActivity: "activity", vocabulary.OroListeningEvent: "activity",
	vocabulary.OroDecisionMakingAction: "activity", vocabulary.OroResponseAction: "activity", vocabulary.OroEmotionRecognitionEvent: "activity",
	vocabulary.OnyxEmotionAnalysis: "activity", vocabulary.OroDetectedHumanEvent: "activity", vocabulary.MLSRun: "activity",
	vocabulary.SegbResult: "result", vocabulary.AmorEmotionAnnotation: "result", vocabulary.OAAnnotation: "result", vocabulary.OnyxEmotion: "result",
	vocabulary.SchemaEvent: "result", vocabulary.SOSAObservation: "result", vocabulary.ScSharedContext: "result",
}

func family(kind string) string {
	if f, ok := families[kind]; ok {
		return f
	}
	return "other"
}

func kindName(kind string, names []turtle.Prefix) string {
	if kind == "" {
		return "without a type"
	}
	return shortIRI(kind, names)
}

// name is what a node is called.
func (n *graphNode) name(names []turtle.Prefix) string {
	if n.label != "" {
		text, _ := cutText(n.label, 80)
		return text
	}
	return shortIRI(n.iri, names)
}

// graphLinks gives links that add nodes to the picture.
func (u *UI) graphLinks(ctx context.Context, st graphState, iris []string, names []turtle.Prefix) ([]views.GraphLink, error) {
	p := &picture{index: map[string]int{}}
	for _, iri := range iris {
		p.add(iri, 0, -1, graphState{})
	}
	if err := u.describe(ctx, p); err != nil {
		return nil, err
	}
	var out []views.GraphLink
	for _, n := range p.nodes {
		out = append(out, views.GraphLink{
			Label: n.name(names), Kind: kindName(n.kind, names), Family: family(n.kind), Href: st.adding(n.iri).page(), IRI: shortIRI(n.iri, names),
		})
	}
	return out, nil
}

// graphCard is what is known of a node.
func (u *UI) graphCard(ctx context.Context, st graphState, n *graphNode, names []turtle.Prefix) (*views.GraphCard, error) {
	c := &views.GraphCard{
		Label: n.name(names), IRI: n.iri, Kind: kindName(n.kind, names), Family: family(n.kind),
		Hide: st.hiding(n.iri).page(), About: "/query?" + url.Values{"query": {"DESCRIBE <" + n.iri + ">"}}.Encode(),
		Partial: len(n.out) >= oneNodeTriples,
	}
	if st.expanded(n.iri) {
		c.Collapse = st.collapsing(n.iri).page()
	}
	counts := map[string]int{}
	var order []string
	blanks := false
	for _, t := range n.out {
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
			c.Facts = append(c.Facts, views.GraphFact{Name: shortIRI(p, names), Value: cell(t.O, names), Logs: tripleLogs(t)})
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
		c.In = append(c.In, graphWay(st, graphOp{iri: n.iri, predicate: way.IRI, in: true}, way.Count, names))
	}
	return c, nil
}

// nestedFacts is what is said of the blank nodes of a node.
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

// getPictureSVG gives the picture as a file that shows itself.
func (u *UI) getPictureSVG(w http.ResponseWriter, r *http.Request, v *visit) error {
	st := readGraphState(r.URL.Query())
	p, err := u.loadGraph(r, st)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := views.GraphFile(draw(p, graphState{lanes: st.lanes, selected: st.selected}, u.names(nil))).Render(r.Context(), &out); err != nil {
		return fmt.Errorf("write a picture: %w", err)
	}
	return giveFile(w, v, "image/svg+xml", "svg", out.Bytes())
}

// getPictureTurtle gives the triples that are seen: the edges, and what the nodes are and are called.
func (u *UI) getPictureTurtle(w http.ResponseWriter, r *http.Request, v *visit) error {
	p, err := u.loadGraph(r, readGraphState(r.URL.Query()))
	if err != nil {
		return err
	}
	triples := slices.Clone(p.edges)
	for _, n := range p.nodes {
		for _, t := range n.out {
			if t.P.Value() == rdf.RDFType || t.O.IsLiteral() {
				triples = append(triples, t)
			}
		}
	}
	var rows [][]rdf.Term
	for _, t := range triples {
		rows = append(rows, []rdf.Term{t.S, t.P, t.O})
	}
	var out bytes.Buffer
	if err := turtle.WriteGraph(&out, turtle.NewMemorySource(triples), usedPrefixes(u.names(nil), rows)); err != nil {
		return fmt.Errorf("write a picture as Turtle: %w", err)
	}
	return giveFile(w, v, "text/turtle; charset=utf-8", "ttl", out.Bytes())
}

func giveFile(w http.ResponseWriter, v *visit, contentType, extension string, content []byte) error {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="graph-%s.%s"`, v.now.UTC().Format("20060102-150405"), extension))
	h.Set("Content-Length", fmt.Sprint(len(content)))
	_, _ = w.Write(content) // a client that is gone is noticed by who reads its next request
	return nil
}

// seconds of a node's time.
func (n *graphNode) seconds() (float64, bool) {
	t, err := time.Parse(time.RFC3339, n.time)
	return float64(t.Unix()), err == nil
}

func hypot(a, b float64) float64 { return math.Max(math.Hypot(a, b), 1) }
