package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/segraph/segraph/store"
)

// Health is the state of the service.
type Health struct {
	Ready     bool   // requests are accepted
	Store     bool   // the graph store is reachable and answers queries
	StoreName string // "cayley", "virtuoso", "sparql", or "stores" for several kinds
	Draining  bool   // the service is shutting down
	Panicked  bool   // a fault occurred that only a restart repairs
	Detail    string // why the store is unreachable, as a sentence; "" if unknown
	Warning   string // that the disk is almost full, as a sentence, or ""
	Notice    string // what an operator should know about the opened file, as a sentence, or ""

	Lag time.Duration // for which this service, a centre, has not read all of its stream; 0 if it reads none

	Following []store.Following // separate graph stores, which answer queries and receive changes
}

// Health asks the store whether it can serve. It waits at most 2 s.
func (s *Service) Health(ctx context.Context) Health {
	h := Health{StoreName: s.config.StoreName, Draining: s.draining.Load(), Panicked: s.panicked.Load()}
	var why string
	h.Store, why = s.storeReady(ctx)
	h.Ready = h.Store && !h.Draining && !h.Panicked
	if s.config.Lag != nil {
		h.Lag, _ = s.config.Lag()
	}
	if s.config.Following != nil {
		h.Following = s.config.Following()
		best := store.BestOf(h.Following)
		h.Store = h.Store && best.State == store.FollowOK
		why = cmp.Or(why, best.Detail)
	}
	if why != "" {
		h.Detail = Sentence(why)
	}
	h.Warning = s.lowDisk(ctx)
	if s.config.Notice != "" {
		h.Notice = Sentence(s.config.Notice)
	}
	return h
}

// lowDisk returns a warning, as a sentence, if a post may not fit on the disk, or "".
func (s *Service) lowDisk(ctx context.Context) (warning string) {
	if s.config.Disk == nil {
		return ""
	}
	free, need, known := s.config.Disk()
	if !known {
		return ""
	}
	need += s.config.Limits.Document // it may be written beside the file while it arrives
	low := free < need
	if low {
		warning = fmt.Sprintf("The disk of the store has %.1f MiB left, and posts may need %d MiB. Free some space: on a full disk posts get 507.", float64(free)/(1<<20), need>>20)
	}
	if s.room.news(!low, "", s.config.Now()) {
		if low {
			s.log.WarnContext(ctx, "the disk is almost full", "free_bytes", free, "needed_bytes", need)
		} else {
			s.log.InfoContext(ctx, "the disk has enough room again", "free_bytes", free)
		}
	}
	return warning
}

// storeReady asks the store whether it can serve. It waits at most 2 s. why is the reason
// if it can't, fit for every client, or "".
func (s *Service) storeReady(request context.Context) (ready bool, why string) {
	ctx, cancel := context.WithTimeout(request, 2*time.Second)
	defer cancel()
	err := s.config.Graph.Ready(ctx)
	var unready *store.UnreadyError
	if errors.As(err, &unready) {
		why = unready.Detail
	}
	if request.Err() == nil && s.verdict.news(err == nil, why, s.config.Now()) { // a client that left says nothing about the store
		if err != nil {
			s.log.WarnContext(ctx, "the store is not ready", "error", err)
		} else {
			s.log.InfoContext(ctx, "the store is ready again")
		}
	}
	return err == nil, why
}

// verdict is the last logged state of the store. It keeps frequent health checks from
// filling the log.
type verdict struct {
	mu      sync.Mutex
	unready bool
	why     string
	said    time.Time
}

// news takes a result, and reports whether to log it: if it differs from the last one, and
// once a minute while the store can't serve. ready says that it can; why, why not.
func (v *verdict) news(ready bool, why string, at time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.unready == !ready && v.why == why && (ready || at.Sub(v.said) < time.Minute) {
		return false
	}
	v.unready, v.why, v.said = !ready, why, at
	return true
}
