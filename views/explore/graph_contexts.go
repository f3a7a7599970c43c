package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/vocabulary"
)

// contextHull is a shared event and its nodes: the contexts that were merged into one,
// and their observations.
type contextHull struct {
	iri     string // the context that now represents the event
	name    string
	said    bool  // one of its nodes has this name
	members []int // indexes into picture.nodes
}

// contextDoubt is an undecided case between two events of the picture.
type contextDoubt struct {
	caseID   string
	from, to int // indexes into picture.nodes
}

// findContexts finds the shared events of the nodes, and the undecided cases between
// them.
func (u *handlers) findContexts(ctx context.Context, p *picture, names []turtle.Prefix) error {
	if len(p.nodes) < 2 {
		return nil
	}
	of := map[string][]string{} // node to its contexts
	said := map[string]bool{}
	for _, n := range p.nodes {
		of[n.iri] = append(of[n.iri], n.iri)
		for _, t := range slices.Concat(n.out, n.own) {
			if v := t.P.Value(); t.O.IsIRI() && (v == vocabulary.ProvSpecializationOf || v == vocabulary.SchemaAbout) {
				of[n.iri] = append(of[n.iri], t.O.Value())
				said[t.O.Value()] = true
			}
		}
		said[n.iri] = true
	}
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?n ?c { VALUES ?n { %s } %s }", iriValues(p.iris()),
		inContexts(fmt.Sprintf("?o <%s> ?n ; <%s> ?c", vocabulary.ScObservationURI, vocabulary.ProvSpecializationOf))))
	if err != nil {
		return err
	}
	for _, row := range rows {
		of[row[0].Value()] = append(of[row[0].Value()], row[1].Value())
		said[row[1].Value()] = true
	}
	roots, err := u.contextRoots(ctx, said)
	if err != nil {
		return err
	}
	members := map[string][]int{}
	for i, n := range p.nodes {
		for _, c := range of[n.iri] {
			if root := roots[c]; root != "" && !slices.Contains(members[root], i) {
				members[root] = append(members[root], i)
			}
		}
	}
	events := &picture{index: map[string]int{}}
	for root, list := range members {
		if len(list) > 1 {
			events.add(root, 0, -1, graphState{})
			p.hulls = append(p.hulls, contextHull{iri: root, members: list})
		}
	}
	if err := u.describe(ctx, events); err != nil {
		return err
	}
	for i, h := range p.hulls {
		p.hulls[i].name, p.hulls[i].said = p.hullName(h.members, events.nodes[events.index[h.iri]], names)
	}
	slices.SortFunc(p.hulls, func(a, b contextHull) int { return strings.Compare(a.iri, b.iri) })
	return u.findDoubts(ctx, p, members, roots)
}

// hullName returns the name of an event and, if that is only a kind, the sentence of one of its nodes. said reports whether one of
// its nodes has this name.
func (p *picture) hullName(members []int, event *graphNode, names []turtle.Prefix) (name string, said bool) {
	name = event.name(names)
	onlyKind := event.label == ownLabel(event.own)
	for _, i := range members {
		if n := p.nodes[i]; onlyKind && n.label != "" && (n.isActivity() || n.family == "message") {
			name = n.name(names)
			break
		}
	}
	return name, slices.ContainsFunc(members, func(i int) bool { return p.nodes[i].label != "" && p.nodes[i].name(names) == name })
}

// contextRoots maps each IRI that is a shared event to the event that now represents it.
// It omits other IRIs.
func (u *handlers) contextRoots(ctx context.Context, said map[string]bool) (map[string]string, error) {
	var list []string
	for iri := range said {
		list = append(list, iri)
	}
	slices.Sort(list)
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT DISTINCT ?c { VALUES ?c { %s } { ?c a <%s> } UNION { %s } }", iriValues(list), vocabulary.SchemaEvent,
		inContexts("?c a <"+vocabulary.ScSharedContext+">")))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	roots := map[string]string{}
	var events []string
	for _, row := range rows {
		events = append(events, row[0].Value())
		roots[row[0].Value()] = row[0].Value()
	}
	rows, err = u.Ask(ctx, fmt.Sprintf("SELECT ?c ?r { VALUES ?c { %s } ?c <%s>+ ?r FILTER NOT EXISTS { ?r <%s> ?x } }", iriValues(events),
		vocabulary.ScMergedInto, vocabulary.ScMergedInto))
	for _, row := range rows {
		roots[row[0].Value()] = row[1].Value()
		roots[row[1].Value()] = row[1].Value()
	}
	return roots, err
}

// maxDoubts limits the cases read for one picture or one card.
const maxDoubts = 200

// findDoubts adds to p the undecided cases between events of the picture, one for each pair of them. members has the
// indexes of the nodes of each event, and roots the event of each context.
func (u *handlers) findDoubts(ctx context.Context, p *picture, members map[string][]int, roots map[string]string) error {
	var shown []string
	for c, root := range roots {
		if len(members[root]) > 0 {
			shown = append(shown, c)
		}
	}
	if len(shown) < 2 {
		return nil
	}
	slices.Sort(shown)
	cases, err := u.openCases(ctx, "?s", shown)
	if err != nil {
		return err
	}
	anchor := func(root string) int {
		if i, ok := p.index[root]; ok {
			return i
		}
		return members[root][0]
	}
	for _, k := range cases {
		from, to := roots[k.source], roots[k.target]
		if from == "" || to == "" || from == to || len(members[from]) == 0 || len(members[to]) == 0 {
			continue
		}
		d := contextDoubt{k.id, anchor(from), anchor(to)}
		if !slices.ContainsFunc(p.doubts, func(e contextDoubt) bool { return e.from == d.from && e.to == d.to || e.from == d.to && e.to == d.from }) {
			p.doubts = append(p.doubts, d)
		}
	}
	return nil
}

// openCase is an undecided case with one of its candidates.
type openCase struct{ id, source, target string }

// openCases returns the undecided cases whose source ("?s") or candidate ("?t") is one of
// some contexts.
func (u *handlers) openCases(ctx context.Context, side string, contexts []string) ([]openCase, error) {
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?id ?s ?t { VALUES %s { %s } %s } ORDER BY ?id ?t LIMIT %d", side, iriValues(contexts), inContexts(fmt.Sprintf(
		`?k <%s> ?s ; <%s> "pending" ; <%s> ?id ; <%s> ?c . ?c <%s> ?t`,
		vocabulary.ScSource, vocabulary.ScCaseStatus, vocabulary.ScCaseID, vocabulary.ScCandidateOf, vocabulary.ScTarget)), maxDoubts))
	if err != nil {
		return nil, err
	}
	var out []openCase
	for _, row := range rows {
		out = append(out, openCase{row[0].Value(), row[1].Value(), row[2].Value()})
	}
	return out, nil
}

// casesOf returns the undecided cases that concern an event, as source or candidate.
func (u *handlers) casesOf(ctx context.Context, iri string) ([]openCase, error) {
	var out []openCase
	for _, side := range []string{"?s", "?t"} {
		some, err := u.openCases(ctx, side, []string{iri})
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

func (p *picture) iris() []string {
	var out []string
	for _, n := range p.nodes {
		out = append(out, n.iri)
	}
	return out
}

func iriValues(iris []string) string {
	if len(iris) == 0 {
		return ""
	}
	return "<" + strings.Join(iris, "> <") + ">"
}
