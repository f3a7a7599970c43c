package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
)

// getEvents sends one consistent state of the published graph at the client's pace. The
// store's snapshot is released once the text is made, however slow the client is, as long
// as the text fits on the disk.
func (a *API) getEvents(w http.ResponseWriter, r *http.Request) error {
	values, err := front.Parameters(r)
	if err != nil {
		return err
	}
	if err := front.Refuse(values, front.Among(graphParameters), "/events is the published graph; read other graphs with /rdf-graph-store, and query them with /query"); err != nil {
		return err
	}
	f, err := front.ChooseFormat(w, r, service.Formats)
	if err != nil {
		return err
	}
	return a.front.Export(w, r, rdf.Term{}, f.Format)
}
