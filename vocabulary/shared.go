package vocabulary

// ScGraph is the name of the graph with the resolver's records, which use the names
// below. The published graph has copies of some.
const ScGraph = "urn:segraph:contexts"

// Classes of shared contexts and of decisions about them.
const (
	ScSharedContext = Sc + "SharedContext"
	ScObservation   = Sc + "Observation"
	ScReviewCase    = Sc + "ReviewCase"
	ScCandidate     = Sc + "Candidate"
	ScPlaceholder   = Sc + "Placeholder"
	ScClock         = Sc + "Clock"
	ScRelay         = Sc + "Relay"
	ScSamePerson    = Sc + "SamePerson"

	ScDecision      = Sc + "Decision"
	ScCreation      = Sc + "Creation"
	ScMatch         = Sc + "Match"
	ScDoubt         = Sc + "Doubt"
	ScAutoMerge     = Sc + "AutoMerge"
	ScAcceptedMerge = Sc + "AcceptedMerge"
	ScRejection     = Sc + "Rejection"
	ScSupersession  = Sc + "Supersession"
	ScUndo          = Sc + "Undo"
)

// Properties of shared contexts.
const (
	ScStatus          = Sc + "status"
	ScEventKind       = Sc + "eventKind"
	ScSubject         = Sc + "subject"
	ScModality        = Sc + "modality"
	ScFirstObservedAt = Sc + "firstObservedAt"
	ScLastObservedAt  = Sc + "lastObservedAt"
	ScMergedInto      = Sc + "mergedInto"
	ScNotSameEventAs  = Sc + "notSameEventAs"
	ProvAlternateOf   = Prov + "alternateOf"
	ScState           = Sc + "state"        // of placeholders, clocks and relays
	ScRobot           = Sc + "robot"        // of clocks and relays
	ScAhead           = Sc + "ahead"        // of clocks, in seconds
	ScLateReportOf    = Sc + "lateReportOf" // of contexts that a relay reported
	ScRepeats         = Sc + "repeats"      // of relays: whose reports it repeats
)

// Properties of observations, in addition to those shared with contexts.
const (
	ScObservedAt     = Sc + "observedAt"
	ScCorrectedAt    = Sc + "correctedAt"
	ScText           = Sc + "text"
	ScObservedBy     = Sc + "observedBy"
	ScObservationURI = Sc + "observationUri"
	ScRequestKey     = Sc + "requestKey"
	ScIDReused       = Sc + "idReused"
	ScSequence       = Sc + "sequence"
)

// Properties of review cases and of their candidates.
const (
	ScCaseID         = Sc + "caseId"
	ScCaseStatus     = Sc + "caseStatus"
	ScSource         = Sc + "source"
	ScCandidateOf    = Sc + "candidate"
	ScSelectedTarget = Sc + "selectedTarget"
	ScReason         = Sc + "reason"
	ScOpenedAt       = Sc + "openedAt"
	ScDecidedAt      = Sc + "decidedAt"
	ScTarget         = Sc + "target"
	ScRank           = Sc + "rank"
	ScLogOdds        = Sc + "logOdds"
	ScPosterior      = Sc + "posterior"
	ScContribution   = Sc + "contribution"
	ScFeature        = Sc + "feature"
	ScWeight         = Sc + "weight"
	ScValue          = Sc + "value"
)

// Properties of decisions.
const (
	ProvInvalidated          = Prov + "invalidated"
	ProvQualifiedAssociation = Prov + "qualifiedAssociation"
	ProvAssociation          = Prov + "Association"
	ProvAgentProperty        = Prov + "agent"
	ProvHadPlan              = Prov + "hadPlan"
	RDFSSubClassOf           = RDFS + "subClassOf"
)
