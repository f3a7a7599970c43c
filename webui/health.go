package webui

import (
	"net/http"

	"github.com/segraph/segraph/views"
)

// refreshHealth is how often /health reloads without scripts, in seconds.
const refreshHealth = 10

// getHealth shows the state of the service. The status is 200 even if the service is
// unhealthy, because the page exists to report that.
func (u *UI) getHealth(w http.ResponseWriter, r *http.Request, v *visit) error {
	h := u.service.Health(r.Context())
	f := u.frame(r, v, "Health")
	f.Scripts, f.Refresh = []string{"health.js"}, refreshHealth
	return u.show(w, r, http.StatusOK, views.HealthPage(f, views.Health{
		Ready: h.Ready, Store: h.Store, Draining: h.Draining, Panicked: h.Panicked,
		StoreName: storeLabel(h.StoreName), Detail: h.Detail, Notice: h.Notice, Asked: v.now, Took: u.config.Now().Sub(v.now),
		Follows: h.Follows, Behind: h.Following.Behind, Since: h.Following.Since,
	}))
}

// storeLabel returns the name of a store as its setting has it. The embedded store is named
// "cayley" on the wire.
func storeLabel(name string) string {
	if name == "cayley" {
		return "embedded"
	}
	return name
}
