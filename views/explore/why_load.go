package explore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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
	own       map[*graphNode]*whyLink // stands for a triple of the node's own, to name its log
	notes     []string                // what was cut
	shortened string                  // what was cut of the consequences
	deeper    bool                    // there are causes or consequences more steps away
	lost      bool                    // logs were not searched to the end
}

// feeling is an emotion of an annotation.
type feeling struct{ name, strength, sure string }

// modelFacts are facts about a model that its own triples lack.
type modelFacts struct{ score, dataset string }

func newWhy(persons views.Persons) *why {
	return &why{picture: &picture{index: map[string]int{}, persons: persons}, steps: map[string]int{}, after: map[string]int{},
		causes: map[string][]*whyLink{}, effects: map[string][]*whyLink{}, feelings: map[string][]feeling{}, facts: map[string][]views.Fact{}, models: map[string]*modelFacts{}, own: map[*graphNode]*whyLink{}}
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
		y.notes = append(y.notes, "This service can't walk the graph.")
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
		y.notes = append(y.notes, "The search for what else happened then took too long.")
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

// readAround reads the activities about some events into the picture, and returns their
// IRIs.
func (u *handlers) readAround(ctx context.Context, y *why, events []string) (map[string]bool, error) {
	rows, err := u.Ask(ctx, fmt.Sprintf(`SELECT ?a ?made { VALUES ?e { <%s> } ?a <%s> ?e FILTER(isIRI(?a))
	OPTIONAL { { ?a <%s>|<%s> ?made } UNION { ?made <%s> ?a } FILTER(isIRI(?made)) } } LIMIT %d`, strings.Join(events, "> <"),
		vocabulary.SchemaAbout, vocabulary.ProvGenerated, vocabulary.SegbProducedEntityResult, vocabulary.ProvWasGeneratedBy, 4*maxAround))
	if err != nil {
		return nil, err
	}
	acts, iris := map[string]bool{}, events
	for _, row := range rows {
		if len(acts) == maxAround && !acts[row[0].Value()] {
			y.notes = append(y.notes, fmt.Sprintf("Only %d activities about the same event are shown. There are more.", maxAround))
			break
		}
		acts[row[0].Value()] = true
		if iris = append(iris, row[0].Value()); row[1].IsIRI() {
			iris = append(iris, row[1].Value())
		}
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
			case !r.made():
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

// readFacts reads the emotions of the annotations, and the facts of activities and messages.
func (u *handlers) readFacts(ctx context.Context, y *why) error {
	if err := u.readFeelings(ctx, y); err != nil {
		return err
	}
	for _, n := range y.nodes {
		for _, status := range n.objects(vocabulary.SchemaActionStatus) {
			y.facts[n.iri] = append(y.facts[n.iri], views.Fact{Name: "status", Value: views.Short(status)})
		}
	}
	values := y.valuesOf(func(n *graphNode) bool {
		return (n.isActivity() || n.isMessage()) && slices.ContainsFunc(n.out, func(t rdf.Triple) bool { return t.P.Value() == vocabulary.SchemaAdditionalProperty })
	})
	if values == "" {
		return nil
	}
	rows, err := u.Ask(ctx, fmt.Sprintf(`SELECT ?a ?name ?value { VALUES ?a { %s } ?a <%s> ?p . ?p <%s> ?name ; <%s> ?value } ORDER BY ?a ?name LIMIT %d`,
		values, vocabulary.SchemaAdditionalProperty, vocabulary.SchemaPropertyID, vocabulary.SchemaValue, 8*maxGraphNodes))
	for _, row := range rows {
		f := views.Fact{Name: row[1].Value(), Value: row[2].Value()}
		if f.Name == "confidence" {
			f.Value = asPercent(row[2])
		}
		y.facts[row[0].Value()] = append(y.facts[row[0].Value()], f)
	}
	return err
}

// readFeelings reads the emotions of the annotations.
func (u *handlers) readFeelings(ctx context.Context, y *why) error {
	values := y.valuesOf(func(n *graphNode) bool {
		return slices.ContainsFunc(n.out, func(t rdf.Triple) bool { return t.P.Value() == vocabulary.OnyxHasEmotion })
	})
	if values == "" {
		return nil
	}
	rows, err := u.Ask(ctx, fmt.Sprintf(`SELECT ?a ?category ?strength ?sure { VALUES ?a { %s } ?a <%s> ?e
	OPTIONAL { ?e <%s> ?category } OPTIONAL { ?e <%s> ?strength } OPTIONAL { ?e <%s> ?sure } } ORDER BY ?a DESC(?sure) LIMIT %d`,
		values, vocabulary.OnyxHasEmotion, vocabulary.OnyxHasEmotionCategory, vocabulary.OnyxHasEmotionIntensity, vocabulary.OnyxAlgorithmConfidence, 4*maxGraphNodes))
	if err != nil {
		return err
	}
	for _, row := range rows {
		f := feeling{name: "an emotion", strength: asPercent(row[2]), sure: asPercent(row[3])}
		if row[1].IsIRI() {
			f.name = views.Short(row[1].Value())
			if _, name, ok := strings.Cut(f.name, "_"); ok { // big6_sadness
				f.name = name
			}
		}
		y.feelings[row[0].Value()] = append(y.feelings[row[0].Value()], f)
	}
	return nil
}

// readModels reads how well the models scored, and what they were trained on.
func (u *handlers) readModels(ctx context.Context, y *why) error {
	values := y.valuesOf((*graphNode).isModel)
	if values == "" {
		return nil
	}
	rows, err := u.Ask(ctx, fmt.Sprintf(`SELECT ?m ?score ?data ?label { VALUES ?m { %s }
	{ ?run <%[2]s> ?m, ?eval . ?eval a <%[3]s> ; <%[4]s> ?score }
	UNION { ?run <%[2]s> ?m ; <%[5]s> ?data . ?data a <%[6]s> OPTIONAL { ?data <%[7]s> ?label } } } LIMIT %[8]d`,
		values, vocabulary.MLSHasOutput, vocabulary.MLSModelEvaluation, vocabulary.MLSHasValue, vocabulary.MLSHasInput, vocabulary.MLSDataset, vocabulary.RDFSLabel, 4*maxGraphNodes))
	if err != nil {
		return err
	}
	for _, row := range rows {
		m := y.models[row[0].Value()]
		if m == nil {
			m = &modelFacts{}
			y.models[row[0].Value()] = m
		}
		if !row[1].IsZero() {
			m.score = asPercent(row[1])
		}
		if row[2].IsIRI() {
			if m.dataset = row[3].Value(); m.dataset == "" {
				m.dataset = views.Short(row[2].Value())
			}
		}
	}
	return nil
}

// asPercent formats a number from 0 to 1 as a percentage, and others as they are.
func asPercent(t rdf.Term) string {
	if t.IsZero() {
		return ""
	}
	f, err := strconv.ParseFloat(t.Value(), 64)
	if err != nil || f < 0 || f > 1 {
		return t.Value()
	}
	return strconv.Itoa(int(100*f+0.5)) + " %"
}

// findLogs finds a log behind each link, and the own log of what the story may tell.
func (u *handlers) findLogs(ctx context.Context, y *why) error {
	y.findRecords()
	var asked []*whyLink
	for i := range y.links {
		asked = append(asked, &y.links[i])
	}
	for _, n := range y.nodes {
		if l := y.ownLink(n); l != nil {
			y.own[n] = l
			asked = append(asked, l)
		}
	}
	triples, first := make([]rdf.Triple, len(asked)), y.time()
	for i, l := range asked {
		triples[i] = l.triple
		if t := l.effect.at; !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	logs, lost, err := u.OriginsSoon(ctx, triples, first)
	if err != nil {
		return err
	}
	y.lost = lost
	for i, log := range logs {
		asked[i].log = log
	}
	return nil
}

// ownLink returns a link that stands for the triple of a node that says when it happened, or
// else for its first one. It returns nil for nodes that the story does not tell.
func (y *why) ownLink(n *graphNode) *whyLink {
	_, cause := y.steps[n.iri]
	if len(n.out) == 0 || n != y.start && (n.isParty() || n.isModel() || !cause && !slices.Contains(y.around, n)) {
		return nil
	}
	at := slices.IndexFunc(n.out, func(t rdf.Triple) bool {
		return t.P.Value() == vocabulary.ProvStartedAtTime || t.P.Value() == vocabulary.ProvGeneratedAtTime
	})
	return &whyLink{effect: n, cause: n, triple: n.out[max(0, at)]}
}

// findRecords fills in the records: the start, and the activities of other robots about the
// same event that have the class of the start's activity.
func (y *why) findRecords() {
	y.records = []*graphNode{y.start}
	act := y.start
	for _, n := range y.makers(y.start) {
		if n.isActivity() {
			act = n
		}
	}
	for _, n := range y.around {
		if n.kind != "" && n.kind == act.kind && n.performer != act.performer {
			y.records = append(y.records, n)
		}
	}
}
