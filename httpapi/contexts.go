package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/resolver"
)

// postResolve decides which event an observation describes.
func (a *API) postResolve(w http.ResponseWriter, r *http.Request) error {
	body, err := a.front.OnlyJSON(r)
	if err != nil {
		return err
	}
	front.KeepBody(r, body)
	o, err := resolver.ReadObservation(body)
	if err != nil {
		return err
	}
	answer, err := a.service.Resolve(r.Context(), front.ActorOf(r), o, front.SignatureOf(r))
	return front.WriteResult(w, http.StatusOK, answer, err)
}

// postReconcile compares all contexts again.
func (a *API) postReconcile(w http.ResponseWriter, r *http.Request) error {
	if err := a.noMembers(r); err != nil {
		return err
	}
	answer, err := a.service.Reconcile(r.Context(), front.ActorOf(r))
	return front.WriteResult(w, http.StatusOK, answer, err)
}

// getStats returns the numbers of contexts, cases and decisions.
func (a *API) getStats(w http.ResponseWriter, r *http.Request) error {
	answer, err := a.service.ContextStats(r.Context())
	return front.WriteResult(w, http.StatusOK, answer, err)
}
