package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/internal/auth"
)

// contextRoutes are those of the shared-context resolver.
func (a *API) contextRoutes() []route {
	limit := a.service.Config().Limits.Body
	admin := []auth.Role{auth.Admin}
	loggers := []auth.Role{auth.Logger, auth.Admin}
	auditors := []auth.Role{auth.Auditor, auth.Admin}
	const tag = "Shared contexts"
	id := parameter{name: "case_id", in: "path", description: "The case's case_id.",
		schema: map[string]any{"type": "string"}}
	verdict := []answer{{200, "How the case stands now.", []content{{"application/json", "Verdict"}}}}
	return []route{
		{http.MethodPost, "/shared-context/resolve", loggers, limit, a.postResolve, operation{
			id: "resolve", tag: tag, summary: "Ask which event an observation is of",
			description: "The observation joins the context of an event that was observed before, or founds one. Where it may be " +
				"the same event but that is not sure, it founds one and a case asks a person. The answer says why. " +
				"An observation that is sent again is answered as it was. When the answer comes, the decision is on disk.",
			body:      []content{{"application/json", "Observation"}},
			responses: []answer{{200, "What the observation belongs to.", []content{{"application/json", "Resolution"}}}},
			problems:  []int{422},
		}},
		{http.MethodPost, "/shared-context/reconcile", admin, limit, a.postReconcile, operation{
			id: "reconcile", tag: tag, summary: "Look at all contexts again",
			description: "Weighs the contexts of the last 24 hours, and those that wait for a person, with what was learnt since: merges, " +
				"opens and closes cases. A second run changes nothing. It never splits and never touches what a person decided.",
			responses: []answer{{200, "What was done.", []content{{"application/json", "Reconciliation"}}}},
			problems:  []int{503, 507},
		}},
		{http.MethodGet, "/shared-context/stats", auditors, limit, a.getStats, operation{
			id: "contextStats", tag: tag, summary: "Count contexts, cases and decisions",
			responses: []answer{{200, "The counts.", []content{{"application/json", "ContextStatistics"}}}},
			problems:  []int{503},
		}},
		{http.MethodPost, "/shared-context/subjects", admin, limit, a.postSubject, operation{
			id: "decideSubject", tag: tag, summary: "Decide whether a subject is one person",
			description: "A subject of which two robots report different things at the same moment is taken for a placeholder, and counts as unknown. " +
				"This confirms or overrules that, for any subject, until the next such decision.",
			body:      []content{{"application/json", "SubjectDecision"}},
			responses: []answer{{200, "What the subject is taken for.", []content{{"application/json", "Placeholder"}}}},
			problems:  []int{422, 503, 507},
		}},
		{http.MethodPost, "/shared-context/clocks/confirm", admin, limit, a.postClock, operation{
			id: "confirmClock", tag: tag, summary: "Confirm how far a robot's clock is ahead",
			description: "What robots report may claim that a clock is off, where it may as well be that another room hears the same later. " +
				"No match is made by such an offset before arrival, several persons' words or this confirms it. It counts at once, and can be revoked.",
			body:      []content{{"application/json", "ClockDecision"}},
			responses: []answer{{200, "What is known of the clock now.", []content{{"application/json", "RobotClock"}}}},
			problems:  []int{409, 422, 503, 507},
		}},
		{http.MethodGet, "/shared-context/contexts", auditors, limit, a.getContext, operation{
			id: "context", tag: tag, summary: "Show a context with its observations",
			description: "Of a URI that was merged, the context that it leads to. Each observation names the decision that brought it there; " +
				"one that is undoable is taken back with /shared-context/review/{case_id}/undo. Reading changes nothing.",
			parameters: []parameter{
				{name: "uri", in: "query", required: true, description: "A shared_context_uri.", schema: map[string]any{"type": "string"}},
				{name: "limit", in: "query", description: "How many observations at most; more than the default gives the default.",
					schema: map[string]any{"type": "integer", "minimum": 1, "default": maxObservations}},
				{name: "offset", in: "query", description: "How many observations to leave out.",
					schema: map[string]any{"type": "integer", "minimum": 0, "default": 0}},
			},
			responses: []answer{{200, "The context.", []content{{"application/json", "ContextDetail"}}}},
			problems:  []int{404, 422, 503},
		}},
		{http.MethodPost, "/shared-context/relays", admin, limit, a.postRelay, operation{
			id: "decideRelay", tag: tag, summary: "Decide whether a robot repeats another one",
			description: "The reports of a relay join the events that they repeat, and what it reported in the last 24 hours is merged into them. " +
				"A robot that is no relay is treated like any other, and is not asked about again.",
			body:      []content{{"application/json", "RelayDecision"}},
			responses: []answer{{200, "What the robot is taken for.", []content{{"application/json", "Relay"}}}},
			problems:  []int{422, 503, 507},
		}},
		{http.MethodGet, "/shared-context/review/pending", admin, limit, a.getPending, operation{
			id: "pendingReviews", tag: tag, summary: "List the cases that wait for a person",
			description: "Oldest first, with the contexts that they name. Reading changes nothing.",
			parameters: []parameter{
				{name: "limit", in: "query", description: "How many cases at most; what is above the largest page gives the largest page.",
					schema: map[string]any{"type": "integer", "minimum": 1, "default": defaultPending}},
				{name: "offset", in: "query", description: "How many cases to leave out.",
					schema: map[string]any{"type": "integer", "minimum": 0, "default": 0}},
			},
			responses: []answer{{200, "A page of the queue.", []content{{"application/json", "ReviewQueue"}}}},
			problems:  []int{422, 503},
		}},
		{http.MethodPost, "/shared-context/review/{case_id}/accept", admin, limit, a.postAccept, operation{
			id: "acceptReview", tag: tag, summary: "Decide that the contexts of a case are one event",
			description: "Merges the case's source into a target that the case offers, by default the best one. " +
				"Other cases that this answers are superseded. Accepting again changes nothing.",
			parameters:   []parameter{id},
			body:         []content{{"application/json", "Acceptance"}},
			optionalBody: true,
			responses:    verdict,
			problems:     []int{404, 409, 422},
		}},
		{http.MethodPost, "/shared-context/review/{case_id}/reject", admin, limit, a.postReject, operation{
			id: "rejectReview", tag: tag, summary: "Decide that the contexts of a case are different events",
			description: "Keeps the case's source apart from all that it was offered, for good. Rejecting again changes nothing.",
			parameters:  []parameter{id},
			responses:   verdict,
			problems:    []int{404, 409, 503, 507},
		}},
		{http.MethodPost, "/shared-context/review/{case_id}/undo", admin, limit, a.postUndo, operation{
			id: "undoReview", tag: tag, summary: "Take a decision back",
			description: "The decision of a case that was accepted or rejected, which waits for a person again, or, by its decision_id, " +
				"an automatic match or merge. An observation that was matched moves to a context of its own, the source of the answer, " +
				"which is kept apart from the one that it left.",
			parameters: []parameter{{name: "case_id", in: "path", description: "A case_id or a decision_id.",
				schema: map[string]any{"type": "string"}}},
			responses: []answer{{200, "What was taken back.", []content{{"application/json", "Reversal"}}}},
			problems:  []int{404, 409, 503, 507},
		}},
	}
}
