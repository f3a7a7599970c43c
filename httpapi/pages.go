package httpapi

import (
	"net/http"
	"strings"

	"github.com/segraph/segraph/internal/auth"
)

// Pages is what the UI's listener serves besides the API under /api/. Its requests have gone
// through the same frame: they have an id, a log line and a pace, and come from no other site.
type Pages interface {
	http.Handler
	// Fail answers a request with a problem, as a page.
	Fail(w http.ResponseWriter, r *http.Request, p *Problem)
}

// uiHandler serves the web UI's listener: the API under /api/, and pages.
func (a *API) uiHandler() http.Handler {
	api, pages := a.ownSite(a.router("/api")), a.ownSite(a.pages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.pages != nil && !strings.HasPrefix(r.URL.Path+"/", "/api/") {
			requestOf(r).page = true
			pages.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// Fail answers a request of a page with its error: breaks the connection where a part of the answer is
// on its way, logs what is the server's fault, and else lets Pages say what went wrong.
func (a *API) Fail(w http.ResponseWriter, r *http.Request, err error) { a.fail(w, r, err) }

// SignIn tells whose token it is. Tokens that are wrong count against the request's address as those
// of the API do. The error is a *Problem, or as auth.Authenticator.Authenticate has it.
func (a *API) SignIn(r *http.Request, token string) (auth.Actor, error) {
	actor, err := a.config.Auth.Authenticate([]string{"Bearer " + token})
	if err != nil {
		return auth.Actor{}, a.refused(err, requestOf(r))
	}
	return actor, nil
}

// Quiet makes the line that a request has in the log one of level DEBUG, unless it went wrong. It is for what
// a page asks again and again.
func Quiet(r *http.Request) { requestOf(r).quiet = true }

// NewProblem makes an error that is told to the client: a status, and a text that becomes a sentence.
func NewProblem(status int, format string, args ...any) *Problem {
	return newProblem(status, format, args...)
}

// ProblemOf gives what a client is told of an error.
func ProblemOf(err error) *Problem { return problemOf(err) }

// Secure tells whether the browser speaks TLS, to this service or to a trusted proxy before it.
func (a *API) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return a.fromProxy(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// Address returns the address at which the browser reaches this service, such as
// "https://robots.example:8443" or, with a base path, "https://robots.example/seg". Behind
// a trusted proxy that is the proxy's.
func (a *API) Address(r *http.Request) string {
	hosts := a.askedHosts(r)
	host := hosts[0]
	if len(hosts) > 1 && hosts[1] != "" {
		host = hosts[1]
	}
	if a.Secure(r) {
		return "https://" + host + a.config.BasePath
	}
	return "http://" + host + a.config.BasePath
}

// Version is that of this program.
func (a *API) Version() string { return a.config.Version }
