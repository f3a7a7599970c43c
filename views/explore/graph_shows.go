package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// graphShow is a picture that the page offers to begin with. Its text says what it shows.
type graphShow struct{ key, name, text string }

var graphShows = []graphShow{
	{"session", "Last session", "The last session: who said what, and which robots heard it."},
	{"met", "Who met whom", "Who met whom in the last session: whose sentences a robot heard."},
	{"causes", "Causes", "What the last answer goes back to."},
	{"models", "Models", "The models that robots used in the last session."},
}

// Limits of the offered pictures.
const (
	lastActivities = 1000             // read, newest first
	sessionPause   = 30 * time.Minute // ends a session
	maxShared      = 8                // sentences shown
	fewShared      = 4                // below, sentences that one robot heard are shown too
	mostInRows     = 14               // nodes in a column that one word leads from or to
	causeSteps     = 4
)

// edgeWords are the words of predicates, in the direction of an edge and against it. Two predicates that say
// one thing have one.
var edgeWords = map[string][2]string{
	vocabulary.SegbWasPerformedBy: {"done by", "did"}, vocabulary.ProvWasAssociatedWith: {"done by", "did"},
	vocabulary.ProvWasAttributedTo:     {"reported by", "reported"},
	vocabulary.SegbTriggeredByActivity: {"because of", "led to"}, vocabulary.SegbTriggeredByEntity: {"because of", "led to"},
	vocabulary.ProvWasInformedBy: {"because of", "led to"}, vocabulary.ProvWasInfluencedBy: {"because of", "led to"},
	vocabulary.ProvGenerated: {"made", "made by"}, vocabulary.SegbProducedEntityResult: {"made", "made by"},
	vocabulary.ProvWasGeneratedBy: {"made by", "made"},
	vocabulary.ProvUsed:           {"used", "used by"}, vocabulary.SegbUsedMLModel: {"used", "used by"}, vocabulary.ProvWasDerivedFrom: {"based on", "basis of"},
	vocabulary.SchemaAbout: {"about", "subject of"}, vocabulary.SchemaSender: {"said by", "said"}, vocabulary.ProvAtLocation: {"at", "place of"},
	vocabulary.ProvSpecializationOf: {"part of", "consists of"}, vocabulary.OAHasTarget: {"shown by", "shows"},
	vocabulary.ProvStartedAtTime: {"began"}, vocabulary.ProvEndedAtTime: {"ended"},
}

// deeds are the words for what a robot did, by the word of its kind: as edgeWords has them for others.
var deeds = map[string][2]string{
	"heard": {"heard by", "heard"}, "said": {"said by", "said"}, "decision": {"decided by", "decided"},
	"emotion read": {"emotion read by", "did"}, "person noticed": {"noticed by", "noticed"}, "model run": {"run by", "ran"},
}

// deed returns the word of a link from an activity to who did it, or against it. kind is the word of its kind.
func deed(kind string, against bool) string {
	words, ok := deeds[kind]
	if !ok {
		words = edgeWords[vocabulary.SegbWasPerformedBy]
	}
	return words[map[bool]int{true: 1}[against]]
}

// linkWord returns the word of a predicate in the direction of its edges, or against it.
func linkWord(predicate string, against bool) string {
	if words, ok := edgeWords[predicate]; ok {
		return words[map[bool]int{true: 1}[against]]
	}
	return views.PlainWords(predicate)
}

// againstWord returns what is said against an edge of that word, or "" if the word has no other.
func againstWord(word string) string {
	for _, all := range []map[string][2]string{edgeWords, deeds} {
		for _, words := range all {
			if words[0] == word {
				return words[1]
			}
		}
	}
	if word == "met" || word == metBoth {
		return word
	}
	return ""
}

// name returns the name of an edge's predicate, or the edge's own word.
func (e graphEdge) name(names []turtle.Prefix) string {
	if e.told != "" {
		return e.told
	}
	return views.ShortIRI(e.P.Value(), names)
}

// word returns what the picture says of an edge, or against it. Without a word for that, it says the same.
func (p *picture) word(e graphEdge, against bool) string {
	if e.told != "" {
		return e.told
	}
	if i, there := p.index[e.S.Value()]; there && linkWord(e.P.Value(), false) == deed("", false) {
		return deed(kindWord(p.nodes[i].kind), against)
	}
	return linkWord(e.P.Value(), against)
}

// showTabs returns the links to the offered pictures, and the text of the one that is shown.
func showTabs(shown string) (out []views.Tab, text string) {
	for _, s := range graphShows {
		out = append(out, views.Tab{Name: s.name, Href: "/kg-graph?show=" + s.key, Current: s.key == shown})
		if s.key == shown {
			text = s.text
		}
	}
	return out, text
}

// opening returns the state of the picture that the page shows: st or, if the address asks for no
// picture, the last session's. It adds the links to the offered pictures.
func (u *handlers) opening(ctx context.Context, st graphState, m *Graph) (graphState, error) {
	if st.search != "" { // what is found is another beginning
		st.show = ""
	} else if len(st.ops) == 0 && st.construct == "" && st.show == "" {
		st.show = graphShows[0].key
	}
	if m.Shows, m.ShowText = showTabs(st.show); st.show == "causes" {
		return u.causes(ctx, st, m)
	}
	return st, nil
}

// causes adds to st the last answer or, without one, the last decision, and a walk to its causes. If there is neither,
// it adds nothing. If finding the last one takes too long, it says so in m.
func (u *handlers) causes(ctx context.Context, st graphState, m *Graph) (graphState, error) {
	st.show = ""
	last, newest, err := u.lastActs(ctx, "?a a <"+vocabulary.OroResponseAction+"> ; <"+vocabulary.SegbTriggeredByActivity+"> ?x", 1)
	if err == nil && len(last) == 0 {
		last, newest, err = u.lastActs(ctx, "?a a <"+vocabulary.OroDecisionMakingAction+">", 1)
	}
	if !newest {
		m.ShowText = "What an answer goes back to; finding the last one takes too long."
	}
	if len(last) > 0 {
		by := strings.Join(causing, " ")
		st = st.adding(last[0]).walking(graphOp{iri: last[0], walk: true, out: true, count: causeSteps, by: by})
	}
	return st, err
}

// metBoth is the word of two robots that met each other: one line stands for both directions.
const metBoth = "met and was met by"

// tell adds an edge that is no triple but has a word, with its two nodes, unless there is no more room for those on
// its side. Of several edges between two nodes, it keeps the first, and counts those that have a time.
func (p *picture) tell(from, word, to string, at time.Time) {
	full := false
	for side, iri := range map[string]string{word + " from": from, word + " to": to} {
		if p.sides[side] == nil {
			p.sides[side] = map[string]bool{}
		}
		p.sides[side][iri] = true
		full = full || len(p.sides[side]) > mostInRows && p.without(iri)
	}
	if full {
		return
	}
	p.add(from, 0, -1, graphState{})
	p.add(to, 0, -1, graphState{})
	t := rdf.Triple{S: rdf.NewIRI(from), O: rdf.NewIRI(to)}
	i := slices.IndexFunc(p.told, func(e graphEdge) bool { return e.S == t.S && e.O == t.O || e.S == t.O && e.O == t.S })
	if i >= 0 && p.told[i].S != t.S && word == "met" {
		p.told[i].told = metBoth
	} else if i < 0 {
		p.told, i = append(p.told, graphEdge{Triple: t, own: true, told: word, last: at}), len(p.told)
	}
	if !at.IsZero() {
		p.told[i].times++
	}
}

func (p *picture) without(iri string) bool {
	_, there := p.index[iri]
	return !there
}

// left returns how many nodes an offered picture leaves out, for which there is no room.
func (p *picture) left() int {
	all := map[string]bool{}
	for _, side := range p.sides {
		for iri := range side {
			if p.without(iri) {
				all[iri] = true
			}
		}
	}
	return len(all)
}

// last calls row with the rows of a pattern of ?activity and ?robot for the newest activities,
// until there is a pause. The first column is the time. It sets p.newest to the time of the first of these rows, and p.cut if
// there are more activities without a pause.
func (u *handlers) last(ctx context.Context, p *picture, columns, pattern string, row func([]rdf.Term, time.Time)) error {
	rows, err := u.Ask(ctx, fmt.Sprintf(`%s SELECT ?start ?robot %s {
		{ SELECT ?start ?activity { ?activity <%s> ?start %s } ORDER BY DESC(?start) LIMIT %d }
		?activity <%s> ?robot . %s
	} ORDER BY DESC(?start)`, xsd, columns, vocabulary.ProvStartedAtTime, u.untilSoon("?start"), lastActivities, vocabulary.SegbWasPerformedBy, pattern))
	if err != nil {
		return err
	}
	var before time.Time
	for _, r := range rows {
		at, _ := views.TimeOf(r[0])
		if at = at.In(views.ZoneOf(ctx)); !before.IsZero() && before.Sub(at) > sessionPause {
			return nil
		}
		if before = at; r[1].IsIRI() && r[2].IsIRI() {
			if p.newest.IsZero() {
				p.newest = at
			}
			row(r, at)
		}
	}
	more, err := u.Ask(ctx, fmt.Sprintf("%s SELECT ?activity { ?activity <%s> ?start %s } OFFSET %d LIMIT 1", xsd, vocabulary.ProvStartedAtTime, u.untilSoon("?start"), lastActivities))
	p.cut = len(more) > 0
	return err
}

// show adds the nodes and edges of the offered picture that st.show names. It adds nothing for "causes",
// which is made of steps (see opening), nor if no picture has that name.
func (u *handlers) show(ctx context.Context, st graphState, p *picture) error {
	said := fmt.Sprintf("?message <%s> ?activity ; <%s> ?who", vocabulary.ProvWasGeneratedBy, vocabulary.SchemaSender)
	switch st.show { // rows have a time, a robot, and what the columns name
	case "session":
		return u.showShared(ctx, p, said)
	case "met":
		return u.last(ctx, p, "?who", said, func(r []rdf.Term, at time.Time) {
			if r[1] != r[2] {
				p.tell(p.same.First(r[2].Value()), "met", r[1].Value(), at)
			}
		})
	case "models":
		return u.last(ctx, p, "?model", "?activity <"+vocabulary.SegbUsedMLModel+"> ?model", func(r []rdf.Term, at time.Time) {
			p.tell(r[1].Value(), "used", r[2].Value(), at)
		})
	}
	return nil
}

// sharedEvent is an event of the last session: who said it, and which robots heard and answered.
type sharedEvent struct {
	iri, who        string
	heard, answered []string
}

// showShared adds the newest events that several robots heard, oldest first; if there are few, also some that one heard.
func (u *handlers) showShared(ctx context.Context, p *picture, said string) error {
	var rows [][]rdf.Term
	events := map[string]bool{}
	pattern := fmt.Sprintf("?activity <%s> ?event . ?event <%s> ?words OPTIONAL { %s }",
		vocabulary.SchemaAbout, vocabulary.SchemaDescription, said)
	err := u.last(ctx, p, "?event ?who", pattern, func(r []rdf.Term, _ time.Time) {
		rows = append(rows, r)
		events[r[2].Value()] = true
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	roots, err := u.contextRoots(ctx, events)
	if err != nil {
		return err
	}
	all := gatherEvents(rows, roots, p.same)
	shared := slices.Clone(all) // first those that several robots heard, the newest first; then the others
	slices.SortStableFunc(shared, func(a, b *sharedEvent) int { return min(len(b.heard), 2) - min(len(a.heard), 2) })
	several := slices.IndexFunc(shared, func(e *sharedEvent) bool { return len(e.heard) < 2 })
	if several < 0 {
		several = len(shared)
	}
	shared = shared[:min(len(shared), max(several, fewShared), maxShared)]
	p.unsaid = len(all) - len(shared)
	slices.SortStableFunc(shared, func(a, b *sharedEvent) int { return slices.Index(all, b) - slices.Index(all, a) })
	for _, e := range shared {
		if e.who != "" {
			p.tell(e.who, "said", e.iri, time.Time{})
		}
		slices.Sort(e.heard)
		for _, robot := range e.heard {
			word := "heard"
			if slices.Contains(e.answered, robot) {
				word = "answered"
			}
			p.tell(robot, word, e.iri, time.Time{})
		}
	}
	return nil
}

// gatherEvents returns the events of some rows, newest first, as the rows are. A row has the time of an
// activity, its robot, the event that it is about, and the sender of the message that it made, or the zero
// Term without a message. The sender is the robot itself if it answered, or else whom it heard. roots maps
// an event to the one that now represents it.
func gatherEvents(rows [][]rdf.Term, roots map[string]string, persons views.Persons) (all []*sharedEvent) {
	for _, r := range rows {
		iri, robot := cmp.Or(roots[r[2].Value()], r[2].Value()), r[1].Value()
		i := slices.IndexFunc(all, func(e *sharedEvent) bool { return e.iri == iri })
		if i < 0 {
			all, i = append(all, &sharedEvent{iri: iri}), len(all)
		}
		e := all[i]
		if !slices.Contains(e.heard, robot) {
			e.heard = append(e.heard, robot)
		}
		if r[3] == r[1] {
			e.answered = append(e.answered, robot)
		} else if r[3].IsIRI() {
			e.who = persons.First(r[3].Value())
		}
	}
	return all
}
