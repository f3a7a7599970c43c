package weigh

import "math"

// Reason is what prevents a match.
type Reason uint8

const (
	NoReason Reason = iota
	SubjectMissing
	SubjectGeneric
	SubjectDiffers
	ModalityDiffers
	ModalityMissing
	TextWeak
	TextMissing
	TextDiffers // clearly, and these robots often report one event in different words
	PlaceDiffers
	TooFar         // in time
	Rivals         // others are as likely
	LateReport     // one of the two may be a late report of another event
	ReportedBefore // its robot already reported that context
)

// reason returns the first gate that c fails, or else what makes it too unlikely.
func (r Rules) reason(c Candidate, g Gates, late float64) Reason {
	switch {
	case !g.Subject && c.Evidence.Subject == Different:
		return SubjectDiffers
	case !g.Subject && c.Generic:
		return SubjectGeneric
	case !g.Subject:
		return SubjectMissing
	case !g.Modality && c.Evidence.Modality == Different:
		return ModalityDiffers
	case !g.Modality:
		return ModalityMissing
	case !g.Text && c.Evidence.Text == OneSide:
		return TextMissing
	case !g.Text && c.reworded():
		return TextDiffers
	case !g.Text:
		return TextWeak
	case !g.Place:
		return PlaceDiffers
	case !g.Time:
		return TooFar
	case !g.Robot:
		return ReportedBefore
	case late < notLate(c):
		return LateReport
	case c.Sum() >= math.Log(r.Match/(1-r.Match)):
		return Rivals
	case c.Weights.Robot < 0:
		return ReportedBefore
	case c.Evidence.Text == Neither && c.Weights.Source == fullSource: // very near, without words to distinguish them
		return Rivals
	case c.Evidence.Text == Neither, c.Weights.Time+c.Weights.Repeat < c.Weights.Text:
		return TooFar
	}
	return TextWeak
}
