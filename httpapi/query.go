package httpapi

import "net/http"

// getQuery and postQuery implement the query operation of the SPARQL 1.1 Protocol,
// section 2.1.
func (a *API) getQuery(w http.ResponseWriter, r *http.Request) error {
	q, err := readQueryParameters(r)
	if err != nil {
		return err
	}
	return a.front.Answer(w, r, q)
}

func (a *API) postQuery(w http.ResponseWriter, r *http.Request) error {
	q, err := a.readQueryBody(r)
	if err != nil {
		return err
	}
	return a.front.Answer(w, r, q)
}
