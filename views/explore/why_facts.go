package explore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// feeling is an emotion of an annotation.
type feeling struct{ name, strength, sure string }

// modelFacts are facts about a model that its own triples lack.
type modelFacts struct{ score, dataset string }

// readFacts reads the emotions of the annotations, and the facts of activities and messages.
func (u *handlers) readFacts(ctx context.Context, y *why) error {
	if err := u.readFeelings(ctx, y); err != nil {
		return err
	}
	if err := u.readErased(ctx, y); err != nil {
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
		f := feeling{name: "an emotion", strength: figure(asPercent(row[2])), sure: figure(asPercent(row[3]))}
		if row[1].IsIRI() {
			f.name = views.Feeling(row[1].Value())
		}
		y.feelings[row[0].Value()] = append(y.feelings[row[0].Value()], f)
	}
	return nil
}

// readErased finds the messages and annotations that lack what the erasure of a person takes, and whose log lost triples by one.
func (u *handlers) readErased(ctx context.Context, y *why) error {
	var nodes []*graphNode
	var triples []rdf.Triple
	for _, n := range y.nodes {
		wordless := n.isMessage() && (n.sender() == "" || n.literal(vocabulary.SchemaText) == "")
		if len(n.out) > 0 && (wordless || n.isAnnotation() && len(n.objects(vocabulary.OAHasTarget)) == 0) {
			nodes, triples = append(nodes, n), append(triples, n.out[0])
		}
	}
	erased, lost, err := u.Lessened(ctx, triples, y.first())
	y.unsure = lost
	for i, is := range erased {
		y.erased[nodes[i]] = is
	}
	return err
}

// first returns the earliest time of the nodes, or the zero time.
func (y *why) first() (first time.Time) {
	for _, n := range y.nodes {
		if !n.at.IsZero() && (first.IsZero() || n.at.Before(first)) {
			first = n.at
		}
	}
	return first
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
			m.score = figure(asPercent(row[1]))
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
	return views.Percentage(f)
}

// figure returns what asPercent returned for a sentence: quoted if it is no number.
func figure(text string) string {
	if strings.Trim(text, "0123456789.,-%\u00a0 ") == "" {
		return text
	}
	return quotation(text)
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
	near := cause || slices.Contains(y.around, n)
	told := n == y.start || near && !n.isParty() && !n.isModel()
	if !told || len(n.out) == 0 {
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

func quotation(text string) string {
	text, _ = views.CutText(text, wordsCut)
	return quoted.Value(text)
}

// shownTime returns the time of a node for people, or "".
func shownTime(n *graphNode) string {
	if n.at.IsZero() {
		return ""
	}
	return n.at.Format(views.TimeForm)
}

// zoned adds the name of the time's zone to a text about a node's time, if there is one.
func zoned(n *graphNode, text string) string {
	if text == "" {
		return ""
	}
	return text + n.at.Format(" MST")
}

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }
