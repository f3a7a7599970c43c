package remote

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
)

// Times of the goroutine that tells.
const (
	retryTime = 500 * time.Millisecond // between two tries to reach the server
	mendTime  = 30 * time.Second       // between two tries to take in a graph that somebody has to mend
	loginTime = 10 * time.Second       // between two logins that are refused
	lookTime  = time.Second            // between two looks whether it is there, while nothing is told
	markTime  = time.Minute            // after which what was told is marked at the server
	markAfter = 1000                   // changes after which it is
)

// atOnce is how many triples of several changes are told together.
const atOnce = 5000

// run tells the server what is in the outbox until ctx ends.
func (s *Store) run(ctx context.Context) {
	defer close(s.ended)
	defer s.guard()
	if err := s.noteUnmet(ctx); err != nil {
		s.log.Error("it can't be noted whether the file has met the graph store", "product", s.config.Product, "error", err)
	}
	for ctx.Err() == nil {
		err := s.connect(ctx)
		if err == nil {
			s.doubt.Store(false)
			s.setUp()
			err = s.follow(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errBack) {
			continue
		}
		s.setDown(s.absent(err))
		select {
		case <-time.After(pauseAfter(err)):
		case <-ctx.Done():
		}
	}
}

// pauseAfter returns how long to wait before the next try.
func pauseAfter(err error) time.Duration {
	switch {
	case errors.Is(err, errNotAdopted):
		return mendTime
	case errors.Is(err, errLogin):
		return loginTime
	}
	return retryTime
}

// guard, deferred, keeps a panic from the rest: the store stays as it is until a restart,
// and is not ready.
func (s *Store) guard() {
	if r := recover(); r != nil {
		s.panicked(r)
		s.setDown(&absence{state: store.FollowUnreachable, refuses: true, err: &store.UnreadyError{
			Detail: fmt.Sprintf("what tells %s of what is published has panicked; restart the service", s.config.Product)}})
	}
}

// panicked logs a panic that was just recovered.
func (s *Store) panicked(value any) {
	s.log.Error("telling the graph store panicked", "product", s.config.Product, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
}

// errBack says that the server was out of reach and is there again.
var errBack = errors.New("the graph store was out of reach")

// watch looks every second whether the server is there, until ctx ends: an update may
// take minutes, and who posts meanwhile is to know. It does not end the update, so that a
// server that is only slow gets on.
func (s *Store) watch(ctx context.Context) {
	defer s.guard()
	ticker := time.NewTicker(lookTime)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-s.hurry:
		}
		err := s.probe(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.doubt.Store(true)
			s.setDown(s.unreachable(err))
		case s.whyDown() != nil:
			s.setUp()
		}
	}
}

// probe asks whether the server is there, for probeTime at most.
func (s *Store) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return s.client.probe(ctx)
}

// follow tells changes as they come, until the server fails or ctx ends.
func (s *Store) follow(ctx context.Context) error {
	watched, unwatch := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { s.watch(watched) })
	defer watching.Wait()
	defer unwatch()
	ticker := time.NewTicker(lookTime)
	defer ticker.Stop()
	for {
		if err := s.catchUp(ctx, func(uint64) bool { return s.doubt.Load() }); err != nil {
			return err
		}
		if s.doubt.Load() { // before anything is marked there
			if err := s.whyDown(); err != nil {
				return err
			}
			return errBack
		}
		s.setEven()
		if err := s.markInTime(ctx); err != nil {
			return err
		}
		select {
		case <-s.outbox.Changed():
			continue
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
			defer cancel()
			return s.mark(last, s.told)
		case <-ticker.C:
		}
	}
}

// catchUp tells what is in the outbox, all of it or until enough is true of how many
// changes are left. It marks at the server how far it has come, unless the server is in
// doubt.
func (s *Store) catchUp(ctx context.Context, enough func(left uint64) bool) error {
	for {
		c, err := s.outbox.Read(ctx, s.told, atOnce)
		if err != nil || c.Last == s.told {
			return err
		}
		if err := s.tell(ctx, c); err != nil {
			return err
		}
		s.setTold(c.Last)
		_, last, _, err := s.outbox.Span()
		if err != nil || enough(last-c.Last) {
			return err
		}
		if err := s.markInTime(ctx); err != nil {
			return err
		}
	}
}

// markInTime marks at the server what it was told, if enough was told since, or long ago.
func (s *Store) markInTime(ctx context.Context) error {
	if n := s.told - s.marked; n < markAfter && (n == 0 || time.Since(s.markedAt) <= markTime) {
		return nil
	}
	if err := s.mark(ctx, s.told); err != nil {
		return err
	}
	// The mark before is the oldest that the server may come back with.
	if err := s.outbox.Trim(ctx, s.marked); err != nil {
		return err
	}
	s.marked, s.markedAt = s.told, time.Now()
	return nil
}

// connect makes the server hold what the file holds.
func (s *Store) connect(ctx context.Context) error {
	if err := s.probe(ctx); err != nil {
		return err
	}
	// An update that changes nothing says whether updates are taken.
	err := s.timed(ctx, 0, func(ctx context.Context) error { return s.client.update(ctx, s.noWords()) })
	if err != nil {
		return fmt.Errorf("trying an update: %w", err)
	}
	if err := s.readNotes(); err != nil {
		return err
	}
	s.words = nil // a server that comes back may have lost some
	s.lost.Store(false)
	m, err := s.readMark(ctx)
	if err != nil {
		return err
	}
	trimmed, last, stale, err := s.outbox.Span()
	switch {
	case err != nil:
		return err
	case m.file == s.fileID() && !stale && m.told && trimmed <= m.change && m.change <= last:
		s.setTold(m.change)
		s.marked, s.markedAt = m.change, time.Now()
		if s.whyDown() != nil && m.change < last {
			s.setTelling("what it has missed")
		}
	case m.file == s.fileID():
		err = s.tellAll(ctx)
	default:
		err = s.meet(ctx, m)
	}
	if err != nil {
		return err
	}
	if err := s.catchUp(ctx, func(left uint64) bool { return left <= near }); err != nil {
		return err
	}
	if err := s.mark(ctx, s.told); err != nil {
		return err
	}
	s.marked, s.markedAt = s.told, time.Now()
	return s.setMet(ctx)
}

// tellAll makes the server hold what the file holds, whatever it held before.
func (s *Store) tellAll(ctx context.Context) error {
	s.setTelling("all that was published")
	if err := s.writeMark(ctx, "-"); err != nil {
		return err
	}
	begun, err := s.outbox.Begin(ctx)
	if err != nil {
		return err
	}
	for _, g := range s.graphs() {
		if err := s.empty(ctx, g); err != nil {
			return err
		}
	}
	if err := s.forgetNotes(ctx); err != nil {
		return err
	}
	err = s.outbox.All(ctx, func(_ uint64, quads []rdf.Quad) error { return s.add(ctx, quads) })
	if err == nil {
		s.marked, s.markedAt = begun, time.Now()
		s.setTold(begun) // what changed meanwhile is told after that
	}
	return err
}
