package resolver

import (
	"time"

	"github.com/segraph/segraph/resolver/record"
)

// Outcome is what became of an observation.
type Outcome string

const (
	Created   Outcome = "created"   // it founded a context
	Matched   Outcome = "matched"   // it joined one
	Ambiguous Outcome = "ambiguous" // it founded one, and a case asks a person
)

// Resolution answers Resolve.
type Resolution struct {
	SharedContextURI string      `json:"shared_context_uri"` // never that of a merged context
	Outcome          Outcome     `json:"outcome"`
	Status           Outcome     `json:"status"`     // the same word
	Confidence       float64     `json:"confidence"` // of a match: that it is right; else: that some candidate is the same event
	ResolverVersion  string      `json:"resolver_version"`
	CandidateCount   int         `json:"candidate_count"`
	MatchedCandidate *string     `json:"matched_candidate_uri"`
	CloseCandidates  []string    `json:"close_candidates"` // what the case offers, best first
	ScoreBreakdown   Breakdown   `json:"score_breakdown"`  // of the best candidate, {} without one
	CaseID           *string     `json:"case_id"`
	DecisionID       *string     `json:"decision_id"` // null for a repeat, which decides nothing
	Duplicate        bool        `json:"duplicate"`
	IDReused         bool        `json:"id_reused"`        // its observation_uri named another observation before
	Reason           Reason      `json:"reason,omitempty"` // why a person is asked
	Explanation      Explanation `json:"explanation"`
}

// Breakdown is the evidence for a candidate as shares, each from 0 to 1. The zero
// Breakdown says that nothing was compared; in JSON it is {}.
type Breakdown struct {
	Time     *float64 `json:"time,omitempty"`
	Text     *float64 `json:"text,omitempty"`
	Subject  *float64 `json:"subject,omitempty"`
	Modality *float64 `json:"modality,omitempty"`
}

// breakdown returns the shares of a comparison.
func breakdown(s record.Shares) Breakdown {
	return Breakdown{Time: &s.Time, Text: &s.Text, Subject: &s.Subject, Modality: &s.Modality}
}

// Explanation says why. The weights of Contributions add up to LogOdds.
type Explanation struct {
	Candidate      *string        `json:"candidate"` // the context that was weighed: the best one
	LogOdds        float64        `json:"log_odds"`  // in nats
	GapMS          int64          `json:"gap_ms"`
	CorrectedGapMS int64          `json:"corrected_gap_ms"` // with the robots' clocks set right
	Contributions  []Contribution `json:"contributions"`
	Gates          Gates          `json:"gates"`
	Reason         string         `json:"reason"` // a sentence for people
}

// Contribution is what one kind of evidence weighs.
type Contribution struct {
	Feature string  `json:"feature"`
	Weight  float64 `json:"weight"`          // in nats
	Value   string  `json:"value,omitempty"` // what was seen, for people
}

// Gates are the conditions of an automatic match; one that is false forbids it.
type Gates struct {
	EventKind bool `json:"event_kind"`
	Subject   bool `json:"subject"`
	Modality  bool `json:"modality"`
	Text      bool `json:"text"`
	Time      bool `json:"time"`
	Place     bool `json:"place"`
	Robot     bool `json:"robot"`
	Rival     bool `json:"rival"` // no other candidate is as likely
}

// Reason says why a person is asked.
type Reason string

const (
	SubjectMissing  Reason = "subject_missing"
	SubjectGeneric  Reason = "subject_generic"
	SubjectDiffers  Reason = "subject_differs" // only with the setting SubjectConflict "review"
	ModalityDiffers Reason = "modality_differs"
	ModalityMissing Reason = "modality_missing"
	TextWeak        Reason = "text_weak"
	TextDiffers     Reason = "text_differs" // clearly, as these robots often report the same person at the same moment
	TextMissing     Reason = "text_missing"
	PlaceDiffers    Reason = "place_differs"
	Gap             Reason = "gap"             // too far apart in time
	Rival           Reason = "rival"           // another candidate is as likely, or no text tells events apart
	LateReport      Reason = "late_report"     // one of the two may be a late report of another event
	ReportedBefore  Reason = "reported_before" // this robot has reported that context
	RejectedBefore  Reason = "rejected_before" // a person has kept the two apart
)

// Reconciliation answers Reconcile.
type Reconciliation struct {
	ResolverVersion      string            `json:"resolver_version"`
	ScannedContexts      int               `json:"scanned_contexts"`
	ScannedAmbiguous     int               `json:"scanned_ambiguous"`
	MergedCount          int               `json:"merged_count"`
	Mappings             map[string]string `json:"mappings"` // source to target
	OpenedCases          int               `json:"opened_cases"`
	UpdatedCases         int               `json:"updated_cases"`
	ClosedCases          int               `json:"closed_cases"`
	SkippedRejectedPairs int               `json:"skipped_rejected_pairs"`
	PendingCases         int               `json:"pending_cases"`
	DurationMS           int64             `json:"duration_ms"`
}

// Statistics answers Stats.
type Statistics struct {
	ResolverVersion   string           `json:"resolver_version"`
	ActiveContexts    int64            `json:"active_contexts"`
	AmbiguousContexts int64            `json:"ambiguous_contexts"`
	MergedContexts    int64            `json:"merged_contexts"`
	Aliases           int64            `json:"aliases"`
	Observations      int64            `json:"observations"`
	Duplicates        int64            `json:"duplicates"`
	PendingReviews    int64            `json:"pending_reviews"`
	AcceptedReviews   int64            `json:"accepted_reviews"`
	RejectedReviews   int64            `json:"rejected_reviews"`
	SupersededReviews int64            `json:"superseded_reviews"`
	AutomaticMatches  int64            `json:"automatic_matches"` // that stand
	UndoneMatches     int64            `json:"undone_matches"`
	AutomaticMerges   int64            `json:"automatic_merges"`
	ManualMerges      int64            `json:"manual_merges"`
	Outcomes          OutcomeCounts    `json:"outcomes"`
	ReusedIDs         ReusedIDs        `json:"reused_ids"`
	Clock             ClockStatistics  `json:"clock"`
	Calibration       CalibrationState `json:"calibration"`
	Placeholders      []Placeholder    `json:"placeholders"` // subjects that are no person, or were taken for none
	Relays            []Relay          `json:"relays"`       // robots that repeat others, or were taken to
}

// OutcomeCounts counts what became of observations, without repeats. One whose match was
// undone counts as Created.
type OutcomeCounts struct {
	Created   int64 `json:"created"`
	Matched   int64 `json:"matched"`
	Ambiguous int64 `json:"ambiguous"`
}

// ReusedIDs counts the observations whose observation_uri named another observation before.
type ReusedIDs struct {
	Total  int64        `json:"total"`
	Robots []RobotReuse `json:"robots"` // those that do it most, 100 at most
}

// RobotReuse counts those of one robot.
type RobotReuse struct {
	RobotURI *string `json:"robot_uri"`
	Count    int64   `json:"count"`
}

// ClockStatistics is what was learnt of the robots' clocks.
type ClockStatistics struct {
	ScaleMS int64        `json:"scale_ms"` // how far apart two robots usually stamp one event
	Robots  []RobotClock `json:"robots"`
}

// CalibrationState is what was learnt from reviews.
type CalibrationState struct {
	Mode              string  `json:"mode"`
	Reviews           int     `json:"reviews"`            // decided cases that it knows
	ReviewProbability float64 `json:"review_probability"` // from which a person is asked
}

// Queue answers Pending.
type Queue struct {
	ResolverVersion    string        `json:"resolver_version"`
	UnresolvedCount    int64         `json:"unresolved_count"`
	PendingCount       int64         `json:"pending_count"`
	Total              int64         `json:"total"`
	Limit              int           `json:"limit"`
	Offset             int           `json:"offset"`
	UnresolvedContexts []ContextView `json:"unresolved_contexts"` // sources of the listed cases
	Contexts           []ContextView `json:"contexts"`            // all that the listed cases name
	PendingCases       []CaseView    `json:"pending_cases"`
}

// ContextView is a context, with its observations, as a reviewer sees it.
type ContextView struct {
	URI              string            `json:"uri"`
	EventKind        string            `json:"event_kind"`
	Status           string            `json:"status"` // "active", "ambiguous", "merged"
	ObservedAt       string            `json:"observed_at"`
	SubjectURI       *string           `json:"subject_uri"`
	Modality         *string           `json:"modality"`
	CanonicalText    *string           `json:"canonical_text"`
	ObservationCount int               `json:"observation_count"`
	Observations     []ObservationView `json:"observations"` // 100 at most
}

// ObservationView is an observation as it was sent, and, where a single context is shown,
// how it came there.
type ObservationView struct {
	ObservedAt     string  `json:"observed_at"`
	SubjectURI     *string `json:"subject_uri"`
	Modality       *string `json:"modality"`
	Text           *string `json:"text"`
	ObservationURI *string `json:"observation_uri"`
	RobotURI       *string `json:"robot_uri"`
	LocationURI    *string `json:"location_uri"`

	DecisionID string   `json:"decision_id,omitempty"`
	Outcome    Outcome  `json:"outcome,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"` // of a match
	Undoable   bool     `json:"undoable,omitempty"`   // Undo takes the decision back
}

// ContextDetail answers Context.
type ContextDetail struct {
	Context      ContextView `json:"context"`
	Limit        int         `json:"limit"`
	Offset       int         `json:"offset"`
	KeptApart    []string    `json:"not_same_event_as"` // URIs of contexts that a person has kept apart from it
	PendingCases []string    `json:"pending_cases"`     // ids of the cases that ask what it is
}

// CaseView is a doubtful case as a reviewer sees it.
type CaseView struct {
	CaseID             string          `json:"case_id"`
	Status             string          `json:"status"`
	Reason             Reason          `json:"reason"`
	GroupID            string          `json:"group_id"` // the URI of a context: the same for cases that ask about one event
	Confidence         float64         `json:"confidence"`
	SourceContextURI   string          `json:"source_context_uri"`
	CreatedAt          time.Time       `json:"created_at"`
	WeighedAt          *time.Time      `json:"weighed_at"` // when confidence and candidates were found; null in cases of older versions
	DecidedAt          *time.Time      `json:"decided_at"`
	SelectedContextURI *string         `json:"selected_context_uri"`
	Candidates         []CandidateView `json:"candidates"`
}

// CandidateView is one target that a case offers.
type CandidateView struct {
	ContextURI     string         `json:"context_uri"`
	Score          float64        `json:"score"`    // the probability that it is the same event
	LogOdds        float64        `json:"log_odds"` // in nats
	ScoreBreakdown Breakdown      `json:"score_breakdown"`
	Contributions  []Contribution `json:"contributions"`
}

// Verdict answers Accept and Reject.
type Verdict struct {
	CaseID              string    `json:"case_id"`
	Status              string    `json:"status"`
	SourceContextURI    string    `json:"source_context_uri"`
	SelectedContextURI  *string   `json:"selected_context_uri"`  // null for a rejection
	ResultingContextURI *string   `json:"resulting_context_uri"` // null for a rejection
	SharedContextURI    string    `json:"shared_context_uri"`    // what the source's observations now answer
	AlreadyDecided      bool      `json:"already_decided"`
	SupersededCases     []string  `json:"superseded_cases"`
	DecisionID          string    `json:"decision_id"`
	DecidedAt           time.Time `json:"decided_at,omitzero"` // absent where the case still asks about others
	DecidedBy           string    `json:"decided_by"`
	ResolverVersion     string    `json:"resolver_version"`
}

// Reversal answers Undo.
type Reversal struct {
	DecisionID       string    `json:"decision_id"` // of the undoing
	UndoneDecision   string    `json:"undone_decision"`
	CaseID           *string   `json:"case_id"`
	CaseStatus       *string   `json:"case_status"`
	SourceContextURI string    `json:"source_context_uri"` // which stands for itself again
	TargetContextURI *string   `json:"target_context_uri"` // from which it was taken; null for a rejection
	ReopenedCases    []string  `json:"reopened_cases"`
	UndoneAt         time.Time `json:"undone_at"`
	UndoneBy         string    `json:"undone_by"`
	ResolverVersion  string    `json:"resolver_version"`
}
