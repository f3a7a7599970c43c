package service

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/segraph/segraph/store"
)

// Health is what the service knows of its own state.
type Health struct {
	Ready     bool   // requests are accepted
	Store     bool   // the graph store can be reached, and answers queries
	StoreName string // "cayley" or "virtuoso"
	Draining  bool   // it is shutting down
	Panicked  bool   // something is broken that only a restart repairs
	Detail    string // why the store can't be reached, as a sentence; "" where that is not known
	Notice    string // what an operator should know of the file as it was opened, as a sentence; "" is nothing

	Follows   bool // a graph store of its own answers queries, and is told what changes
	Following store.Following
}

// Health asks the store whether it can serve, for 2 s at most.
func (s *Service) Health(ctx context.Context) Health {
	h := Health{StoreName: s.config.StoreName, Draining: s.draining.Load(), Panicked: s.panicked.Load()}
	var why string
	h.Store, why = s.storeReady(ctx)
	h.Ready = h.Store && !h.Draining && !h.Panicked
	if s.config.Following != nil {
		h.Follows, h.Following = true, s.config.Following()
		h.Store = h.Store && h.Following.State == store.FollowOK
		why = cmp.Or(why, h.Following.Detail)
	}
	if why != "" {
		h.Detail = Sentence(why)
	}
	if s.config.Notice != "" {
		h.Notice = Sentence(s.config.Notice)
	}
	return h
}

// storeReady asks the store whether it can serve, for 2 s at most. why says why it can't,
// where that is known in words for everybody.
func (s *Service) storeReady(ctx context.Context) (ready bool, why string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	err := s.config.Graph.Ready(ctx)
	var unready *store.UnreadyError
	if errors.As(err, &unready) {
		why = unready.Detail
	}
	if s.verdict.news(err == nil, why, s.config.Now()) {
		if err != nil {
			s.log.WarnContext(ctx, "the store is not ready", "error", err)
		} else {
			s.log.InfoContext(ctx, "the store is ready again")
		}
	}
	return err == nil, why
}

// verdict is what the log says of the store. A client that asks every second is no reason
// to say it every second.
type verdict struct {
	mu      sync.Mutex
	unready bool
	why     string
	said    time.Time
}

// news reports whether what was found at a time is to be logged: what differs from what
// is known, and once a minute that the store still can't serve.
func (v *verdict) news(ready bool, why string, at time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.unready == !ready && v.why == why && (ready || at.Sub(v.said) < time.Minute) {
		return false
	}
	v.unready, v.why, v.said = !ready, why, at
	return true
}
