package httpapi

import (
	"context"
	"math"
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

// maxOffset is the largest number of facts to leave out, on any machine.
const maxOffset = math.MaxInt32

// personRoutes returns the route of what is kept of a person.
func (a *API) personRoutes() []route {
	return []route{
		{http.MethodGet, "/admin/person", admin, a.service.Config().Limits.Body, a.getPerson, operation{
			id: "person", tag: "Operation", summary: "Show all that is kept of a person",
			description: "Names, messages, emotions, decisions, shared contexts, cases, logs, notes and snapshots, how long they are kept, and who asked before. The journal gets an entry. " + inCodings,
			parameters: []parameter{
				{name: "iri", in: "query", required: true, description: "The person.", schema: ref("IRI")},
				{name: "offset", in: "query", description: "How many facts of each list to leave out.", schema: integer(0, maxOffset, 0)},
				{name: "limit", in: "query", description: "Maximum number of facts of each list.", schema: integer(0, maxEntries, defaultEntries)},
			},
			responses: []answer{{200, "What is kept.", []content{{"application/json", "Person"}}}},
			problems:  []int{406, 409, 422, 503, 504, 507},
		}},
	}
}

func (a *API) getPerson(w http.ResponseWriter, r *http.Request) error {
	if err := a.front.RefuseLinks(r); err != nil {
		return err
	}
	q := readQuery(r)
	offset, limit := q.number("offset", 0, 0, maxOffset), q.number("limit", defaultEntries, 0, maxEntries)
	if err := q.err(); err != nil {
		return err
	}
	return a.front.PersonPage(w, r, 8*int(limit), func(ctx context.Context, kept *service.Kept) (any, error) { // of 8 lists
		return a.service.Person(ctx, front.ActorOf(r), q.Get("iri"), int(offset), int(limit), kept)
	})
}
