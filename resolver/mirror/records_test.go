package mirror_test

import (
	"testing"

	"github.com/segraph/segraph/resolver/record"
)

var contextCases = []struct {
	what   string
	record record.Context
	want   string
}{
	{"the least that a context has", record.Context{Number: 1, URI: "https://ex/c1", Kind: "wave", Created: monday,
		Members: []record.Member{{At: monday}}}, `
			<https://ex/c1> rdf:type sc:SharedContext
			<https://ex/c1> sc:status "active"
			<https://ex/c1> sc:eventKind "wave"
			<https://ex/c1> sc:firstObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c1> sc:lastObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c1> prov:generatedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
		`},
	{"the first known subject and modality, and the time that all members span", record.Context{Number: 2, URI: "https://ex/c2", Kind: "human_utterance",
		Created: monday + second, Members: []record.Member{
			{At: monday + 3*second, Subject: "https://ex/user", Generic: true}, {At: monday + second, Subject: "https://ex/maria", Modality: "speech"},
			{At: monday + 2*second, Subject: "https://ex/other", Modality: "gesture"}}}, `
			<https://ex/c2> rdf:type sc:SharedContext
			<https://ex/c2> sc:status "active"
			<https://ex/c2> sc:eventKind "human_utterance"
			<https://ex/c2> sc:subject <https://ex/maria>
			<https://ex/c2> sc:modality "speech"
			<https://ex/c2> sc:firstObservedAt "2026-02-09T09:00:01Z"^^xsd:dateTime
			<https://ex/c2> sc:lastObservedAt "2026-02-09T09:00:03Z"^^xsd:dateTime
			<https://ex/c2> prov:generatedAtTime "2026-02-09T09:00:01Z"^^xsd:dateTime
		`},
	{"a subject that is no IRI", record.Context{Number: 3, URI: "https://ex/c3", Kind: "wave", Created: monday,
		Members: []record.Member{{At: monday, Subject: "María"}}}, `
			<https://ex/c3> rdf:type sc:SharedContext
			<https://ex/c3> sc:status "active"
			<https://ex/c3> sc:eventKind "wave"
			<https://ex/c3> sc:subject "María"
			<https://ex/c3> sc:firstObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c3> sc:lastObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c3> prov:generatedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
		`},
	{"a case asks about it", record.Context{Number: 4, URI: "https://ex/c4", Kind: "wave", Created: monday,
		Members: []record.Member{{At: monday}}, Doubts: []record.Doubt{{Own: 4, Case: 9}}}, `
			<https://ex/c4> rdf:type sc:SharedContext
			<https://ex/c4> sc:status "ambiguous"
			<https://ex/c4> sc:eventKind "wave"
			<https://ex/c4> sc:firstObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c4> sc:lastObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c4> prov:generatedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
		`},
	{"merged, and kept apart by itself and by what was merged into it", record.Context{Number: 5, URI: "https://ex/c5", Kind: "wave", Created: monday,
		Into: 8, Members: []record.Member{{At: monday}}, Separations: []record.Separation{{Own: 5, Other: 6}, {Own: 7, Other: 6}}}, `
			<https://ex/c5> rdf:type sc:SharedContext
			<https://ex/c5> sc:status "merged"
			<https://ex/c5> sc:eventKind "wave"
			<https://ex/c5> sc:firstObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c5> sc:lastObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c5> prov:generatedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c5> sc:notSameEventAs <https://ex/c6>
			<https://ex/c5> sc:mergedInto <https://ex/c8>
		`},
	{"a relay's late report", record.Context{Number: 6, URI: "https://ex/c6", Kind: "wave", Created: monday, LateOf: 2,
		Members: []record.Member{{At: monday, Late: true}}}, `
			<https://ex/c6> rdf:type sc:SharedContext
			<https://ex/c6> sc:status "active"
			<https://ex/c6> sc:eventKind "wave"
			<https://ex/c6> sc:firstObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c6> sc:lastObservedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c6> prov:generatedAtTime "2026-02-09T09:00:00Z"^^xsd:dateTime
			<https://ex/c6> sc:lateReportOf <https://ex/c2>
		`},
}

func TestOfContext(t *testing.T) {
	for _, c := range contextCases {
		is(t, c.what, names().OfContext(&c.record), c.want)
	}
}

var observationCases = []struct {
	what   string
	record record.Observation
	want   string
}{
	{"the least that an observation has", record.Observation{Number: 1, Context: 2, At: monday, Corrected: monday + 1500, ObservedAt: "2026-02-09T10:00:00+01:00"}, `
			seg:observation_1 rdf:type sc:Observation
			seg:observation_1 prov:specializationOf <https://ex/c2>
			seg:observation_1 sc:observedAt "2026-02-09T10:00:00+01:00"^^xsd:dateTime
			seg:observation_1 sc:correctedAt "2026-02-09T09:00:00.0015Z"^^xsd:dateTime
			seg:observation_1 sc:sequence "1"^^xsd:integer
		`},
	{"all that it can have", record.Observation{Number: 255, Context: 2, Decision: 9, Received: monday + second, At: monday, Corrected: monday,
		Kind: "human_utterance", ObservedAt: "2026-02-09T09:00:00Z", Subject: "https://ex/maria", Modality: "speech", Text: "¿Qué \"hora\" es?\n",
		URI: "https://ex/o1", Robot: "https://ex/ari", Location: "https://ex/kitchen", Key: record.Hash{1}}, `
			seg:observation_ff rdf:type sc:Observation
			seg:observation_ff prov:specializationOf <https://ex/c2>
			seg:observation_ff sc:observedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:observation_ff sc:correctedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:observation_ff sc:subject <https://ex/maria>
			seg:observation_ff sc:modality "speech"
			seg:observation_ff sc:text "¿Qué \"hora\" es?\n"
			seg:observation_ff sc:observedBy <https://ex/ari>
			seg:observation_ff prov:atLocation <https://ex/kitchen>
			seg:observation_ff sc:observationUri <https://ex/o1>
			seg:observation_ff sc:requestKey "https://ex/o1"
			seg:observation_ff sc:sequence "255"^^xsd:integer
		`},
	{"names that are no IRIs", record.Observation{Number: 2, Context: 2, At: monday, Corrected: monday, ObservedAt: "2026-02-09T09:00:00Z",
		Subject: "maria", URI: "17", Robot: "ari", Location: "the kitchen"}, `
			seg:observation_2 rdf:type sc:Observation
			seg:observation_2 prov:specializationOf <https://ex/c2>
			seg:observation_2 sc:observedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:observation_2 sc:correctedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:observation_2 sc:subject "maria"
			seg:observation_2 sc:observedBy "ari"
			seg:observation_2 prov:atLocation "the kitchen"
			seg:observation_2 sc:observationUri "17"
			seg:observation_2 sc:requestKey "17"
			seg:observation_2 sc:sequence "2"^^xsd:integer
		`},
	{"an id that named another one before", record.Observation{Number: 3, Context: 2, At: monday, Corrected: monday, ObservedAt: "2026-02-09T09:00:00Z",
		URI: "https://ex/1", Key: record.Hash{0xab, 0xcd}, Reused: true}, `
			seg:observation_3 rdf:type sc:Observation
			seg:observation_3 prov:specializationOf <https://ex/c2>
			seg:observation_3 sc:observedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:observation_3 sc:correctedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:observation_3 sc:observationUri <https://ex/1>
			seg:observation_3 sc:requestKey "abcd0000000000000000000000000000"
			seg:observation_3 sc:idReused "true"^^xsd:boolean
			seg:observation_3 sc:sequence "3"^^xsd:integer
		`},
	{"without an id, the key of its repeats", record.Observation{Number: 4, Context: 2, At: monday, Corrected: monday, ObservedAt: "2026-02-09T09:00:00Z",
		Robot: "https://ex/ari", Key: record.Hash{0xab, 0xcd}}, `
			seg:observation_4 rdf:type sc:Observation
			seg:observation_4 prov:specializationOf <https://ex/c2>
			seg:observation_4 sc:observedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:observation_4 sc:correctedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:observation_4 sc:observedBy <https://ex/ari>
			seg:observation_4 sc:requestKey "abcd0000000000000000000000000000"
			seg:observation_4 sc:sequence "4"^^xsd:integer
		`},
}

func TestOfObservation(t *testing.T) {
	for _, c := range observationCases {
		is(t, c.what, names().OfObservation(&c.record), c.want)
	}
}

var caseCases = []struct {
	what   string
	record record.Case
	want   string
}{
	{"a pending case", record.Case{Number: 1, Source: 3, Reason: "text_weak", Any: 0.5, Opened: monday, Weighed: record.Weighed{At: monday}, Targets: []record.Target{
		{Context: 2, Probability: 0.4321, LogOdds: -1.25, Parts: []record.Part{
			{Feature: "prior", Weight: -3.5}, {Feature: "time", Weight: 2.25, Value: "0.100 s, scale 0.35 s"}}},
		{Context: 1, Probability: 0.1, LogOdds: -3.5, Parts: []record.Part{{Feature: "prior", Weight: -3.5}}}}}, `
			seg:review_1 rdf:type sc:ReviewCase
			seg:review_1 sc:caseId "review_000000000000000000000000000000000000000001"
			seg:review_1 sc:caseStatus "pending"
			seg:review_1 sc:source <https://ex/c3>
			seg:review_1 sc:reason "text_weak"
			seg:review_1 sc:openedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:review_1 sc:candidate seg:review_1/candidate/1
			seg:review_1/candidate/1 rdf:type sc:Candidate
			seg:review_1/candidate/1 sc:target <https://ex/c2>
			seg:review_1/candidate/1 sc:rank "1"^^xsd:integer
			seg:review_1/candidate/1 sc:logOdds "-1.25"^^xsd:double
			seg:review_1/candidate/1 sc:posterior "0.4321"^^xsd:double
			seg:review_1/candidate/1 sc:contribution seg:contribution/prior/-3.5/
			seg:contribution/prior/-3.5/ sc:feature "prior"
			seg:contribution/prior/-3.5/ sc:weight "-3.5"^^xsd:double
			seg:review_1/candidate/1 sc:contribution seg:contribution/time/2.25/0.100%20s%2C%20scale%200.35%20s
			seg:contribution/time/2.25/0.100%20s%2C%20scale%200.35%20s sc:feature "time"
			seg:contribution/time/2.25/0.100%20s%2C%20scale%200.35%20s sc:weight "2.25"^^xsd:double
			seg:contribution/time/2.25/0.100%20s%2C%20scale%200.35%20s sc:value "0.100 s, scale 0.35 s"
			seg:review_1 sc:candidate seg:review_1/candidate/2
			seg:review_1/candidate/2 rdf:type sc:Candidate
			seg:review_1/candidate/2 sc:target <https://ex/c1>
			seg:review_1/candidate/2 sc:rank "2"^^xsd:integer
			seg:review_1/candidate/2 sc:logOdds "-3.5"^^xsd:double
			seg:review_1/candidate/2 sc:posterior "0.1"^^xsd:double
			seg:review_1/candidate/2 sc:contribution seg:contribution/prior/-3.5/
		`},
	{"an accepted case", record.Case{Number: 2, Source: 3, Status: record.Accepted, Reason: "gap", Opened: monday, Decided: monday + second, DecidedBy: "ana",
		Selected: 2, Decision: 5, Targets: []record.Target{{Context: 2, Probability: 0.5}}}, `
			seg:review_2 rdf:type sc:ReviewCase
			seg:review_2 sc:caseId "review_000000000000000000000000000000000000000002"
			seg:review_2 sc:caseStatus "accepted"
			seg:review_2 sc:source <https://ex/c3>
			seg:review_2 sc:reason "gap"
			seg:review_2 sc:openedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:review_2 sc:decidedAt "2026-02-09T09:00:01Z"^^xsd:dateTime
			seg:review_2 sc:selectedTarget <https://ex/c2>
			seg:review_2 sc:candidate seg:review_2/candidate/1
			seg:review_2/candidate/1 rdf:type sc:Candidate
			seg:review_2/candidate/1 sc:target <https://ex/c2>
			seg:review_2/candidate/1 sc:rank "1"^^xsd:integer
			seg:review_2/candidate/1 sc:logOdds "0"^^xsd:double
			seg:review_2/candidate/1 sc:posterior "0.5"^^xsd:double
		`},
	{"a rejected case without targets", record.Case{Number: 3, Source: 3, Status: record.Rejected, Reason: "gap", Opened: monday, Decided: monday + second}, `
			seg:review_3 rdf:type sc:ReviewCase
			seg:review_3 sc:caseId "review_000000000000000000000000000000000000000003"
			seg:review_3 sc:caseStatus "rejected"
			seg:review_3 sc:source <https://ex/c3>
			seg:review_3 sc:reason "gap"
			seg:review_3 sc:openedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:review_3 sc:decidedAt "2026-02-09T09:00:01Z"^^xsd:dateTime
		`},
	{"a superseded case without targets", record.Case{Number: 4, Source: 3, Status: record.Superseded, Opened: monday, Decided: monday + second}, `
			seg:review_4 rdf:type sc:ReviewCase
			seg:review_4 sc:caseId "review_000000000000000000000000000000000000000004"
			seg:review_4 sc:caseStatus "superseded"
			seg:review_4 sc:source <https://ex/c3>
			seg:review_4 sc:openedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:review_4 sc:decidedAt "2026-02-09T09:00:01Z"^^xsd:dateTime
		`},
}

// TestOfCase also checks that evidence shared by two candidates is one node, whose quads
// may be written for each.
func TestOfCase(t *testing.T) {
	for _, c := range caseCases {
		said := map[string]bool{}
		n := names()
		n.Said = once(said)
		is(t, c.what, n.OfCase(&c.record), c.want)
	}
}
