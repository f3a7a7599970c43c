package httpapi

import (
	"math"
	"net/http"
	"slices"

	"github.com/segraph/segraph/service"
)

// ofContexts is the tag of the routes of the shared-context resolver.
const ofContexts = "Shared contexts"

// contextRoutes returns the routes of the shared-context resolver.
func (a *API) contextRoutes() []route {
	return slices.Concat(a.resolverRoutes(), a.learntRoutes(), a.reviewRoutes())
}

// resolverRoutes returns the routes that resolve observations and read contexts.
func (a *API) resolverRoutes() []route {
	limit := a.service.Config().Limits.Body
	return []route{
		{http.MethodPost, "/shared-context/resolve", loggers, limit, a.postResolve, operation{
			id: "resolve", retry: byKeyOrID, tag: ofContexts, summary: "Resolve an observation",
			description: "The observation joins the context of an event that was observed before, or creates a context. If it may be " +
				"the same event but that is uncertain, it creates a context and opens a case for review. The answer gives the reasons. " +
				"An observation that is sent again gets the same answer. When the answer arrives, the decision is on disk.", signs: signedBody,
			body:      []content{{"application/json", "Observation"}},
			responses: []answer{{200, "The context of the observation.", []content{{"application/json", "Resolution"}}}},
			problems:  []int{422},
			links: append(linksTo("/case_id", "case_id", "acceptReview", "rejectReview"),
				link{"undoReview", "case_id", "/decision_id"}, link{"context", "uri", "/shared_context_uri"}),
		}},
		{http.MethodPost, "/shared-context/reconcile", admin, limit, a.postReconcile, operation{
			id: "reconcile", retry: byKey, tag: ofContexts, summary: "Reconcile all contexts",
			description: "Compares the contexts of the last 24 hours, and those that await review, with what was learnt since. " +
				"It merges contexts, and opens and closes cases. A second run changes nothing. It never splits contexts and never changes a person's decision.",
			body:         []content{{"application/json", "NoMembers"}},
			optionalBody: true,
			responses:    []answer{{200, "The changes made.", []content{{"application/json", "Reconciliation"}}}},
			problems:     []int{503, 507},
		}},
		{http.MethodGet, "/shared-context/stats", auditors, limit, a.getStats, operation{
			id: "contextStats", tag: ofContexts, summary: "Count contexts, cases and decisions",
			responses: []answer{{200, "The counts.", []content{{"application/json", "ContextStatistics"}}}},
			problems:  []int{503},
		}},
		{http.MethodGet, "/shared-context/contexts", auditors, limit, a.getContext, operation{
			id: "context", tag: ofContexts, summary: "Show a context with its observations",
			description: "For a merged URI, the context that replaced it. Each observation names the decision that added it; " +
				"an undoable decision can be reversed with /shared-context/review/{case_id}/undo. Reading changes nothing. " + inCodings,
			parameters: []parameter{
				{name: "uri", in: "query", required: true, description: "A shared_context_uri.", schema: map[string]any{"type": "string", "minLength": 1}},
				{name: "limit", in: "query", description: "Maximum number of observations; a value above the default means the default.",
					schema: integer(1, math.MaxInt, maxObservations)},
				{name: "offset", in: "query", description: "Number of observations to skip.",
					schema: integer(0, math.MaxInt, 0)},
			},
			responses: []answer{{200, "The context.", []content{{"application/json", "ContextDetail"}}}},
			problems:  []int{404, 406, 422, 503},
			links:     linksTo("/pending_cases/0", "case_id", "acceptReview", "rejectReview"),
		}},
	}
}

// learntRoutes returns the routes with which people decide what the resolver learnt.
func (a *API) learntRoutes() []route {
	limit := a.service.Config().Limits.Body
	return []route{
		{http.MethodPost, "/shared-context/subjects", admin, limit, a.postSubject, operation{
			id: "decideSubject", retry: byKey, tag: ofContexts, summary: "Decide whether a subject is one person",
			description: "If two robots report different things about a subject at the same time, it is treated as a placeholder, and counts as unknown. " +
				"This request confirms or overrules that for any subject, until the next such decision.",
			body:      []content{{"application/json", "SubjectDecision"}},
			responses: []answer{{200, "How the subject is treated.", []content{{"application/json", "Placeholder"}}}},
			problems:  []int{409, 422, 503, 507},
		}},
		{http.MethodPost, service.PeoplePath, admin, limit, a.postPerson, operation{
			id: "decidePerson", retry: byKey, tag: ofContexts, summary: "Decide whether subjects are one person",
			description: "Robots that name people by themselves give one person several subjects. Once these are one person, later observations are compared as if they had one " +
				"subject. The request relates the first subject to each of the others, until the next decision about the same pair; with one_person false it takes that back. Stored data stays as it is. " +
				"GET /shared-context/stats lists the decisions, and the pairs that three accepted cases suggest.",
			body:      []content{{"application/json", "PersonDecision"}},
			responses: []answer{{200, "The subjects of the person.", []content{{"application/json", "PersonSubjects"}}}},
			problems:  []int{409, 422, 503, 507},
		}},
		{http.MethodPost, "/shared-context/clocks/confirm", admin, limit, a.postClock, operation{
			id: "confirmClock", retry: byKey, tag: ofContexts, summary: "Confirm a robot's clock offset",
			description: "Reports may suggest that a clock is wrong when in fact another room hears the same sentence later. " +
				"Such an offset is not used for matches until arrival times, the words of several people, or this request confirm it. A confirmation applies at once, and can be revoked.",
			body:      []content{{"application/json", "ClockDecision"}},
			responses: []answer{{200, "The clock's state after the change.", []content{{"application/json", "RobotClock"}}}},
			problems:  []int{409, 422, 503, 507},
		}},
		{http.MethodPost, "/shared-context/relays", admin, limit, a.postRelay, operation{
			id: "decideRelay", retry: byKey, tag: ofContexts, summary: "Decide whether a robot relays another",
			description: "Reports of a relay join the events that they repeat, and its reports of the last 24 hours are merged into them. " +
				"A robot that is not a relay is treated like any other, and segraph does not ask about it again.",
			body:      []content{{"application/json", "RelayDecision"}},
			responses: []answer{{200, "How the robot is treated.", []content{{"application/json", "Relay"}}}},
			problems:  []int{409, 422, 503, 507},
		}},
	}
}

func (a *API) reviewRoutes() []route {
	limit := a.service.Config().Limits.Body
	id := parameter{name: "case_id", in: "path", description: "The case's case_id.", schema: anyText}
	verdict := []answer{{200, "The case after the decision.", []content{{"application/json", "Verdict"}}}}
	decided := []link{{"undoReview", "case_id", "/decision_id"}, {"context", "uri", "/shared_context_uri"}}
	return []route{
		{http.MethodGet, "/shared-context/review/pending", admin, limit, a.getPending, operation{
			id: "pendingReviews", tag: ofContexts, summary: "List the cases that await review",
			description: "Oldest first, with the contexts that they name. Where there is little room for long texts and many observations, texts are cut and end with \"…\", and a context has fewer " +
				"observations; the case's page and /shared-context/context have all. Reading changes nothing. " + inCodings,
			parameters: []parameter{
				{name: "limit", in: "query", description: "Maximum number of cases; a value above 10000 means the largest page for which there is memory, and limit in the answer says how many it has.",
					schema: integer(1, math.MaxInt, defaultPending)},
				{name: "offset", in: "query", description: "Number of cases to skip.",
					schema: integer(0, math.MaxInt, 0)},
			},
			responses: []answer{{200, "A page of the queue.", []content{{"application/json", "ReviewQueue"}}}},
			problems:  []int{406, 422, 503},
			links: append(linksTo("/pending_cases/0/case_id", "case_id", "acceptReview", "rejectReview"),
				link{"context", "uri", "/pending_cases/0/source_context_uri"}),
		}},
		{http.MethodPost, "/shared-context/review/{case_id}/accept", admin, limit, a.postAccept, operation{
			id: "acceptReview", retry: byKey, tag: ofContexts, summary: "Decide that the contexts of a case are one event",
			description: "Merges the case's source into a target that the case offers, by default the best one. " +
				"Other cases that this answers are superseded. Accepting again changes nothing.",
			parameters:   []parameter{id},
			body:         []content{{"application/json", "Acceptance"}},
			optionalBody: true,
			responses:    verdict,
			problems:     []int{404, 409, 422},
			links:        decided,
		}},
		{http.MethodPost, "/shared-context/review/{case_id}/reject", admin, limit, a.postReject, operation{
			id: "rejectReview", retry: byKey, tag: ofContexts, summary: "Decide that the contexts of a case are different events",
			description:  "Keeps the case's source separate from all its targets, permanently. Rejecting again changes nothing.",
			parameters:   []parameter{id},
			body:         []content{{"application/json", "Rejection"}},
			optionalBody: true,
			responses:    verdict,
			problems:     []int{404, 409, 503, 507},
			links:        decided,
		}},
		{http.MethodPost, "/shared-context/review/{case_id}/undo", admin, limit, a.postUndo, operation{
			id: "undoReview", retry: byKey, tag: ofContexts, summary: "Undo a decision",
			description: "With the case_id of an accepted or rejected case, the case awaits review again. With a decision_id, it reverses " +
				"an automatic match or merge. A matched observation moves to a context of its own, the source of the answer, " +
				"which is kept separate from the one that it left.",
			parameters: []parameter{{name: "case_id", in: "path", description: "A case_id or a decision_id.",
				schema: anyText}},
			body:         []content{{"application/json", "NoMembers"}},
			optionalBody: true,
			responses:    []answer{{200, "The reversed decision.", []content{{"application/json", "Reversal"}}}},
			problems:     []int{404, 409, 503, 507},
			links:        []link{{"context", "uri", "/source_context_uri"}},
		}},
	}
}
