// Package spool decouples a fast writer from a slow reader, so that the writer can
// release its resources early. A Spool is a queue of bytes. It uses a little memory
// first, then an unnamed temporary file that disappears with its last handle, even if the
// process is killed.
//
// A Pool limits the disk space of all its spools together, and leaves part of the disk to
// other programs. If there is no room, for whatever reason, Write waits for the reader:
// the spool is then a ring buffer in memory. So a full or broken disk costs only speed.
// TryWrite is for callers that can't wait.
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
	// ErrClosed is returned by writes after the reader was closed.
	ErrClosed = errors.New("the reader of the spool is gone")
	// ErrStalled is returned by Write if there was no room for the pool's Patience.
	ErrStalled = errors.New("the reader of the spool is too slow")
	// ErrUsedUp is returned by TryWrite if the pool's limit on disk space is reached.
	ErrUsedUp = errors.New("the disk space for spools is used up")
	// ErrDiskFull is returned by TryWrite if the disk is full, or has only the space left
	// that is for other programs.
	ErrDiskFull = errors.New("the disk of the spools is full")
)

// Spool is a queue of bytes between one writing and one reading goroutine. Bytes in
// memory are always older than those in the file.
type Spool struct {
	pool *Pool

	mu      sync.Mutex
	changed sync.Cond // something was written, read or closed

	memory     []byte // ring buffer
	start, len int    // unread part of memory

	file     *os.File
	from, to int64 // unread part of the file
	size     int64 // bytes of the file counted in the pool: how far it may have been written

	done   bool  // nothing more is written
	err    error // returned by Read at the end
	closed bool  // nothing more is read
}

// New returns an empty spool. Its reader must close it.
func (p *Pool) New() *Spool {
	s := &Spool{pool: p, memory: make([]byte, p.memory())}
	s.changed.L = &s.mu
	return s
}

// Write appends p. If there is no room, it waits for the reader. It returns ErrClosed if
// the reader is closed, and ErrStalled if the reader makes no room for the pool's
// Patience.
func (s *Spool) Write(p []byte) (n int, err error) {
	letOthersRun()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pool.write(p, &s.changed, s.take, func() bool { return false })
}

// write appends p with take, which appends as much as fits. If there is no room, write
// waits for changed. After the pool's Patience without any progress it calls dropped, and
// returns ErrStalled unless that has made room.
func (p *Pool) write(b []byte, changed *sync.Cond, take func([]byte) (int, error), dropped func() bool) (n int, err error) {
	var wait *waiting
	for {
		m, err := take(b[n:])
		n += m
		if err == nil || errors.Is(err, ErrClosed) {
			return n, err
		}
		if wait == nil {
			wait = startWaiting(p.Patience, changed)
			defer wait.stop()
		}
		if m > 0 {
			wait.again()
		}
		if wait.over() {
			if !dropped() {
				return n, ErrStalled
			}
			wait.again()
			continue
		}
		changed.Wait() // for a reader or the timeout
	}
}

// waiting is the timeout of a Write that has no room.
type waiting struct {
	patience time.Duration
	until    time.Time
	timer    *time.Timer // nil without a timeout
}

// startWaiting starts the timeout of a Write. When it expires, the goroutines that wait
// for changed are woken.
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

// TryWrite appends as much of p as fits, without waiting. If that is not all of p, the
// error is ErrClosed, ErrUsedUp, ErrDiskFull, or an error of the file system.
func (s *Spool) TryWrite(p []byte) (n int, err error) {
	letOthersRun()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(p)
}

// letOthersRun yields the processor. Without it, a writer that never waits would run for
// 10 ms at a time, and new requests would wait for all such writers.
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

// put stores as much of p as fits: in memory while the file is empty, otherwise in the
// file. If the file can't be created or written, put releases the space that it reserved.
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

// append writes p at the end of the file.
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

// CloseWrite ends the data. After the last byte, Read returns err, or io.EOF if err is
// nil.
func (s *Spool) CloseWrite(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = io.EOF
	}
	s.done, s.err = true, err
	s.changed.Broadcast()
}

// Read implements io.Reader. It waits if there is no data yet.
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
	if s.from == s.to { // reuse the file from its start
		s.from, s.to = 0, 0
	}
	if err != nil && n == 0 {
		return 0, fmt.Errorf("read a spool file: %w", err)
	}
	return n, nil
}

// Close ends reading: a waiting Write and all later ones return ErrClosed. Close releases
// the file and the memory. It may be called more than once.
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
