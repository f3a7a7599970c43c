package httpapi

import (
	"net/http"
	"regexp"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
)

// getLive reports that the process answers, or that it must be restarted. It waits for
// nothing.
func (a *API) getLive(w http.ResponseWriter, r *http.Request) error {
	if a.config.Failed != nil {
		if err := a.config.Failed(); err != nil {
			front.AlreadyLogged(r)
			return front.WriteJSON(w, http.StatusServiceUnavailable, map[string]any{"live": false, "detail": service.Sentence(err.Error())})
		}
	}
	return front.WriteJSON(w, http.StatusOK, map[string]bool{"live": true})
}

// lagPattern is the form of the parameter lag.
var lagPattern = regexp.MustCompile(`^[1-9][0-9]{0,5}(ms|s|m|h)$`)

// getReady reports whether requests are accepted and whether the store is reachable.
func (a *API) getReady(w http.ResponseWriter, r *http.Request) error {
	h := a.service.Health(r.Context())
	if q := r.URL.Query(); q.Has("lag") {
		text := q.Get("lag")
		most, err := time.ParseDuration(text)
		if err != nil || !lagPattern.MatchString(text) {
			return front.NewProblem(http.StatusUnprocessableEntity, "lag must be a time such as 5s")
		}
		if h.Lag > most {
			h.Ready, h.Detail = false, "This centre has not read all of its stream for more than "+most.String()+"."
		}
	}
	status := http.StatusOK
	if !h.Ready {
		status = http.StatusServiceUnavailable
		front.AlreadyLogged(r)
	}
	body := map[string]any{
		"ready":       h.Ready,
		"triplestore": h.Store,
		"store":       h.StoreName,
		h.StoreName:   h.Store,
	}
	if a.service.Config().SEGB {
		body["virtuoso"] = h.Store
	}
	if len(h.Following) > 0 {
		best := store.BestOf(h.Following)
		body["graph_store"], body["behind"], body["graph_stores"] = best.State, best.Behind, graphStores(h.Following)
	}
	if h.Detail != "" {
		body["detail"] = h.Detail
	}
	if h.Warning != "" {
		body["warning"] = h.Warning
	}
	return front.WriteJSON(w, status, body)
}

func graphStores(list []store.Following) (out []map[string]any) {
	for _, f := range list {
		row := map[string]any{"name": f.Name, "state": f.State, "behind": f.Behind}
		if f.Detail != "" {
			row["detail"] = service.Sentence(f.Detail)
		}
		out = append(out, row)
	}
	return out
}

// getAuthMode reports whether requests need a token.
func (a *API) getAuthMode(w http.ResponseWriter, _ *http.Request) error {
	return front.WriteJSON(w, http.StatusOK, map[string]bool{"auth_enabled": a.service.Config().Auth.Enabled()})
}
