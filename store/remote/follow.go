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
	for ctx.Err() == nil {
		err := s.connect(ctx)
		if err == nil {
			s.doubt.Store(false)
			s.setDown(nil)
			err = s.follow(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errBack) {
			continue
		}
		s.setDown(asUnready(s.config.Product, err))
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

// guard, deferred, keeps a panic from the rest: the store stays as it is until a restart, and is not ready.
func (s *Store) guard() {
	if r := recover(); r != nil {
		s.panicked(r)
		s.setDown(&store.UnreadyError{Detail: fmt.Sprintf("what tells %s of what is published has panicked; restart the service", s.config.Product)})
	}
}

// panicked logs a panic that was just recovered.
func (s *Store) panicked(value any) {
	s.log.Error("telling the graph store panicked", "product", s.config.Product, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
}

// errBack says that the server was out of reach and is there again.
var errBack = errors.New("the graph store was out of reach")

// watch looks every second whether the server is there, until ctx ends: an update may take minutes, and who
// posts meanwhile is to know. It does not end the update, so that a server that is only slow gets on.
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
		probe, cancel := context.WithTimeout(ctx, probeTime)
		err := s.client.probe(probe)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.doubt.Store(true)
			s.setDown(asUnready(s.config.Product, err))
		case s.whyDown() != nil:
			s.setDown(nil)
		}
	}
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
	marked, at := s.told, time.Now() // told is changed by this goroutine alone
	for {
		if err := s.catchUp(ctx); err != nil {
			return err
		}
		s.setEven()
		if s.doubt.Load() { // before anything is marked there
			if err := s.whyDown(); err != nil {
				return err
			}
			return errBack
		}
		if n := s.told - marked; n >= markAfter || n > 0 && time.Since(at) > markTime {
			if err := s.mark(ctx, s.told); err != nil {
				return err
			}
			// The mark before is the oldest that the server may come back with.
			if err := s.Outbox().Trim(ctx, marked); err != nil {
				return err
			}
			marked, at = s.told, time.Now()
		}
		select {
		case <-s.Outbox().Changed():
			continue
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
			defer cancel()
			return s.mark(last, s.told)
		case <-ticker.C:
		}
	}
}

// catchUp tells all that is in the outbox.
func (s *Store) catchUp(ctx context.Context) error {
	for {
		c, err := s.Outbox().Read(ctx, s.told, atOnce)
		if err != nil || c.Last == s.told {
			return err
		}
		if err := s.tell(ctx, c); err != nil {
			return err
		}
		s.setTold(c.Last)
	}
}

// connect makes the server hold what the file holds.
func (s *Store) connect(ctx context.Context) error {
	if err := s.client.probe(ctx); err != nil {
		return err
	}
	// An update that changes nothing says whether updates are taken.
	if err := s.client.update(ctx, s.noWords()); err != nil {
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
	trimmed, last, stale, err := s.Outbox().Span()
	switch {
	case err != nil:
		return err
	case m.file == s.fileID() && !stale && m.told && trimmed <= m.change && m.change <= last:
		s.setTold(m.change)
	case m.file == s.fileID():
		err = s.tellAll(ctx)
	default:
		err = s.meet(ctx, m)
	}
	if err != nil {
		return err
	}
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	return s.mark(ctx, s.told)
}

// tellAll makes the server hold what the file holds, whatever it held before.
func (s *Store) tellAll(ctx context.Context) error {
	s.setTelling()
	if err := s.writeMark(ctx, "-"); err != nil {
		return err
	}
	if _, err := s.Outbox().Begin(ctx); err != nil {
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
	told := uint64(0)
	err := s.Outbox().All(ctx, func(last uint64, quads []rdf.Quad) error {
		told = last
		return s.add(ctx, quads)
	})
	if err == nil {
		s.setTold(told)
	}
	return err
}
