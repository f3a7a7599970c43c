package webui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// Limits of reading nodes.
const (
	maxNodeTriples = 20_000 // of all nodes together
	oneNodeTriples = 400    // of each node, if all together have more
)

// graphNode is a node of the picture with its triples. Blank nodes are not drawn: the
// card of the node that refers to them shows them.
type graphNode struct {
	iri          string
	group        int
	parent       int          // index into picture.nodes, or -1
	out          []rdf.Triple // in the published graph
	own          []rdf.Triple // in the resolver's graph only
	label        string
	kind         string
	classes      []string
	sign         views.GraphSign
	time         string
	performer    string // who performed it, or ""
	author       string // to whom it is attributed
	source       string // the activity that generated it
	participants []string
}

// describe reads the triples of the nodes.
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
	rows, err = u.ask(ctx, fmt.Sprintf("SELECT ?s ?p ?o { VALUES ?s { %s} %s } LIMIT %d", values.String(), inContexts("?s ?p ?o"), maxNodeTriples))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if n := p.nodes[p.index[row[0].Value()]]; row[1].Value() != vocabulary.ScMergedInto {
			n.own = append(n.own, rdf.Triple{S: row[0], P: row[1], O: row[2]})
		}
	}
	for _, n := range p.nodes {
		n.read()
	}
	u.tellApart(ctx, p)
	return nil
}

// labelling are the predicates of labels, best first.
var labelling = []string{vocabulary.SchemaName, vocabulary.FOAFFirstName, vocabulary.RDFSLabel, vocabulary.SchemaText, vocabulary.SchemaDescription}

// participating are the predicates that link to a participant.
var participating = []string{vocabulary.SegbWasPerformedBy, vocabulary.ProvWasAssociatedWith, vocabulary.ProvWasAttributedTo, vocabulary.SchemaSender, vocabulary.OAHasTarget, vocabulary.ScObservedBy}

// read sets the label, kind, time and participants of a node from its triples.
func (n *graphNode) read() {
	rank := len(labelling)
	for _, t := range slices.Concat(n.out, n.own) {
		value := t.O.Value()
		switch p := t.P.Value(); p {
		case rdf.RDFType:
			n.classes = append(n.classes, value)
		case vocabulary.ProvStartedAtTime, vocabulary.ProvGeneratedAtTime, vocabulary.SOSAResultTime, vocabulary.ScFirstObservedAt, vocabulary.ScObservedAt:
			if at, ok := graphTime(value); ok && (n.time == "" || at < n.time) {
				n.time = at
			}
		case vocabulary.ProvWasGeneratedBy:
			n.source = value
		case vocabulary.ScText:
			if n.label == "" {
				n.label = value
			}
		default:
			if i := slices.Index(labelling, p); i >= 0 && t.O.IsLiteral() && (i < rank || i == rank && value < n.label) {
				n.label, rank = value, i
			}
		}
		if i := slices.Index(participating, t.P.Value()); i >= 0 && t.O.IsIRI() {
			if !slices.Contains(n.participants, value) {
				n.participants = append(n.participants, value)
			}
			switch t.P.Value() {
			case vocabulary.SegbWasPerformedBy, vocabulary.ProvWasAssociatedWith, vocabulary.ScObservedBy:
				n.performer = cmp.Or(n.performer, value)
			case vocabulary.ProvWasAttributedTo:
				n.author = cmp.Or(n.author, value)
			}
		}
	}
	if n.label == "" {
		n.label = ownLabel(n.own)
	}
	n.kind = vocabulary.Kind(n.classes)
	n.sign.Family = family(n.kind, n.classes)
}

// ownLabel returns a label for a shared context or a case, which have none: the kind and
// subject of the event, or the reason for the case.
func ownLabel(own []rdf.Triple) string {
	said := map[string]rdf.Term{}
	for _, t := range own {
		said[t.P.Value()] = t.O
	}
	text := strings.ReplaceAll(cmp.Or(said[vocabulary.ScEventKind].Value(), said[vocabulary.ScReason].Value()), "_", " ")
	if subject := said[vocabulary.ScSubject]; text != "" && subject.IsIRI() {
		text += " of " + views.Short(subject.Value())
	}
	return text
}

// families maps kinds to families, each with a colour and a shape.
var families = map[string]string{
	vocabulary.OroRobot: "robot", vocabulary.ProvAgent: "robot", vocabulary.ProvSoftwareAgent: "robot",
	vocabulary.OroHuman: "human", vocabulary.ProvPerson: "human", vocabulary.FOAFPerson: "human", vocabulary.SchemaPerson: "human",
	vocabulary.SchemaMessage: "message", vocabulary.OroInitialMessage: "message", vocabulary.OroResponseMessage: "message",
	vocabulary.ProvActivity: "activity", vocabulary.SegbLoggedActivity: "activity", vocabulary.OroListeningEvent: "activity",
	vocabulary.OroDecisionMakingAction: "activity", vocabulary.OroResponseAction: "activity", vocabulary.OroEmotionRecognitionEvent: "activity",
	vocabulary.OnyxEmotionAnalysis: "activity", vocabulary.OroDetectedHumanEvent: "activity", vocabulary.MLSRun: "activity",
	vocabulary.SchemaEvent: "event", vocabulary.ScSharedContext: "event",
	vocabulary.SegbResult: "result", vocabulary.AmorEmotionAnnotation: "result", vocabulary.OAAnnotation: "result", vocabulary.OnyxEmotion: "result",
	vocabulary.SOSAObservation: "result", vocabulary.ScObservation: "result", vocabulary.ProvEntity: "result",
}

// general are classes that determine the family of an unknown kind, most specific first:
// results, for example, are also activities.
var general = []string{vocabulary.OroRobot, vocabulary.OroHuman, vocabulary.ProvPerson, vocabulary.FOAFPerson, vocabulary.SchemaPerson, vocabulary.ProvSoftwareAgent,
	vocabulary.ProvAgent, vocabulary.SchemaMessage, vocabulary.SegbLoggedActivity, vocabulary.SegbResult, vocabulary.ProvEntity, vocabulary.ProvActivity}

// family returns the family of a kind or, if that is unknown, of its other classes.
func family(kind string, classes []string) string {
	if f, ok := families[kind]; ok {
		return f
	}
	if strings.HasPrefix(kind, vocabulary.MLS) { // models and the like are both entities and activities
		return "other"
	}
	for _, c := range general {
		if slices.Contains(classes, c) {
			return families[c]
		}
	}
	return "other"
}

// gatherKinds counts the kinds of the nodes in order of appearance, and gives a letter to
// each that shares its shape with another. Letters do not change when nodes are added.
func (p *picture) gatherKinds() {
	taken := map[views.GraphSign]bool{}
	for _, n := range p.nodes {
		i := slices.IndexFunc(p.kinds, func(k *pictureKind) bool { return k.iri == n.kind })
		if i < 0 {
			k := &pictureKind{iri: n.kind, family: n.sign.Family}
			for _, c := range letters(n.kind) {
				if s := (views.GraphSign{Family: k.family, Letter: string(c)}); !taken[s] {
					taken[s], k.letter = true, s.Letter
					break
				}
			}
			p.kinds, i = append(p.kinds, k), len(p.kinds)
		}
		p.kinds[i].count++
		n.sign.Letter = p.kinds[i].letter
	}
}

// letters returns candidate letters for a class, best first: the capitals of its local
// name, then its other letters.
func letters(class string) []rune {
	local := class[strings.LastIndexAny(class, "#/:")+1:]
	var capitals, rest []rune
	for _, c := range local {
		switch {
		case unicode.IsUpper(c):
			capitals = append(capitals, c)
		case unicode.IsLetter(c), unicode.IsDigit(c):
			rest = append(rest, unicode.ToUpper(c))
		}
	}
	return append(capitals, rest...)
}

func kindName(kind string, names []turtle.Prefix) string {
	if kind == "" {
		return "without a type"
	}
	return shortIRI(kind, names)
}

// name returns the name of a node.
func (n *graphNode) name(names []turtle.Prefix) string {
	if n.label != "" {
		text, _ := cutText(n.label, 80)
		return text
	}
	return shortIRI(n.iri, names)
}

// seconds returns a node's time in seconds.
func (n *graphNode) seconds() (float64, bool) {
	t, err := time.Parse(time.RFC3339, n.time)
	return float64(t.Unix()), err == nil
}

// incoming counts the triples whose object is a node, by predicate.
func (u *UI) incoming(ctx context.Context, iri string) ([]termCount, error) {
	found, err := u.countTerms(ctx, fmt.Sprintf("SELECT ?p (COUNT(*) AS ?n) { ?s ?p <%s> } GROUP BY ?p", iri))
	if err != nil {
		return nil, err
	}
	own, err := u.countTerms(ctx, fmt.Sprintf("SELECT ?p (COUNT(*) AS ?n) { %s } GROUP BY ?p", inContexts("?s ?p <"+iri+">")))
	if err != nil {
		return nil, err
	}
	for _, c := range own {
		i := slices.IndexFunc(found, func(f termCount) bool { return f.IRI == c.IRI })
		switch {
		case c.IRI == vocabulary.ScMergedInto:
		case i >= 0:
			found[i].Count += c.Count
		default:
			found = append(found, c)
		}
	}
	return found, nil
}

// below returns the triples of a node's blank nodes, with the predicate that leads to
// each.
func (u *UI) below(ctx context.Context, iri string) ([][]rdf.Term, error) {
	return u.ask(ctx, fmt.Sprintf("SELECT ?p ?b ?q ?v { <%s> ?p ?b FILTER(isBlank(?b)) ?b ?q ?v } LIMIT "+strconv.Itoa(oneNodeTriples), iri))
}
