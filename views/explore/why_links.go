package explore

import (
	"slices"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// relation is a predicate that connects an effect with a cause.
type relation struct {
	iri   string
	words string // what the effect did with the cause
	back  bool   // the cause is the subject
}

// relations are the predicates of a chain of causes, the most telling first.
var relations = []relation{
	{vocabulary.ProvWasGeneratedBy, madeBy, false},
	{vocabulary.ProvGenerated, madeBy, true},
	{vocabulary.SegbProducedEntityResult, madeBy, true},
	{vocabulary.MLSHasOutput, madeBy, true},
	{vocabulary.OnyxHasEmotion, "part of", true},
	{vocabulary.SegbTriggeredByActivity, "triggered by", false},
	{vocabulary.SegbTriggeredByEntity, "triggered by", false},
	{vocabulary.ProvWasInformedBy, "informed by", false},
	{vocabulary.SegbUsedMLModel, "with the model", false},
	{vocabulary.MLSHasInput, "trained on", false},
	{vocabulary.ProvUsed, "used", false},
	{vocabulary.ProvWasDerivedFrom, "follows", false},
	{vocabulary.ProvWasInfluencedBy, "influenced by", false},
}

// doers are the predicates that lead to robots and people.
var doers = []string{vocabulary.SegbWasPerformedBy, vocabulary.ProvWasAssociatedWith, vocabulary.ProvWasAttributedTo, vocabulary.SchemaSender, vocabulary.SchemaRecipient, vocabulary.OAHasTarget}

// whyWalk returns the walk from a node to its causes or its consequences. It also leads
// from an activity to what it made, and back, since the two are one act: a message follows
// another one, and its activity has the trigger.
func whyWalk(iri string, causes bool, steps int) store.Walk {
	w := store.Walk{From: iri, Out: causes, In: !causes, Steps: steps, Most: maxEffects}
	if causes {
		w.By, w.Most = slices.Clone(doers), maxCauses
	}
	for _, r := range relations {
		if !r.back || r.made() {
			w.By = append(w.By, r.iri)
		}
		if r.back || r.made() {
			w.Against = append(w.Against, r.iri)
		}
	}
	return w
}

// made reports whether the cause made the effect.
func (r relation) made() bool { return r.words == madeBy }

const madeBy = "made by"

// whyLink connects an effect with one of its causes.
type whyLink struct {
	effect, cause *graphNode
	relation
	triple rdf.Triple
	rank   int
	log    journal.Numbered // number 0 if it was not found
}

// link finds the links between the nodes: one for each pair, by the most telling
// predicate. Where two nodes are each other's cause, only the better link counts.
func (y *why) link() {
	type pair [2]string
	best := map[pair]int{}
	for _, n := range y.nodes {
		for _, t := range n.out {
			rank := slices.IndexFunc(relations, func(r relation) bool { return r.iri == t.P.Value() })
			other, ok := y.index[t.O.Value()]
			if rank < 0 || !ok || !t.O.IsIRI() || y.nodes[other] == n {
				continue
			}
			l := whyLink{effect: n, cause: y.nodes[other], relation: relations[rank], triple: t, rank: rank}
			if l.back {
				l.effect, l.cause = l.cause, l.effect
			}
			at, known := best[pair{l.effect.iri, l.cause.iri}]
			if !known {
				at, known = best[pair{l.cause.iri, l.effect.iri}]
			}
			switch {
			case !known:
				best[pair{l.effect.iri, l.cause.iri}] = len(y.links)
				y.links = append(y.links, l)
			case rank < y.links[at].rank:
				delete(best, pair{y.links[at].effect.iri, y.links[at].cause.iri})
				best[pair{l.effect.iri, l.cause.iri}] = at
				y.links[at] = l
			}
		}
	}
	for i := range y.links {
		l := &y.links[i]
		y.causes[l.effect.iri] = append(y.causes[l.effect.iri], l)
		y.effects[l.cause.iri] = append(y.effects[l.cause.iri], l)
	}
}

// objects returns the IRIs to which a node's triples lead by a predicate.
func (n *graphNode) objects(predicate string) (out []string) {
	for _, t := range n.out {
		if t.P.Value() == predicate && t.O.IsIRI() {
			out = append(out, t.O.Value())
		}
	}
	return out
}

// literal returns the first value of a predicate that is not an IRI, or "".
func (n *graphNode) literal(predicate string) string {
	for _, t := range n.out {
		if t.P.Value() == predicate && t.O.IsLiteral() {
			return t.O.Value()
		}
	}
	return ""
}

func (n *graphNode) is(class string) bool { return slices.Contains(n.classes, class) }

func (n *graphNode) isModel() bool   { return n.is(vocabulary.MLSModel) }
func (n *graphNode) isMessage() bool { return n.family == "message" }

// isActivity reports whether a node is an activity, by its class or because somebody
// performed it.
func (n *graphNode) isActivity() bool {
	return n.family == "activity" || n.kind == "" && n.performer != ""
}

// described reports whether a log says anything about a node.
func (n *graphNode) described() bool { return len(n.out)+len(n.own) > 0 }

// explained reports whether it makes sense to ask why a node is as it is.
func (n *graphNode) explained() bool {
	return n.isActivity() || n.isMessage() || n.family == "result" || n.isModel()
}
