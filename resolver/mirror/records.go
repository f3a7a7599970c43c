package mirror

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// resolver is the agent of decisions that no person and no robot caused.
const resolver = "urn:segraph:resolver"

// few is about how many quads most records have.
const few = 12

// OfContext returns the quads of a context.
func (n Names) OfContext(x *record.Context) []rdf.Quad {
	return n.AppendContext(make([]rdf.Quad, 0, few), x)
}

// AppendContext appends the quads of a context.
func (n Names) AppendContext(to []rdf.Quad, x *record.Context) []rdf.Quad {
	w := writer{quads: to}
	s := rdf.NewIRI(x.URI)
	w.add(s, rdf.RDFType, rdf.NewIRI(vocabulary.ScSharedContext))
	w.text(s, vocabulary.ScStatus, x.Status().String())
	w.text(s, vocabulary.ScEventKind, x.Kind)
	first, last := x.Members[0].At, x.Members[0].At
	subject, modality := "", ""
	for _, m := range x.Members {
		first, last = min(first, m.At), max(last, m.At)
		if !m.Generic {
			subject = cmp.Or(subject, m.Subject)
		}
		modality = cmp.Or(modality, m.Modality)
	}
	w.reference(s, vocabulary.ScSubject, subject)
	w.text(s, vocabulary.ScModality, modality)
	w.time(s, vocabulary.ScFirstObservedAt, first)
	w.time(s, vocabulary.ScLastObservedAt, last)
	w.time(s, vocabulary.ProvGeneratedAtTime, x.Created)
	for i, a := range x.Separations {
		if a.Own == x.Number && !slices.Contains(x.Separations[:i], a) { // the records of the other contexts have the quad
			w.add(s, vocabulary.ScNotSameEventAs, rdf.NewIRI(n.Context(a.Other)))
		}
	}
	if x.LateOf != 0 {
		w.add(s, vocabulary.ScLateReportOf, rdf.NewIRI(n.Context(x.LateOf)))
	}
	if x.Into != 0 {
		w.add(s, vocabulary.ScMergedInto, rdf.NewIRI(n.Context(x.Into)))
	}
	return w.quads
}

// OfObservation returns the quads of an observation.
func (n Names) OfObservation(o *record.Observation) []rdf.Quad {
	return n.AppendObservation(make([]rdf.Quad, 0, few), o)
}

// AppendObservation appends the quads of an observation.
func (n Names) AppendObservation(to []rdf.Quad, o *record.Observation) []rdf.Quad {
	w := writer{quads: to}
	s := own(n.Observation(o.Number))
	w.add(s, rdf.RDFType, rdf.NewIRI(vocabulary.ScObservation))
	w.add(s, vocabulary.ProvSpecializationOf, rdf.NewIRI(n.Context(o.Context)))
	w.add(s, vocabulary.ScObservedAt, rdf.NewLiteral(o.ObservedAt, rdf.XSDDateTime))
	w.time(s, vocabulary.ScCorrectedAt, o.Corrected)
	w.reference(s, vocabulary.ScSubject, o.Subject)
	w.text(s, vocabulary.ScModality, o.Modality)
	w.text(s, vocabulary.ScText, o.Text)
	w.reference(s, vocabulary.ScObservedBy, o.Robot)
	w.reference(s, vocabulary.ProvAtLocation, o.Location)
	w.reference(s, vocabulary.ScObservationURI, o.URI)
	switch {
	case o.URI != "" && !o.Reused: // the URI is the key
		w.text(s, vocabulary.ScRequestKey, o.URI)
	case o.Key != (record.Hash{}):
		w.text(s, vocabulary.ScRequestKey, fmt.Sprintf("%x", o.Key))
	}
	if o.Reused {
		w.add(s, vocabulary.ScIDReused, rdf.NewLiteral("true", rdf.XSDBoolean))
	}
	w.integer(s, vocabulary.ScSequence, o.Number)
	return w.quads
}

// OfCase returns the quads of a case, its candidates and the evidence for them.
func (n Names) OfCase(k *record.Case) []rdf.Quad {
	w := writer{quads: make([]rdf.Quad, 0, 10+20*len(k.Targets))}
	id := n.Case(k.Number)
	s := own(id)
	w.add(s, rdf.RDFType, rdf.NewIRI(vocabulary.ScReviewCase))
	w.text(s, vocabulary.ScCaseID, id)
	w.text(s, vocabulary.ScCaseStatus, k.Status.String())
	w.add(s, vocabulary.ScSource, rdf.NewIRI(n.Context(k.Source)))
	w.text(s, vocabulary.ScReason, k.Reason)
	w.time(s, vocabulary.ScOpenedAt, k.Opened)
	if k.Decided != 0 {
		w.time(s, vocabulary.ScDecidedAt, k.Decided)
	}
	if k.Selected != 0 {
		w.add(s, vocabulary.ScSelectedTarget, rdf.NewIRI(n.Context(k.Selected)))
	}
	for i, t := range k.Targets {
		c := own(id + "/candidate/" + strconv.Itoa(i+1))
		w.add(s, vocabulary.ScCandidateOf, c)
		w.add(c, rdf.RDFType, rdf.NewIRI(vocabulary.ScCandidate))
		w.add(c, vocabulary.ScTarget, rdf.NewIRI(n.Context(t.Context)))
		w.integer(c, vocabulary.ScRank, uint64(i+1))
		w.float(c, vocabulary.ScLogOdds, t.LogOdds)
		w.float(c, vocabulary.ScPosterior, t.Probability)
		for _, p := range t.Parts {
			node := contribution(p)
			w.add(c, vocabulary.ScContribution, node)
			if !n.said(node) {
				w.contribution(node, p.Feature, decimal(p.Weight), p.Value)
			}
		}
	}
	return w.quads
}

// OfDecision returns the quads of a decision.
func (n Names) OfDecision(d *record.Decision) []rdf.Quad {
	return n.AppendDecision(make([]rdf.Quad, 0, few), d)
}

// AppendDecision appends the quads of a decision.
func (n Names) AppendDecision(to []rdf.Quad, d *record.Decision) []rdf.Quad {
	w := writer{quads: to}
	s := own(n.Decision(d.Number))
	w.add(s, rdf.RDFType, rdf.NewIRI(decisions[d.Kind]))
	w.time(s, vocabulary.ProvStartedAtTime, d.At)
	if d.Observation != 0 {
		w.add(s, vocabulary.ProvUsed, own(n.Observation(d.Observation)))
	}
	if d.Case != 0 {
		w.add(s, vocabulary.ProvUsed, own(n.Case(d.Case)))
	}
	if d.Target != 0 {
		w.add(s, vocabulary.ProvUsed, rdf.NewIRI(n.Context(d.Target)))
	}
	for _, k := range d.Closed {
		w.add(s, vocabulary.ProvUsed, own(n.Case(k)))
	}
	if d.Source != 0 {
		p := vocabulary.ProvUsed
		switch d.Kind {
		case record.Creation, record.Doubtful, record.Undoing:
			p = vocabulary.ProvGenerated
		case record.AutoMerge, record.AcceptedMerge:
			p = vocabulary.ProvInvalidated
		}
		w.add(s, p, rdf.NewIRI(n.Context(d.Source)))
	}
	if d.Kind == record.Undoing {
		w.add(s, vocabulary.ProvUsed, own(n.Decision(d.Undone)))
	}
	if d.LogOdds != 0 {
		// Four decimals, and no log odds: a distinct value for every match would cost
		// each match a page at a random position of two indexes. The record has all
		// digits.
		w.float(s, vocabulary.ScPosterior, math.Round(d.Probability*1e4)/1e4)
	}
	of := AssociationOf(d)
	node := n.hashed("association", of.Agent, of.Plan)
	w.add(s, vocabulary.ProvWasAssociatedWith, rdf.NewIRI(of.Agent))
	w.add(s, vocabulary.ProvQualifiedAssociation, node)
	if !n.said(node) {
		_, quads := n.OfAssociation(of)
		w.quads = append(w.quads, quads...)
	}
	return append(w.quads, n.Published(d)...)
}

// Published returns the quads of a decision in the published graph: the two of a valid
// merge, unless the graph was cleared since.
func (n Names) Published(d *record.Decision) []rdf.Quad {
	if !IsMerge(d) || d.Undone != 0 || d.Number <= n.Unpublished {
		return nil
	}
	return published(n.Context(d.Source), n.Context(d.Target))
}

// published returns the quads in the published graph that say that a URI leads to a context.
func published(from, to string) []rdf.Quad {
	source, target := rdf.NewIRI(from), rdf.NewIRI(to)
	return []rdf.Quad{
		{S: source, P: rdf.NewIRI(vocabulary.ScMergedInto), O: target},
		{S: source, P: rdf.NewIRI(vocabulary.ProvAlternateOf), O: target},
	}
}

// OfAlias returns the quads of an alias, which are those of a merge.
func (n Names) OfAlias(a *record.Alias) []rdf.Quad {
	w, to := writer{}, n.Context(a.Context)
	w.add(rdf.NewIRI(a.URI), vocabulary.ScMergedInto, rdf.NewIRI(to))
	if a.Decision <= n.Unpublished {
		return w.quads
	}
	return append(w.quads, published(a.URI, to)...)
}

// IsMerge reports whether a decision merged two contexts.
func IsMerge(d *record.Decision) bool {
	return d.Kind == record.AutoMerge || d.Kind == record.AcceptedMerge
}

// agent returns the IRI of a decision's agent: a person, or the robot whose observation
// caused it. It returns "" if the resolver decided by itself.
func agent(d *record.Decision) string {
	switch {
	case d.Kind == record.AutoMerge || d.Kind == record.Supersession:
		return ""
	case rdf.IsIRI(d.Robot):
		return d.Robot
	case d.By != "":
		return User(d.By)
	}
	return ""
}

// Association is who decided by which rules. All decisions of one agent by the same rules share its node.
type Association struct{ Agent, Plan string }

// AssociationOf returns the association of a decision.
func AssociationOf(d *record.Decision) Association {
	return Association{cmp.Or(agent(d), resolver), d.Plan}
}

// OfAssociation returns the node of an association, and its quads.
func (n Names) OfAssociation(of Association) (node rdf.Term, quads []rdf.Quad) {
	w := writer{}
	node = n.hashed("association", of.Agent, of.Plan)
	w.add(node, rdf.RDFType, rdf.NewIRI(vocabulary.ProvAssociation))
	w.add(node, vocabulary.ProvAgentProperty, rdf.NewIRI(of.Agent))
	w.add(node, vocabulary.ProvHadPlan, rdf.NewIRI(of.Plan))
	return node, w.quads
}
