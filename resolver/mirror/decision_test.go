package mirror_test

import (
	"testing"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

var decisionCases = []struct {
	what   string
	record record.Decision
	want   string
}{
	{"the creation of a context, by a robot's observation", record.Decision{Number: 1, Kind: record.Creation, At: monday, Plan: plan, By: "ana", Robot: "https://ex/ari",
		Observation: 1, Source: 1}, `
			seg:decision_1 rdf:type sc:Creation
			seg:decision_1 prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_1 prov:used seg:observation_1
			seg:decision_1 prov:generated <https://ex/c1>
			seg:decision_1 prov:wasAssociatedWith <https://ex/ari>
			seg:decision_1 prov:qualifiedAssociation seg:association_f761f2e431196c34
		`},
	{"a match", record.Decision{Number: 2, Kind: record.Match, At: monday, Plan: plan, By: "ana", Robot: "https://ex/ari", Observation: 2, Target: 1,
		LogOdds: 4.2, Probability: 0.98765432}, `
			seg:decision_2 rdf:type sc:Match
			seg:decision_2 prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_2 prov:used seg:observation_2
			seg:decision_2 prov:used <https://ex/c1>
			seg:decision_2 sc:posterior "0.9877"^^xsd:double
			seg:decision_2 prov:wasAssociatedWith <https://ex/ari>
			seg:decision_2 prov:qualifiedAssociation seg:association_f761f2e431196c34
		`},
	{"a doubt, by a robot whose name is no IRI", record.Decision{Number: 3, Kind: record.Doubtful, At: monday, Plan: plan, By: "ana b", Robot: "ari", Observation: 3, Source: 2,
		Case: 1, LogOdds: 0.5, Probability: 0.5}, `
			seg:decision_3 rdf:type sc:Doubt
			seg:decision_3 prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_3 prov:used seg:observation_3
			seg:decision_3 prov:used seg:review_1
			seg:decision_3 prov:generated <https://ex/c2>
			seg:decision_3 sc:posterior "0.5"^^xsd:double
			seg:decision_3 prov:wasAssociatedWith seg:user:ana%20b
			seg:decision_3 prov:qualifiedAssociation seg:association_5a635ba4a4e5bb2a
		`},
	{"a merge without a person", record.Decision{Number: 4, Kind: record.AutoMerge, At: monday, Plan: plan, By: "ana", Source: 3, Target: 1, Closed: []uint64{1, 2}, LogOdds: 6}, `
			seg:decision_4 rdf:type sc:AutoMerge
			seg:decision_4 prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_4 prov:used <https://ex/c1>
			seg:decision_4 prov:used seg:review_1
			seg:decision_4 prov:used seg:review_2
			seg:decision_4 prov:invalidated <https://ex/c3>
			seg:decision_4 sc:posterior "0"^^xsd:double
			seg:decision_4 prov:wasAssociatedWith seg:resolver
			seg:decision_4 prov:qualifiedAssociation seg:association_6e8f5f87a9d25ade
			<https://ex/c3> sc:mergedInto <https://ex/c1> (published)
			<https://ex/c3> prov:alternateOf <https://ex/c1> (published)
		`},
	{"a merge that a person accepted", record.Decision{Number: 5, Kind: record.AcceptedMerge, At: monday, Plan: plan, By: "ana", Source: 3, Target: 1, Case: 1}, `
			seg:decision_5 rdf:type sc:AcceptedMerge
			seg:decision_5 prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_5 prov:used seg:review_1
			seg:decision_5 prov:used <https://ex/c1>
			seg:decision_5 prov:invalidated <https://ex/c3>
			seg:decision_5 prov:wasAssociatedWith seg:user:ana
			seg:decision_5 prov:qualifiedAssociation seg:association_32b7f0684b1f0967
			<https://ex/c3> sc:mergedInto <https://ex/c1> (published)
			<https://ex/c3> prov:alternateOf <https://ex/c1> (published)
		`},
	{"a merge that was undone", record.Decision{Number: 6, Kind: record.AcceptedMerge, At: monday, Plan: plan, By: "ana", Source: 3, Target: 1, Case: 1, Undone: 9}, `
			seg:decision_6 rdf:type sc:AcceptedMerge
			seg:decision_6 prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_6 prov:used seg:review_1
			seg:decision_6 prov:used <https://ex/c1>
			seg:decision_6 prov:invalidated <https://ex/c3>
			seg:decision_6 prov:wasAssociatedWith seg:user:ana
			seg:decision_6 prov:qualifiedAssociation seg:association_32b7f0684b1f0967
		`},
	{"a rejection", record.Decision{Number: 7, Kind: record.Rejection, At: monday, Plan: plan, By: "ana", Source: 3, Case: 1, Joined: []record.Separation{{Own: 3, Other: 1}}}, `
			seg:decision_7 rdf:type sc:Rejection
			seg:decision_7 prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_7 prov:used seg:review_1
			seg:decision_7 prov:used <https://ex/c3>
			seg:decision_7 prov:wasAssociatedWith seg:user:ana
			seg:decision_7 prov:qualifiedAssociation seg:association_32b7f0684b1f0967
		`},
	{"a case that became pointless", record.Decision{Number: 8, Kind: record.Supersession, At: monday, Plan: plan, By: "ana", Source: 3, Case: 1}, `
			seg:decision_8 rdf:type sc:Supersession
			seg:decision_8 prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_8 prov:used seg:review_1
			seg:decision_8 prov:used <https://ex/c3>
			seg:decision_8 prov:wasAssociatedWith seg:resolver
			seg:decision_8 prov:qualifiedAssociation seg:association_6e8f5f87a9d25ade
		`},
	{"an undoing", record.Decision{Number: 9, Kind: record.Undoing, At: monday, Plan: plan, By: "ana", Source: 3, Target: 1, Case: 1, Undone: 6}, `
			seg:decision_9 rdf:type sc:Undo
			seg:decision_9 prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_9 prov:used seg:review_1
			seg:decision_9 prov:used <https://ex/c1>
			seg:decision_9 prov:generated <https://ex/c3>
			seg:decision_9 prov:used seg:decision_6
			seg:decision_9 prov:wasAssociatedWith seg:user:ana
			seg:decision_9 prov:qualifiedAssociation seg:association_32b7f0684b1f0967
		`},
	{"nobody known", record.Decision{Number: 10, Kind: record.Creation, At: monday, Plan: plan, Source: 1}, `
			seg:decision_a rdf:type sc:Creation
			seg:decision_a prov:startedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:decision_a prov:generated <https://ex/c1>
			seg:decision_a prov:wasAssociatedWith seg:resolver
			seg:decision_a prov:qualifiedAssociation seg:association_6e8f5f87a9d25ade
		`},
}

func TestOfDecision(t *testing.T) {
	n := names()
	n.Said = func(rdf.Term) bool { return true } // see TestAgentsAndRulesAreMirroredOnce
	for _, c := range decisionCases {
		is(t, c.what, n.OfDecision(&c.record), c.want)
	}
}
