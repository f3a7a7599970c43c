package httpapi

import (
	"net/http"
	"strconv"

	"github.com/segraph/segraph/front"
)

// personRoutes returns the route of what is kept of a person.
func (a *API) personRoutes() []route {
	return []route{
		{http.MethodGet, "/admin/person", admin, a.service.Config().Limits.Body, a.getPerson, operation{
			id: "person", tag: "Operation", summary: "Show all that is kept of a person",
			description: "Names, messages, emotions, decisions, shared contexts, cases, logs, notes and snapshots, how long they are kept, and who asked before. The journal gets an entry. " + inCodings,
			parameters: []parameter{
				{name: "iri", in: "query", required: true, description: "The person.", schema: ref("IRI")},
				{name: "offset", in: "query", description: "How many facts of each list to leave out.", schema: integer(0, maxAfter, 0)},
				{name: "limit", in: "query", description: "Maximum number of facts of each list.", schema: integer(0, maxEntries, defaultEntries)},
			},
			responses: []answer{{200, "What is kept.", []content{{"application/json", "Person"}}}},
			problems:  []int{406, 422, 503, 504, 507},
		}},
	}
}

func (a *API) getPerson(w http.ResponseWriter, r *http.Request) error {
	query, err := front.Parameters(r)
	if err != nil {
		return err
	}
	number := func(name string, usual, most int) int {
		text := query.Get(name)
		n, failed := strconv.Atoi(text)
		switch {
		case text == "":
			return usual
		case (failed != nil || n < 0 || n > most) && err == nil:
			err = front.Invalid(front.BadParameter(name, "the parameter %q must be an integer from 0 to %d", name, most))
		}
		return n
	}
	offset, limit := number("offset", 0, maxAfter), number("limit", defaultEntries, maxEntries)
	if err != nil {
		return err
	}
	p, err := a.service.Person(r.Context(), front.ActorOf(r), query.Get("iri"), offset, limit)
	if err != nil {
		return err
	}
	return front.WriteCodedJSON(w, r, p)
}
