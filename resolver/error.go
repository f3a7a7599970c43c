package resolver

// Code classifies an Error.
type Code string

const (
	// Invalid: the observation or an argument is invalid. HTTP 422.
	Invalid Code = "invalid"
	// CaseNotFound: there is no such case or decision. HTTP 404.
	CaseNotFound Code = "case_not_found"
	// ContextNotFound: there is no such context. HTTP 404.
	ContextNotFound Code = "context_not_found"
	// CaseDecided: the case was decided differently. HTTP 409.
	CaseDecided Code = "case_decided"
	// CaseSuperseded: another decision settled the case; CurrentContext is where its
	// source is now. HTTP 409.
	CaseSuperseded Code = "case_superseded"
	// CaseRejected: a person decided to keep the two separate. HTTP 409.
	CaseRejected Code = "case_rejected"
	// Changed: what was decided on is not as it was seen; see AsSeen. HTTP 409.
	Changed Code = "changed"
	// TargetNotOffered: the context is not a target of the case. HTTP 422.
	TargetNotOffered Code = "target_not_offered"
	// NotUndoable: there is nothing to undo, or a later decision depends on it. HTTP 409.
	NotUndoable Code = "not_undoable"
	// Unsupported: no report supports the decision, or too many were made. HTTP 409.
	Unsupported Code = "unsupported"
)

// Error is a request that can't be fulfilled in the current state.
type Error struct {
	Code   Code
	Detail string // a sentence for people
	Member string // with Invalid, for an observation: the JSON name of the invalid member
	// CurrentContext is, with CaseSuperseded, the URI of the context that now holds the
	// source.
	CurrentContext string
}

func (e *Error) Error() string { return e.Detail }
