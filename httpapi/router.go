package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/front"
)

// Routes makes the routes of the table answer under a prefix, "" or "/api".
func (a *API) Routes(prefix string) *mux.Router {
	router := mux.NewRouter().SkipClean(true) // a path that is not clean is unknown and not redirected
	for _, path := range a.paths() {
		router.Handle(prefix+path, a.endpoint(path))
	}
	router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.front.Fail(w, r, front.NewProblem(http.StatusNotFound, "there is nothing at this path; %s/docs says what there is", a.front.BasePath()+prefix))
	})
	return router
}

// paths returns the paths of the table, each once, in its order.
func (a *API) paths() []string {
	var out []string
	for _, r := range a.routes {
		if !slices.Contains(out, r.path) {
			out = append(out, r.path)
		}
	}
	return out
}

// endpoint answers for all routes of a path: by method, with HEAD wherever GET is.
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
	methods := make([]string, 0, len(byMethod))
	for m := range byMethod {
		methods = append(methods, m)
	}
	slices.Sort(methods)
	allow := strings.Join(methods, ", ")

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		front.SetRoute(r, path)
		route, ok := byMethod[r.Method]
		if !ok {
			a.front.Fail(w, r, front.NewProblem(http.StatusMethodNotAllowed, "this path takes %s", allow).With("Allow", allow))
			return
		}
		if err := a.serve(route, w, r); err != nil {
			a.front.Fail(w, r, err)
		}
	})
}

// serve answers one request of a route: first who asks, then what is sent, then the
// handler.
func (a *API) serve(rt route, w http.ResponseWriter, r *http.Request) error {
	if err := a.front.Admit(r, rt.roles); err != nil {
		return err
	}
	if rt.bounded() { // else no body is read, whatever was sent
		if err := front.Bound(w, r, rt.limit); err != nil {
			return err
		}
	}
	return rt.handle(w, r)
}
