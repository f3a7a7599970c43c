package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
)

func (a *API) getQueryExplain(w http.ResponseWriter, r *http.Request) error {
	q, err := readQueryParameters(r)
	if err != nil {
		return err
	}
	return a.explainQuery(w, r, q)
}

func (a *API) postQueryExplain(w http.ResponseWriter, r *http.Request) error {
	q, err := a.readQueryBody(r)
	if err != nil {
		return err
	}
	return a.explainQuery(w, r, q)
}

// explainQuery runs a query in a slot and under the limits of queries, and sends its
// plan. Reaching a limit is not an error here, since the plan shows where it happened.
func (a *API) explainQuery(w http.ResponseWriter, r *http.Request, query front.QueryRequest) error {
	if len(query.Formats) > 0 && query.Formats[0] != "json" {
		return front.Invalid(front.BadParameter("format", "the format of an explanation must be json"))
	}
	x, err := a.service.ExplainText(r.Context(), query.Query)
	if err != nil {
		return err
	}
	return front.WriteJSON(w, http.StatusOK, x)
}
