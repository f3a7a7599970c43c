package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/front"
)

// Routes returns a router for the table's routes under a prefix, "" or "/api".
func (a *API) Routes(prefix string) *mux.Router {
	router := mux.NewRouter().SkipClean(true) // an unclean path is unknown rather than redirected
	for _, path := range a.paths() {
		router.Handle(prefix+strings.Replace(path, "{tile}", "{tile:.+}", 1), a.endpoint(path)) // a tile's path has slashes
	}
	router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		docs := a.front.BasePath() + prefix + "/docs"
		if r.URL.Path == "/" {
			a.front.Fail(w, r, front.NewProblem(http.StatusNotFound, "this is the API, and %s lists its paths; %s", docs, a.front.WebUI()))
			return
		}
		a.front.Fail(w, r, front.NewProblem(http.StatusNotFound, "nothing exists at this path; %s lists the paths", docs))
	})
	return router
}

// paths returns the distinct paths of the table, in table order.
func (a *API) paths() []string {
	var out []string
	for _, r := range a.routes {
		if !slices.Contains(out, r.path) {
			out = append(out, r.path)
		}
	}
	return out
}

// endpoint returns the handler of all routes of a path. HEAD works wherever GET does.
func (a *API) endpoint(path string) http.Handler {
	byMethod := map[string]route{}
	for _, r := range a.routes {
		if r.path != path {
			continue
		}
		byMethod[r.method] = r
		if r.method == http.MethodGet {
			byMethod[http.MethodHead] = r
		}
	}
	refused := ""
	methods := make([]string, 0, len(byMethod))
	for m, r := range byMethod {
		methods = append(methods, m)
		if r.doc.refused != "" {
			refused = ": " + r.doc.refused
		}
	}
	slices.Sort(methods)
	allow := strings.Join(methods, ", ")

	return endpoint{byMethod, func(w http.ResponseWriter, r *http.Request) {
		front.SetRoute(r, path)
		route, ok := byMethod[r.Method]
		if !ok {
			a.front.Fail(w, r, front.NewProblem(http.StatusMethodNotAllowed, "this path accepts only %s%s", allow, refused).With("Allow", allow))
			return
		}
		if err := a.serve(route, w, r); err != nil {
			a.front.Fail(w, r, err)
		}
	}}
}

// endpoint is the handler of a path.
type endpoint struct {
	byMethod map[string]route
	http.HandlerFunc
}

// Takes implements front.Endpoint.
func (e endpoint) Takes(method, kind string) bool {
	r, ok := e.byMethod[method]
	return ok && (kind == "" || slices.ContainsFunc(r.doc.body, func(c content) bool { return c.mediaType == kind }))
}

// serve answers one request of a route: it checks the caller, the limit of the body and the signature, and
// calls the handler.
func (a *API) serve(rt route, w http.ResponseWriter, r *http.Request) error {
	if err := a.front.Admit(r, rt.roles); err != nil {
		return err
	}
	if rt.bounded() { // otherwise no body is read
		if err := front.Bound(w, r, rt.limit); err != nil {
			return err
		}
	}
	if rt.doc.signs != unsigned {
		handle := rt.handle
		rt.handle = func(w http.ResponseWriter, r *http.Request) error {
			return a.front.Signed(w, r, rt.doc.signs == signedList, handle)
		}
	}
	if rt.doc.retry == "" {
		return rt.handle(w, r)
	}
	return a.serveOnce(rt, w, r)
}

// serveOnce is the end of serve, for a route whose requests may be sent again.
func (a *API) serveOnce(rt route, w http.ResponseWriter, r *http.Request) error {
	path := rt.path
	for name, value := range mux.Vars(r) {
		path = strings.Replace(path, "{"+name+"}", value, 1)
	}
	r, end, err := a.front.Attempt(r, path, rt.doc.retry == byKeyOrID, len(rt.doc.body) > 0, rt.doc.responses[0].status)
	defer end()
	if err == nil {
		err = rt.handle(w, r)
	}
	if first, ok := errors.AsType[*front.Replay](err); ok {
		err = a.replay(first, w, r)
	}
	if err != nil {
		a.front.Fail(w, r, err) // which keeps the refusal, before another attempt begins
	}
	return nil
}

// replay sends the first answer to a request that was sent again.
func (a *API) replay(first *front.Replay, w http.ResponseWriter, r *http.Request) error {
	if first.Log != nil && wantsReceipt(r) {
		a.addReceipt(w, r, first.Log)
		body, err := json.Marshal(first.Log)
		if err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
		first.Body = body
	}
	return first.Write(w)
}
