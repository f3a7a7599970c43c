package spool

import "fmt"

// Reader reads a Spool. It must be closed.
type Reader struct {
	of  *Spool
	at  int64 // offset in the text
	err error // why reading has ended
}

// Read implements io.Reader. It waits if nothing more is written yet.
func (r *Reader) Read(p []byte) (int, error) {
	s := r.of
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 {
		switch in := r.at - s.start; {
		case r.err != nil:
			return 0, r.err
		case s.revoked():
			return 0, ErrRevoked
		case in < int64(len(s.head)):
			return r.moved(copy(p, s.head[in:])), nil
		case r.at < s.end():
			return r.readFile(p, in-int64(len(s.head)))
		case s.done:
			return 0, s.err
		}
		s.changed.Wait()
	}
	return 0, nil
}

// readFile reads from the file without holding the lock, so that readers do not block each
// other. The writer overwrites nothing before all have read it.
func (r *Reader) readFile(p []byte, from int64) (int, error) {
	s := r.of
	file := s.file
	p = p[:min(int64(len(p)), s.size-from)]
	s.mu.Unlock()
	n, err := file.ReadAt(p, from)
	s.mu.Lock()
	if r.err != nil { // the file may be closed
		return 0, r.err
	}
	if n == 0 && err != nil {
		return 0, fmt.Errorf("read a spool file: %w", err)
	}
	return r.moved(n), nil
}

// moved advances the reader by n bytes. A writer may wait for that unless the spool is
// shared.
func (r *Reader) moved(n int) int {
	if r.at += int64(n); !r.of.shared {
		r.of.changed.Broadcast()
	}
	return n
}

// Close ends reading: a waiting Read and all later ones return ErrClosed. The last reader
// also releases the memory and the file. Close may be called more than once, and
// concurrently with Read.
func (r *Reader) Close() error {
	s := r.of
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.err != nil {
		return nil
	}
	r.err = ErrClosed
	delete(s.readers, r)
	s.changed.Broadcast()
	if len(s.readers) > 0 {
		return nil
	}
	s.pool.used.Add(-s.held)
	file := s.file
	s.head, s.file, s.size, s.held = nil, nil, 0, 0
	if file == nil {
		return nil
	}
	if err := s.pool.close(file); err != nil {
		return fmt.Errorf("close a spool file: %w", err)
	}
	return nil
}
