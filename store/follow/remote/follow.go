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
	refusedTime     = 10 * time.Second       // after a refused login, or while all updates fail
	lookTime        = time.Second            // between probes while nothing is sent
	markTime        = time.Minute            // after this time, progress is marked at the server
	markAfter       = 1000                   // and after this many changes
)

// changesPerRead is about how many triples of several changes are sent together.
const changesPerRead = 5000

// run sends the outbox to the server until ctx ends.
func (f *follower) run(ctx context.Context) {
	defer f.guard()
	for ctx.Err() == nil {
		err := f.group.start(ctx)
		if err == nil {
			err = f.connect(ctx)
		}
		if err == nil {
			f.doubt.Store(false)
			f.setUp()
			err = f.follow(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errBack) {
			continue
		}
		f.setDown(f.absent(err))
		if err := f.outbox.Wait(ctx, f.config.Name); err != nil && ctx.Err() == nil {
			f.log.Error("looking at the changes that wait for the graph store failed", "product", f.config.Product, "error", err)
		}
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
	case errors.Is(err, errLogin) || errors.Is(err, errFails):
		return refusedTime
	}
	return retryTime
}

// guard is deferred to contain a panic. After one, the store stops following until a
// restart, and is not ready.
func (f *follower) guard() {
	if r := recover(); r != nil {
		f.panicked(r)
		f.setDown(&absence{state: store.FollowUnreachable, refuses: true, err: &store.UnreadyError{
			Detail: fmt.Sprintf("sending changes to %s has panicked; restart the service", f.config.Product)}})
	}
}

// panicked logs a recovered panic.
func (f *follower) panicked(value any) {
	f.log.Error("sending changes to the graph store panicked", "product", f.config.Product, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
}

// errBack means that the server was unreachable and is reachable again.
var errBack = errors.New("the graph store was unreachable")

// errLost means that the server has an older mark than the last one. The changes since are sent again after a pause: a
// server whose reads lag behind its writes would get them without end.
var errLost = errors.New("the graph store lost its last changes, which are sent again")

// watch probes the server every second until ctx ends. So posts learn that it is
// unreachable even during an update, which may take minutes. watch does not abort the
// update, because the server may only be slow.
func (f *follower) watch(ctx context.Context) {
	defer f.guard()
	ticker := time.NewTicker(lookTime)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-f.hurry:
		}
		err := f.probe(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			f.doubt.Store(true)
			f.setDown(f.unreachable(err))
		case f.whyDown() != nil:
			f.setUp()
		}
	}
}

// probe probes the server, for at most probeTime.
func (f *follower) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return f.client.probe(ctx)
}

// follow sends changes as they come, until sending fails or ctx ends.
func (f *follower) follow(ctx context.Context) error {
	watched, unwatch := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { f.watch(watched) })
	defer watching.Wait()
	defer unwatch()
	ticker := time.NewTicker(lookTime)
	defer ticker.Stop()
	for {
		if err := f.catchUp(ctx, func(uint64) bool { return f.doubt.Load() }); err != nil {
			return err
		}
		if f.doubt.Load() { // before a mark is written there
			if err := f.whyDown(); err != nil {
				return err
			}
			return errBack
		}
		f.setEven()
		if err := f.markInTime(ctx); err != nil {
			return err
		}
		select {
		case <-f.changed:
			continue
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
			defer cancel()
			return f.mark(last, f.received)
		case <-ticker.C:
			if err := f.checkOwner(ctx); err != nil {
				return err
			}
		}
	}
}

// catchUp sends the outbox until it is empty, or until enough returns true, given the
// number of changes left. It marks its progress at the server.
func (f *follower) catchUp(ctx context.Context, enough func(left uint64) bool) error {
	for {
		c, err := f.outbox.Read(ctx, f.received, changesPerRead)
		if err != nil || c.Last == f.received {
			return err
		}
		if f.file.AwaitStored(ctx) != nil { // writing has stopped: the server stays as it is
			return ctx.Err()
		}
		if err := f.checkOwner(ctx); err != nil {
			return err
		}
		if err := f.send(ctx, c); err != nil {
			return err
		}
		f.broken = 0
		f.setReceived(c.Last)
		_, last, err := f.outbox.Span()
		if err != nil || enough(last-c.Last) {
			return err
		}
		if err := f.markInTime(ctx); err != nil {
			return err
		}
	}
}

// markInTime marks the progress at the server if markAfter changes were sent since the last mark, or if there is
// something to mark or confirm and the mark is older than markTime. It confirms the previous mark to the outbox, unless
// writing has stopped.
func (f *follower) markInTime(ctx context.Context) error {
	sent := f.received - f.marked // since the last mark
	nothing := sent == 0 && f.marked == f.confirmed
	recent := time.Since(f.markedAt) <= f.config.markTime
	if f.file.Ready(ctx) != nil || sent < markAfter && (nothing || recent) {
		return nil
	}
	if err := f.mark(ctx, f.received); err != nil {
		return err
	}
	// Not the newest one: the server may still lose that, and then has the previous one.
	if err := f.outbox.Confirm(ctx, f.config.Name, f.marked); err != nil {
		return err
	}
	f.confirmed = f.marked
	f.marked, f.markedAt = f.received, time.Now()
	return nil
}

// connect makes the server's content equal to the file's: by the changes that the server's mark lacks if the outbox
// has them, or else by all of it.
func (f *follower) connect(ctx context.Context) error {
	if err := f.probe(ctx); err != nil {
		return err
	}
	// This update shows whether the server accepts updates. It removes the literals of words, if there are any.
	err := f.timed(ctx, 0, func(ctx context.Context) error { return f.client.update(ctx, f.deleteWords()) })
	if err != nil {
		return fmt.Errorf("trying an update: %w", err)
	}
	if err := f.readNotes(); err != nil {
		return err
	}
	f.words = nil // a server that comes back may have lost some
	f.lost.Store(false)
	m, err := f.readMark(ctx)
	if err != nil {
		return err
	}
	resumes, err := f.outbox.Resumes(f.config.Name, m.change)
	switch {
	case err != nil:
		return err
	case f.foreign(m):
		if err = f.meet(ctx, m); err == nil {
			err = f.sendAll(ctx)
		}
	case m.complete && resumes:
		if err := f.writeMark(ctx, strconv.FormatUint(m.change, 10)); err != nil {
			return err
		}
		f.setReceived(m.change)
		f.marked, f.markedAt = m.change, time.Now()
		if _, last, err := f.outbox.Span(); err == nil && m.change < last && f.whyDown() != nil { // only to report it: if Span fails, so does catchUp
			f.setSending("the changes that it missed")
		}
	default:
		err = f.sendAll(ctx)
	}
	if err != nil {
		return err
	}
	if err := f.catchUp(ctx, func(left uint64) bool { return left <= near }); err != nil {
		return err
	}
	if err := f.mark(ctx, f.received); err != nil {
		return err
	}
	f.marked, f.markedAt = f.received, time.Now()
	return f.setMet(ctx)
}

// sendAll replaces the server's content with the file's. Until it is done, the mark says that the content is not
// whole.
func (f *follower) sendAll(ctx context.Context) error {
	f.setSending("the whole published graph")
	if err := f.writeMark(ctx, "-"); err != nil {
		return err
	}
	for _, g := range f.graphs() {
		if err := f.checkOwner(ctx); err != nil {
			return err
		}
		if err := f.empty(ctx, g); err != nil {
			return err
		}
	}
	if err := f.forgetNotes(ctx); err != nil {
		return err
	}
	// From here on, an erasure no longer waits for the server, which is empty now.
	begun, err := f.outbox.Begin(ctx, f.config.Name)
	if err != nil {
		return err
	}
	err = f.outbox.All(ctx, func(quads []rdf.Quad) error {
		if err := f.checkOwner(ctx); err != nil {
			return err
		}
		return f.add(ctx, quads)
	})
	if err == nil {
		f.marked, f.confirmed, f.markedAt, f.broken = begun, begun, time.Now(), 0
		f.setReceived(begun) // later changes follow
	}
	return err
}
