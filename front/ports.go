package front

import (
	"fmt"
	"net"
	"net/http"
	"slices"

	"github.com/gorilla/mux"
)

// ports are those of the listeners, or 0 if there is none.
type ports struct{ api, ui int }

func portOf(a net.Addr) int {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.Port
	}
	return 0
}

// router matches requests to routes. *mux.Router implements it.
type router interface {
	Match(*http.Request, *mux.RouteMatch) bool
}

// Endpoint is the handler of a path of the API. Takes reports whether it has a method, and whether
// that accepts bodies of a media type; "" means any.
type Endpoint interface {
	Takes(method, kind string) bool
}

// missed reports whether a program sends to the web UI what is for the API: a POST that the pages
// refused with status, and that takenBelow accepts.
func (f *Front) missed(r *http.Request, status int) bool {
	refused := slices.Contains([]int{http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType}, status)
	return refused && requestOf(r).pages != nil && f.takenBelow(r, "")
}

// missedForm reports whether a program sends a form to the web UI that is for the API, such as a
// query of the SPARQL 1.1 Protocol, although a page at the path takes forms too.
func (f *Front) missedForm(r *http.Request) bool {
	kind, err := ContentType(r)
	return err == nil && kind == MediaForm && r.ContentLength != 0 && r.Header.Get("Cookie") == "" && f.takenBelow(r, kind)
}

// takenBelow reports whether r is a POST that no browser sent and that the API takes, with bodies of a
// media type ("" means any), at the same path below /api.
func (f *Front) takenBelow(r *http.Request, kind string) bool {
	browser := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
	if browser || f.routes == nil || r.Method != http.MethodPost {
		return false
	}
	at := *r.URL
	at.Path, at.RawPath = "/api"+at.Path, ""
	below := *r
	below.URL = &at
	var match mux.RouteMatch
	if !f.routes.Match(&below, &match) || match.MatchErr != nil {
		return false
	}
	e, ok := match.Handler.(Endpoint)
	return ok && e.Takes(r.Method, kind)
}

// elsewhere returns the problem of a request that missed the API.
func (f *Front) elsewhere(r *http.Request) *Problem {
	at := ""
	if f.ports.api != 0 {
		at = fmt.Sprintf(" at port %d, and here", f.ports.api)
	}
	return NewProblem(http.StatusNotFound, "this is the web UI; the API is%s below /api: send this to %q", at, f.config.BasePath+"/api"+r.URL.Path)
}

// WebUI says where the web UI is, for whoever opens the API's port.
func (f *Front) WebUI() string {
	if f.ports.ui == 0 {
		return "the web UI has a port of its own"
	}
	return fmt.Sprintf("the web UI is at port %d", f.ports.ui)
}
