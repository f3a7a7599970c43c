package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
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
	family       string
	sign         GraphSign
	at           time.Time // zero if unknown
	performer    string    // who performed it, or ""
	author       string    // to whom it is attributed
	source       string    // the activity that generated it
	participants []string
	version      string       // of a model
	ring         int          // how many steps it is from the start of the walk that the picture begins with
	near         string       // the node on the ring before it that it stands near
	spoken       bool         // its label is what was said
	rest         []*graphNode // those around it that are not drawn
}

// describe reads the triples of the nodes.
func (u *handlers) describe(ctx context.Context, p *picture) error {
	if len(p.nodes) == 0 {
		return nil
	}
	var values strings.Builder
	for _, n := range p.nodes {
		values.WriteString("<" + n.iri + "> ")
	}
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?s ?p ?o { VALUES ?s { %s} ?s ?p ?o } LIMIT %d", values.String(), maxNodeTriples))
	if err != nil {
		return err
	}
	if p.partial = len(rows) == maxNodeTriples; p.partial {
		rows = rows[:0]
		for _, n := range p.nodes {
			some, err := u.Ask(ctx, fmt.Sprintf("SELECT ?s ?p ?o { VALUES ?s { <%s> } ?s ?p ?o } LIMIT %d", n.iri, oneNodeTriples))
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
	rows, err = u.Ask(ctx, fmt.Sprintf("SELECT ?s ?p ?o { VALUES ?s { %s} %s } LIMIT %d", values.String(), inContexts("?s ?p ?o"), maxNodeTriples))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if n := p.nodes[p.index[row[0].Value()]]; row[1].Value() != vocabulary.ScMergedInto {
			n.own = append(n.own, rdf.Triple{S: row[0], P: row[1], O: row[2]})
		}
	}
	for _, n := range p.nodes {
		n.read(views.ZoneOf(ctx))
	}
	u.tellApart(ctx, p)
	return nil
}

// participating are the predicates that link to a participant.
var participating = []string{vocabulary.SegbWasPerformedBy, vocabulary.ProvWasAssociatedWith, vocabulary.ProvWasAttributedTo, vocabulary.SchemaSender, vocabulary.OAHasTarget, vocabulary.ScObservedBy}

// read sets the label, kind, time and participants of a node from its triples. The time is in zone z.
func (n *graphNode) read(z *time.Location) {
	rank := len(views.Labelling)
	for _, t := range slices.Concat(n.out, n.own) {
		value := t.O.Value()
		switch p := t.P.Value(); p {
		case rdf.RDFType:
			n.classes = append(n.classes, value)
		case vocabulary.ProvStartedAtTime, vocabulary.ProvGeneratedAtTime, vocabulary.SOSAResultTime, vocabulary.ScFirstObservedAt, vocabulary.ScObservedAt:
			if at, ok := views.TimeOf(t.O); ok && (n.at.IsZero() || at.Before(n.at)) {
				n.at = at.In(z)
			}
		case vocabulary.SchemaVersion:
			n.version = value
		case vocabulary.ProvWasGeneratedBy:
			n.source = value
		case vocabulary.ScText:
			if n.label == "" {
				n.label = value
			}
		default:
			if i := slices.Index(views.Labelling, p); i >= 0 && t.O.IsLiteral() && (i < rank || i == rank && value < n.label) {
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
	n.family = family(n.kind, n.classes)
	n.sign = signOf(n.kind, n.family)
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

func (n *graphNode) name(names []turtle.Prefix) string {
	if n.label != "" {
		text, _ := views.CutText(n.label, 100)
		return text
	}
	return views.ShortIRI(n.iri, names)
}

// maxSubjects is how many triples are read to leave out the subjects that are blank nodes.
const maxSubjects = 20_000

// incoming counts the triples whose object is a node, by predicate. If there are at most maxSubjects, those whose subject is a
// blank node, which the picture can't show, do not count.
func (u *handlers) incoming(ctx context.Context, iri string) ([]views.TermCount, error) {
	found, err := u.CountTerms(ctx, fmt.Sprintf("SELECT ?p (COUNT(*) AS ?n) { ?s ?p <%s> } GROUP BY ?p", iri))
	if err != nil {
		return nil, err
	}
	total := 0
	for _, c := range found {
		total += c.Count
	}
	if total <= maxSubjects {
		found, err = u.CountTerms(ctx, fmt.Sprintf("SELECT ?p (COUNT(*) AS ?n) { ?s ?p <%s> FILTER(isIRI(?s)) } GROUP BY ?p", iri))
	}
	if err != nil {
		return nil, err
	}
	own, err := u.CountTerms(ctx, fmt.Sprintf("SELECT ?p (COUNT(*) AS ?n) { %s } GROUP BY ?p", inContexts("?s ?p <"+iri+">")))
	if err != nil {
		return nil, err
	}
	for _, c := range own {
		i := slices.IndexFunc(found, func(f views.TermCount) bool { return f.IRI == c.IRI })
		switch {
		case c.IRI == vocabulary.ScMergedInto: // the picture has merged contexts as one node
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
func (u *handlers) below(ctx context.Context, iri string) ([][]rdf.Term, error) {
	return u.Ask(ctx, fmt.Sprintf("SELECT ?p ?b ?q ?v { <%s> ?p ?b FILTER(isBlank(?b)) ?b ?q ?v } LIMIT "+strconv.Itoa(oneNodeTriples), iri))
}
