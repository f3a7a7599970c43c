package weigh_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/resolver/weigh"
)

var rules = weigh.Rules{Match: 0.98, ClearMatch: 0.90, Review: 0.30, MaxGap: 1.5, MinText: 0.65, MaxTargets: 5}

const scale = 0.35

// same returns the evidence of two robots that heard one person say a sentence.
func same() weigh.Evidence {
	return weigh.Evidence{Gap: 0.3, Span: 0.3, Window: 6, Text: weigh.Same, Likeness: 1, Identical: true, Letters: 26, Longer: 26,
		TextChance: 0.001, Subject: weigh.Same, SubjectChance: 0.15, Modality: weigh.Same, Robots: weigh.OtherRobot}
}

func candidate(change func(*weigh.Evidence)) weigh.Candidate {
	e := same()
	if change != nil {
		change(&e)
	}
	if e.Stamped == 0 {
		e.Stamped = e.Gap
	}
	return weigh.Candidate{Evidence: e, Weights: weigh.Weigh(e, scale)}
}

// apart is a Between in which no two candidates are one event.
func apart(int, int) weigh.Candidate {
	return candidate(func(e *weigh.Evidence) { e.Gap, e.Likeness, e.Identical = 3, 0, false })
}

func TestOneCandidateIsDecidedByItsEvidence(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*weigh.Evidence)
		outcome weigh.Outcome
		reason  weigh.Reason
	}{
		{"all conditions hold", nil, weigh.Matched, weigh.NoReason},
		{"a letter was misheard", func(e *weigh.Evidence) { e.Likeness, e.Identical = 0.96, false }, weigh.Matched, weigh.NoReason},
		{"neither says how", func(e *weigh.Evidence) { e.Modality = weigh.Neither }, weigh.Matched, weigh.NoReason},
		{"neither has a text", func(e *weigh.Evidence) { e.Text, e.Likeness, e.Identical, e.Letters = weigh.Neither, 0, false, 0 }, weigh.Matched, weigh.NoReason},
		{"one robot reports once more", func(e *weigh.Evidence) { e.Robots = weigh.OnlyRobot }, weigh.Matched, weigh.NoReason},
		{"one robot reports once more after another one", func(e *weigh.Evidence) { e.Robots = weigh.SameRobot }, weigh.Ambiguous, weigh.ReportedBefore},
		{"no subject", func(e *weigh.Evidence) { e.Subject = weigh.OneSide }, weigh.Ambiguous, weigh.SubjectMissing},
		{"no subject on either side", func(e *weigh.Evidence) { e.Subject = weigh.Neither }, weigh.Ambiguous, weigh.SubjectMissing},
		{"nobody in particular", func(e *weigh.Evidence) { e.Subject, e.Generic = weigh.OneSide, true }, weigh.Ambiguous, weigh.SubjectGeneric},
		{"another person", func(e *weigh.Evidence) { e.Subject = weigh.Different }, weigh.Ambiguous, weigh.SubjectDiffers},
		{"another modality", func(e *weigh.Evidence) { e.Modality = weigh.Different }, weigh.Ambiguous, weigh.ModalityDiffers},
		{"no modality", func(e *weigh.Evidence) { e.Modality = weigh.OneSide }, weigh.Ambiguous, weigh.ModalityMissing},
		{"no text", func(e *weigh.Evidence) { e.Text = weigh.OneSide }, weigh.Ambiguous, weigh.TextMissing},
		{"later than usual, but saying it twice takes longer", func(e *weigh.Evidence) { e.Gap = 1.6 }, weigh.Matched, weigh.NoReason},
		{"misheard at the same moment", func(e *weigh.Evidence) { e.Gap, e.Likeness, e.Identical = 0.2, 0.55, false }, weigh.Matched, weigh.NoReason},
		{"misheard a little later", func(e *weigh.Evidence) { e.Gap, e.Likeness, e.Identical = 0.7, 0.55, false }, weigh.Ambiguous, weigh.TextWeak},
		{"the same, and then it goes on", func(e *weigh.Evidence) { e.Gap, e.Identical, e.Continued, e.Longer = 1.2, false, true, e.Letters+2 }, weigh.Ambiguous, weigh.TooFar},
		{"from two rooms", func(e *weigh.Evidence) { e.Gap, e.Rooms = 1.2, true }, weigh.Created, weigh.PlaceDiffers},
		{"much was misheard", func(e *weigh.Evidence) { e.Likeness, e.Identical = 0.45, false }, weigh.Ambiguous, weigh.TextWeak},
		{"another place", func(e *weigh.Evidence) { e.Place = weigh.Different }, weigh.Ambiguous, weigh.PlaceDiffers},
		{"the same place", func(e *weigh.Evidence) { e.Place, e.PlaceChance = weigh.Same, 0.3 }, weigh.Matched, weigh.NoReason},
		{"too late by stamps of whole seconds", func(e *weigh.Evidence) { e.Gap, e.Stamped, e.Coarse = 1.4, 1.9, true }, weigh.Ambiguous, weigh.TooFar},
		{"too late", func(e *weigh.Evidence) { e.Gap = 1.9 }, weigh.Ambiguous, weigh.TooFar},
		{"the context lasts too long", func(e *weigh.Evidence) { e.Span = 3.1 }, weigh.Ambiguous, weigh.TooFar},
		{"its robot says something like it again", func(e *weigh.Evidence) { e.Robots, e.Gap = weigh.SameRobot, 1.2 }, weigh.Ambiguous, weigh.ReportedBefore},
		{"another sentence", func(e *weigh.Evidence) { e.Likeness, e.Identical = 0.1, false }, weigh.Created, weigh.TextWeak},
		{"long after", func(e *weigh.Evidence) { e.Gap = 5.5 }, weigh.Created, weigh.TooFar},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := weigh.Decide([]weigh.Candidate{candidate(tt.change)}, rules, apart)
			if d.Outcome != tt.outcome || d.Reason != tt.reason {
				t.Errorf("outcome %d for reason %q, any %.3f, match %.3f; want %d for %q", d.Outcome, d.Reason, d.Any, d.Match, tt.outcome, tt.reason)
			}
			if offered := len(d.Targets) == 1; offered != (d.Outcome == weigh.Ambiguous) {
				t.Errorf("outcome %d offers %d targets", d.Outcome, len(d.Targets))
			}
		})
	}
	if d := weigh.Decide(nil, rules, apart); d.Outcome != weigh.Created || d.Best != -1 || d.Any != 0 {
		t.Errorf("nothing to compare with gives %+v", d)
	}
}

func TestRivalsAskAPerson(t *testing.T) {
	twins := []weigh.Candidate{candidate(nil), candidate(func(e *weigh.Evidence) { e.Gap = 0.35 })}
	if d := weigh.Decide(twins, rules, apart); d.Outcome != weigh.Ambiguous || d.Reason != weigh.Rivals || d.Gates.Rival || len(d.Targets) != 2 {
		t.Errorf("two events that are as likely give %+v", d)
	}
	halves := func(int, int) weigh.Candidate { return candidate(nil) }
	if d := weigh.Decide(twins, rules, halves); d.Outcome != weigh.Matched || d.Best != 0 {
		t.Errorf("two halves of one event give %+v", d)
	}
}

// TestALateReportNeedsReview has a sentence that was said twice and reported by two
// robots. One report of the first time came late. The result is the same doubt whether
// that report is the one being weighed or was there before.
func TestALateReportNeedsReview(t *testing.T) {
	far := func(robots weigh.Robots) weigh.Candidate {
		return candidate(func(e *weigh.Evidence) { e.Gap, e.Robots = 1.8, robots })
	}
	for _, tt := range []struct {
		name         string
		first        weigh.Robots // whether the weighed report shares a robot with the first one
		second       weigh.Robots // whether it shares a robot with the second one
		firstSecond  weigh.Robots // whether those two share a robot
		gap          float64      // to the second one
		outcome      weigh.Outcome
		firstElseSay float64 // likeness of the first one's other text
	}{
		{"what was there before may be late", weigh.SameRobot, weigh.OtherRobot, weigh.OtherRobot, 0.2, weigh.Ambiguous, 1},
		{"what is weighed may be late", weigh.OtherRobot, weigh.OtherRobot, weigh.SameRobot, 0.2, weigh.Ambiguous, 1},
		{"its robot may have reported late", weigh.OtherRobot, weigh.OnlyRobot, weigh.OtherRobot, 0.2, weigh.Ambiguous, 1},
		{"no robot tells the two apart", weigh.OtherRobot, weigh.OtherRobot, weigh.OtherRobot, 0.2, weigh.Matched, 1},
		{"the first one is about something else", weigh.OtherRobot, weigh.OtherRobot, weigh.SameRobot, 0.2, weigh.Matched, 0.1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first, between := far(tt.first), far(tt.firstSecond)
			if tt.firstElseSay < 1 {
				first = candidate(func(e *weigh.Evidence) {
					e.Gap, e.Robots, e.Likeness, e.Identical = 1.8, tt.first, tt.firstElseSay, false
				})
			}
			second := candidate(func(e *weigh.Evidence) { e.Gap, e.Robots = tt.gap, tt.second })
			d := weigh.Decide([]weigh.Candidate{first, second}, rules, func(int, int) weigh.Candidate { return between })
			if d.Outcome != tt.outcome || d.Outcome == weigh.Ambiguous && d.Reason != weigh.LateReport {
				t.Errorf("got %+v", d)
			}
		})
	}
}

// TestObservationsOfClearlyDifferentEventsAreNotMatched has a context that is just as surely one
// event with another context, which can't be the event in question.
func TestObservationsOfClearlyDifferentEventsAreNotMatched(t *testing.T) {
	other := candidate(func(e *weigh.Evidence) { e.Gap, e.Modality = 5, weigh.Different })
	for _, surely := range []bool{true, false} {
		between := func(int, int) weigh.Candidate {
			return candidate(func(e *weigh.Evidence) {
				if e.Modality = weigh.Different; !surely {
					e.Gap = 5
				}
			})
		}
		d := weigh.Decide([]weigh.Candidate{other, candidate(nil)}, rules, between)
		if want := map[bool]weigh.Outcome{true: weigh.Ambiguous, false: weigh.Matched}[surely]; d.Outcome != want {
			t.Errorf("surely another's %v: %+v", surely, d)
		}
	}
}

func TestContextsThatAPersonKeptSeparateStaySeparate(t *testing.T) {
	c := candidate(nil)
	c.KeptSeparate = true
	if d := weigh.Decide([]weigh.Candidate{c}, rules, apart); d.Outcome != weigh.Created || d.Any != 0 {
		t.Errorf("got %+v", d)
	}
	other := candidate(func(e *weigh.Evidence) { e.Subject = weigh.OneSide })
	if d := weigh.Decide([]weigh.Candidate{c, other}, rules, apart); d.Outcome != weigh.Ambiguous || len(d.Targets) != 1 || d.Targets[0].Index != 1 {
		t.Errorf("beside another it gives %+v", d)
	}
}

func TestTargetsAreTheBestInOrder(t *testing.T) {
	var list []weigh.Candidate
	for i := range 8 {
		list = append(list, candidate(func(e *weigh.Evidence) { e.Subject, e.Gap = weigh.OneSide, 0.8-0.1*float64(i) }))
	}
	d := weigh.Decide(list, rules, apart)
	if len(d.Targets) != rules.MaxTargets || d.Targets[0].Index != 7 {
		t.Fatalf("got %+v", d.Targets)
	}
	for i, x := range d.Targets[1:] {
		if x.Probability > d.Targets[i].Probability {
			t.Errorf("target %d is likelier than the one before", i+1)
		}
	}
	crowd := slices.Repeat(list[7:], 64) // none has 2 % of all odds
	compared := 0
	if d := weigh.Decide(crowd, rules, func(i, j int) weigh.Candidate {
		compared++
		return apart(i, j)
	}); d.Outcome != weigh.Ambiguous || len(d.Targets) != rules.MaxTargets || compared > 120 {
		t.Errorf("of a crowd after %d comparisons %+v", compared, d)
	}
}

func TestNoDecisionBreaksAGate(t *testing.T) {
	agreement := rapid.SampledFrom([]weigh.Agreement{weigh.Neither, weigh.OneSide, weigh.Same, weigh.Different})
	evidence := rapid.Custom(func(t *rapid.T) weigh.Candidate {
		e := weigh.Evidence{
			Gap: rapid.Float64Range(0, 6).Draw(t, "gap"), Window: 6, Coarse: rapid.Bool().Draw(t, "coarse"), Span: rapid.Float64Range(0, 7).Draw(t, "span"),
			Text: agreement.Filter(func(a weigh.Agreement) bool { return a != weigh.Different }).Draw(t, "text"), Likeness: rapid.Float64Range(0, 1).Draw(t, "likeness"),
			Letters: rapid.Float64Range(1, 60).Draw(t, "letters"), TextChance: rapid.Float64Range(0.0003, 0.2).Draw(t, "chance"),
			Subject: agreement.Draw(t, "subject"), SubjectChance: rapid.Float64Range(0.01, 1).Draw(t, "subject chance"),
			Modality: agreement.Draw(t, "modality"), Robots: rapid.SampledFrom([]weigh.Robots{weigh.UnknownRobot, weigh.OtherRobot, weigh.SameRobot, weigh.OnlyRobot}).Draw(t, "robots"),
		}
		e.Identical, e.Longer = e.Likeness == 1, e.Letters
		return weigh.Candidate{Evidence: e, Weights: weigh.Weigh(e, scale)}
	})
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(evidence, 0, 6).Draw(t, "candidates")
		d := weigh.Decide(list, rules, func(int, int) weigh.Candidate { return evidence.Draw(t, "between") })
		if d.Any < 0 || d.Any > 1 || d.Match < 0 || d.Match > 1 || math.IsNaN(d.Any+d.Match) {
			t.Fatalf("probabilities %g, %g", d.Any, d.Match)
		}
		if d.Outcome != weigh.Matched {
			return
		}
		c, least, longest := list[d.Best], rules.MinText, rules.MaxGap
		if c.Distance() <= 0.5 { // one person says only one thing at a time
			least -= 0.15
		}
		if c.Evidence.Text == weigh.Same { // the words may take longer to say twice
			longest *= 1.2
		}
		if c.Evidence.Subject != weigh.Same || c.Evidence.Modality == weigh.OneSide || c.Evidence.Modality == weigh.Different ||
			c.Evidence.Text == weigh.OneSide || c.Evidence.Text == weigh.Same && c.Likeness < least ||
			c.Distance() > longest || c.Span > 3 || d.Match < rules.ClearMatch {
			t.Fatalf("matched against a gate: %+v, probability %g", c, d.Match)
		}
	})
}

func TestNumbersBesideALimitAreToldApart(t *testing.T) {
	for _, c := range []struct {
		x, limit float64
		want     string
	}{{0.2996, 0.3, "0.2996 0.3000"}, {0.302, 0.304, "0.302 0.304"}, {0.29, 0.3, "0.29 0.30"}, {0.25, 0.3, "0.25 0.30"}, {0.3, 0.3, "0.30 0.30"}, {0.1, math.Nextafter(0.1, 1), "0.100000000 0.100000000"}} {
		if a, b := weigh.Apart(c.x, c.limit, 2); a+" "+b != c.want {
			t.Errorf("%v below %v: %s %s, want %s", c.x, c.limit, a, b, c.want)
		}
	}
}
