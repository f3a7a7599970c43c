package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

// postQueryValidate checks a query. It does not use the store, so it works without one.
func (a *API) postQueryValidate(w http.ResponseWriter, r *http.Request) error {
	o := a.front.Members(r)
	text := o.Text("query")
	if err := o.Err(); err != nil {
		return err
	}
	v, err := a.service.CheckQuery(r.Context(), service.Query{Text: text, Base: front.BaseIRI(r)})
	return front.WriteResult(w, http.StatusOK, v, err)
}
