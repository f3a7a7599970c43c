package explore

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// partActs is how many activities the page of a robot or a person tells.
const partActs = 30

// explainParty fills the model of the page about a robot or a person: what it did or what
// happened to it last.
func (u *handlers) explainParty(ctx context.Context, y *why, m *Why, names []turtle.Prefix) error {
	all := y.persons.All(y.start.iri)
	var parts []string
	for _, name := range all {
		parts = append(parts, "{ "+partIn("<"+name+">")+" }")
	}
	acts, newest, err := u.lastActs(ctx, strings.Join(parts, " UNION "), partActs)
	if err != nil {
		return err
	}
	if m.Part, err = u.tellActs(ctx, newWhy(y.persons), acts, names); err != nil {
		return err
	}
	for _, name := range y.persons.Others(y.start.iri) {
		m.Others = append(m.Others, WhyRef{name, views.AboutIRI(name)})
	}
	m.Triples = views.QueryAddress("DESCRIBE <" + strings.Join(all, "> <") + ">")
	m.PartCut = len(acts) == partActs
	m.Any = m.PartCut && !newest
	if u.has("/reports") {
		m.Met = "/reports?" + url.Values{"section": {"people"}, "who": {y.start.iri}}.Encode() + "#people"
	}
	if n := len(m.Part); n > 0 && !m.Any && !m.Part[n-1].At.IsZero() && u.has("/replay") {
		m.Replay = views.ReplayAt(m.Part[n-1].At)
	}
	return nil
}

// sign returns the sign of an activity, which is that of saying or hearing if the activity has a message.
func (t *teller) sign(n *graphNode) GraphSign {
	for _, made := range t.makes(n) {
		if made.isMessage() && made.sender() == n.performer {
			return signOf(vocabulary.OroResponseAction, n.family)
		} else if made.isMessage() && made.sender() != "" {
			return signOf(vocabulary.OroListeningEvent, n.family)
		}
	}
	return n.sign
}

// partIn returns a pattern of the activities, ?a, in which somebody took part: those that
// they performed, and those about what they said, what was said to them, what they felt, and
// events about them.
func partIn(who string) string {
	return fmt.Sprintf(`{ ?a <%s> %[8]s } UNION { ?m <%[2]s>|<%[9]s> %[8]s ; <%[3]s> ?a } UNION { ?m <%[2]s> %[8]s . ?r <%[4]s> ?m ; <%[3]s> ?a }
	UNION { ?f <%[5]s> %[8]s . ?a <%[6]s> ?f } UNION { ?e <%[7]s> %[8]s . ?a <%[7]s> ?e }`, vocabulary.SegbWasPerformedBy, vocabulary.SchemaSender,
		vocabulary.ProvWasGeneratedBy, vocabulary.ProvWasDerivedFrom, vocabulary.OAHasTarget, vocabulary.SegbProducedEntityResult, vocabulary.SchemaAbout, who, vocabulary.SchemaRecipient)
}

// tellActs reads activities into y, and tells them in a sentence each, in order of time. It leaves out what is no
// activity.
func (u *handlers) tellActs(ctx context.Context, y *why, iris []string, names []turtle.Prefix) ([]WhyAct, error) {
	if len(iris) == 0 {
		return nil, nil
	}
	rows, err := u.Ask(ctx, fmt.Sprintf(`SELECT ?made { VALUES ?a { <%s> } { ?a <%s>|<%s> ?made } UNION { ?made <%s> ?a } FILTER(isIRI(?made)) } LIMIT %d`,
		strings.Join(iris, "> <"), vocabulary.ProvGenerated, vocabulary.SegbProducedEntityResult, vocabulary.ProvWasGeneratedBy, 4*len(iris)))
	if err != nil {
		return nil, err
	}
	read := slices.Clone(iris)
	for _, row := range rows {
		read = append(read, row[0].Value())
	}
	for range 3 { // the activities and what they made; who took part; whom their events are about
		found, err := u.describeMore(ctx, y, read)
		if err != nil {
			return nil, err
		}
		read = nil
		for _, n := range found {
			read = append(read, slices.Concat(n.participants, n.objects(vocabulary.SchemaAbout), n.objects(vocabulary.SegbUsedMLModel))...)
		}
	}
	u.tellApart(ctx, y.picture)
	y.link()
	if err := u.readFacts(ctx, y); err != nil {
		return nil, err
	}
	y.start = &graphNode{}
	t := &teller{why: y, names: names}
	var out []WhyAct
	for _, iri := range iris {
		if at, ok := y.index[iri]; ok && y.nodes[at].isActivity() {
			n := y.nodes[at]
			out = append(out, WhyAct{Text: t.clause(n), Href: views.WhyAddress(iri), Time: shownTime(n), At: n.at, Sign: t.sign(n)})
		}
	}
	slices.SortStableFunc(out, func(a, b WhyAct) int { return a.At.Compare(b.At) })
	return out, nil
}
