package webui

import (
	"context"
	"maps"

	"github.com/segraph/segraph/views"
)

// tellApart gives distinct names to robots and people of a picture that share a label.
func (u *UI) tellApart(ctx context.Context, p *picture) {
	labels := maps.Clone(u.parties(ctx))
	for _, n := range p.nodes {
		if n.isParty() {
			labels[n.iri] = n.label
		}
	}
	p.partyNames = views.TellApart(labels, u.ages)
	for _, n := range p.nodes {
		if name := p.partyNames[n.iri]; n.isParty() && name != partyName(n.iri, n.label) {
			n.label = name
		}
	}
}

// isParty reports whether a node is a robot or a person.
func (n *graphNode) isParty() bool { return n.family == "robot" || n.family == "human" }
