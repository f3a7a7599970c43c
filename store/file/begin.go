package file

import (
	"errors"
	"fmt"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
)

// Begin begins a transaction. Where the first pages, of which bbolt needs one, were damaged while the file is open, it
// gives a *DamagedError, now and from then on: bbolt panics, and keeps locks that nobody can take from it.
func (f *File) Begin(writable bool) (tx *bolt.Tx, err error) {
	if lost := f.lost.Load(); lost != nil {
		return nil, lost
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			lost := damage(f.path, r)
			f.lost.CompareAndSwap(nil, lost)
			err = lost
		}
	}()
	if tx, err = f.DB.Begin(writable); err != nil {
		return nil, fmt.Errorf("beginning a transaction: %w", err)
	}
	return tx, nil
}

// Close lets go of the file. It waits for transactions to end.
func (f *File) Close() error {
	if lost := f.lost.Load(); lost != nil { // bbolt would wait for its own locks; the map stays until the process ends
		return fmt.Errorf("closing %s: %w", f.path, errors.Join(lost, f.pages.Close()))
	}
	if err := f.DB.Close(); err != nil {
		return fmt.Errorf("closing %s: %w", f.path, err)
	}
	return nil
}
