package httpapi

import (
	"context"
	"net/http"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
)

// Default and maximum size of a page of the queue. A page is made in memory.
const (
	defaultPending = 50
	maxPending     = 10_000
)

// maxObservations limits the observations of a context in one answer.
const maxObservations = 100

// getPending returns a page of the undecided cases.
func (a *API) getPending(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	limit, offset := q.atLeast("limit", defaultPending, 1), q.atLeast("offset", 0, 0)
	if err := q.err(); err != nil {
		return err
	}
	const entries = resolver.CaseText >> 10 // of a case
	most := min(limit, maxPending)
	return a.front.Page(w, r, most*entries, func(ctx context.Context, kept *service.Kept) (any, error) {
		return a.service.Pending(ctx, most, offset, most < limit, kept)
	})
}

// getContext returns a context with a page of its observations.
func (a *API) getContext(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	limit, offset := q.atLeast("limit", maxObservations, 1), q.atLeast("offset", 0, 0)
	if q.Get("uri") == "" {
		q.fault("uri", `the parameter "uri" is missing; set it to the URI of a context`)
	}
	if err := q.err(); err != nil {
		return err
	}
	most := min(limit, maxObservations)
	return a.front.Page(w, r, most, func(ctx context.Context, kept *service.Kept) (any, error) {
		answer, err := a.service.ReviewQueue().Context(ctx, q.Get("uri"), most, offset)
		if err != nil {
			return nil, err
		}
		texts := 0
		for _, o := range answer.Context.Observations {
			if o.Text != nil {
				texts += len(*o.Text)
			}
		}
		return answer, kept.Take(texts)
	})
}

// postAccept merges the contexts of a case.
func (a *API) postAccept(w http.ResponseWriter, r *http.Request) error {
	m := a.optionalMembers(r)
	target, override := m.OptionalText("target_context_uri"), m.OptionalBool("override_rejection")
	ctx := asSeen(r, m, "target_context_uri", "override_rejection") // with a misspelt target, the best one would be merged
	if err := m.Err(); err != nil {
		return err
	}
	answer, err := a.service.Accept(ctx, front.ActorOf(r), mux.Vars(r)["case_id"], target, override)
	return front.WriteResult(w, http.StatusOK, answer, err)
}

// asSeen returns a context with the member seen of a decision's body, if there is one. The body may have no other members
// than that and others.
func asSeen(r *http.Request, m *strictjson.Object, others ...string) context.Context {
	ctx := resolver.AsSeen(r.Context(), m.OptionalText("seen"))
	m.Only(append(others, "seen")...)
	return ctx
}

// optionalMembers returns the members of a body that may be missing and must otherwise be a
// JSON object.
func (a *API) optionalMembers(r *http.Request) *strictjson.Object {
	body, err := a.front.ReadBody(r)
	if err == nil && len(body) == 0 {
		return strictjson.Read([]byte("{}"), nil)
	}
	if err == nil {
		err = front.RequireJSON(r)
	}
	return strictjson.Read(body, err)
}

// noMembers reads a body that must be missing or an empty object: a member would ask for
// something that the request does not do.
func (a *API) noMembers(r *http.Request) error {
	m := a.optionalMembers(r)
	m.Only()
	return m.Err()
}

// postReject keeps the contexts of a case apart.
func (a *API) postReject(w http.ResponseWriter, r *http.Request) error {
	m := a.optionalMembers(r)
	ctx := asSeen(r, m)
	if err := m.Err(); err != nil {
		return err
	}
	answer, err := a.service.Reject(ctx, front.ActorOf(r), mux.Vars(r)["case_id"])
	return front.WriteResult(w, http.StatusOK, answer, err)
}

// postUndo reverses a decision.
func (a *API) postUndo(w http.ResponseWriter, r *http.Request) error {
	if err := a.noMembers(r); err != nil {
		return err
	}
	answer, err := a.service.Undo(r.Context(), front.ActorOf(r), mux.Vars(r)["case_id"])
	return front.WriteResult(w, http.StatusOK, answer, err)
}
