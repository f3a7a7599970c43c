package httpapi

import (
	"net/http"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/service"
)

// previewFacts is how long each list of a preview is at most.
const previewFacts = 100

func (a *API) erasureRoutes() []route {
	limit := a.service.Config().Limits.Body
	erasure := []content{{"application/json", "Erasure"}}
	id := []parameter{{name: "id", in: "path", description: "The erasure's id.", schema: anyText}}
	return []route{
		{http.MethodGet, "/admin/erasures", admin, limit, a.getErasures, operation{
			id: "erasures", tag: "Operation", summary: "List the erasures that wait to be confirmed",
			description: "Those, and the ones done since the start of the service, with their receipts.",
			responses:   []answer{{200, "The erasures, oldest first.", []content{{"application/json", "Erasures"}}}},
		}},
		{http.MethodPost, "/admin/erasures/preview", admin, limit, a.postErasurePreview, operation{
			id: "previewErasure", tag: "Operation", summary: "Say what an erasure of a person would take",
			description: "Changes nothing but that the journal gets an entry of the look.",
			body:        []content{{"application/json", "NewPreview"}},
			responses:   []answer{{200, "What would go.", []content{{"application/json", "ErasurePreview"}}}},
			problems:    []int{409, 422, 503, 504, 507},
		}},
		{http.MethodPost, "/admin/erasures", admin, limit, a.postErasure, operation{
			id: "askErasure", tag: "Operation", summary: "Ask for the erasure of a person",
			description: "Changes nothing until it is confirmed, with SEGRAPH_TWO_PERSONS by another admin. It lapses after a week, and when the service restarts.",
			body:        []content{{"application/json", "NewErasure"}},
			responses:   []answer{{201, "The erasure, which waits.", erasure}},
			problems:    []int{409, 422, 429, 503, 504},
			links:       []link{{"confirmErasure", "id", "/id"}, {"cancelErasure", "id", "/id"}, {"takeErasureReceipt", "id", "/id"}},
		}},
		{http.MethodPost, "/admin/erasures/{id}/confirm", admin, limit, a.withErasure(func(r *http.Request, id string) (service.Erasure, error) {
			return a.service.ConfirmErasure(r.Context(), front.ActorOf(r), id)
		}), operation{
			id: "confirmErasure", tag: "Operation", summary: "Erase a person",
			description: "Removes the person everywhere, in one step, and then, in the background, the bytes and all snapshots. If it is sent again, the receipt is the same.",
			parameters:  id, body: []content{{"application/json", "NoMembers"}}, optionalBody: true,
			responses:   []answer{{200, "The erasure, with its receipt.", erasure}},
			problems:    []int{404, 409, 422, 503, 507},
			destructive: true,
		}},
		{http.MethodPost, "/admin/erasures/{id}/cancel", admin, limit, a.withErasure(func(r *http.Request, id string) (service.Erasure, error) {
			return a.service.CancelErasure(r.Context(), id)
		}), operation{
			id: "cancelErasure", tag: "Operation", summary: "Cancel an erasure that waits",
			parameters: id, body: []content{{"application/json", "NoMembers"}}, optionalBody: true,
			responses: []answer{{200, "The erasure that does not wait any more.", erasure}},
			problems:  []int{404, 409, 422},
		}},
		{http.MethodPost, "/admin/erasures/{id}/receipt", admin, limit, a.postErasureReceipt, operation{
			id: "takeErasureReceipt", tag: "Operation", summary: "Take the receipt of an erasure, for the person",
			description: "A proof that the journal has the erasure's entry, with the IRI and the salt, which the service then forgets: it answers once. " +
				"`segraph evidence verify` verifies it.",
			parameters: id, body: []content{{"application/json", "NoMembers"}}, optionalBody: true,
			responses: []answer{{200, "The receipt.", []content{{"application/json", "PersonReceipt"}}}},
			problems:  []int{404, 409, 422, 503},
		}},
	}
}

func (a *API) getErasures(w http.ResponseWriter, _ *http.Request) error {
	all := a.service.Erasures()
	return front.WriteJSON(w, http.StatusOK, struct {
		Count    int               `json:"count"`
		Erasures []service.Erasure `json:"erasures"`
	}{len(all), all})
}

func (a *API) postErasureReceipt(w http.ResponseWriter, r *http.Request) error {
	if err := a.noMembers(r); err != nil {
		return err
	}
	out, err := a.service.TakeErasureReceipt(r.Context(), mux.Vars(r)["id"])
	return front.WriteResult(w, http.StatusOK, out, err)
}

// whom returns the members that name a person, of a body that has other members too.
func (a *API) whom(r *http.Request, others ...string) (m *strictjson.Object, iri string, pseudonymise bool) {
	m = a.front.Members(r)
	m.Only(append(others, "person", "pseudonymise")...)
	return m, m.Text("person"), m.OptionalBool("pseudonymise")
}

func (a *API) postErasurePreview(w http.ResponseWriter, r *http.Request) error {
	m, iri, pseudonymise := a.whom(r)
	if err := m.Err(); err != nil {
		return err
	}
	out, err := a.service.PreviewErasure(r.Context(), front.ActorOf(r), iri, pseudonymise, previewFacts)
	return front.WriteResult(w, http.StatusOK, out, err)
}

func (a *API) postErasure(w http.ResponseWriter, r *http.Request) error {
	m, iri, pseudonymise := a.whom(r, "reason")
	reason := m.Text("reason")
	if err := m.Err(); err != nil {
		return err
	}
	erasure, err := a.service.AskErasure(r.Context(), front.ActorOf(r), iri, reason, pseudonymise)
	return front.WriteResult(w, http.StatusCreated, erasure, err)
}

// withErasure returns a handler that does something to the erasure with the id in the path.
func (a *API) withErasure(do func(r *http.Request, id string) (service.Erasure, error)) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := a.noMembers(r); err != nil {
			return err
		}
		out, err := do(r, mux.Vars(r)["id"])
		return front.WriteResult(w, http.StatusOK, out, err)
	}
}
