// Package spool stands between one that writes fast and one that reads slowly, so that
// the writer can let go of what it holds. A Spool is a queue of bytes: a little memory
// first, then a temporary file that has no name and goes away with its last handle,
// whatever happens to the process.
//
// A Pool bounds the disk that all its spools use together, and leaves some of the disk to
// others. Where there is no room, for whatever reason, Write waits for its own reader: a
// spool then is a ring in memory, and a disk that is full or broken takes nothing from
// anybody but speed. TryWrite is for who can't wait.
package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/segraph/segraph/internal/errno"
)

var (
	// ErrClosed is what writing gives once the reader is gone.
	ErrClosed = errors.New("the reader of the spool is gone")
	// ErrStalled is what Write gives when there was no room for the pool's Patience.
	ErrStalled = errors.New("the reader of the spool is too slow")
	// ErrUsedUp is what TryWrite gives where the pool's share of the disk is used up.
	ErrUsedUp = errors.New("the disk space for spools is used up")
	// ErrDiskFull is what TryWrite gives where the disk is full, or has no more free than
	// is to be left to others.
	ErrDiskFull = errors.New("the disk of the spools is full")
)

// Spool is a queue of bytes between one goroutine that writes and one that reads. What is
// in memory is always older than what is in the file.
type Spool struct {
	pool *Pool

	mu      sync.Mutex
	changed sync.Cond // something was written, read or closed

	memory     []byte // a ring
	start, len int    // what of it is unread

	file     *os.File
	from, to int64 // what of the file is unread
	size     int64 // how far the file may have been written: what it takes of the pool

	done   bool  // no more is written
	err    error // what Read gives at the end
	closed bool  // no more is read
}

// New returns an empty spool. Its reader must Close it.
func (p *Pool) New() *Spool {
	s := &Spool{pool: p, memory: make([]byte, p.memory())}
	s.changed.L = &s.mu
	return s
}

// Write appends p. Where there is no room it waits until the reader has made some. The
// error is ErrClosed, or ErrStalled when the reader made none for the pool's Patience.
func (s *Spool) Write(p []byte) (n int, err error) {
	letOthersRun()
	s.mu.Lock()
	defer s.mu.Unlock()
	var wait *waiting
	for {
		m, err := s.take(p[n:])
		n += m
		if err == nil || errors.Is(err, ErrClosed) {
			return n, err
		}
		if wait == nil {
			wait = startWaiting(s.pool.Patience, &s.changed)
			defer wait.stop()
		}
		if m > 0 {
			wait.again()
		}
		if wait.over() {
			return n, ErrStalled
		}
		s.changed.Wait() // for the reader, or the end of patience
	}
}

// waiting is the time that a Write has been without any room.
type waiting struct {
	patience time.Duration
	until    time.Time
	timer    *time.Timer // nil where patience has no end
}

// startWaiting begins the patience of a Write, at whose end whoever waits for changed is
// woken.
func startWaiting(patience time.Duration, changed *sync.Cond) *waiting {
	w := &waiting{patience: patience}
	if w.patience > 0 {
		w.until = time.Now().Add(w.patience)
		w.timer = time.AfterFunc(w.patience, func() {
			changed.L.Lock()
			defer changed.L.Unlock()
			changed.Broadcast()
		})
	}
	return w
}

func (w *waiting) over() bool { return w.timer != nil && !time.Now().Before(w.until) }

func (w *waiting) again() {
	if w.timer != nil {
		w.until = time.Now().Add(w.patience)
		w.timer.Reset(w.patience)
	}
}

func (w *waiting) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// TryWrite appends as much of p as there is room for and does not wait. Where that is not
// all, the error says why: ErrClosed, ErrUsedUp, ErrDiskFull, or what the file system
// says.
func (s *Spool) TryWrite(p []byte) (n int, err error) {
	letOthersRun()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(p)
}

// letOthersRun is called by who writes: a writer that never waits would keep its
// processor for 10 ms at a time, and every request that comes meanwhile would wait behind
// all such writers.
func letOthersRun() { runtime.Gosched() }

func (s *Spool) take(p []byte) (n int, err error) {
	for n < len(p) {
		if s.closed {
			return n, ErrClosed
		}
		m, err := s.put(p[n:])
		if n += m; m > 0 {
			s.changed.Broadcast()
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// put takes what fits of p: into memory while nothing is in the file, then into the file.
// A file that can't be made or written is no room, and what was reserved for it is given
// back.
func (s *Spool) put(p []byte) (int, error) {
	if s.from == s.to && s.len < len(s.memory) {
		end := (s.start + s.len) % len(s.memory)
		free := min(len(s.memory)-s.len, len(s.memory)-end)
		n := copy(s.memory[end:end+free], p)
		s.len += n
		return n, nil
	}
	held := s.size
	if grow := s.to + int64(len(p)) - s.size; grow > 0 {
		if err := s.pool.reserve(grow); err != nil {
			return 0, err
		}
		s.size += grow
	}
	n, err := s.append(p)
	if err != nil {
		kept := max(held, s.to)
		s.pool.used.Add(kept - s.size)
		s.size = kept
		if errno.DiskFull(err) {
			err = fmt.Errorf("%w: %w", ErrDiskFull, err)
		}
	}
	return n, err
}

// append writes p behind what is in the file.
func (s *Spool) append(p []byte) (int, error) {
	if s.file == nil {
		file, err := s.pool.open()
		if err != nil {
			return 0, fmt.Errorf("make a spool file: %w", err)
		}
		s.file = file
	}
	n, err := s.file.WriteAt(p, s.to)
	s.to += int64(n)
	if err != nil {
		return n, fmt.Errorf("write a spool file: %w", err)
	}
	return n, nil
}

// CloseWrite says that no more is written. Read gives err once it has given all that was
// written; nil is io.EOF.
func (s *Spool) CloseWrite(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = io.EOF
	}
	s.done, s.err = true, err
	s.changed.Broadcast()
}

// Read takes the oldest bytes out, and waits where there are none yet.
func (s *Spool) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.len == 0 && s.from == s.to {
		switch {
		case s.closed:
			return 0, ErrClosed
		case s.done:
			return 0, s.err
		case len(p) == 0:
			return 0, nil
		}
		s.changed.Wait()
	}
	defer s.changed.Broadcast()
	if s.len > 0 {
		n := copy(p, s.memory[s.start:min(s.start+s.len, len(s.memory))])
		s.start = (s.start + n) % len(s.memory)
		s.len -= n
		return n, nil
	}
	n, err := s.file.ReadAt(p[:min(int64(len(p)), s.to-s.from)], s.from)
	s.from += int64(n)
	if s.from == s.to { // the file's room is used again from its start
		s.from, s.to = 0, 0
	}
	if err != nil && n == 0 {
		return 0, fmt.Errorf("read a spool file: %w", err)
	}
	return n, nil
}

// Close says that no more is read: a Write that waits, and every later one, gives
// ErrClosed. It lets go of the file and of the memory, and may be called more than once.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.changed.Broadcast()
	s.pool.used.Add(-s.size)
	s.memory, s.start, s.len = nil, 0, 0
	s.from, s.to, s.size = 0, 0, 0
	if s.file == nil {
		return nil
	}
	if err := s.file.Close(); err != nil {
		return fmt.Errorf("close a spool file: %w", err)
	}
	return nil
}
