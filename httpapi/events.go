package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/turtle"
)

// getEvents returns the published graph: one moment of it, as fast as the client takes
// it. The store is let go of as soon as the text is made, however slow the client is, as
// long as there is room on the disk for the text.
func (a *API) getEvents(w http.ResponseWriter, r *http.Request) error {
	given, err := front.Parameters(r)
	if err != nil {
		return err
	}
	if err := front.Refuse(given, front.Among(graphParameters), "/events is the published graph; query other graphs with /query"); err != nil {
		return err
	}
	w.Header().Add("Vary", "Accept")
	format := turtle.Turtle
	// Who takes neither gets the default, as clients know it of the public service; RFC
	// 9110, section
	// 12.5.1, leaves that to the server.
	if front.Negotiate(r, service.MediaTurtle, service.MediaNTriples) == service.MediaNTriples {
		format = turtle.NTriples
	}
	return a.front.Export(w, r, format)
}
