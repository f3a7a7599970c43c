package remote

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
)

// Intervals of the goroutine that sends changes.
const (
	retryTime       = 500 * time.Millisecond // between attempts to reach the server
	importRetryTime = 30 * time.Second       // between attempts to import a graph that an operator must fix
	loginTime       = 10 * time.Second       // after a refused login
	lookTime        = time.Second            // between probes while nothing is sent
	markTime        = time.Minute            // after this time, progress is marked at the server
	markAfter       = 1000                   // and after this many changes
)

// changesPerRead is about how many triples of several changes are sent together.
const changesPerRead = 5000

// run sends the outbox to the server until ctx ends.
func (s *Store) run(ctx context.Context) {
	defer close(s.ended)
	defer s.guard()
	if err := s.noteUnmet(ctx); err != nil {
		s.log.Error("recording whether the file has met the graph store failed", "product", s.config.Product, "error", err)
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

// pauseAfter returns how long to wait before the next attempt after err.
func pauseAfter(err error) time.Duration {
	switch {
	case errors.Is(err, errNotImported):
		return importRetryTime
	case errors.Is(err, errLogin):
		return loginTime
	}
	return retryTime
}

// guard is deferred to contain a panic. After one, the store stops following until a
// restart, and is not ready.
func (s *Store) guard() {
	if r := recover(); r != nil {
		s.panicked(r)
		s.setDown(&absence{state: store.FollowUnreachable, refuses: true, err: &store.UnreadyError{
			Detail: fmt.Sprintf("sending changes to %s has panicked; restart the service", s.config.Product)}})
	}
}

// panicked logs a recovered panic.
func (s *Store) panicked(value any) {
	s.log.Error("sending changes to the graph store panicked", "product", s.config.Product, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
}

// errBack means that the server was unreachable and is reachable again.
var errBack = errors.New("the graph store was unreachable")

// watch probes the server every second until ctx ends. So posts learn that it is
// unreachable even during an update, which may take minutes. watch does not abort the
// update, because the server may only be slow.
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

// probe probes the server, for at most probeTime.
func (s *Store) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return s.client.probe(ctx)
}

// follow sends changes as they come, until sending fails or ctx ends.
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
		if s.doubt.Load() { // before a mark is written there
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
			return s.mark(last, s.received)
		case <-ticker.C:
			if err := s.checkOwner(ctx); err != nil {
				return err
			}
		}
	}
}

// catchUp sends the outbox until it is empty, or until enough returns true, given the
// number of changes left. It marks its progress at the server.
func (s *Store) catchUp(ctx context.Context, enough func(left uint64) bool) error {
	for {
		c, err := s.outbox.Read(ctx, s.received, changesPerRead)
		if err != nil || c.Last == s.received {
			return err
		}
		if err := s.checkOwner(ctx); err != nil {
			return err
		}
		if err := s.send(ctx, c); err != nil {
			return err
		}
		s.setReceived(c.Last)
		_, last, _, err := s.outbox.Span()
		if err != nil || enough(last-c.Last) {
			return err
		}
		if err := s.markInTime(ctx); err != nil {
			return err
		}
	}
}

// markInTime marks the progress at the server, if enough changes were sent or enough time
// has passed since the last mark.
func (s *Store) markInTime(ctx context.Context) error {
	if n := s.received - s.marked; n < markAfter && (n == 0 || time.Since(s.markedAt) <= markTime) {
		return nil
	}
	if err := s.mark(ctx, s.received); err != nil {
		return err
	}
	// If the server loses the newest mark, it has the previous one.
	if err := s.outbox.Trim(ctx, s.marked); err != nil {
		return err
	}
	s.marked, s.markedAt = s.received, time.Now()
	return nil
}

// connect makes the server's content equal to the file's: by the changes that the server's mark lacks if the outbox
// has them, or else by all of it.
func (s *Store) connect(ctx context.Context) error {
	if err := s.probe(ctx); err != nil {
		return err
	}
	// An update that changes nothing shows whether the server accepts updates.
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
	case s.foreign(m):
		err = s.meet(ctx, m)
	case !stale && m.complete && trimmed <= m.change && m.change <= last:
		if err := s.writeMark(ctx, strconv.FormatUint(m.change, 10)); err != nil {
			return err
		}
		s.setReceived(m.change)
		s.marked, s.markedAt = m.change, time.Now()
		if s.whyDown() != nil && m.change < last {
			s.setSending("the changes that it missed")
		}
	default:
		err = s.sendAll(ctx)
	}
	if err != nil {
		return err
	}
	if err := s.catchUp(ctx, func(left uint64) bool { return left <= near }); err != nil {
		return err
	}
	if err := s.mark(ctx, s.received); err != nil {
		return err
	}
	s.marked, s.markedAt = s.received, time.Now()
	return s.setMet(ctx)
}

// sendAll replaces the server's content with the file's. Until it is done, the mark says that the content is not
// whole.
func (s *Store) sendAll(ctx context.Context) error {
	s.setSending("the whole published graph")
	if err := s.writeMark(ctx, "-"); err != nil {
		return err
	}
	begun, err := s.outbox.Begin(ctx)
	if err != nil {
		return err
	}
	for _, g := range s.graphs() {
		if err := s.checkOwner(ctx); err != nil {
			return err
		}
		if err := s.empty(ctx, g); err != nil {
			return err
		}
	}
	if err := s.forgetNotes(ctx); err != nil {
		return err
	}
	err = s.outbox.All(ctx, func(_ uint64, quads []rdf.Quad) error {
		if err := s.checkOwner(ctx); err != nil {
			return err
		}
		return s.add(ctx, quads)
	})
	if err == nil {
		s.marked, s.markedAt = begun, time.Now()
		s.setReceived(begun) // later changes follow
	}
	return err
}
