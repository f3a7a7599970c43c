package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/service"
)

// getLive says that the process answers, or that it has to be started again. It touches nothing that could make it wait.
func (a *API) getLive(w http.ResponseWriter, r *http.Request) error {
	if a.config.Failed != nil {
		if err := a.config.Failed(); err != nil {
			requestOf(r).told = true
			return writeJSON(w, http.StatusServiceUnavailable, map[string]any{"live": false, "detail": service.Sentence(err.Error())})
		}
	}
	return writeJSON(w, http.StatusOK, map[string]bool{"live": true})
}

// getReady says whether requests are accepted, and whether the store can be reached.
func (a *API) getReady(w http.ResponseWriter, r *http.Request) error {
	h := a.service.Health(r.Context())
	status := http.StatusOK
	if !h.Ready {
		status = http.StatusServiceUnavailable
		requestOf(r).told = true
	}
	body := map[string]any{
		"ready":            h.Ready,
		"triplestore":      h.Store,
		"store":            a.config.StoreName,
		a.config.StoreName: h.Store,
	}
	if a.config.SEGB {
		body["virtuoso"] = h.Store
	}
	if h.Follows {
		body["graph_store"], body["behind"] = h.Following.State, h.Following.Behind
	}
	if h.Detail != "" {
		body["detail"] = h.Detail
	}
	return writeJSON(w, status, body)
}

// Stats is what the listeners are doing now.
type Stats struct {
	Connections int   // within the limits
	Requests    int   // that are being answered
	BodyBytes   int64 // of disk, of what is being received
}

// Stats returns what the listeners are doing now. It waits for nothing.
func (a *API) Stats() Stats {
	return Stats{Connections: a.connections.count(), Requests: a.active.count(), BodyBytes: a.bodies.Used()}
}

// getAuthMode says whether requests need a token.
func (a *API) getAuthMode(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, map[string]bool{"auth_enabled": a.config.Auth.Enabled()})
}
