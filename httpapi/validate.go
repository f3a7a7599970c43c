package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
)

// postValidate checks a document. It does not use the store, so it works without one.
func (a *API) postValidate(w http.ResponseWriter, r *http.Request) error {
	u, err := a.receivePublication(r)
	if err != nil {
		return err
	}
	defer u.discard(a, r)
	turn, err := a.service.BeginDocument(r.Context(), u.Size)
	if err != nil {
		return err
	}
	defer turn.End()
	p, err := u.read(a, r)
	if err != nil {
		return err
	}
	v, err := a.service.Validate(r.Context(), p)
	if err != nil {
		return err
	}
	turn.End() // sending the answer may take long
	return front.WriteJSON(w, http.StatusOK, v)
}
