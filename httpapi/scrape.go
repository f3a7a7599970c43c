package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
)

// metricsPath is the only path of the metrics' listener.
const metricsPath = "/metrics"

// scrapers are the roles that may read the metrics.
var scrapers = []auth.Role{auth.Auditor, auth.Admin}

// MetricsHandler returns the handler of the metrics' listener. It always requires a
// token, even if authentication is off.
func (a *API) MetricsHandler() http.Handler {
	serve := a.front.Metrics().Handler()
	return a.front.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.admitScrape(r); err != nil {
			a.front.Fail(w, r, err)
			return
		}
		serve.ServeHTTP(w, r)
	}))
}

// admitScrape returns an error unless the request may read the metrics.
func (a *API) admitScrape(r *http.Request) error {
	if r.URL.Path != metricsPath {
		return front.NewProblem(http.StatusNotFound, "nothing exists at this path; metrics are at %s", metricsPath)
	}
	front.SetRoute(r, metricsPath)
	front.Quiet(r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return front.NewProblem(http.StatusMethodNotAllowed, "this path accepts only GET, HEAD").With("Allow", "GET, HEAD")
	}
	if t := a.config.MetricsToken; t != nil {
		err := t.Check(r.Header["Authorization"])
		if err == nil {
			return nil
		}
		if !a.service.Config().Auth.Enabled() {
			return a.front.Refused(r, err)
		}
	}
	if !a.service.Config().Auth.Enabled() { // otherwise everybody would be an admin
		return front.NewProblem(http.StatusForbidden, "this service has no token for reading metrics; set SEGRAPH_METRICS_TOKEN")
	}
	return a.front.Admit(r, scrapers)
}
