package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
)

// postValidate judges a document. It asks no store, so it works without one.
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
	p, err := u.read(a)
	if err != nil {
		return err
	}
	v, err := a.service.Validate(r.Context(), p.Content, p.Format)
	if err != nil {
		return err
	}
	turn.End() // what is left is to be sent, however long that takes
	return front.WriteJSON(w, http.StatusOK, v)
}
