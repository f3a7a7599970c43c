package httpapi

import (
	"net/http"
	"strconv"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

// getQuery and postQuery implement the query operation of the SPARQL 1.1 Protocol,
// section 2.1.
func (a *API) getQuery(w http.ResponseWriter, r *http.Request) error {
	if r.URL.RawQuery == "" {
		media := front.Negotiate(r, append(service.MediaTypes(service.Formats), "text/html")...)
		if f, ok := service.FormatOf(media); ok {
			return a.describe(w, r, f)
		}
	}
	q, err := readQueryParameters(r)
	if err != nil {
		return err
	}
	return a.front.Answer(w, r, q)
}

// describe sends the description of this endpoint. A browser, which prefers HTML, gets
// the error of a missing query instead.
func (a *API) describe(w http.ResponseWriter, r *http.Request, f service.RDF) error {
	text, err := a.service.Description(r.Context(), a.front.Address(r)+r.URL.Path, f.Format)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Add("Vary", "Accept")
	h.Set("Content-Type", f.ContentType())
	h.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // if the client is gone, reading its next request fails
	return nil
}

func (a *API) postQuery(w http.ResponseWriter, r *http.Request) error {
	q, err := a.readQueryBody(r)
	if err != nil {
		return err
	}
	return a.front.Answer(w, r, q)
}
