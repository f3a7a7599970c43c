package httpapi

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/segraph/segraph/store"
)

// getLive says that the process answers, or that it has to be started again. It touches nothing that could make it wait.
func (a *API) getLive(w http.ResponseWriter, r *http.Request) error {
	if a.config.Failed != nil {
		if err := a.config.Failed(); err != nil {
			requestOf(r).told = true
			return writeJSON(w, http.StatusServiceUnavailable, map[string]any{"live": false, "detail": sentence(err.Error())})
		}
	}
	return writeJSON(w, http.StatusOK, map[string]bool{"live": true})
}

// getReady says whether requests are accepted, and whether the store can be reached.
func (a *API) getReady(w http.ResponseWriter, r *http.Request) error {
	h := a.Health(r.Context())
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

// storeReady asks the store whether it can serve, for 2 s at most. why says why it can't, where that is known
// in words for everybody.
func (a *API) storeReady(ctx context.Context) (ready bool, why string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	err := a.config.Graph.Ready(ctx)
	var unready *store.UnreadyError
	if errors.As(err, &unready) {
		why = unready.Detail
	}
	if a.verdict.news(err == nil, why, a.config.Now()) {
		if err != nil {
			a.log.WarnContext(ctx, "the store is not ready", "error", err)
		} else {
			a.log.InfoContext(ctx, "the store is ready again")
		}
	}
	return err == nil, why
}

// verdict is what the log says of the store. Who asks every second is no reason to say it every second.
type verdict struct {
	mu      sync.Mutex
	unready bool
	why     string
	said    time.Time
}

// news tells whether what was found at a time is to be logged: what differs from what is known, and once a minute that
// the store still can't serve.
func (v *verdict) news(ready bool, why string, at time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.unready == !ready && v.why == why && (ready || at.Sub(v.said) < time.Minute) {
		return false
	}
	v.unready, v.why, v.said = !ready, why, at
	return true
}

// Stats is what a service is doing now.
type Stats struct {
	Connections                    int   // within the limits
	Requests                       int   // that are being answered
	QueriesRunning, QueriesWaiting int   //
	SpoolBytes, BodyBytes          int64 // of disk, of answers and of what is being received
	Ready                          bool
}

// Stats tells what the service is doing now. It waits for nothing.
func (a *API) Stats() Stats {
	return Stats{
		Connections:    a.connections.count(),
		Requests:       a.active.count(),
		QueriesRunning: len(a.queries.running), QueriesWaiting: len(a.queries.waiting),
		SpoolBytes: a.spools.Used(), BodyBytes: a.bodies.Used(),
		Ready: !a.draining.Load() && !a.panicked.Load() && a.config.Graph.Ready(context.Background()) == nil,
	}
}

// getAuthMode says whether requests need a token.
func (a *API) getAuthMode(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, map[string]bool{"auth_enabled": a.config.Auth.Enabled()})
}
