package resolver

import (
	"fmt"
	"math"
	"regexp"

	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// Ways to treat two known, different subjects.
const (
	SubjectsSeparate = "separate" // always two events
	SubjectsReview   = "review"   // a case may be opened
)

// Ways to learn from reviews.
const (
	CalibrationOff      = "off"
	CalibrationIsotonic = "isotonic" // the review threshold follows people's decisions
)

// Settings configure the decisions of a Resolver. Each comment ends with the environment
// variable.
type Settings struct {
	// Namespace is the prefix of the URIs of contexts: an absolute http or https IRI,
	// since robots of SEGB refuse to log about anything else. SHARED_CONTEXT_NAMESPACE
	Namespace string
	// TimeWindow is half the largest gap of a candidate, in seconds, 0.1 to 60.
	// SHARED_CONTEXT_TIME_WINDOW_SECONDS
	TimeWindow float64
	// MatchProbability is the least probability of a match, 0.5 to 1.
	// SHARED_CONTEXT_MATCH_PROBABILITY
	MatchProbability float64
	// ClearMatchProbability replaces MatchProbability if the texts are identical and
	// no other candidate competes, 0.5 to 1. SHARED_CONTEXT_CLEAR_MATCH_PROBABILITY
	ClearMatchProbability float64
	// ReviewProbability is the least probability of a case for review, 0 to 1.
	// SHARED_CONTEXT_REVIEW_PROBABILITY
	ReviewProbability float64
	// MaxGap is the largest gap of a match, in seconds, 0 to 60.
	// SHARED_CONTEXT_MAX_GAP_SECONDS
	MaxGap float64
	// MinTextSimilarity is the least similarity of the texts of a match, 0 to 1.
	// SHARED_CONTEXT_MIN_TEXT_SIMILARITY
	MinTextSimilarity float64
	// SubjectConflict is SubjectsSeparate or SubjectsReview.
	// SHARED_CONTEXT_SUBJECT_CONFLICT
	SubjectConflict string
	// GenericSubjects is a regular expression. A subject whose last part matches it,
	// ignoring case, identifies nobody. SHARED_CONTEXT_GENERIC_SUBJECTS
	GenericSubjects string
	// ClockCorrection enables correcting times by the learnt offsets of the robots'
	// clocks. SHARED_CONTEXT_CLOCK_CORRECTION
	ClockCorrection bool
	// MaxCandidates is the largest number of targets of a case, 1 to 20.
	// SHARED_CONTEXT_MAX_CANDIDATES
	MaxCandidates int
	// Calibration is CalibrationOff or CalibrationIsotonic. SHARED_CONTEXT_CALIBRATION
	Calibration string
}

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{
		Namespace:             "https://gsi.upm.es/segb/shared-events/",
		TimeWindow:            3,
		MatchProbability:      0.98,
		ClearMatchProbability: 0.90,
		ReviewProbability:     0.30,
		MaxGap:                1.5,
		MinTextSimilarity:     0.65,
		SubjectConflict:       SubjectsSeparate,
		GenericSubjects:       "anonymous|unknown|unidentified|undefined|nobody|(^|[^a-z])(null|none)([^a-z]|$)",
		ClockCorrection:       true,
		MaxCandidates:         5,
		Calibration:           CalibrationOff,
	}
}

// SettingError reports an invalid setting and its valid values.
type SettingError struct {
	Variable string // its environment variable
	Detail   string
}

func (e *SettingError) Error() string { return e.Variable + ": " + e.Detail }

// Validate returns a *SettingError for the first invalid setting.
func (s Settings) Validate() error {
	if err := checkNamespace(s.Namespace); err != nil {
		return err
	}
	for _, n := range []struct {
		variable         string
		value, low, high float64
	}{
		{"SHARED_CONTEXT_TIME_WINDOW_SECONDS", s.TimeWindow, minWindow, maxWindow},
		{"SHARED_CONTEXT_MATCH_PROBABILITY", s.MatchProbability, 0.5, 1},
		{"SHARED_CONTEXT_CLEAR_MATCH_PROBABILITY", s.ClearMatchProbability, 0.5, 1},
		{"SHARED_CONTEXT_REVIEW_PROBABILITY", s.ReviewProbability, 0, 1},
		{"SHARED_CONTEXT_MAX_GAP_SECONDS", s.MaxGap, 0, maxWindow},
		{"SHARED_CONTEXT_MIN_TEXT_SIMILARITY", s.MinTextSimilarity, 0, 1},
		{"SHARED_CONTEXT_MAX_CANDIDATES", float64(s.MaxCandidates), 1, 20},
	} {
		if math.IsNaN(n.value) || n.value < n.low || n.value > n.high {
			return &SettingError{n.variable, fmt.Sprintf("must be from %g to %g", n.low, n.high)}
		}
	}
	if s.SubjectConflict != SubjectsSeparate && s.SubjectConflict != SubjectsReview {
		return &SettingError{"SHARED_CONTEXT_SUBJECT_CONFLICT", `must be "separate" or "review"`}
	}
	if _, err := regexp.Compile("(?i)" + s.GenericSubjects); err != nil {
		return &SettingError{"SHARED_CONTEXT_GENERIC_SUBJECTS", fmt.Sprintf("must be a regular expression: %v", err)}
	}
	if s.Calibration != CalibrationOff && s.Calibration != CalibrationIsotonic {
		return &SettingError{"SHARED_CONTEXT_CALIBRATION", `must be "off" or "isotonic"`}
	}
	return nil
}

// Limits of a time window in seconds, in the setting and in a request.
const (
	minWindow = 0.1
	maxWindow = 60
)

// policy holds the settings in the form that the resolver uses.
type policy struct {
	Settings
	generic *regexp.Regexp
	plan    string // the IRI of the rules and settings
}

// newPolicy returns the policy for validated settings.
func newPolicy(s Settings) *policy {
	return &policy{Settings: s, generic: regexp.MustCompile("(?i)" + s.GenericSubjects), plan: s.plan()}
}

// window returns the default for the largest gap of a candidate, in microseconds.
func (p *policy) window() int64 { return int64(2 * p.TimeWindow * second) }

// rules returns the rules by which candidates compete.
func (s Settings) rules() weigh.Rules {
	return weigh.Rules{Match: s.MatchProbability, ClearMatch: s.ClearMatchProbability, Review: s.ReviewProbability,
		MaxGap: s.MaxGap, MinText: s.MinTextSimilarity, MaxTargets: s.MaxCandidates}
}

// plan returns the name of the rules and settings of a decision.
func (s Settings) plan() string {
	return fmt.Sprintf("urn:segraph:resolver:%s:%016x", Version, text.Fingerprint(fmt.Sprintf("%+v", s)))
}
