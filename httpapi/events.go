package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
)

// getEvents sends the published graph as it is at one moment. A slow client keeps no read snapshot of the
// store open, unless the text has no room in memory and on the disk: see service.Limits.RoomPatience.
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
	return a.front.Export(w, r, rdf.Term{}, f.Format) // the zero name is the published graph
}
