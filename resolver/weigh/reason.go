package weigh

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// Reason is why two sides were not matched, or a case needs review, in the words of the API.
type Reason string

const (
	NoReason        Reason = ""
	SubjectMissing  Reason = "subject_missing"
	SubjectGeneric  Reason = "subject_generic"
	SubjectDiffers  Reason = "subject_differs" // only if such pairs are reviewed
	ModalityDiffers Reason = "modality_differs"
	ModalityMissing Reason = "modality_missing"
	TextWeak        Reason = "text_weak"
	TextDiffers     Reason = "text_differs" // clearly, and these robots often report one event in different words
	TextMissing     Reason = "text_missing"
	PlaceDiffers    Reason = "place_differs"
	TooFar          Reason = "gap"             // in time
	Rivals          Reason = "rival"           // others are as likely, or no text tells events apart
	LateReport      Reason = "late_report"     // one of the two may be a late report of another event
	ReportedBefore  Reason = "reported_before" // its robot already reported that context
	RejectedBefore  Reason = "rejected_before" // a person decided to keep the two separate
)

// words tell a reviewer what prevents a match.
var words = map[Reason]struct{ label, sentence string }{
	SubjectMissing:  {"no person", "one side names no person"},
	SubjectGeneric:  {"placeholder", "one side names a placeholder, not a person"},
	SubjectDiffers:  {"other person", "the sides name different people"},
	ModalityDiffers: {"other modality", "the modalities differ"},
	ModalityMissing: {"no modality", "one side has no modality"},
	TextWeak:        {"weak text", "the texts are not alike enough, or too common"},
	TextDiffers:     {"other words", "these robots often report one event in different words or in pieces"},
	TextMissing:     {"no text", "one side has no text"},
	PlaceDiffers:    {"other place", "the places differ"},
	TooFar:          {"time gap", "the times are too far apart, or in doubt"},
	Rivals:          {"rivals", "nothing rules out another event"},
	LateReport:      {"late report", "one may be a late report of an earlier event"},
	ReportedBefore:  {"same robot", "this robot already reported that event"},
	RejectedBefore:  {"kept apart", "a person has kept the two apart"},
}

// Label returns the reason in two words or so, or as the API has it if it is unknown.
func (r Reason) Label() string {
	return cmp.Or(words[r].label, strings.ReplaceAll(string(r), "_", " "))
}

// Sentence returns the reason in words for a reviewer, without a capital or a full stop.
func (r Reason) Sentence() string { return words[r].sentence }

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
	case c.Weights[Robot] < 0:
		return ReportedBefore
	case c.Evidence.Text == Neither && c.Weights[Source] == fullSource: // very near, without words to distinguish them
		return Rivals
	case c.Evidence.Text == Neither, c.Weights[Time]+c.Weights[Repeat] < c.Weights[Text]:
		return TooFar
	}
	return TextWeak
}

// Apart formats a number and the limit that it is compared with, with at least some digits after the point, and as many as tell
// the two apart.
func Apart(x, limit float64, digits int) (string, string) {
	for ; ; digits++ {
		a, b := strconv.FormatFloat(x, 'f', digits, 64), strconv.FormatFloat(limit, 'f', digits, 64)
		if a != b || x == limit || digits >= 9 {
			return a, b
		}
	}
}
