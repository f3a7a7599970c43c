package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/segraph/segraph/store"
)

// progressed wakes those who wait for a server. The caller holds s.mu.
func (s *Store) progressed() {
	close(s.progress)
	s.progress = make(chan struct{})
}

// absence returns why no server can be queried, or nil if one can, and a channel that is
// closed when that or the progress of a server changes. While a graph is imported, none can.
// Of several reasons it returns the most hopeful one.
func (s *Store) absence() (*absence, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *absence
	up := false
	for _, f := range s.followers {
		switch down := f.down; {
		case down == nil:
			up = true
		case down.importing:
			return down, s.progress
		case best == nil || down.moreHopeful(best):
			best = down
		}
	}
	if up {
		best = nil
	}
	return best, s.progress
}

// ready returns the servers that can be queried, those with the fewest queries first.
func (s *Store) ready() (list []*follower) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.followers {
		if f.down == nil {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *follower) int { return cmp.Compare(a.asked.Load(), b.asked.Load()) })
	return list
}

// fileTakes reports whether the file replaces the servers after this error.
func (s *Store) fileTakes(err error) bool {
	var behind *errBehind
	var down *absence
	switch {
	case errors.As(err, &behind):
		return true
	case errors.As(err, &down):
		return !s.strict && !down.refuses
	}
	return false
}

// Following returns the state of each server.
func (s *Store) Following() (list []store.Following) {
	unmoved, err := s.outbox.Unmoved() // look here first: the transaction that moves triples records their changes
	_, last, spanErr := s.outbox.Span()
	known := err == nil && spanErr == nil
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.followers {
		now := store.Following{Name: f.config.Name, State: store.FollowOK}
		if known {
			now.Behind, now.Since = f.behind(unmoved, last)
		}
		switch {
		case f.down != nil:
			now.State, now.Detail = f.down.state, detailOf(f.down.err)
		case f.doubt.Load():
			now.State, now.Detail = store.FollowResync, f.config.Product+" was unreachable, and may lack changes"
		}
		list = append(list, now)
	}
	return list
}

// behind returns how many changes up to last the server has not received yet, and for how
// long it has lacked any. unmoved says that triples of large documents are yet to be moved,
// which counts as one change. After a start, until the server is reached, the number may include changes
// since the last mark that the server already has. The caller holds the lock.
func (f *follower) behind(unmoved bool, last uint64) (changes uint64, since time.Duration) {
	if unmoved {
		changes = 1
	}
	changes += last - min(last, f.received)
	if changes == 0 {
		return 0, 0
	}
	return changes, time.Since(f.current)
}

// errBehind means that a server is reachable, but lacks the latest changes or has failed to
// answer the query.
type errBehind struct{ *store.UnreadyError }

func (e *errBehind) Unwrap() error { return e.UnreadyError }

// wait returns the first server for which enough returns true. It waits at most patience for
// one, and then, or if all that can be queried return an errBehind, it returns that. It does
// not wait for servers that can't be queried, except for the first attempt to reach one.
func (s *Store) wait(ctx context.Context, patience time.Duration, enough func(*follower) (bool, error)) (*follower, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		down, progress := s.absence()
		if down != nil && (s.strict || !down.first) {
			return nil, down
		}
		var late *errBehind
		hope := down != nil
		for _, f := range s.ready() {
			switch ok, err := enough(f); {
			case ok:
				return f, nil
			case err == nil:
				hope = true
			case !errors.As(err, &late):
				return nil, err
			}
		}
		if !hope && late != nil {
			return nil, late
		}
		select {
		case <-progress:
		case <-timer.C:
			return nil, &errBehind{&store.UnreadyError{Detail: "no graph store has received all published data yet"}}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// AwaitRoom waits until a document may go to the file. In strict mode, it also waits until a server is close enough to the
// file. Unlike Admitted, it looks at no terms.
func (s *Store) AwaitRoom(ctx context.Context) error {
	enough := func(*follower) (bool, error) { return true, nil }
	if s.strict {
		enough = func(f *follower) (bool, error) {
			_, last, err := s.outbox.Span()
			return f.near(last), err
		}
	}
	_, err := s.wait(ctx, patience, enough)
	if !s.strict && s.fileTakes(err) {
		return nil
	}
	return err
}

// answerer decides who answers a query: a server that has all earlier writes and is not among
// tried, or the file: then f is nil, and because says why no server answers. It returns an
// error if nobody may answer now.
func (s *Store) answerer(ctx context.Context, tried []*follower) (f *follower, because string, err error) {
	_, last, err := s.outbox.Span()
	if err != nil {
		return nil, "", err
	}
	moved := false
	f, err = s.wait(ctx, catchTime, func(f *follower) (bool, error) {
		switch {
		case slices.Contains(tried, f):
			return false, &errBehind{&store.UnreadyError{Detail: f.config.Product + " has not answered"}}
		case !s.strict && !f.near(last):
			return false, &errBehind{&store.UnreadyError{Detail: fmt.Sprintf("%s is more than %d changes behind", f.config.Product, f.config.maxBehind)}}
		}
		if !moved {
			if moved, last, err = s.allMoved(); !moved || err != nil {
				return false, err
			}
		}
		return f.hasReceived(last), nil
	})
	if s.fileTakes(err) {
		return nil, detailOf(err), nil
	}
	return f, "", err
}

// allMoved reports whether every write has recorded its change, and returns the number of
// the last one. The changes of a large document are recorded when its triples are moved
// to the graph's indexes.
func (s *Store) allMoved() (moved bool, last uint64, err error) {
	unmoved, err := s.outbox.Unmoved()
	if unmoved || err != nil {
		return false, 0, err
	}
	_, last, err = s.outbox.Span()
	return true, last, err
}
