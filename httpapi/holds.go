package httpapi

import (
	"net/http"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/holds"
)

func (a *API) holdRoutes() []route {
	limit := a.service.Config().Limits.Body
	hold := []content{{"application/json", "Hold"}}
	return []route{
		{http.MethodGet, "/admin/holds", admin, limit, a.getHolds, operation{
			id: "holds", tag: "Operation", summary: "List the legal holds in force",
			responses: []answer{{200, "The holds, oldest first.", []content{{"application/json", "Holds"}}}},
			problems:  []int{503},
		}},
		{http.MethodPost, "/admin/holds", admin, limit, a.postHold, operation{
			id: "hold", retry: byKey, tag: "Operation", summary: "Forbid that something is removed",
			description: "Puts a person, a log or the logs of a time, such as a session, under a legal hold, which outranks retention and erasures. The journal gets an entry.",
			body:        []content{{"application/json", "NewHold"}},
			responses:   []answer{{201, "The hold.", hold}},
			problems:    []int{404, 409, 422},
			links:       []link{{"liftHold", "id", "/id"}},
		}},
		{http.MethodPost, "/admin/holds/{id}/lift", admin, limit, a.postLift, operation{
			id: "liftHold", retry: byKey, tag: "Operation", summary: "End a legal hold",
			parameters:   []parameter{{name: "id", in: "path", description: "The hold's id.", schema: anyText}},
			body:         []content{{"application/json", "NoMembers"}},
			optionalBody: true,
			responses:    []answer{{200, "The hold that has ended.", hold}},
			problems:     []int{404, 503, 507},

			destructive: true,
		}},
	}
}

func (a *API) getHolds(w http.ResponseWriter, _ *http.Request) error {
	all, err := a.service.LegalHolds()
	return front.WriteResult(w, http.StatusOK, struct {
		Count int          `json:"count"`
		Holds []holds.Hold `json:"holds"`
	}{len(all), append([]holds.Hold{}, all...)}, err)
}

func (a *API) postHold(w http.ResponseWriter, r *http.Request) error {
	m := a.front.Members(r)
	h := holds.Hold{Log: m.OptionalText("log_id"), Reason: m.Text("reason"), From: optionalTime(m, "from"), To: optionalTime(m, "to"), Until: optionalTime(m, "until")}
	if iri := optionalIRI(m, "person"); !iri.IsZero() {
		h.People = []string{iri.Value()}
	}
	m.Only("person", "log_id", "from", "to", "reason", "until")
	if err := m.Err(); err != nil {
		return err
	}
	h, err := a.service.Hold(r.Context(), front.ActorOf(r), h)
	return front.WriteResult(w, http.StatusCreated, h, err)
}

func (a *API) postLift(w http.ResponseWriter, r *http.Request) error {
	if err := a.noMembers(r); err != nil {
		return err
	}
	h, err := a.service.LiftHold(r.Context(), front.ActorOf(r), mux.Vars(r)["id"])
	return front.WriteResult(w, http.StatusOK, h, err)
}
