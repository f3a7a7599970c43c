package explore

import (
	"context"
	"maps"

	"github.com/segraph/segraph/views"
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
