package explore

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// maxMissing is how many nodes are named that have the same gap.
const maxMissing = 6

// gap is something that an explanation needs and no log says.
type gap struct {
	text  string
	holds func(*teller, *graphNode) bool // whether a node has the gap
}

// gaps are the gaps that a node of a chain may have.
var gaps = []gap{
	{"No log describes this.", func(t *teller, n *graphNode) bool { return !n.described() && n != t.start }},
	{"No log says who did this.", func(_ *teller, n *graphNode) bool { return n.isActivity() && n.performer == "" }},
	{"No log says when this happened.", func(_ *teller, n *graphNode) bool { return n.isActivity() && n.at.IsZero() }},
	{"No log says what triggered this.", func(t *teller, n *graphNode) bool { return n.acts() && !t.hasCause(n) && !t.unknown(n) }},
	{"No log says which model produced this.", func(t *teller, n *graphNode) bool { return n.perceives() && !t.usesModel(n) && !t.unknown(n) }},
	{"No log says which activity produced this.", func(t *teller, n *graphNode) bool {
		return n.described() && (n.isMessage() || n.family == "result") && len(t.madeBy(n)) == 0 && !n.is(vocabulary.SchemaEvent) && !t.unknown(n)
	}},
	{"No log says who said this.", func(t *teller, n *graphNode) bool {
		return n.isMessage() && n.sender() == "" && !t.erased[n] && !t.unsure
	}},
	{"No log has the words.", func(t *teller, n *graphNode) bool {
		return n.isMessage() && n.literal(vocabulary.SchemaText) == "" && !t.erased[n] && !t.unsure
	}},
	{"No log says whose emotion this is.", func(t *teller, n *graphNode) bool {
		return n.isAnnotation() && len(n.objects(vocabulary.OAHasTarget)) == 0 && !t.erased[n] && !t.unsure
	}},
	{"No log says how sure the model was.", func(t *teller, n *graphNode) bool {
		return n.isAnnotation() && !slices.ContainsFunc(t.feelings[n.iri], func(f feeling) bool { return f.sure != "" })
	}},
	{"No log says which version this is.", func(_ *teller, n *graphNode) bool { return n.isModel() && n.literal(vocabulary.SchemaVersion) == "" }},
	{"No log says how well this model scored.", func(t *teller, n *graphNode) bool { return n.isModel() && t.fact(n).score == "" }},
	{"No log says what this model was trained on.", func(t *teller, n *graphNode) bool { return n.isModel() && t.fact(n).dataset == "" }},
}

// acts reports whether an activity is one that needs a trigger: a decision, an answer or an emergency stop.
func (n *graphNode) acts() bool {
	return n.is(vocabulary.OroDecisionMakingAction) || n.is(vocabulary.OroResponseAction) || n.is(vocabulary.ScEmergencyStop)
}

// perceives reports whether an activity needs a model to hear or see something.
func (n *graphNode) perceives() bool {
	return slices.ContainsFunc([]string{vocabulary.OroListeningEvent, vocabulary.OroDetectedHumanEvent, vocabulary.OroEmotionRecognitionEvent, vocabulary.OnyxEmotionAnalysis}, n.is)
}

func (n *graphNode) isAnnotation() bool {
	return n.is(vocabulary.AmorEmotionAnnotation) || slices.ContainsFunc(n.out, func(t rdf.Triple) bool { return t.P.Value() == vocabulary.OnyxHasEmotion })
}

func (y *why) hasCause(n *graphNode) bool {
	return slices.ContainsFunc(y.causes[n.iri], func(l *whyLink) bool { return !l.cause.isModel() })
}

func (y *why) usesModel(n *graphNode) bool {
	return slices.ContainsFunc(y.causes[n.iri], func(l *whyLink) bool { return l.cause.isModel() })
}

func (y *why) fact(n *graphNode) modelFacts {
	if m := y.models[n.iri]; m != nil {
		return *m
	}
	return modelFacts{}
}

// missing names the gaps of the chain of causes, with the nodes that have them, nearest
// first. Links that contradict the times count as gaps. Gaps about models alone come last.
func (t *teller) missing() (out []WhyGap) {
	chain := []*graphNode{t.start}
	for _, n := range t.nodes {
		if _, ok := t.steps[n.iri]; ok && n != t.start && !n.isParty() {
			chain = append(chain, n)
		}
	}
	slices.SortStableFunc(chain, func(a, b *graphNode) int { return cmp.Compare(t.steps[a.iri], t.steps[b.iri]) })
	name := func(text string, nodes []*graphNode) {
		if len(nodes) == 0 {
			return
		}
		g := WhyGap{Text: text, More: max(0, len(nodes)-maxMissing)}
		for _, n := range nodes[:len(nodes)-g.More] {
			g.Of = append(g.Of, WhyRef{Text: t.phrase(n), Href: views.WhyAddress(n.iri)})
		}
		g.Calm = !slices.ContainsFunc(nodes, func(n *graphNode) bool { return !n.isModel() && !t.ofModels(n) })
		out = append(out, g)
	}
	name("No log says whether this was a cause.", t.unlinked(t.act(t.start)))
	var late []*graphNode
	for _, l := range t.links {
		if t.inChain(l) && l.effect.isActivity() && l.cause.isActivity() && views.IsLate(l.cause.at, l.effect.at) && !slices.Contains(late, l.cause) {
			late = append(late, l.cause)
		}
	}
	name("The logs say that this was a cause, but it is later than its effect.", late)
	for _, g := range gaps {
		var with []*graphNode
		for _, n := range chain {
			if g.holds(t, n) {
				with = append(with, n)
			}
		}
		name(g.text, with)
	}
	slices.SortStableFunc(out, func(a, b WhyGap) int {
		switch {
		case a.Calm == b.Calm:
			return 0
		case a.Calm:
			return 1
		}
		return -1
	})
	return out
}

// unknown reports whether a node may have causes that were not loaded.
func (y *why) unknown(n *graphNode) bool { return y.cut || y.further && y.steps[n.iri] >= y.depth }

// inChain reports whether both ends of a link are the start or causes of it.
func (t *teller) inChain(l whyLink) bool {
	in := func(n *graphNode) bool { return t.isCause(n) || t.act(n) == t.act(t.start) }
	return in(l.effect) && in(l.cause)
}

// unlinked returns the activities that recognized an emotion at the same event, by the
// same robot and before it decided or answered, but that no log links to that: none if causes were not loaded.
func (y *why) unlinked(n *graphNode) (out []*graphNode) {
	if !n.acts() || n.at.IsZero() || n.performer == "" || y.cut {
		return nil
	}
	for _, a := range y.around {
		felt := slices.ContainsFunc(y.makes(a), func(made *graphNode) bool { return len(y.feelings[made.iri]) > 0 })
		if felt && a.performer == n.performer && !a.at.IsZero() && !a.at.After(n.at) {
			out = append(out, a)
		}
	}
	return out
}
