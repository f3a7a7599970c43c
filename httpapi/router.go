package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/internal/auth"
)

// router makes the routes of the table answer under a prefix, "" or "/api".
func (a *API) router(prefix string) *mux.Router {
	router := mux.NewRouter().SkipClean(true) // a path that is not clean is unknown and not redirected
	for _, path := range a.paths() {
		router.Handle(prefix+path, a.endpoint(path))
	}
	router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.fail(w, r, newProblem(http.StatusNotFound, "there is nothing at this path; %s/docs says what there is", a.config.BasePath+prefix))
	})
	return router
}

// paths gives the paths of the table, each once, in its order.
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
		requestOf(r).route = path
		route, ok := byMethod[r.Method]
		if !ok {
			a.fail(w, r, newProblem(http.StatusMethodNotAllowed, "this path takes %s", allow).With("Allow", allow))
			return
		}
		if err := a.serve(route, w, r); err != nil {
			a.fail(w, r, err)
		}
	})
}

// serve answers one request of a route: first who asks, then what is sent, then the handler.
func (a *API) serve(rt route, w http.ResponseWriter, r *http.Request) error {
	q := requestOf(r)
	if err := a.admit(rt, r, q); err != nil {
		return err
	}
	if !rt.bounded() {
		return rt.handle(w, r) // which reads no body, whatever was sent
	}
	var err error
	if q.coding, err = contentCoding(r); err != nil {
		return err
	}
	q.bodyLimit = rt.limit
	onTheWay := rt.limit
	if q.coding != "" {
		onTheWay = wireLimit(rt.limit)
	}
	if r.ContentLength > onTheWay {
		return &http.MaxBytesError{Limit: rt.limit}
	}
	r.Body = http.MaxBytesReader(w, r.Body, onTheWay)
	return rt.handle(w, r)
}

// admit decides who asks and whether they may.
func (a *API) admit(rt route, r *http.Request, q *request) error {
	if len(rt.roles) == 0 {
		return nil
	}
	actor, err := a.config.Auth.Authenticate(r.Header["Authorization"])
	if err != nil {
		return a.refused(err, q)
	}
	q.actor, q.Actor = actor, actor.Username
	if !actor.Is(rt.roles...) {
		return newProblem(http.StatusForbidden, "you have no permission for this: it takes the role %s, and your token has %s",
			auth.RoleList(rt.roles, " or "), auth.RoleList(actor.Roles, " and "))
	}
	return nil
}

// refused counts the tokens that an address got wrong. A request without a token is no
// attempt, and one with a good token is never held up by its neighbours.
func (a *API) refused(err error, q *request) error {
	var token *auth.TokenError
	if !errors.As(err, &token) || token.Reason == auth.MissingHeader {
		return err
	}
	if wait := a.failures.fail(q.address); wait > 0 {
		return newProblem(http.StatusTooManyRequests, "too many wrong tokens came from this address; wait before you try another").limited("failed_tokens").
			retryAfter(wait)
	}
	return err
}
