package mirror_test

import (
	"testing"

	"github.com/segraph/segraph/resolver/record"
)

var subjectCases = []struct {
	what   string
	record record.Subject
	want   string
}{
	{"a subject that is only watched", record.Subject{Subject: "https://ex/user"}, ``},
	{"one that was detected", record.Subject{Subject: "https://ex/user", State: record.Detected, Since: monday}, `
			seg:subject_33e69c8b5980d306 rdf:type sc:Placeholder
			seg:subject_33e69c8b5980d306 sc:subject <https://ex/user>
			seg:subject_33e69c8b5980d306 sc:state "detected"
			seg:subject_33e69c8b5980d306 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:subject_33e69c8b5980d306 prov:wasAssociatedWith seg:resolver
		`},
	{"one that a person confirmed", record.Subject{Subject: "user", State: record.Confirmed, Since: monday, DecidedBy: "ana"}, `
			seg:subject_d81e314942ed2ffe rdf:type sc:Placeholder
			seg:subject_d81e314942ed2ffe sc:subject "user"
			seg:subject_d81e314942ed2ffe sc:state "confirmed"
			seg:subject_d81e314942ed2ffe sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:subject_d81e314942ed2ffe prov:wasAssociatedWith seg:user:ana
		`},
	{"one that a person overruled", record.Subject{Subject: "https://ex/user", State: record.Overruled, Since: monday, DecidedBy: "ana/b"}, `
			seg:subject_33e69c8b5980d306 rdf:type sc:Placeholder
			seg:subject_33e69c8b5980d306 sc:subject <https://ex/user>
			seg:subject_33e69c8b5980d306 sc:state "overruled"
			seg:subject_33e69c8b5980d306 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:subject_33e69c8b5980d306 prov:wasAssociatedWith seg:user:ana%2Fb
		`},
}

func TestOfSubject(t *testing.T) {
	for _, c := range subjectCases {
		is(t, c.what, names().OfSubject(&c.record), c.want)
	}
}

var clockCases = []struct {
	what   string
	record record.Clock
	want   string
}{
	{"a clock that nobody decided about", record.Clock{Robot: "https://ex/ari", Offset: 3, Anchors: 9}, ``},
	{"a confirmed clock", record.Clock{Robot: "https://ex/ari", DecidedBy: "ana", DecidedAt: monday, Confirmed: -1500}, `
			seg:clock_fb9f5c836ef73e24 rdf:type sc:Clock
			seg:clock_fb9f5c836ef73e24 sc:robot <https://ex/ari>
			seg:clock_fb9f5c836ef73e24 sc:state "confirmed"
			seg:clock_fb9f5c836ef73e24 sc:ahead "-1.5"^^xsd:double
			seg:clock_fb9f5c836ef73e24 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:clock_fb9f5c836ef73e24 prov:wasAssociatedWith seg:user:ana
		`},
	{"one whose confirmation was revoked", record.Clock{Robot: "ari", DecidedBy: "ana", DecidedAt: monday, Revoked: true, Confirmed: 1500}, `
			seg:clock_cf1a75486f048576 rdf:type sc:Clock
			seg:clock_cf1a75486f048576 sc:robot "ari"
			seg:clock_cf1a75486f048576 sc:state "revoked"
			seg:clock_cf1a75486f048576 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:clock_cf1a75486f048576 prov:wasAssociatedWith seg:user:ana
		`},
}

func TestOfClock(t *testing.T) {
	for _, c := range clockCases {
		is(t, c.what, names().OfClock(&c.record), c.want)
	}
}

var relayCases = []struct {
	what   string
	record record.Relay
	want   string
}{
	{"an ordinary robot", record.Relay{Robot: "https://ex/ari", Reports: 20}, ``},
	{"one that repeats", record.Relay{Robot: "https://ex/ari", State: record.Repeating, Of: "https://ex/tiago", Since: monday}, `
			seg:relay_b9cddd3a19229658 rdf:type sc:Relay
			seg:relay_b9cddd3a19229658 sc:robot <https://ex/ari>
			seg:relay_b9cddd3a19229658 sc:repeats <https://ex/tiago>
			seg:relay_b9cddd3a19229658 sc:state "detected"
			seg:relay_b9cddd3a19229658 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:relay_b9cddd3a19229658 prov:wasAssociatedWith seg:resolver
		`},
	{"a relay that a person accepted", record.Relay{Robot: "ari", State: record.AcceptedRelay, Of: "tiago", Since: monday, DecidedBy: "ana"}, `
			seg:relay_fa280a54ebbcf976 rdf:type sc:Relay
			seg:relay_fa280a54ebbcf976 sc:robot "ari"
			seg:relay_fa280a54ebbcf976 sc:repeats "tiago"
			seg:relay_fa280a54ebbcf976 sc:state "accepted"
			seg:relay_fa280a54ebbcf976 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:relay_fa280a54ebbcf976 prov:wasAssociatedWith seg:user:ana
		`},
	{"one that a person rejected", record.Relay{Robot: "https://ex/ari", State: record.RejectedRelay, Since: monday, DecidedBy: "ana"}, `
			seg:relay_b9cddd3a19229658 rdf:type sc:Relay
			seg:relay_b9cddd3a19229658 sc:robot <https://ex/ari>
			seg:relay_b9cddd3a19229658 sc:state "rejected"
			seg:relay_b9cddd3a19229658 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:relay_b9cddd3a19229658 prov:wasAssociatedWith seg:user:ana
		`},
}

func TestOfRelay(t *testing.T) {
	for _, c := range relayCases {
		is(t, c.what, names().OfRelay(&c.record), c.want)
	}
}
