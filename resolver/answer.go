package resolver

import (
	"time"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

// Outcome is the result of resolving an observation.
type Outcome string

const (
	Created   Outcome = "created"   // it created a context
	Matched   Outcome = "matched"   // it joined a context
	Ambiguous Outcome = "ambiguous" // it created a context, and a case for review
)

// Resolution is the result of Resolve.
type Resolution struct {
	SharedContextURI string      `json:"shared_context_uri"` // never a merged context
	Outcome          Outcome     `json:"outcome"`
	Status           Outcome     `json:"status"`     // equal to Outcome
	Confidence       float64     `json:"confidence"` // for a match, the probability that it is right; otherwise, that some candidate is the same event
	ResolverVersion  string      `json:"resolver_version"`
	CandidateCount   int         `json:"candidate_count"`
	MatchedCandidate *string     `json:"matched_candidate_uri"`
	CloseCandidates  []string    `json:"close_candidates"` // the candidates of the case, best first
	ScoreBreakdown   Breakdown   `json:"score_breakdown"`  // for the best candidate; {} if there is none
	CaseID           *string     `json:"case_id"`
	DecisionID       *string     `json:"decision_id"` // null for a repeat
	Duplicate        bool        `json:"duplicate"`
	IDReused         bool        `json:"id_reused"`        // its observation_uri named a different observation before
	Reason           Reason      `json:"reason,omitempty"` // why review is needed
	Explanation      Explanation `json:"explanation"`
}

// Breakdown is the evidence for a candidate, as fractions from 0 to 1. The zero Breakdown
// means that nothing was compared. In JSON it is {}.
type Breakdown struct {
	Time     *float64 `json:"time,omitempty"`
	Text     *float64 `json:"text,omitempty"`
	Subject  *float64 `json:"subject,omitempty"`
	Modality *float64 `json:"modality,omitempty"`
}

// breakdown converts the shares of a comparison.
func breakdown(s record.Shares) Breakdown {
	return Breakdown{Time: &s.Time, Text: &s.Text, Subject: &s.Subject, Modality: &s.Modality}
}

// Explanation explains a decision. The weights of Contributions add up to LogOdds.
type Explanation struct {
	Candidate      *string        `json:"candidate"` // the best candidate
	LogOdds        float64        `json:"log_odds"`  // in nats
	GapMS          int64          `json:"gap_ms"`
	CorrectedGapMS int64          `json:"corrected_gap_ms"` // corrected by the robots' clock offsets
	Contributions  []Contribution `json:"contributions"`
	Gates          Gates          `json:"gates"`
	Reason         string         `json:"reason"` // a sentence for people
}

// Contribution is the weight of one kind of evidence, not the contribution of a log.
type Contribution struct {
	Feature string  `json:"feature"`
	Weight  float64 `json:"weight"`          // in nats
	Value   string  `json:"value,omitempty"` // what was observed, for people
}

// Gates are the conditions of an automatic match. All must be true.
type Gates = weigh.Gates

// Reason is why a case needs review.
type Reason = weigh.Reason

// Reconciliation is the result of Reconcile.
type Reconciliation struct {
	ResolverVersion      string            `json:"resolver_version"`
	ScannedContexts      int               `json:"scanned_contexts"`
	ScannedAmbiguous     int               `json:"scanned_ambiguous"`
	MergedCount          int               `json:"merged_count"`
	Mappings             map[string]string `json:"mappings"` // from source to target
	OpenedCases          int               `json:"opened_cases"`
	UpdatedCases         int               `json:"updated_cases"`
	ClosedCases          int               `json:"closed_cases"`
	SkippedRejectedPairs int               `json:"skipped_rejected_pairs"`
	PendingCases         int               `json:"pending_cases"`
	DurationMS           int64             `json:"duration_ms"`
}

// Statistics is the result of Stats.
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
	AutomaticMatches  int64            `json:"automatic_matches"` // matches that were not undone
	UndoneMatches     int64            `json:"undone_matches"`
	AutomaticMerges   int64            `json:"automatic_merges"`
	ManualMerges      int64            `json:"manual_merges"`
	Outcomes          OutcomeCounts    `json:"outcomes"`
	ReusedIDs         ReusedIDs        `json:"reused_ids"`
	Clock             ClockStatistics  `json:"clock"`
	Calibration       CalibrationState `json:"calibration"`
	Placeholders      []Placeholder    `json:"placeholders"` // subjects that are or were treated as placeholders
	Relays            []Relay          `json:"relays"`       // robots that are or were treated as relays
	People            []SamePerson     `json:"people"`       // pairs of subjects that are, were or may be one person
}

// OutcomeCounts counts the outcomes of observations, without repeats. An observation
// whose match was undone counts as Created.
type OutcomeCounts struct {
	Created   int64 `json:"created"`
	Matched   int64 `json:"matched"`
	Ambiguous int64 `json:"ambiguous"`
}

// ReusedIDs counts the observations whose observation_uri named a different observation
// before.
type ReusedIDs struct {
	Total  int64        `json:"total"`
	Robots []RobotReuse `json:"robots"` // the robots with the most, at most 100
}

// RobotReuse counts the reused ids of one robot.
type RobotReuse struct {
	RobotURI *string `json:"robot_uri"`
	Count    int64   `json:"count"`
}

// ClockStatistics describes the robots' clocks.
type ClockStatistics struct {
	ScaleMS int64        `json:"scale_ms"` // usual difference between two robots' timestamps of one event
	Robots  []RobotClock `json:"robots"`
}

// CalibrationState describes how reviews have changed the review threshold.
type CalibrationState struct {
	Mode              string  `json:"mode"`
	Reviews           int     `json:"reviews"`            // decided cases used
	ReviewProbability float64 `json:"review_probability"` // review threshold
}

// Queue is the result of Pending.
type Queue struct {
	ResolverVersion    string        `json:"resolver_version"`
	UnresolvedCount    int64         `json:"unresolved_count"`
	PendingCount       int64         `json:"pending_count"`
	Total              int64         `json:"total"`
	Limit              int           `json:"limit"` // less than was asked for only with Room.Short; the next cases are at Offset + Limit
	Offset             int           `json:"offset"`
	UnresolvedContexts []ContextView `json:"unresolved_contexts"` // sources of the listed cases
	Contexts           []ContextView `json:"contexts"`            // all contexts that the listed cases name
	PendingCases       []CaseView    `json:"pending_cases"`

	room int // for more observations, in bytes
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
	Observations     []ObservationView `json:"observations"` // at most 100, or fewer if their texts are long
}

// ObservationView is an observation as it was sent and, if a single context is shown, the
// decision that added it.
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
	Confidence *float64 `json:"confidence,omitempty"` // of the match
	Undoable   bool     `json:"undoable,omitempty"`   // Undo can reverse the decision
	Doubted    bool     `json:"-"`                    // an undecided case asks whether it is of another event
}

// ContextDetail is the result of Context.
type ContextDetail struct {
	Context      ContextView `json:"context"`
	Limit        int         `json:"limit"`
	Offset       int         `json:"offset"`
	KeptSeparate []string    `json:"not_same_event_as"` // URIs of contexts that a person decided to keep separate from it
	PendingCases []string    `json:"pending_cases"`     // ids of undecided cases; it is the source or a likely candidate of each
}

// CaseView is an undecided case as a reviewer sees it.
type CaseView struct {
	CaseID             string          `json:"case_id"`
	Status             string          `json:"status"`
	Reason             Reason          `json:"reason"`
	GroupID            string          `json:"group_id"` // the URI of a context, equal for all cases about one event
	Confidence         float64         `json:"confidence"`
	SourceContextURI   string          `json:"source_context_uri"`
	CreatedAt          time.Time       `json:"created_at"`
	WeighedAt          time.Time       `json:"weighed_at"` // when confidence and candidates were computed
	Seen               string          `json:"seen"`       // see AsSeen
	DecidedAt          *time.Time      `json:"decided_at"`
	SelectedContextURI *string         `json:"selected_context_uri"`
	Candidates         []CandidateView `json:"candidates"`
}

// CandidateView is one candidate of a case.
type CandidateView struct {
	ContextURI     string         `json:"context_uri"`
	Score          float64        `json:"score"`    // the probability that it is the same event
	LogOdds        float64        `json:"log_odds"` // in nats
	ScoreBreakdown Breakdown      `json:"score_breakdown"`
	Contributions  []Contribution `json:"contributions"`
}

// Verdict is the result of Accept and Reject.
type Verdict struct {
	CaseID              string    `json:"case_id"`
	Status              string    `json:"status"`
	SourceContextURI    string    `json:"source_context_uri"`
	SelectedContextURI  *string   `json:"selected_context_uri"`  // null for a rejection
	ResultingContextURI *string   `json:"resulting_context_uri"` // null for a rejection
	SharedContextURI    string    `json:"shared_context_uri"`    // the context that the source's observations now belong to
	AlreadyDecided      bool      `json:"already_decided"`
	SupersededCases     []string  `json:"superseded_cases"`
	DecisionID          string    `json:"decision_id"`
	DecidedAt           time.Time `json:"decided_at,omitzero"` // absent if the case still asks about other candidates
	DecidedBy           string    `json:"decided_by"`
	ResolverVersion     string    `json:"resolver_version"`
}

// Reversal is the result of Undo.
type Reversal struct {
	DecisionID       string    `json:"decision_id"` // id of the reversal
	UndoneDecision   string    `json:"undone_decision"`
	CaseID           *string   `json:"case_id"`
	CaseStatus       *string   `json:"case_status"`
	SourceContextURI string    `json:"source_context_uri"` // the restored context
	TargetContextURI *string   `json:"target_context_uri"` // the context it was separated from; null for a rejection
	ReopenedCases    []string  `json:"reopened_cases"`
	UndoneAt         time.Time `json:"undone_at"`
	UndoneBy         string    `json:"undone_by"`
	ResolverVersion  string    `json:"resolver_version"`
}
