package spool

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// Copy is a text that one goroutine writes and others read, each from the beginning and at
// its own pace. The text is kept in memory first, then in an unnamed file, until the last
// reader closes.
//
// If the disk is full, the rest of the text passes through a small ring in memory. From
// then on nobody can join, the writer waits for the slowest reader, and readers that make
// no progress for the pool's Patience are dropped.
type Copy struct {
	pool *Pool

	mu      sync.Mutex
	changed sync.Cond // something was written, read or closed

	head []byte   // beginning of the text
	file *os.File // the text after head; nil if none
	size int64    // bytes in the file

	ring       []byte // the text after the file once the disk is full; nil before
	start, end int64  // the part of the text in the ring

	readers map[*CopyReader]struct{}
	done    bool  // nothing more is written
	err     error // returned to readers at the end
}

// CopyReader reads a Copy. It must be closed.
type CopyReader struct {
	copy *Copy
	at   int64 // bytes read
	err  error // why reading has ended
}

// NewCopy returns an empty Copy and its first reader.
func (p *Pool) NewCopy() (*Copy, *CopyReader) {
	c := &Copy{pool: p, readers: map[*CopyReader]struct{}{}}
	c.changed.L = &c.mu
	return c, c.join()
}

// Join returns another reader, or nil if the complete text can't be read any more.
func (c *Copy) Join() *CopyReader {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ring != nil || len(c.readers) == 0 || c.done && c.err != io.EOF {
		return nil
	}
	return c.join()
}

func (c *Copy) join() *CopyReader {
	r := &CopyReader{copy: c}
	c.readers[r] = struct{}{}
	return r
}

// stored returns the length of the part in head and file, which every reader can read.
func (c *Copy) stored() int64 { return int64(len(c.head)) + c.size }

// Write appends p. If there is no room, it waits for the slowest reader. It returns
// ErrClosed if there are no readers, and ErrStalled if all of them were dropped as too
// slow.
func (c *Copy) Write(p []byte) (n int, err error) {
	letOthersRun()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pool.write(p, &c.changed, c.take, func() bool {
		c.dropSlowest()
		return len(c.readers) > 0
	})
}

// TryWrite appends as much of p as fits, without waiting. Its errors are those of
// Spool.TryWrite.
func (c *Copy) TryWrite(p []byte) (n int, err error) {
	letOthersRun()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.take(p)
}

func (c *Copy) take(p []byte) (n int, err error) {
	for n < len(p) {
		if len(c.readers) == 0 {
			return n, ErrClosed
		}
		m, err := c.put(p[n:])
		if n += m; m > 0 {
			c.changed.Broadcast()
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// put stores as much of p as fits.
func (c *Copy) put(p []byte) (int, error) {
	if c.ring != nil {
		return c.pass(p)
	}
	if free := c.pool.memory() - len(c.head); free > 0 && c.file == nil {
		n := min(free, len(p))
		c.head = append(c.head, p[:n]...)
		return n, nil
	}
	n, err := c.store(p)
	if err != nil { // from now on the text passes through memory
		c.ring = make([]byte, c.pool.memory())
		c.start, c.end = c.stored(), c.stored()
	}
	return n, nil
}

// store appends p to the file.
func (c *Copy) store(p []byte) (int, error) {
	if err := c.pool.reserve(int64(len(p))); err != nil {
		return 0, err
	}
	if c.file == nil {
		file, err := c.pool.open()
		if err != nil {
			c.pool.used.Add(-int64(len(p)))
			return 0, fmt.Errorf("make a spool file: %w", err)
		}
		c.file = file
	}
	n, err := c.file.WriteAt(p, c.size)
	c.size += int64(n)
	c.pool.used.Add(int64(n - len(p)))
	return n, err
}

// pass puts as much of p as fits into the ring. It overwrites bytes that every reader has
// read.
func (c *Copy) pass(p []byte) (int, error) {
	c.start = max(c.start, c.slowest())
	place := int(c.end % int64(len(c.ring)))
	free := len(c.ring) - int(c.end-c.start)
	if free == 0 {
		return 0, ErrUsedUp
	}
	n := copy(c.ring[place:min(len(c.ring), place+free)], p)
	c.end += int64(n)
	return n, nil
}

// slowest returns the offset of the slowest reader.
func (c *Copy) slowest() int64 {
	at := c.end
	for r := range c.readers {
		at = min(at, r.at)
	}
	return at
}

// dropSlowest drops the readers at the lowest offset.
func (c *Copy) dropSlowest() {
	at := c.slowest()
	for r := range c.readers {
		if r.at == at {
			r.err = ErrStalled
			delete(c.readers, r)
		}
	}
	if len(c.readers) == 0 {
		c.free()
	}
	c.changed.Broadcast()
}

// CloseWrite ends the text. At its end, readers get err, or io.EOF if err is nil.
func (c *Copy) CloseWrite(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		err = io.EOF
	}
	c.done, c.err = true, err
	c.changed.Broadcast()
}

// Read implements io.Reader. It waits if nothing more is written yet.
func (r *CopyReader) Read(p []byte) (int, error) {
	c := r.copy
	c.mu.Lock()
	for len(p) > 0 {
		switch {
		case r.err != nil:
			defer c.mu.Unlock()
			return 0, r.err
		case r.at < int64(len(c.head)):
			defer c.mu.Unlock()
			return r.moved(copy(p, c.head[r.at:])), nil
		case r.at < c.stored():
			return r.readFile(p)
		case r.at < c.end:
			defer c.mu.Unlock()
			place := int(r.at % int64(len(c.ring)))
			n := min(len(p), int(c.end-r.at), len(c.ring)-place)
			return r.moved(copy(p, c.ring[place:place+n])), nil
		case c.done:
			defer c.mu.Unlock()
			return 0, c.err
		}
		c.changed.Wait()
	}
	c.mu.Unlock()
	return 0, nil
}

// readFile reads from the file without holding the lock, so that readers do not block
// each other.
func (r *CopyReader) readFile(p []byte) (int, error) {
	c := r.copy
	file, from := c.file, r.at-int64(len(c.head))
	p = p[:min(int64(len(p)), c.size-from)]
	c.mu.Unlock()
	n, err := file.ReadAt(p, from)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.err != nil { // the file may be closed
		return 0, r.err
	}
	if n == 0 && err != nil {
		return 0, fmt.Errorf("read a spool file: %w", err)
	}
	return r.moved(n), nil
}

// moved advances the reader by n bytes. Only a writer that uses the ring waits for
// readers.
func (r *CopyReader) moved(n int) int {
	if r.at += int64(n); r.copy.ring != nil {
		r.copy.changed.Broadcast()
	}
	return n
}

// Close ends reading: a waiting Read and all later ones return ErrClosed. The last reader
// also removes the file. Close may be called more than once, and concurrently with Read.
func (r *CopyReader) Close() error {
	c := r.copy
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.err != nil {
		return nil
	}
	r.err = ErrClosed
	delete(c.readers, r)
	c.changed.Broadcast()
	if len(c.readers) > 0 {
		return nil
	}
	return c.free()
}

// free releases the memory and the file of the copy.
func (c *Copy) free() error {
	c.pool.used.Add(-c.size)
	file := c.file
	c.head, c.ring, c.file, c.size, c.end = nil, nil, nil, 0, 0
	if file == nil {
		return nil
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("close a spool file: %w", err)
	}
	return nil
}
