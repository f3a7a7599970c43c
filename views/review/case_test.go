package review

import (
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/views"
)

// TestThePageSaysWhatDecided has two names of one person, a robot that repeats itself, and a late report.
func TestThePageSaysWhatDecided(t *testing.T) {
	t.Parallel()
	all := resolver.Gates{EventKind: true, Subject: true, Modality: true, Text: true, Time: true, Place: true, Robot: true, Rival: true}
	one, two, robot := "https://ex/a/maria", "https://ex/b/maria", "https://ex/ari"
	a, b := resolver.ObservationView{SubjectURI: &one, RobotURI: &robot}, resolver.ObservationView{SubjectURI: &two, RobotURI: &robot}
	k := &resolver.CaseDetail{Reason: weigh.LateReport}
	o := resolver.Offer{Gates: all, Likely: true, SameRobot: true}
	got := rows(t.Context(), views.Names{}, map[string][]string{one: {one, two}}, k, o, a, b)
	if who, by := got[2], got[4]; who.Verdict != "same" || who.Words != "two names of one person" || by.Verdict != "same" || by.Words != "the same robot repeats itself" {
		t.Errorf("%+v, %+v", who, by)
	}
	holds := map[string]bool{}
	for _, c := range conditions(k, o) {
		holds[c.Words] = c.Holds
	}
	late, said := holds["Neither may be a late report of another event."]
	if !holds["The same robot repeats itself within a moment."] || !said || late {
		t.Errorf("%v", holds)
	}
	if who := rows(t.Context(), views.Names{}, nil, k, o, a, b)[2]; who.Verdict != "different" { // others of the sides name the same person
		t.Errorf("of two persons: %+v", who)
	}
	o.Gates.Subject, o.Gates.Robot, o.Likely = false, false, false
	got = rows(t.Context(), views.Names{}, nil, k, o, a, b)
	if who, by := got[2], got[4]; who.Verdict != "different" || by.Verdict != "different" || by.Words != "the same robot already reported this candidate" {
		t.Errorf("two persons: %+v, %+v", who, by)
	}
	if n := len(conditions(k, o)); n != 6 {
		t.Errorf("an unlikely one has %d conditions", n)
	}
}

// What is just too little is not shown as what is needed.
func TestConditionsTellANumberFromItsLimit(t *testing.T) {
	t.Parallel()
	var k resolver.CaseDetail
	k.Needs.MaxGap, k.Needs.MinText, k.Needs.Probability = 1.5, 0.65, 0.95
	said := map[string]bool{}
	for _, c := range conditions(&k, resolver.Offer{Gap: 1.5004, Likeness: 0.649}) {
		said[c.Words] = true
	}
	for _, want := range []string{"A match needs at most 1.5000 s; the gap is 1.5004 s.", "Texts must be at least 65.0\u00a0% alike; these are 64.9\u00a0%."} {
		if !said[want] {
			t.Errorf("%v lacks %q", said, want)
		}
	}
	for _, c := range []struct {
		is, needs         float64
		wantIs, wantNeeds string
	}{{0.9499, 0.95, "94.99", "95.00"}, {0.987, 0.99, "98.7", "99.0"}, {0.98999, 0.99, "98.999", "99.000"}, {0.9996, 0.95, "99.9", "95"}} {
		if is, needs := likelihoods(c.is, c.needs); is != c.wantIs+"\u00a0%" || needs != c.wantNeeds+"\u00a0%" {
			t.Errorf("%s, and %s are needed", is, needs)
		}
	}
}

// A robot can send very long texts, and many of one event.
func TestLongTextsAreComparedInTime(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(strings.Repeat("Ab", 50)+" ", 500)
	same := resolver.ObservationView{Text: &long}
	all := make([]resolver.ObservationView, 100)
	for i := range all {
		other := long + strings.Repeat("c", i)
		all[i].Text = &other
	}
	began := time.Now()
	if i, j := closest([]resolver.ObservationView{same}, all); i != 0 || j != 0 {
		t.Errorf("the closest are %d and %d", i, j)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
}
