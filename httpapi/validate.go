package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/service/admit"
)

// postValidate checks a document. It does not use the store, so it works without one.
func (a *API) postValidate(w http.ResponseWriter, r *http.Request) error {
	return a.withPublication(r, func(p service.Publication, turn *admit.Turn) error {
		v, err := a.service.Validate(r.Context(), p)
		if err != nil {
			return err
		}
		turn.End() // sending the answer may take long
		return front.WriteJSON(w, http.StatusOK, v)
	})
}
