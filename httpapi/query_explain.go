package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strconv"

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
	h := w.Header()
	h.Add("Vary", "Accept")
	asText, err := explainAsText(r, query.Formats)
	if err != nil {
		return err
	}
	x, err := a.service.ExplainText(r.Context(), query.Query)
	if err != nil {
		return err
	}
	if !asText {
		return front.WriteJSON(w, http.StatusOK, x)
	}
	text := x.String()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(http.StatusOK)
	if _, err := io.WriteString(w, text); err != nil {
		return errors.Join(front.ErrClientGone, err)
	}
	return nil
}

// explainAsText chooses the form: by the parameter format, or else by Accept, or else
// JSON.
func explainAsText(r *http.Request, formats []string) (text bool, err error) {
	if len(formats) == 0 {
		return front.Negotiate(r, "application/json", "text/plain") == "text/plain", nil
	}
	switch formats[0] {
	case "json", "text":
		return formats[0] == "text", nil
	}
	return false, front.Invalid(front.BadParameter("format", "the format of an explanation must be json or text"))
}
