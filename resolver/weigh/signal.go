package weigh

import (
	"fmt"
	"math"
)

// Signal is a kind of evidence. To add one, add what it rests on to Evidence and a row to signals; a new reason
// to reason.go, if it can prevent a match, and its gate to Rules.Gates. DESIGN.md names the other files.
type Signal uint8

// The signals, in the order in which people read them.
const (
	Prior Signal = iota
	Time
	Text
	Repeat
	Source
	Subject
	Modality
	Robot
	Place
	signalCount
)

// signals says how each kind of evidence is weighed and shown.
var signals = [signalCount]struct {
	name    string                                             // in the API
	weigh   func(e Evidence, scale float64, w Weights) float64 // w has the weights of the signals before it
	value   func(e Evidence, scale, weight float64) string     // what was observed, for people; nil if nothing is
	against func(Evidence) string                              // the sentence if it speaks most against a match; nil if it never does
}{
	Prior: {"prior", func(Evidence, float64, Weights) float64 { return prior }, nil, nil},
	Time: {"time", func(e Evidence, scale float64, _ Weights) float64 { return timeWeight(e, scale) },
		func(e Evidence, scale, _ float64) string { return timeValue(e, scale) }, because(TooFar)},
	Text: {"text", func(e Evidence, _ float64, _ Weights) float64 { return textWeight(e) },
		func(e Evidence, _, _ float64) string { return textValue(e) }, func(e Evidence) string { return textReason(e.Text).Sentence() }},
	Repeat: {"repeat", func(e Evidence, _ float64, w Weights) float64 { return repeatWeight(e, w) },
		unlessZero("time enough for a second one like it"), func(Evidence) string { return "there was time to say the same again" }},
	Source: {"source", func(e Evidence, _ float64, _ Weights) float64 { return sourceWeight(e) },
		unlessZero("too soon for a second one of the same person"), nil},
	Subject: {"subject", func(e Evidence, _ float64, _ Weights) float64 { return subjectWeight(e) },
		func(e Evidence, _, _ float64) string { return agreements[e.Subject] }, nil},
	Modality: {"modality", func(e Evidence, _ float64, _ Weights) float64 { return modalityWeight(e) },
		func(e Evidence, _, _ float64) string { return agreements[e.Modality] }, because(ModalityDiffers)},
	Robot: {"robot", func(e Evidence, _ float64, _ Weights) float64 { return robotWeight(e) },
		func(e Evidence, _, _ float64) string { return robotValue(e) }, because(ReportedBefore)},
	Place: {"place", func(e Evidence, _ float64, _ Weights) float64 { return placeWeight(e) },
		func(e Evidence, _, _ float64) string { return placeValue(e) }, because(PlaceDiffers)},
}

// String returns the signal's name in the API.
func (s Signal) String() string { return signals[s].name }

// Weights holds the weight of each kind of evidence, in nats.
type Weights [signalCount]float64

// Weigh returns the weights of the evidence. scale is the usual difference between two
// robots' timestamps of one event, in seconds.
func Weigh(e Evidence, scale float64) (w Weights) {
	for i := range signals {
		w[i] = signals[i].weigh(e, scale, w)
	}
	for i := range w {
		w[i] = hundredths(w[i])
	}
	return w
}

// Sum returns the log odds of one event against two, in nats, rounded to hundredths.
func (w Weights) Sum() float64 {
	sum := 0.0
	for _, x := range w {
		sum += x
	}
	return hundredths(sum)
}

// Part is the weight of one kind of evidence, with what it rests on, for people.
type Part struct {
	Signal Signal
	Weight float64 // in nats
	Value  string
}

// Parts returns the parts of a candidate's weight. It leaves out places if no side has one: few robots report them.
func (c Candidate) Parts(scale float64) (parts []Part) {
	for i := range signals {
		s := Signal(i)
		if s == Place && c.Evidence.Place == Neither && !c.Rooms {
			continue
		}
		p := Part{Signal: s, Weight: c.Weights[s]}
		if value := signals[s].value; value != nil {
			p.Value = value(c.Evidence, scale, p.Weight)
		}
		parts = append(parts, p)
	}
	return parts
}

// Against returns the strongest evidence against a candidate, or otherwise if there is
// none. That need not be the first failing gate: robots often do not name the person.
func (c Candidate) Against(otherwise string) string {
	words, least := otherwise, 0.0
	for i := range signals {
		if against := signals[i].against; against != nil && c.Weights[i] < least {
			words, least = against(c.Evidence), c.Weights[i]
		}
	}
	return words
}

func because(r Reason) func(Evidence) string {
	return func(Evidence) string { return r.Sentence() }
}

func textReason(texts Agreement) Reason {
	if texts == OneSide {
		return TextMissing
	}
	return TextWeak
}

var agreements = map[Agreement]string{
	Neither: "absent on both sides", OneSide: "absent on one side", Same: "the same", Different: "different",
}

// timeValue says the gap in words, with the scale by which it is weighed.
func timeValue(e Evidence, scale float64) string {
	if e.Unconfirmed {
		return fmt.Sprintf("%.3f s if the clocks differ by %.1f s, scale %.2f s", e.Gap, math.Abs(e.Claimed), scale)
	}
	if e.Rest > 0 {
		return fmt.Sprintf("%.3f s, %.1f s of it to say the other piece, scale %.2f s", e.Gap, e.Rest, scale)
	}
	return fmt.Sprintf("%.3f s, scale %.2f s", e.Gap, scale)
}

// textValue says in words how alike the texts are.
func textValue(e Evidence) string {
	if e.Text != Same {
		return agreements[e.Text]
	}
	if e.Reworded > 0 {
		return fmt.Sprintf("similarity %.2f, usual for these robots", e.Likeness)
	}
	return fmt.Sprintf("similarity %.2f, in one event of %.0f by chance", e.Likeness, 1/e.TextChance)
}

func placeValue(e Evidence) string {
	if e.Rooms {
		return "these robots report from two rooms"
	}
	return agreements[e.Place]
}

// robotValue says in words which robots reported.
func robotValue(e Evidence) string {
	switch {
	case e.Piece:
		return "the same robot, another piece"
	case e.Again:
		return "the same robot, which often reports again"
	case e.Robots == UnknownRobot:
		return "not named"
	case e.Robots == OtherRobot:
		return "another robot"
	}
	return "the same robot"
}

// unlessZero returns a function that says words if the weight is not 0.
func unlessZero(words string) func(Evidence, float64, float64) string {
	return func(_ Evidence, _, weight float64) string {
		if weight == 0 {
			return ""
		}
		return words
	}
}
