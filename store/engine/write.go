package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/errno"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/memtable"
)

// All writes take one path. A unit of work reads everything that was written before it,
// whether on the disk or not, and produces a level of the memtable. Submit merges that
// level into what the next unit reads, and adds its encoding to the batch that waits for
// the disk (sync.go). Once enough is deferred, it is flushed to the buckets (flush.go). A
// unit that a level cannot hold, or that is too large for one, changes the buckets at
// once: see direct.

// A Ticket represents a submitted write.
type Ticket struct {
	done   chan struct{} // closed when err is final
	err    error
	stored atomic.Bool
	lost   uint64 // failures on the way to the disk when the write was handed to the syncer
	later  *queue // where the write may wait for others, or nil
}

// Wait returns nil once the write is on the disk, or the error that kept it from there.
// If a write fails, all writes submitted after it fail too.
func (t *Ticket) Wait() error {
	select {
	case <-t.done:
	default:
		if t.later != nil {
			t.later.hurry()
		}
		<-t.done
	}
	return t.err
}

// unit is a write on its way to the disk.
type unit struct {
	*Ticket
	after []func() // run once it is on the disk
}

// enter lets one write begin at a time, in order of arrival. It stops waiting when ctx
// ends.
func (s *Store) enter(ctx context.Context) error {
	if s.readOnly {
		return ErrReadOnly
	}
	if err := s.works(); err != nil {
		return err
	}
	if err := s.turn.take(ctx, s.closing); err != nil {
		return err
	}
	err := s.works()
	if err == nil && !s.queue.waiting() { // otherwise the first of the waiting writes has looked
		if err = s.unready(s.file.InPlace()); err == nil {
			s.moved.Store(false)
		}
	}
	if err != nil {
		s.turn.end()
		return err
	}
	s.turn.after(s.queue.lost.Load())
	return nil
}

// Submit runs do in a unit of work. If it returns an error, nothing was stored or seen by
// anyone, unless the error is store.ErrInDoubt. Otherwise the next unit of work sees the
// write, and readers see it once the ticket's Wait has returned nil. do may run twice, so
// it must reset any outside state that it changes.
func (s *Store) Submit(ctx context.Context, do func(*Tx) error) (*Ticket, error) {
	return s.SubmitAfter(ctx, nil, false, do)
}

// SubmitAfter submits a write as Submit does, but fails if the write with the ticket before was lost; before may be
// nil. If later is set, the write goes to the disk with the next write without later, after a call of Wait, or after
// some milliseconds.
func (s *Store) SubmitAfter(ctx context.Context, before *Ticket, later bool, do func(*Tx) error) (*Ticket, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.turn.end()
	built := func() error {
		if before != nil && !before.stored.Load() && before.lost != s.turn.lostBefore {
			return errBuiltOnLost
		}
		return nil
	}
	var t *Ticket
	err := s.attempt(func() (err error) {
		t, err = s.deferred(later, built, do)
		return err
	})
	if errors.Is(err, memtable.ErrDirect) {
		t = &Ticket{done: make(chan struct{})}
		close(t.done)
		t.stored.Store(true)
		err = s.attempt(func() error { return s.writeDirect(directly{before: built, do: do}) })
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Update runs do in a unit of work and returns once the write is on the disk. If it
// returns an error, nothing was stored, unless the error is store.ErrInDoubt. do may run
// twice.
func (s *Store) Update(ctx context.Context, do func(*Tx) error) error {
	t, err := s.Submit(ctx, do)
	if err != nil {
		return err
	}
	return t.Wait()
}

// GiveWay waits while the changes that wait for a flush fill more than half of their room. A
// caller that makes many writes in a row calls it before each, so that writes of others do not
// wait for a flush. The error is that of a write if writing has stopped.
func (s *Store) GiveWay(ctx context.Context) error {
	for s.queue.crowded() {
		if err := s.works(); err != nil {
			return err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// AwaitDocuments waits while large documents are stored again because triples were removed, up to 30 s. A caller that
// removes triples in many writes calls it before each.
func (s *Store) AwaitDocuments(ctx context.Context) {
	for end := time.Now().Add(30 * time.Second); s.restarted.Load() > 0 && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(time.Millisecond)
	}
}

// directly is a write that changes the buckets at once.
type directly struct {
	before func() error // runs first, while no write is under way
	do     func(*Tx) error
	after  func() // runs once the write is on the disk, before the next write begins
}

// direct writes to the buckets at once, together with everything deferred, and returns
// when that is on the disk.
func (s *Store) direct(ctx context.Context, w directly) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.turn.end()
	return s.attempt(func() error { return s.writeDirect(w) })
}

// attempt runs a write of a caller that has entered.
func (s *Store) attempt(write func() error) error {
	err := s.guarded(write)
	if err != nil {
		s.turn.known.Undo()
	}
	return err
}

// guarded runs do. If do finds damage, writing stops until the file is restored, because
// a write next to damaged pages could not be trusted. A panic also stops writing, because
// it may leave anything half done.
func (s *Store) guarded(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("a write panicked", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			s.stopWriting(isBroken, fmt.Errorf("a write panicked: %v", r))
			err = inDoubt(*s.broken.Load()) // it may have been stored
		}
		err = asDiskFull(err)
		s.stopIfDamage(err)
	}()
	return s.Guard(do)
}

// usualDeferred is the default limit in bytes of the memory of deferred writes. One unit
// of work may take an eighth.
const usualDeferred = 24 << 20

// maxScratch is the largest buffer, in bytes, that is kept to encode the next unit of
// work.
const maxScratch = 64 << 10

// deferred runs do as a unit of work on the memtable, and hands what it produced to the syncer. later is as in
// SubmitAfter. built checks first what the unit builds on. If the unit is too large for the log region or the memory, the
// error is memtable.ErrDirect, and nothing was done.
func (s *Store) deferred(later bool, built func() error, do func(*Tx) error) (*Ticket, error) {
	r, lost, err := s.pending()
	if err != nil {
		return nil, fmt.Errorf("beginning a write: %w", err)
	}
	defer s.file.End(r.bolt)
	if err := s.broken.Load(); err != nil { // r may have what a flush in doubt stored
		return nil, *err
	}
	s.turn.after(lost) // r may lack writes that were lost since enter
	if err := built(); err != nil {
		return nil, err
	}
	tx, err := s.newTx(r)
	if err != nil {
		return nil, err
	}
	defer tx.own.Reset()
	defer s.turn.buckets.End()
	if err = do(tx); err == nil {
		err = tx.finish()
	}
	if err != nil {
		return nil, err
	}
	work := unit{Ticket: &Ticket{done: make(chan struct{})}, after: tx.done}
	if later {
		work.later = &s.queue
	}
	delta := s.turn.scratch[:0]
	if !tx.own.Empty() {
		delta = tx.own.Append(delta)
		s.turn.scratch = delta
		if cap(delta) > maxScratch {
			s.turn.scratch = nil
		}
	}
	if sizeOf(tx.own, delta) > s.queue.largest() || len(delta) > s.queue.longest() {
		return nil, memtable.ErrDirect
	}
	s.file.End(r.bolt) // hand may wait for a flush, and a flush that must remap the file waits for readers
	if err := s.queue.hand(work, tx.own, delta, lost); err != nil {
		return nil, err
	}
	s.notifyStaged(tx)
	return work.Ticket, nil
}

// writeDirect runs a write in a transaction of the file, with all that waits for a flush. The caller has called
// enter.
func (s *Store) writeDirect(w directly) error {
	s.turn.known.Undo() // of a unit of work that was abandoned
	if err := s.drain(); err != nil {
		return err
	}
	s.turn.after(s.queue.lost.Load()) // of the batch that drain waited for
	if w.before != nil {
		if err := w.before(); err != nil {
			return err
		}
	}
	var tx *Tx
	err := s.flush(flushAll, func(b *bolt.Tx, levels []*memtable.Level) (err error) {
		if err := s.storeLevels(b, levels); err != nil {
			return err
		}
		if tx, err = s.newDirect(b); err != nil {
			return err
		}
		if err := w.do(tx); err != nil {
			return err
		}
		return tx.finish()
	})
	if err != nil {
		s.turn.known.Reset()
		return err
	}
	s.notifyStaged(tx)
	for _, done := range tx.done {
		done()
	}
	if w.after != nil {
		w.after()
	}
	return nil
}

// Details of errors that stop writing, as users see them.
const (
	isDamaged = "the file of the store is damaged, and nothing more is written to it: the operator must restore a backup"
	isBroken  = "a write failed unexpectedly, and nothing more is written until the service restarts"
	hasFailed = "the disk failed, and nothing more is written until the service restarts"
	isMoved   = "the file of the store was removed, moved or replaced, and nothing more is written; the operator " +
		"must put it back, or save the data with `segraph backup --url` and restore that"
)

// stopWriting makes the store not ready and refuses all further writes until it is
// reopened.
func (s *Store) stopWriting(words string, why error) {
	var broken error = &store.UnreadyError{Detail: words, Err: why}
	if s.broken.CompareAndSwap(nil, &broken) {
		s.log.Error("writing has stopped", "error", broken)
	}
}

// unready wraps a *file.MovedError in a *store.UnreadyError. Writing resumes once the
// file is back at its path. Other errors are returned unchanged.
func (s *Store) unready(err error) error {
	var moved *file.MovedError
	if !errors.As(err, &moved) {
		return err
	}
	if !s.moved.Swap(true) {
		s.log.Error("writing has stopped", "error", moved)
	}
	return &store.UnreadyError{Detail: isMoved, Err: moved}
}

// inDoubt wraps an error in store.ErrInDoubt: the write may be stored.
func inDoubt(err error) error { return fmt.Errorf("%w: %w", store.ErrInDoubt, err) }

// listFree writes the list of free pages to the file. Without it, the next open reads all
// pages to find them.
func (s *Store) listFree() {
	if s.readOnly || s.broken.Load() != nil {
		return
	}
	if err := s.Guard(s.file.WriteFreelist); err != nil {
		s.log.Warn("the next start will look for the free pages", "error", err)
	}
}

// failedCommit handles a failed write of a transaction or a frame, and returns its error. If the disk was full and
// nothing was stored, writing continues. Otherwise the system may have dropped pages that it could not write, even of
// later transactions, so writing stops until the file is opened again.
func (s *Store) failedCommit(err error) error {
	var failed *file.CommitError
	doubt := !errors.As(err, &failed) || failed.InDoubt
	if full := errno.DiskFull(err) || file.IsAtLimit(err); full && !doubt {
		return asDiskFull(err)
	}
	s.stopWriting(hasFailed, err)
	s.failing.Do(s.failed)
	if doubt {
		return inDoubt(*s.broken.Load())
	}
	return *s.broken.Load()
}

// failedOverwrite handles the error of overwriting what the file no longer needs. After a failed write or sync, the
// system may show the new bytes although the disk has the old ones, so that another attempt would find nothing to do.
func (s *Store) failedOverwrite(err error) error {
	var path *fs.PathError
	var call *os.SyscallError
	switch {
	case errors.As(err, new(*file.CommitError)): // of the transaction with which Scrub replaces a damaged one
		return s.failedCommit(err)
	case errors.As(err, &path) && path.Op == "write":
		return s.failedCommit(&file.CommitError{Err: err})
	case errors.As(err, &call), path != nil && path.Op == "sync":
		return s.failedCommit(err)
	}
	return err
}

// asDiskFull wraps errors that mean that there is no room, on the disk or in the address
// space of a 32-bit program.
func asDiskFull(err error) error {
	switch {
	case errors.Is(err, store.ErrInDoubt): // stronger: the write may be stored
	case errno.DiskFull(err):
		return fmt.Errorf("%w: %w", store.ErrDiskFull, err)
	case file.IsAtLimit(err):
		return fmt.Errorf("%w: %w", store.ErrAtLimit, err)
	}
	return err
}
