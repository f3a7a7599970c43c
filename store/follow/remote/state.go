package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/store"
)

// absence is the error of a server that can't be queried.
type absence struct {
	state string // a state of store.Following
	err   error
	// first reports that the first attempt to reach the server is still running.
	first bool
	// refuses reports that posts and queries are refused rather than left to the file.
	refuses bool
}

func (a *absence) Error() string { return a.err.Error() }
func (a *absence) Unwrap() error { return a.err }

// setDown records why the server can't be queried.
func (s *Store) setDown(a *absence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setState(a)
}

// endFirst records that nobody waits any longer for the first attempt to reach the
// server.
func (s *Store) endFirst() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down != nil && s.down.first {
		down := *s.down
		down.first = false
		s.setState(&down)
	}
}

// setUp records that the server can be queried.
func (s *Store) setUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setState(nil)
}

// setState sets s.down and logs the change. The caller holds s.mu.
func (s *Store) setState(a *absence) {
	switch before := s.down; {
	case a == nil:
		s.log.Info("the graph store is up to date", "product", s.config.Product, "change", s.received)
	case before != nil && before.err.Error() == a.err.Error():
	case a.state == store.FollowResync:
		s.log.Info("the graph store can't be queried yet", "product", s.config.Product, "because", a.err)
	default:
		s.log.Error("the graph store can't be queried", "product", s.config.Product, "error", a.err)
	}
	s.down = a
	close(s.progress)
	s.progress = make(chan struct{})
}

// setSending records that the server can't be queried until it has received something,
// which what describes.
func (s *Store) setSending(what string) {
	s.setDown(&absence{state: store.FollowResync, err: &store.UnreadyError{Detail: s.config.Product + " is receiving " + what}})
}

// unreachable returns the absence of a server after an error.
func (s *Store) unreachable(err error) *absence {
	return &absence{state: store.FollowUnreachable, err: asUnready(s.config.Product, err)}
}

// absent returns the absence of a server that could not be brought up to date.
func (s *Store) absent(err error) *absence {
	a := s.unreachable(err)
	if errors.Is(err, errConflict) || errors.Is(err, errNotImported) {
		a.state, a.refuses = store.FollowConflict, true
	}
	return a
}

// missed records that a query found the server unreachable. A probe then finds out when
// it is back.
func (s *Store) missed(err error) {
	s.doubt.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down == nil {
		s.setState(s.unreachable(err))
	}
}

// absence returns why the server can't be queried, or nil, and a channel that is closed
// when that or the server's progress changes.
func (s *Store) absence() (*absence, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down, s.progress
}

// whyDown returns the error that keeps the server from being queried, or nil.
func (s *Store) whyDown() error {
	if down, _ := s.absence(); down != nil {
		return down.err
	}
	return nil
}

// fileTakes reports whether the file replaces the server after this error.
func (s *Store) fileTakes(err error) bool {
	var behind *errBehind
	var down *absence
	switch {
	case errors.As(err, &behind):
		return true
	case errors.As(err, &down):
		return !s.config.Strict && !down.refuses
	}
	return false
}

// Following returns the state of the server.
func (s *Store) Following() store.Following {
	f := store.Following{State: store.FollowOK}
	f.Behind, f.Since = s.Behind()
	down, _ := s.absence()
	switch {
	case down != nil:
		f.State = down.state
		f.Detail = detailOf(down.err)
	case s.doubt.Load():
		f.State = store.FollowResync
		f.Detail = s.config.Product + " was unreachable, and may lack changes"
	}
	return f
}

// detailOf returns the public part of an error.
func detailOf(err error) string {
	var unready *store.UnreadyError
	if errors.As(err, &unready) {
		return unready.Detail
	}
	return "the graph store can't be queried"
}

// Behind returns how many changes the server has not received yet, and for how long it
// has lacked any. All large documents whose triples are yet to be moved count as one
// change. After a start, until the server is reached, the number may include changes
// since the last mark that the server already has.
func (s *Store) Behind() (changes uint64, since time.Duration) {
	unmoved, err := s.outbox.Unmoved() // look here first: the transaction that moves triples records their changes
	if err != nil {
		return 0, 0
	}
	trimmed, last, _, err := s.outbox.Span()
	if err != nil {
		return 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if unmoved {
		changes = 1
	}
	if received := max(s.received, trimmed); received < last {
		changes += last - received
	}
	if changes == 0 {
		return 0, 0
	}
	return changes, time.Since(s.current)
}

// setReceived records the last change that the server has.
func (s *Store) setReceived(n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = n
	close(s.progress)
	s.progress = make(chan struct{})
}

// setEven records that the server is up to date now.
func (s *Store) setEven() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = time.Now()
}

// hasReceived reports whether the server has change n.
func (s *Store) hasReceived(n uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received >= n
}

// errBehind means that the server is reachable but lacks the latest changes.
type errBehind struct{ *store.UnreadyError }

func (e *errBehind) Unwrap() error { return e.UnreadyError }

// wait waits until enough returns true. After patience it returns an errBehind. It does
// not wait for a server that can't be queried, except for the first attempt to reach it.
func (s *Store) wait(ctx context.Context, patience time.Duration, enough func() (bool, error)) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		down, progress := s.absence()
		switch {
		case down == nil:
			if ok, err := enough(); ok || err != nil {
				return err
			}
		case s.config.Strict || !down.first:
			return down
		}
		select {
		case <-progress:
		case <-timer.C:
			return &errBehind{&store.UnreadyError{Detail: s.config.Product + " has not received all published data yet"}}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// admit waits until a write may go to the file. In strict mode, it also waits until
// closely returns true.
func (s *Store) admit(ctx context.Context, closely func() (bool, error)) error {
	if s.config.Strict {
		return s.wait(ctx, patience, closely)
	}
	err := s.wait(ctx, patience, func() (bool, error) { return true, nil })
	if s.fileTakes(err) {
		return nil
	}
	return err
}

// notTooFar reports whether the server is close enough to the file for more writes.
func (s *Store) notTooFar() (bool, error) {
	_, last, _, err := s.outbox.Span()
	return s.near(last), err
}

// near reports whether the server lacks at most maxBehind of the changes up to last.
func (s *Store) near(last uint64) bool {
	limit := s.config.maxBehind
	return last <= limit || s.hasReceived(last-limit)
}

// answerer decides who answers a query. It returns "" once the server has all earlier
// writes and answers, or the reason why the file answers. It returns an error if neither
// may answer now.
func (s *Store) answerer(ctx context.Context) (because string, err error) {
	_, last, _, err := s.outbox.Span()
	if err != nil {
		return "", err
	}
	moved := false
	err = s.wait(ctx, catchTime, func() (bool, error) {
		if !s.config.Strict && !s.near(last) {
			return false, &errBehind{&store.UnreadyError{Detail: fmt.Sprintf("%s is more than %d changes behind", s.config.Product, s.config.maxBehind)}}
		}
		if !moved {
			if moved, last, err = s.allMoved(); !moved || err != nil {
				return false, err
			}
		}
		return s.hasReceived(last), nil
	})
	if s.fileTakes(err) {
		return detailOf(err), nil
	}
	return "", err
}

// allMoved reports whether every write has recorded its change, and returns the number of
// the last one. The changes of a large document are recorded when its triples are moved
// to the graph's indexes.
func (s *Store) allMoved() (moved bool, last uint64, err error) {
	unmoved, err := s.outbox.Unmoved()
	if unmoved || err != nil {
		return false, 0, err
	}
	_, last, _, err = s.outbox.Span()
	return true, last, err
}
