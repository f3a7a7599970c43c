package mirror_test

import (
	"testing"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

var subjectCases = []struct {
	what   string
	record record.Subject
	want   string
}{
	{"a subject that is only watched", record.Subject{Subject: "https://ex/user"}, ``},
	{"one that was detected", record.Subject{Subject: "https://ex/user", State: record.Detected, Since: monday}, `
			seg:subject_b52328178421ac5f rdf:type sc:Placeholder
			seg:subject_b52328178421ac5f sc:subject <https://ex/user>
			seg:subject_b52328178421ac5f sc:state "detected"
			seg:subject_b52328178421ac5f sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:subject_b52328178421ac5f prov:wasAssociatedWith seg:resolver
		`},
	{"one that a person confirmed", record.Subject{Subject: "user", State: record.Confirmed, Since: monday, DecidedBy: "ana"}, `
			seg:subject_7d6780e4032b48f2 rdf:type sc:Placeholder
			seg:subject_7d6780e4032b48f2 sc:subject "user"
			seg:subject_7d6780e4032b48f2 sc:state "confirmed"
			seg:subject_7d6780e4032b48f2 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:subject_7d6780e4032b48f2 prov:wasAssociatedWith seg:user:ana
		`},
	{"one that a person overruled", record.Subject{Subject: "https://ex/user", State: record.Overruled, Since: monday, DecidedBy: "ana/b"}, `
			seg:subject_b52328178421ac5f rdf:type sc:Placeholder
			seg:subject_b52328178421ac5f sc:subject <https://ex/user>
			seg:subject_b52328178421ac5f sc:state "overruled"
			seg:subject_b52328178421ac5f sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:subject_b52328178421ac5f prov:wasAssociatedWith seg:user:ana%2Fb
		`},
}

func TestOfSubject(t *testing.T) {
	for _, c := range subjectCases {
		is(t, c.what, mirror.OfSubject(&c.record), c.want)
	}
}

var clockCases = []struct {
	what   string
	record record.Clock
	want   string
}{
	{"a clock that nobody decided about", record.Clock{Robot: "https://ex/ari", Offset: 3, Anchors: 9}, ``},
	{"a confirmed clock", record.Clock{Robot: "https://ex/ari", DecidedBy: "ana", DecidedAt: monday, Confirmed: -1500}, `
			seg:clock_a46068ae0bee3a52 rdf:type sc:Clock
			seg:clock_a46068ae0bee3a52 sc:robot <https://ex/ari>
			seg:clock_a46068ae0bee3a52 sc:state "confirmed"
			seg:clock_a46068ae0bee3a52 sc:ahead "-1.5"^^xsd:double
			seg:clock_a46068ae0bee3a52 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:clock_a46068ae0bee3a52 prov:wasAssociatedWith seg:user:ana
		`},
	{"one whose confirmation was revoked", record.Clock{Robot: "ari", DecidedBy: "ana", DecidedAt: monday, Revoked: true, Confirmed: 1500}, `
			seg:clock_e756bc190570c5e9 rdf:type sc:Clock
			seg:clock_e756bc190570c5e9 sc:robot "ari"
			seg:clock_e756bc190570c5e9 sc:state "revoked"
			seg:clock_e756bc190570c5e9 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:clock_e756bc190570c5e9 prov:wasAssociatedWith seg:user:ana
		`},
}

func TestOfClock(t *testing.T) {
	for _, c := range clockCases {
		is(t, c.what, mirror.OfClock(&c.record), c.want)
	}
}

var relayCases = []struct {
	what   string
	record record.Relay
	want   string
}{
	{"an ordinary robot", record.Relay{Robot: "https://ex/ari", Reports: 20}, ``},
	{"one that repeats", record.Relay{Robot: "https://ex/ari", State: record.Repeating, Of: "https://ex/tiago", Since: monday}, `
			seg:relay_a46068ae0bee3a52 rdf:type sc:Relay
			seg:relay_a46068ae0bee3a52 sc:robot <https://ex/ari>
			seg:relay_a46068ae0bee3a52 sc:repeats <https://ex/tiago>
			seg:relay_a46068ae0bee3a52 sc:state "detected"
			seg:relay_a46068ae0bee3a52 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:relay_a46068ae0bee3a52 prov:wasAssociatedWith seg:resolver
		`},
	{"a relay that a person accepted", record.Relay{Robot: "ari", State: record.AcceptedRelay, Of: "tiago", Since: monday, DecidedBy: "ana"}, `
			seg:relay_e756bc190570c5e9 rdf:type sc:Relay
			seg:relay_e756bc190570c5e9 sc:robot "ari"
			seg:relay_e756bc190570c5e9 sc:repeats "tiago"
			seg:relay_e756bc190570c5e9 sc:state "accepted"
			seg:relay_e756bc190570c5e9 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:relay_e756bc190570c5e9 prov:wasAssociatedWith seg:user:ana
		`},
	{"one that a person rejected", record.Relay{Robot: "https://ex/ari", State: record.RejectedRelay, Since: monday, DecidedBy: "ana"}, `
			seg:relay_a46068ae0bee3a52 rdf:type sc:Relay
			seg:relay_a46068ae0bee3a52 sc:robot <https://ex/ari>
			seg:relay_a46068ae0bee3a52 sc:state "rejected"
			seg:relay_a46068ae0bee3a52 sc:decidedAt "2026-02-09T09:00:00Z"^^xsd:dateTime
			seg:relay_a46068ae0bee3a52 prov:wasAssociatedWith seg:user:ana
		`},
}

func TestOfRelay(t *testing.T) {
	for _, c := range relayCases {
		is(t, c.what, mirror.OfRelay(&c.record), c.want)
	}
}
