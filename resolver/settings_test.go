package resolver

import (
	"errors"
	"testing"
)

func TestSettingsAreValidatedByName(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Fatalf("the defaults: %v", err)
	}
	for _, tt := range []struct {
		variable string
		change   func(*Settings)
	}{
		{"SHARED_CONTEXT_NAMESPACE", func(s *Settings) { s.Namespace = "shared-events/" }},
		{"SHARED_CONTEXT_TIME_WINDOW_SECONDS", func(s *Settings) { s.TimeWindow = 0 }},
		{"SHARED_CONTEXT_MATCH_PROBABILITY", func(s *Settings) { s.MatchProbability = 0.4 }},
		{"SHARED_CONTEXT_CLEAR_MATCH_PROBABILITY", func(s *Settings) { s.ClearMatchProbability = 1.1 }},
		{"SHARED_CONTEXT_REVIEW_PROBABILITY", func(s *Settings) { s.ReviewProbability = -1 }},
		{"SHARED_CONTEXT_MAX_GAP_SECONDS", func(s *Settings) { s.MaxGap = -1 }},
		{"SHARED_CONTEXT_MIN_TEXT_SIMILARITY", func(s *Settings) { s.MinTextSimilarity = 2 }},
		{"SHARED_CONTEXT_SUBJECT_CONFLICT", func(s *Settings) { s.SubjectConflict = "merge" }},
		{"SHARED_CONTEXT_GENERIC_SUBJECTS", func(s *Settings) { s.GenericSubjects = "(" }},
		{"SHARED_CONTEXT_MAX_CANDIDATES", func(s *Settings) { s.MaxCandidates = 0 }},
		{"SHARED_CONTEXT_CALIBRATION", func(s *Settings) { s.Calibration = "on" }},
	} {
		s := Defaults()
		tt.change(&s)
		var wrong *SettingError
		if err := s.Validate(); !errors.As(err, &wrong) || wrong.Variable != tt.variable {
			t.Errorf("got %v, want an error of %s", err, tt.variable)
		}
	}
}
