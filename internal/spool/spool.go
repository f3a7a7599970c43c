// Package spool decouples a fast writer from slow readers, so that the writer can release
// its resources early. A Spool is a text that one goroutine writes and others read, each at
// its own pace. It is kept in a little memory first, then in an unnamed temporary file that
// disappears with its last handle, even if the process is killed. A shared spool keeps all
// of its text, so that readers can join late. Others forget what was read.
//
// A Pool limits the disk space of all its spools together, and leaves part of the disk to
// other programs. If there is no room, for whatever reason, Write waits for the slowest
// reader, and a shared spool is shared no more: the memory is then a queue. So a full or
// broken disk costs only speed. TryWrite is for callers that can't wait.
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
	// ErrStalled is returned by Write if there was no room for the pool's Patience, and by
	// Read if the reader was dropped.
	ErrStalled = errors.New("the reader of the spool is too slow")
	// ErrRevoked is returned by reads and writes after Pool.Revoke.
	ErrRevoked = errors.New("the text of the spool may not be read any more")
	// ErrUsedUp is returned by TryWrite if the pool's limit on disk space is reached.
	ErrUsedUp = errors.New("the disk space for spools is used up")
	// ErrDiskFull is returned by TryWrite if the disk is full, or has only the space left
	// that is for other programs.
	ErrDiskFull = errors.New("the disk of the spools is full")
)

// Spool is a text that is written and read at the same time. Bytes in memory are always
// older than those in the file.
type Spool struct {
	pool *Pool
	born uint64 // how often the pool's spools had been revoked

	mu      sync.Mutex
	changed sync.Cond // something was written, read or closed

	start  int64    // offset of head in the text
	head   []byte   // in memory
	file   *os.File // nil if none was needed yet
	size   int64    // bytes after head, from the start of the file
	held   int64    // bytes counted in the pool: how far the file may have been written
	shared bool     // nothing is forgotten

	readers map[*Reader]struct{}
	done    bool  // nothing more is written
	err     error // returned to readers at the end
}

// New returns an empty spool and its reader.
func (p *Pool) New() (*Spool, *Reader) {
	s := &Spool{pool: p, born: p.revoked.Load(), readers: map[*Reader]struct{}{}}
	s.changed.L = &s.mu
	return s, s.reader()
}

// NewShared returns an empty spool that others may join, and its first reader.
func (p *Pool) NewShared() (*Spool, *Reader) {
	s, r := p.New()
	s.shared = true
	return s, r
}

// Join returns another reader of a shared spool. It returns nil if the whole text can't be
// read any more.
func (s *Spool) Join() *Reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shared || s.revoked() || len(s.readers) == 0 || s.done && s.err != io.EOF {
		return nil
	}
	return s.reader()
}

// Since makes the spool one of an earlier generation of its pool: the one in which its content was read. It must be called
// before the spool is used.
func (s *Spool) Since(generation uint64) { s.born = generation }

func (s *Spool) revoked() bool { return s.born != s.pool.revoked.Load() }

func (s *Spool) reader() *Reader {
	r := &Reader{of: s}
	s.readers[r] = struct{}{}
	return r
}

// Write appends p. If there is no room, it waits for the slowest reader. After the pool's
// Patience without any progress, it drops that reader, or returns ErrStalled if there is
// no faster one. It returns ErrClosed if there are no readers.
func (s *Spool) Write(p []byte) (n int, err error) {
	letOthersRun()
	s.mu.Lock()
	defer s.mu.Unlock()
	var wait *waiting
	for {
		m, err := s.take(p[n:])
		n += m
		if err == nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrRevoked) {
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
			if !s.dropSlowest() {
				return n, ErrStalled
			}
			wait.again()
			continue
		}
		s.changed.Wait() // for a reader or the timeout
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
// error is ErrClosed, ErrRevoked, ErrUsedUp, ErrDiskFull, or an error of the file system.
func (s *Spool) TryWrite(p []byte) (n int, err error) {
	letOthersRun()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(p)
}

// letOthersRun yields the processor. Without it, a writer that never waits would run for
// 10 ms at a time, and new requests would wait for all such writers.
func letOthersRun() { runtime.Gosched() }

// take stores p, a part at a time, and waits for readers if there is no room. The error is
// ErrClosed if no reader is left.
func (s *Spool) take(p []byte) (n int, err error) {
	for n < len(p) {
		if len(s.readers) == 0 {
			return n, ErrClosed
		}
		if s.revoked() {
			return n, ErrRevoked
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

// put stores as much of p as fits. If that is not all, it shares the spool no more.
func (s *Spool) put(p []byte) (int, error) {
	n, err := s.store(p)
	if err != nil && s.shared {
		s.shared = false
		more, err := s.store(p[n:]) // perhaps all readers have read what is there
		return n + more, err
	}
	return n, err
}

// store stores as much of p as fits: in memory while the file is empty, otherwise in the
// file. If the file can't be created or written, it releases the space that it reserved.
func (s *Spool) store(p []byte) (int, error) {
	if s.size > 0 || len(s.head) >= s.pool.memory() {
		s.forget()
	}
	if free := s.pool.memory() - len(s.head); s.size == 0 && free > 0 {
		n := min(free, len(p))
		s.head = append(s.head, p[:n]...)
		return n, nil
	}
	held := s.held
	if grow := s.size + int64(len(p)) - s.held; grow > 0 {
		if err := s.pool.reserve(grow); err != nil {
			return 0, err
		}
		s.held += grow
	}
	n, err := s.append(p)
	if err != nil {
		kept := max(held, s.size)
		s.pool.used.Add(kept - s.held)
		s.held = kept
		if errno.DiskFull(err) {
			err = fmt.Errorf("%w: %w", ErrDiskFull, err)
		}
	}
	return n, err
}

// forget makes room by dropping what all readers have read, unless others may join.
func (s *Spool) forget() {
	if s.shared {
		return
	}
	at := s.slowest()
	read := int(min(at-s.start, int64(len(s.head))))
	switch {
	case at == s.end(): // the file is used again from its start
		s.start, s.head, s.size = at, s.head[:0], 0
	case s.size == 0 && read > 0 && read >= len(s.head)/4: // moving less would take too much time
		s.start += int64(read)
		s.head = s.head[:copy(s.head, s.head[read:])]
	}
}

// end returns the length of the text so far.
func (s *Spool) end() int64 { return s.start + int64(len(s.head)) + s.size }

// slowest returns the offset of the slowest reader.
func (s *Spool) slowest() int64 {
	at := s.end()
	for r := range s.readers {
		at = min(at, r.at)
	}
	return at
}

// dropSlowest drops the readers at the lowest offset. It reports whether there are others.
func (s *Spool) dropSlowest() bool {
	at, before := s.slowest(), len(s.readers)
	var slow []*Reader
	for r := range s.readers {
		if r.at == at {
			slow = append(slow, r)
		}
	}
	if len(slow) == before {
		return false
	}
	for _, r := range slow {
		r.err = ErrStalled
		delete(s.readers, r)
	}
	s.changed.Broadcast()
	return true
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
	n, err := s.file.WriteAt(p, s.size)
	s.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("write a spool file: %w", err)
	}
	return n, nil
}

// CloseWrite ends the text. At its end, readers get err, or io.EOF if err is nil.
func (s *Spool) CloseWrite(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = io.EOF
	}
	s.done, s.err = true, err
	s.changed.Broadcast()
}
