package explore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

const (
	maxTold  = 20 // sentences of a chain
	wordsCut = 160
)

// teller puts an explanation into words.
type teller struct {
	*why
	names []turtle.Prefix
	told  map[*graphNode]bool
	story []WhyStep
	more  bool   // there are more than maxTold
	head  string // the last heading
}

// tell returns the start and its causes as sentences, each followed by its own causes. The start has level
// 0, its causes level 1, and so on. more reports that there are more than maxTold sentences. Call tell once.
func (t *teller) tell() (story []WhyStep, more bool) {
	roots := []*graphNode{t.act(t.start)}
	if roots[0] == t.start && !t.start.isActivity() && len(t.madeBy(t.start)) > 0 {
		roots = t.madeBy(t.start) // act does not count what made a model, but its story begins with that
	}
	for _, root := range roots {
		t.because("", root, t.linkTo(t.start, root), 0)
	}
	if !t.told[t.start] { // no root was the start: its causes are left, apart from what made it
		t.told[t.start] = true
		t.origins(t.start, 1)
	}
	return t.story, t.more
}

// because adds a step to the story about a node, and then those about its causes. lead introduces the
// sentence, l is the link from the effect, and level is 0 for the start.
func (t *teller) because(lead string, n *graphNode, l *whyLink, level int) {
	if t.told[n] {
		return
	}
	if len(t.story) == maxTold {
		t.more = true
		return
	}
	t.told[n] = true
	step := WhyStep{Lead: lead, Text: t.clause(n), Href: views.WhyAddress(n.iri), Time: zoned(n, t.shortTime(n)), Level: level, Log: t.logOf(t.own[n])}
	if link := t.logOf(l); link != nil && !sameLog(link, step.Log) && !sameLog(link, t.logOf(t.own[t.act(l.effect)])) {
		step.LinkLog = link
	}
	if n.isActivity() && saysMore(n.label, step.Text) {
		step.Called, _ = views.CutText(n.label, wordsCut)
	}
	if level == 0 {
		step.Time, step.LinkLog = zoned(n, shownTime(n)), nil
	}
	if step.Late = level > 0 && t.late(l); level == 1 && l != nil {
		step.Head = t.headOf(l)
	}
	t.story = append(t.story, step)
	if level == 0 {
		t.perhaps(n)
	}
	t.origins(n, level+1)
	for _, made := range t.makes(n) {
		t.origins(made, level+1)
	}
}

// perhaps tells which emotions the robot had recognized at the same event before it acted,
// if no log links them to what it did.
func (t *teller) perhaps(n *graphNode) {
	for _, a := range t.unlinked(n) {
		t.told[a] = true
		t.story = append(t.story, WhyStep{Lead: "perhaps because", Text: t.clause(a), Href: views.WhyAddress(a.iri), Time: t.shortTime(a), Level: 1, Unlinked: true, Log: t.logOf(t.own[a])})
	}
}

// origins tells the causes of a node, except the activity that made it. The first one is
// what the reader asks for: see precedence. Those whose time is after the effect's are last.
func (t *teller) origins(n *graphNode, level int) {
	links := slices.Clone(t.causes[n.iri])
	slices.SortStableFunc(links, func(a, b *whyLink) int {
		if late := t.late(a); late != t.late(b) {
			return map[bool]int{true: 1, false: -1}[late]
		}
		return cmp.Or(cmp.Compare(t.precedence(a), t.precedence(b)), cmp.Compare(a.rank, b.rank), b.cause.at.Compare(a.cause.at))
	})
	for _, l := range links {
		lead := "because"
		switch l.iri {
		case vocabulary.ProvWasDerivedFrom:
			lead = "after"
		case vocabulary.ProvUsed, vocabulary.MLSHasInput, vocabulary.SegbTriggeredByEntity:
			lead = "using"
		}
		switch {
		case l.made() || l.cause.isModel() || l.cause.isParty() || l.cause.is(vocabulary.MLSHyperParameterValue): // told elsewhere
		case l.cause.isActivity():
			t.because("because", l.cause, l, level)
		default:
			if t.told[l.cause] {
				continue
			}
			makers := t.madeBy(l.cause)
			if len(makers) == 0 {
				t.because(lead, l.cause, l, level)
				continue
			}
			t.told[l.cause] = true
			if lead == "using" { // what made a thing is not used
				lead = "because"
			}
			for _, m := range makers {
				t.because(lead, m, l, level)
			}
		}
	}
}

// late reports whether the time of a cause is after that of its effect.
func (y *why) late(l *whyLink) bool {
	return l != nil && views.IsLate(y.act(l.cause).at, y.act(l.effect).at)
}

// madeBy returns the activities that made a node, and the annotation that an emotion is part of.
func (y *why) madeBy(n *graphNode) (out []*graphNode) {
	for _, l := range y.causes[n.iri] {
		if l.made() || l.words == "part of" {
			out = append(out, l.cause)
		}
	}
	return out
}

// makes returns what an activity made.
func (y *why) makes(n *graphNode) (out []*graphNode) {
	for _, l := range y.effects[n.iri] {
		if l.made() {
			out = append(out, l.effect)
		}
	}
	return out
}

// linkTo returns the link from an effect to a cause, or nil.
func (y *why) linkTo(effect, cause *graphNode) *whyLink {
	for _, l := range y.causes[effect.iri] {
		if l.cause == cause {
			return l
		}
	}
	return nil
}

// called returns the name of a node for a sentence.
func (t *teller) called(iri string) string { return quoted.Name(t.name(iri, t.names)) }

// doer returns, for a sentence, the name of who performed an activity, or to whom an entity
// is attributed.
func (t *teller) doer(n *graphNode) string {
	if who := cmp.Or(n.performer, n.author); who != "" {
		return t.called(who)
	}
	return ""
}

// phrase describes a node as clause does, but quotes the name of a model, a robot or a person.
func (t *teller) phrase(n *graphNode) string {
	if !n.isActivity() && len(t.feelings[n.iri]) == 0 && (n.isModel() || n.isParty()) {
		return quoted.Name(t.thing(n))
	}
	return t.clause(n)
}

// clause describes a node: who did what, with which model.
func (t *teller) clause(n *graphNode) string {
	if !n.isActivity() {
		return t.thing(n)
	}
	who, text := cmp.Or(t.doer(n), "Somebody"), ""
	var feelings []string
	for _, made := range t.makes(n) {
		switch {
		case made.isMessage():
			text = who + " " + t.words(n, made)
		case len(t.feelings[made.iri]) > 0:
			verb := "recognized "
			if n.performer != "" && slices.Contains(made.objects(vocabulary.OAHasTarget), n.performer) {
				verb = "expressed "
			}
			feelings = append(feelings, verb+t.felt(made, n.performer))
		}
	}
	switch {
	case text != "": // told already
	case len(feelings) > 0:
		text = who + " " + strings.Join(feelings, ", and ")
	case n.is(vocabulary.MLSRun) && slices.ContainsFunc(t.makes(n), (*graphNode).isModel):
		for _, made := range t.makes(n) {
			if made.isModel() {
				text = who + " trained " + quoted.Value(t.thing(made))
			}
		}
	case n.is(vocabulary.OroDetectedHumanEvent) && t.about(n) != "":
		text = who + " noticed " + t.about(n)
	case n.label != "" && n.is(vocabulary.OroDecisionMakingAction):
		text = who + " decided: " + quotation(n.label)
	case n.label != "" && n.is(vocabulary.ScEmergencyStop):
		text = who + " logged an emergency stop: " + quotation(n.label)
	case n.label != "" && n.is(vocabulary.ScIncident):
		text = who + " had an incident: " + quotation(n.label)
	case n.label != "":
		text = who + " logged " + quotation(n.label)
	default:
		text = who + " logged an activity of the kind " + cmp.Or(views.KindSaid(n.kind), "activity") + " (" + quoted.Value(strings.Trim(views.ShortIRI(n.iri, t.names), "<>")) + ")"
	}
	if t.brief {
		return text
	}
	var models []string
	for _, l := range t.causes[n.iri] {
		if l.cause.isModel() {
			models = append(models, quoted.Value(t.thing(l.cause)))
		}
	}
	if len(models) > 0 && !slices.ContainsFunc(t.makes(n), (*graphNode).isModel) {
		text += ", with " + strings.Join(models, " and ")
	}
	return text + t.details(n)
}

// details returns, in brackets, the facts of a decision or an incident, or how sure the robot was
// of a message; otherwise "".
func (t *teller) details(n *graphNode) string {
	var parts []string
	told := slices.ContainsFunc([]string{vocabulary.OroDecisionMakingAction, vocabulary.ScEmergencyStop, vocabulary.ScIncident}, n.is)
	for _, f := range views.Facts(t.facts[n.iri]) {
		switch {
		case f.Name == "confidence" && n.isMessage() && !f.Own:
			parts = append(parts, "confidence "+figure(f.Value))
		case told:
			parts = append(parts, f.Said(quotation))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// words describes the message that an activity made.
func (t *teller) words(n, m *graphNode) string {
	sender := m.sender()
	text := t.text(m) + t.details(m)
	switch {
	case sender == "":
		return "logged the words " + text
	case sender == n.performer:
		return "said " + text
	}
	return "heard " + t.called(sender) + " say " + text
}

// text quotes a message, or says that its text was erased.
func (t *teller) text(m *graphNode) string {
	text := cmp.Or(m.literal(vocabulary.SchemaText), m.label)
	if text == "" && t.erased[m] {
		return "(erased)"
	}
	return quotation(text)
}

// sender returns who said a message.
func (n *graphNode) sender() string {
	for _, p := range []string{vocabulary.SchemaSender, vocabulary.ProvWasAttributedTo} {
		if who := n.objects(p); len(who) > 0 {
			return who[0]
		}
	}
	return ""
}

// felt describes the emotions of an annotation that somebody made.
func (t *teller) felt(n *graphNode, by string) string {
	var out []string
	for _, f := range t.feelings[n.iri] {
		text, facts := quoted.Name(f.name), []string{}
		if f.sure != "" {
			facts = append(facts, "confidence "+f.sure)
		}
		if f.strength != "" {
			facts = append(facts, "strength "+f.strength)
		} else {
			facts = append(facts, "strength not logged")
		}
		for _, whose := range n.objects(vocabulary.OAHasTarget) {
			if whose != by {
				text += " in " + t.called(whose)
			}
		}
		if !t.brief {
			text += " (" + strings.Join(facts, ", ") + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// about returns, for a sentence, the name of the person that an activity's event is about, or "".
func (t *teller) about(n *graphNode) string {
	for _, event := range n.objects(vocabulary.SchemaAbout) {
		if i, ok := t.index[event]; ok {
			for _, who := range t.nodes[i].objects(vocabulary.SchemaAbout) {
				return t.called(who)
			}
		}
	}
	return ""
}

// thing describes what is no activity.
func (t *teller) thing(n *graphNode) string {
	switch {
	case n.isMessage() && n.sender() != "":
		return t.called(n.sender()) + " said " + t.text(n)
	case len(t.feelings[n.iri]) > 0:
		return t.felt(n, "")
	case n.isModel():
		return strings.TrimSpace(n.name(t.names) + " " + n.literal(vocabulary.SchemaVersion))
	case n.isParty():
		return t.name(n.iri, t.names)
	case n.label != "":
		return quotation(n.label)
	}
	return views.ShortIRI(n.iri, t.names)
}

// logOf returns the log behind a link, or nil.
func (t *teller) logOf(l *whyLink) *WhyLog {
	if l == nil || l.triple.S.IsZero() {
		return nil
	}
	out := &WhyLog{All: views.TripleLogs(l.triple)}
	if l.log.Seq > 0 {
		out.ID, out.Time, out.Actor, out.Claimed = l.log.LogID, l.log.Time, l.log.Sender(), l.log.Claimed
	} else if out.All == "" {
		return nil
	}
	return out
}

// seen returns how each robot logged the event of the start, or nothing if only one did.
func (t *teller) seen() (out []WhySeen) {
	if len(t.records) < 2 {
		return nil
	}
	for _, r := range t.records {
		out = append(out, WhySeen{Text: t.clause(r), Href: views.WhyAddress(r.iri), Time: t.shortTime(r), Here: r == t.start, Log: t.logOf(t.own[r])})
	}
	return out
}

// shortTime returns the time of a node, without the day if it is the same as the start's.
func (t *teller) shortTime(n *graphNode) string {
	if !n.at.IsZero() && n != t.act(t.start) && sameDay(n.at, t.time()) {
		return n.at.Format(time.TimeOnly)
	}
	return shownTime(n)
}
