package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/internal/auth"
)

// metricsPath is the only path of the metrics' listener.
const metricsPath = "/metrics"

// scrapers are the roles that may read the metrics.
var scrapers = route{roles: []auth.Role{auth.Auditor, auth.Admin}}

// MetricsHandler answers the requests of the metrics' listener. Nobody reads metrics without a token, not even while
// authentication is off.
func (a *API) MetricsHandler() http.Handler {
	serve := a.config.Metrics.Handler()
	return a.frame(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.admitScrape(r); err != nil {
			a.fail(w, r, err)
			return
		}
		serve.ServeHTTP(w, r)
	}))
}

// admitScrape decides whether a request may read the metrics.
func (a *API) admitScrape(r *http.Request) error {
	q := requestOf(r)
	if r.URL.Path != metricsPath {
		return newProblem(http.StatusNotFound, "there is nothing at this path; metrics are at %s", metricsPath)
	}
	q.route, q.quiet = metricsPath, true
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return newProblem(http.StatusMethodNotAllowed, "this path takes GET, HEAD").With("Allow", "GET, HEAD")
	}
	if t := a.config.MetricsToken; t != nil {
		err := t.Check(r.Header["Authorization"])
		if err == nil {
			return nil
		}
		if !a.config.Auth.Enabled() {
			return a.refused(err, q)
		}
	}
	if !a.config.Auth.Enabled() { // everybody would be an admin
		return newProblem(http.StatusForbidden, "this service has no token with which metrics could be read")
	}
	return a.admit(scrapers, r, q)
}
