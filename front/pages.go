package front

import (
	"net/http"
	"strings"

	"github.com/segraph/segraph/internal/auth"
)

// Pages is what the UI's listener serves besides the API under /api/. Its requests have
// gone through the same frame: they have an id, a log line and a pace, and come from no
// other site.
type Pages interface {
	http.Handler
	// Fail answers a request with a problem, as a page.
	Fail(w http.ResponseWriter, r *http.Request, p *Problem)
}

// SignIn tells whose token it is. Tokens that are wrong count against the request's
// address as those of the API do. The error is a *Problem, or as
// auth.Authenticator.Authenticate has it.
func (f *Front) SignIn(r *http.Request, token string) (auth.Actor, error) {
	actor, err := f.auth.Authenticate([]string{"Bearer " + token})
	if err != nil {
		return auth.Actor{}, f.Refused(r, err)
	}
	return actor, nil
}

// Quiet makes the line that a request has in the log one of level DEBUG, unless it went
// wrong. It is for what a page asks again and again.
func Quiet(r *http.Request) { requestOf(r).quiet = true }

// Secure reports whether the browser speaks TLS, to this service or to a trusted proxy
// before it.
func (f *Front) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return f.fromProxy(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// Address returns the address at which the browser reaches this service, such as
// "https://robots.example:8443" or, with a base path, "https://robots.example/seg". Behind
// a trusted proxy that is the proxy's.
func (f *Front) Address(r *http.Request) string {
	hosts := f.askedHosts(r)
	host := hosts[0]
	if len(hosts) > 1 && hosts[1] != "" {
		host = hosts[1]
	}
	if f.Secure(r) {
		return "https://" + host + f.config.BasePath
	}
	return "http://" + host + f.config.BasePath
}

// SetRoute names the route of a request, as metrics show it.
func SetRoute(r *http.Request, route string) { requestOf(r).route = route }

// Told makes the log's line of a request one of level DEBUG: the log says already what
// its status says.
func Told(r *http.Request) { requestOf(r).told = true }

// ActorOf returns who sent a request, once it was admitted.
func ActorOf(r *http.Request) auth.Actor { return requestOf(r).actor }
