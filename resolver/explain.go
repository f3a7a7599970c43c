package resolver

import (
	"fmt"
	"math"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

var reasons = map[weigh.Reason]Reason{
	weigh.SubjectMissing:  SubjectMissing,
	weigh.SubjectGeneric:  SubjectGeneric,
	weigh.SubjectDiffers:  SubjectDiffers,
	weigh.ModalityDiffers: ModalityDiffers,
	weigh.ModalityMissing: ModalityMissing,
	weigh.TextWeak:        TextWeak,
	weigh.TextDiffers:     TextDiffers,
	weigh.TextMissing:     TextMissing,
	weigh.PlaceDiffers:    PlaceDiffers,
	weigh.TooFar:          Gap,
	weigh.Rivals:          Rival,
	weigh.LateReport:      LateReport,
	weigh.ReportedBefore:  ReportedBefore,
}

// sentences tell a reviewer what prevents a match.
var sentences = map[Reason]string{
	SubjectMissing:  "one side names no person",
	SubjectGeneric:  "one side names a placeholder, not a person",
	SubjectDiffers:  "the sides name different people",
	ModalityDiffers: "the modalities differ",
	ModalityMissing: "one side has no modality",
	TextWeak:        "the texts are not alike enough, or too common",
	TextDiffers:     "these robots often report one event in different words or in pieces",
	TextMissing:     "one side has no text",
	PlaceDiffers:    "the places differ",
	Gap:             "the times are too far apart, or in doubt",
	Rival:           "nothing rules out another event",
	LateReport:      "one may be a late report of an earlier event",
	ReportedBefore:  "this robot already reported that event",
	RejectedBefore:  "a person has kept the two apart",
}

// explain explains why the best candidate was matched or not.
func (k *knowledge) explain(candidates []candidate, d weigh.Decision) Explanation {
	out := Explanation{Contributions: []Contribution{}}
	if d.Best < 0 {
		out.Reason = "no context of this kind is near in time with the same or no subject"
		return out
	}
	c := candidates[d.Best]
	out.Candidate = &c.URI
	out.LogOdds = c.Sum()
	out.GapMS = milliseconds(c.gap)
	out.CorrectedGapMS = ms(c.shownGap())
	for _, p := range k.parts(c.comparison) {
		out.Contributions = append(out.Contributions, Contribution(p))
	}
	out.Gates = gatesOf(d.Gates)
	why := sentences[reasons[d.Reason]]
	if c.Unconfirmed && d.Reason == weigh.TooFar {
		why = fmt.Sprintf("if it is one event, the robots' clocks differ by %.1f s more than their offsets", math.Abs(c.Claimed))
	}
	switch d.Outcome {
	case weigh.Matched:
		out.Reason = "all conditions hold"
	case weigh.Ambiguous:
		out.Reason = fmt.Sprintf("needs review: %s", why)
	default:
		out.Reason = fmt.Sprintf("the probability of a known event, %s, is below %.2f: %s", chance(d.Any), k.rules.Review, against(c, why))
	}
	return out
}

// gatesOf converts the gates of two sides of one kind.
func gatesOf(g weigh.Gates) Gates {
	return Gates{EventKind: true, Subject: g.Subject, Modality: g.Modality, Text: g.Text, Time: g.Time, Place: g.Place,
		Robot: g.Robot, Rival: g.Rival}
}

// chance formats a probability for people.
func chance(p float64) string {
	if p < 0.01 {
		return "less than 0.01"
	}
	return fmt.Sprintf("%.2f", p)
}

// against returns the strongest evidence against an unlikely candidate, or otherwise if
// there is none. That need not be the first failing condition: robots often do not name
// the person.
func against(c candidate, otherwise string) string {
	words, least := otherwise, 0.0
	for _, e := range []struct {
		weight float64
		words  string
	}{
		{c.Weights.Time, sentences[Gap]},
		{c.Weights.Text, sentences[textReason(c.Evidence.Text)]},
		{c.Weights.Repeat, "there was time to say the same again"},
		{c.Weights.Modality, sentences[ModalityDiffers]},
		{c.Weights.Place, sentences[PlaceDiffers]},
		{c.Weights.Robot, sentences[ReportedBefore]},
	} {
		if e.weight < least {
			words, least = e.words, e.weight
		}
	}
	return words
}

func textReason(texts weigh.Agreement) Reason {
	if texts == weigh.OneSide {
		return TextMissing
	}
	return TextWeak
}

// parts returns the weight of each kind of evidence, with what it rests on.
func (k *knowledge) parts(c comparison) []record.Part {
	e, w := c.Evidence, c.Weights
	parts := []record.Part{
		{Feature: "prior", Weight: w.Prior},
		{Feature: "time", Weight: w.Time, Value: k.timeValue(e)},
		{Feature: "text", Weight: w.Text, Value: textValue(e)},
		{Feature: "repeat", Weight: w.Repeat, Value: unlessZero(w.Repeat, "time enough for a second one like it")},
		{Feature: "source", Weight: w.Source, Value: unlessZero(w.Source, "too soon for a second one of the same person")},
		{Feature: "subject", Weight: w.Subject, Value: agreements[e.Subject]},
		{Feature: "modality", Weight: w.Modality, Value: agreements[e.Modality]},
		{Feature: "robot", Weight: w.Robot, Value: robotValue(e)},
	}
	switch {
	case e.Rooms:
		parts = append(parts, record.Part{Feature: "place", Weight: w.Place, Value: "these robots report from two rooms"})
	case e.Place != weigh.Neither: // few robots report places
		parts = append(parts, record.Part{Feature: "place", Weight: w.Place, Value: agreements[e.Place]})
	}
	return parts
}

func (k *knowledge) timeValue(e weigh.Evidence) string {
	if e.Unconfirmed {
		return fmt.Sprintf("%.3f s if the clocks differ by %.1f s, scale %.2f s", e.Gap, math.Abs(e.Claimed), k.spread)
	}
	if e.Rest > 0 {
		return fmt.Sprintf("%.3f s, %.1f s of it to say the other piece, scale %.2f s", e.Gap, e.Rest, k.spread)
	}
	return fmt.Sprintf("%.3f s, scale %.2f s", e.Gap, k.spread)
}

func unlessZero(weight float64, words string) string {
	if weight == 0 {
		return ""
	}
	return words
}

var agreements = map[weigh.Agreement]string{
	weigh.Neither: "absent on both sides", weigh.OneSide: "absent on one side", weigh.Same: "the same", weigh.Different: "different",
}

var robotValues = map[weigh.Robots]string{
	weigh.UnknownRobot: "not named", weigh.OtherRobot: "another robot", weigh.SameRobot: "the same robot",
	weigh.OnlyRobot: "the same robot",
}

func robotValue(e weigh.Evidence) string {
	switch {
	case e.Piece:
		return "the same robot, another piece"
	case e.Again:
		return "the same robot, which often reports again"
	}
	return robotValues[e.Robots]
}

func textValue(e weigh.Evidence) string {
	if e.Text != weigh.Same {
		return agreements[e.Text]
	}
	if e.Reworded > 0 {
		return fmt.Sprintf("similarity %.2f, usual for these robots", e.Likeness)
	}
	return fmt.Sprintf("similarity %.2f, expected once in %.0f", e.Likeness, 1/e.TextChance)
}

// shares returns the evidence as fractions from 0 to 1.
func (k *knowledge) shares(c comparison) record.Shares {
	e := c.Evidence
	s := record.Shares{Time: math.Exp(-e.Distance() / k.spread), Text: e.Likeness, Subject: share(e.Subject), Modality: share(e.Modality)}
	if e.Text == weigh.Neither {
		s.Text = 1
	}
	if e.Modality == weigh.Neither { // counts as the same
		s.Modality = 1
	}
	return s
}

func share(a weigh.Agreement) float64 {
	switch a {
	case weigh.Same:
		return 1
	case weigh.Different:
		return 0
	}
	return 0.5
}

func milliseconds(us int64) int64 { return int64(math.Round(float64(us) / 1000)) }
