package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of an explanation.
const (
	whySteps    = 8 // unless the address has another depth
	maxWhySteps = 12
	maxCauses   = 80 // nodes
	maxEffects  = 40
	maxAround   = 40                     // activities about the same event
	walkWhy     = 150 * time.Millisecond // for each of the two walks
	aroundTime  = 150 * time.Millisecond // to find what else happened
)

// why is an explanation: a node with its causes and its consequences.
type why struct {
	*picture
	start     *graphNode
	steps     map[string]int          // of the causes, by IRI
	after     map[string]int          // of the consequences
	links     []whyLink               // between the nodes
	causes    map[string][]*whyLink   // by the effect
	effects   map[string][]*whyLink   // by the cause
	feelings  map[string][]feeling    // by the annotation
	facts     map[string][]views.Fact // by the activity or the message
	models    map[string]*modelFacts
	around    []*graphNode            // activities about the same event that are not among the causes
	records   []*graphNode            // the start, and what other robots logged about the same event
	erased    map[*graphNode]bool     // lacks what its log said, since somebody was erased
	unsure    bool                    // others may lack that too: not all logs were found
	own       map[*graphNode]*whyLink // stands for a triple of the node's own, to name its log
	notes     []string                // what was cut
	shortened string                  // what was cut of the consequences
	deeper    bool                    // there are causes or consequences more steps away
	further   bool                    // there are causes more than depth steps away
	cut       bool                    // the walk to the causes stopped before its end
	depth     int
	brief     bool // sentences name no models, and say not how sure or strong an emotion is
	lost      bool // logs were not searched to the end
}

func newWhy(persons views.Persons) *why {
	return &why{picture: &picture{index: map[string]int{}, persons: persons}, steps: map[string]int{}, after: map[string]int{},
		causes: map[string][]*whyLink{}, effects: map[string][]*whyLink{}, feelings: map[string][]feeling{}, facts: map[string][]views.Fact{}, models: map[string]*modelFacts{}, erased: map[*graphNode]bool{}, own: map[*graphNode]*whyLink{}}
}

// loadWhy reads the causes and consequences of a node.
func (u *handlers) loadWhy(ctx context.Context, iri string, depth int) (*why, error) {
	persons, err := u.Persons(ctx)
	if err != nil {
		return nil, err
	}
	if iri, err = u.describedName(ctx, persons, iri); err != nil {
		return nil, err
	}
	y := newWhy(persons)
	y.depth = depth
	y.add(iri, 0, -1, graphState{})
	y.start = y.nodes[0]
	for _, walk := range []struct {
		ask   store.Walk
		steps map[string]int
		what  string
	}{{whyWalk(iri, true, depth), y.steps, "causes"}, {whyWalk(iri, false, depth), y.after, consequences}} {
		if err := u.walkWhy(ctx, y, walk.ask, walk.steps, walk.what); err != nil {
			return nil, err
		}
	}
	if err := u.describe(ctx, y.picture); err != nil {
		return nil, err
	}
	if err := u.loadAround(ctx, y); err != nil {
		return nil, err
	}
	if y.partial {
		y.notes = append(y.notes, "Some nodes have too many triples to read all: links may be missing.")
	}
	y.link()
	if err := u.readFacts(ctx, y); err != nil {
		return nil, err
	}
	if err := u.readModels(ctx, y); err != nil {
		return nil, err
	}
	return y, u.findLogs(ctx, y)
}

// describedName returns an IRI or, if the graph says nothing about it, another name of the same person.
func (u *handlers) describedName(ctx context.Context, persons views.Persons, iri string) (string, error) {
	if len(persons[iri]) == 0 {
		return iri, nil
	}
	rows, err := u.Ask(ctx, "SELECT DISTINCT ?s { VALUES ?s { <"+strings.Join(persons[iri], "> <")+"> } ?s ?p ?o }")
	if err != nil || len(rows) == 0 || slices.ContainsFunc(rows, func(row []rdf.Term) bool { return row[0].Value() == iri }) {
		return iri, err
	}
	return rows[0][0].Value(), nil
}

// consequences is what a walk towards effects looks for.
const consequences = "consequences"

// walkWhy adds the nodes of a walk, nearest first.
func (u *handlers) walkWhy(ctx context.Context, y *why, ask store.Walk, steps map[string]int, what string) error {
	if u.Config.Walker == nil {
		y.notes = append(y.notes, "This service can’t walk the graph.")
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, walkWhy)
	defer cancel()
	shown := ask.Steps
	ask.Steps++ // to know whether there are more
	found, cut, err := u.Config.Walker.Walk(limited, ask)
	if err != nil && (limited.Err() == nil || ctx.Err() != nil) {
		return err
	}
	more := false
	for _, n := range found {
		if more = more || n.Steps > shown; n.Steps > shown {
			continue
		}
		y.add(n.IRI, 0, -1, graphState{})
		steps[n.IRI] = n.Steps
	}
	if what != consequences {
		y.further, y.cut = more, cut || err != nil
	}
	var note string
	switch {
	case more:
		y.deeper = true
		note = fmt.Sprintf("There are %s more than %d steps away.", what, shown)
	case cut:
		note = fmt.Sprintf("Only the nearest %d %s are shown. There are more.", ask.Most, what)
	case err != nil:
		note = fmt.Sprintf("The search for %s stopped after %v. There may be more.", what, walkWhy)
	default:
		return nil
	}
	if what == consequences {
		y.shortened = note
	} else {
		y.notes = append(y.notes, note)
	}
	return nil
}

// loadAround adds the activities about the same events as the start, what they made, and
// who took part.
func (u *handlers) loadAround(ctx context.Context, y *why) error {
	var events []string
	for _, n := range y.makers(y.start) {
		events = append(events, n.objects(vocabulary.SchemaAbout)...)
		events = append(events, n.objects(vocabulary.ProvSpecializationOf)...)
	}
	if len(events) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, aroundTime)
	defer cancel()
	acts, err := u.readAround(limited, y, slices.Compact(slices.Sorted(slices.Values(events))))
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		y.notes = append(y.notes, "The search for what else is known of this event took too long.")
		return nil
	}
	for _, n := range y.nodes {
		_, cause := y.steps[n.iri]
		_, effect := y.after[n.iri]
		if acts[n.iri] && !cause && !effect && n != y.start {
			y.around = append(y.around, n)
		}
	}
	slices.SortStableFunc(y.around, func(a, b *graphNode) int { return a.at.Compare(b.at) })
	u.tellApart(ctx, y.picture)
	return err
}

// readAround reads the activities about some events, and about all that were merged with these, into the picture, and
// returns their IRIs.
func (u *handlers) readAround(ctx context.Context, y *why, events []string) (map[string]bool, error) {
	const maxRows = 4 * maxAround // an activity has a row for each thing that it made
	rows, err := u.Ask(ctx, fmt.Sprintf(`PREFIX sc: <%s> PREFIX schema: <%s> PREFIX prov: <%s> PREFIX segb: <%s>
	SELECT ?a ?made { { SELECT DISTINCT ?e { VALUES ?said { <%s> } ?said sc:mergedInto*/^sc:mergedInto* ?e } } ?a schema:about ?e FILTER(isIRI(?a))
	OPTIONAL { { ?a prov:generated|segb:producedEntityResult ?made } UNION { ?made prov:wasGeneratedBy ?a } FILTER(isIRI(?made)) } } LIMIT %d`,
		vocabulary.Sc, vocabulary.Schema, vocabulary.Prov, vocabulary.Segb, strings.Join(events, "> <"), maxRows))
	if err != nil {
		return nil, err
	}
	acts, cut := map[string]bool{}, len(rows) == maxRows
	iris := events // and the activities, and what these made
	for _, row := range rows {
		if len(acts) == maxAround && !acts[row[0].Value()] {
			cut = true
			break
		}
		acts[row[0].Value()] = true
		if iris = append(iris, row[0].Value()); row[1].IsIRI() {
			iris = append(iris, row[1].Value())
		}
	}
	if cut {
		y.notes = append(y.notes, fmt.Sprintf("Only %d activities about the same event are shown. There may be more.", len(acts)))
	}
	found, err := u.describeMore(ctx, y, iris)
	if err != nil {
		return acts, err
	}
	var who []string
	for _, n := range found {
		who = append(who, slices.Concat(n.participants, n.objects(vocabulary.SchemaAbout), n.objects(vocabulary.SegbUsedMLModel))...)
	}
	_, err = u.describeMore(ctx, y, who)
	return acts, err
}

// describeMore adds nodes to the picture that it lacks, with their triples, and returns
// them.
func (u *handlers) describeMore(ctx context.Context, y *why, iris []string) ([]*graphNode, error) {
	more := &picture{index: map[string]int{}, persons: y.persons}
	for _, iri := range iris {
		if _, known := y.index[iri]; !known && rdf.IsIRI(iri) && len(y.nodes)+len(more.nodes) < maxGraphNodes {
			more.add(iri, 0, -1, graphState{})
		}
	}
	if err := u.describe(ctx, more); err != nil {
		return nil, err
	}
	for _, n := range more.nodes {
		y.index[n.iri] = len(y.nodes)
		y.nodes = append(y.nodes, n)
	}
	return more.nodes, nil
}

// makers returns a node and the activities that made it. It works before links are known.
func (y *why) makers(n *graphNode) []*graphNode {
	out := []*graphNode{n}
	add := func(m *graphNode) {
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	for _, m := range y.nodes {
		for _, r := range relations {
			switch {
			case !r.made(): // it does not say what made what
			case r.back && slices.Contains(m.objects(r.iri), n.iri), !r.back && slices.Contains(n.objects(r.iri), m.iri):
				add(m)
			}
		}
	}
	return out
}

// valuesOf returns the IRIs of the nodes that satisfy a condition, for a VALUES clause.
func (y *why) valuesOf(holds func(*graphNode) bool) string {
	var b strings.Builder
	for _, n := range y.nodes {
		if holds(n) {
			b.WriteString("<" + n.iri + "> ")
		}
	}
	return b.String()
}
