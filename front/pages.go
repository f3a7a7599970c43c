package front

import (
	"net/http"
	"strings"

	"github.com/segraph/segraph/auth"
)

// Pages serves the UI's listener outside /api/. Its requests have passed through the
// frame: they have an id, a log line and a pace, and come from no other site.
type Pages interface {
	http.Handler
	// Fail answers a request with a problem, as a page.
	Fail(w http.ResponseWriter, r *http.Request, p *Problem)
}

// SignIn returns the actor that a token identifies. Wrong tokens count against the
// request's address, as in the API. The error is a *Problem or one of
// auth.Authenticator.Authenticate.
func (f *Front) SignIn(r *http.Request, token string) (auth.Actor, error) {
	actor, err := f.auth.Authenticate([]string{"Bearer " + token})
	if err != nil {
		return auth.Actor{}, f.Refused(r, err)
	}
	return actor, nil
}

// Quiet logs a successful request at level DEBUG. Use it for what pages request
// periodically.
func Quiet(r *http.Request) { requestOf(r).quiet = true }

// Secure reports whether the browser uses TLS, to this service or to a trusted proxy
// before it.
func (f *Front) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return f.fromProxy(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// Address returns the address of this service as the browser sees it, such as
// "https://robots.example:8443" or, with a base path, "https://robots.example/seg".
// Behind a trusted proxy it is the proxy's address.
func (f *Front) Address(r *http.Request) string {
	hosts := f.requestedHosts(r)
	host := hosts[0]
	if len(hosts) > 1 && hosts[1] != "" {
		host = hosts[1]
	}
	if f.Secure(r) {
		return "https://" + host + f.config.BasePath
	}
	return "http://" + host + f.config.BasePath
}

// SetRoute sets the route of a request for the metrics.
func SetRoute(r *http.Request, route string) { requestOf(r).route = route }

// AlreadyLogged logs a request at level DEBUG, because the server log already has the reason for
// its status.
func AlreadyLogged(r *http.Request) { requestOf(r).logged = true }

// ActorOf returns the sender of an admitted request.
func ActorOf(r *http.Request) auth.Actor { return requestOf(r).actor }
