package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

// getEvents sends one consistent state of the published graph at the client's pace. The
// store's snapshot is released once the text is made, however slow the client is, as long
// as the text fits on the disk.
func (a *API) getEvents(w http.ResponseWriter, r *http.Request) error {
	values, err := front.Parameters(r)
	if err != nil {
		return err
	}
	if err := front.Refuse(values, front.Among(graphParameters), "/events is the published graph; query other graphs with /query"); err != nil {
		return err
	}
	w.Header().Add("Vary", "Accept")
	// A client that accepts none of them gets Turtle, the zero Format, as clients of the public service
	// expect. RFC 9110, section 12.5.1, allows that.
	format, _ := service.FormatOf(front.Negotiate(r, service.MediaTurtle, service.MediaNTriples, service.MediaRDFXML))
	return a.front.Export(w, r, format)
}
