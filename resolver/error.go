package resolver

// Code tells the kinds of Error apart.
type Code string

const (
	// Invalid: the observation or an argument is not what it must be. HTTP 422.
	Invalid Code = "invalid"
	// CaseNotFound: no case or decision of that name. HTTP 404.
	CaseNotFound Code = "case_not_found"
	// ContextNotFound: no context of that URI. HTTP 404.
	ContextNotFound Code = "context_not_found"
	// CaseDecided: it was decided otherwise. HTTP 409.
	CaseDecided Code = "case_decided"
	// CaseSuperseded: what it asks was decided elsewhere; CurrentContext is where its
	// source is now. HTTP 409.
	CaseSuperseded Code = "case_superseded"
	// CaseRejected: a person has kept the two apart before. HTTP 409.
	CaseRejected Code = "case_rejected"
	// TargetNotOffered: the case does not offer that context. HTTP 422.
	TargetNotOffered Code = "target_not_offered"
	// NotUndoable: there is nothing to take back, or something later stands on it. HTTP
	// 409.
	NotUndoable Code = "not_undoable"
)

// Error is a request that can't be fulfilled as things are.
type Error struct {
	Code   Code
	Detail string // a sentence for people
	Member string // of an observation that is Invalid: the JSON name of what is wrong
	// CurrentContext is, with CaseSuperseded, the URI of the context that holds the
	// source now.
	CurrentContext string
}

func (e *Error) Error() string { return e.Detail }
