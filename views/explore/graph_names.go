package explore

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// tellApart gives distinct names to robots and people of a picture that share a label, and one to the names of a person.
func (u *handlers) tellApart(ctx context.Context, p *picture) {
	labels := maps.Clone(u.Parties(ctx))
	for _, n := range p.nodes {
		if n.isParty() {
			labels[n.iri] = n.label
		}
	}
	p.partyNames = views.TellApart(p.persons.Fold(labels), u.Ages)
	for name := range p.persons {
		p.partyNames[name] = p.partyNames[p.persons.First(name)]
	}
	for _, n := range p.nodes {
		if name := p.partyNames[n.iri]; n.isParty() && name != views.PartyName(n.iri, n.label) {
			n.label = name
		}
	}
}

// isParty reports whether a node is a robot or a person.
func (n *graphNode) isParty() bool { return n.family == "robot" || n.family == "human" }

// sentences labels what a robot heard or said with its words, unless the picture has the message too.
func (u *handlers) sentences(ctx context.Context, p *picture) error {
	var acts []string
	for _, n := range p.nodes {
		if n.label == "" && (n.kind == vocabulary.OroListeningEvent || n.kind == vocabulary.OroResponseAction) {
			acts = append(acts, n.iri)
		}
	}
	if len(acts) == 0 {
		return nil
	}
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?a ?m ?text { VALUES ?a { %s } ?m <%s> ?a ; <%s> ?text } LIMIT %d",
		iriValues(acts), vocabulary.ProvWasGeneratedBy, vocabulary.SchemaText, 2*maxGraphNodes))
	for _, row := range rows {
		n := p.nodes[p.index[row[0].Value()]]
		if i, there := p.index[row[1].Value()]; n.label == "" && (!there || p.nodes[i] == n) {
			n.label, n.spoken = row[2].Value(), true
		}
	}
	return err
}

// results labels emotions and annotations without a label with the names of emotions, and states of robots with their places.
func (u *handlers) results(ctx context.Context, p *picture) error {
	var felt []string
	for _, n := range p.nodes {
		if n.label != "" || n.family != "result" {
			continue
		}
		if places := n.objects(vocabulary.ProvAtLocation); len(places) > 0 {
			n.label = "state in " + strings.TrimPrefix(views.Words(views.Short(places[0])), "location ")
		} else {
			felt = append(felt, n.iri)
		}
	}
	if len(felt) == 0 {
		return nil
	}
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?n ?c { VALUES ?n { %s } ?n (<%s>/<%[3]s>)|<%[3]s> ?c } ORDER BY ?n ?c LIMIT %[4]d",
		iriValues(felt), vocabulary.OnyxHasEmotion, vocabulary.OnyxHasEmotionCategory, 2*maxGraphNodes))
	for _, row := range rows {
		if n := p.nodes[p.index[row[0].Value()]]; n.label == "" {
			n.label = views.Feeling(row[1].Value())
		}
	}
	return err
}
