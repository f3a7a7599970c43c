package file

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
)

// Begin begins a transaction. Where the first pages, of which bbolt needs one, were
// damaged while the file is open, it returns a *DamagedError, now and from then on: bbolt
// panics, and keeps locks that nobody can take from it. Where the file is no longer at
// its path, nothing is to be written to it, and the error is a *MovedError.
func (f *File) Begin(writable bool) (tx *bolt.Tx, err error) {
	if writable {
		if err := cmp.Or(f.lostError(), f.InPlace()); err != nil {
			return nil, err
		}
	}
	f.beginning.Lock() // or one would wait for bbolt's lock while another one loses it
	defer f.beginning.Unlock()
	if err := f.lostError(); err != nil {
		return nil, err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			lost := damage(f.path, r)
			f.lost.CompareAndSwap(nil, lost)
			err = lost
		}
	}()
	last := f.last.Load()
	if tx, err = f.DB.Begin(writable); err != nil {
		return nil, fmt.Errorf("beginning a transaction: %w", err)
	}
	from := uint64(tx.ID()) // the transaction that it follows
	if writable {
		from--
	}
	if from < last {
		_ = tx.Rollback() // the one error is that it was closed before
		return nil, &DamagedError{Path: f.path, Detail: fmt.Sprintf("the meta page of transaction %d is damaged, and the older one is that of %d", last, from),
			remedy: "start the service again, which writes the page again from its copy"}
	}
	return tx, nil
}

// lostError returns why no transaction begins any more, nil if one does.
func (f *File) lostError() error {
	if lost := f.lost.Load(); lost != nil {
		return lost
	}
	return nil
}

// EndRead ends a transaction that only read. It does nothing once bbolt has lost its locks.
func (f *File) EndRead(tx *bolt.Tx) {
	f.beginning.Lock()
	defer f.beginning.Unlock()
	if f.lostError() == nil {
		_ = tx.Rollback() // the one error is that it was closed before
	}
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

// keepLatest writes the later of the two first pages again, as it is, and waits until it
// is on the disk. A process that was killed, or was told that the disk had failed, may
// have left a page that the system holds and the disk does not. The next transaction
// writes over pages that only the one before that page still needs, so the page must be
// on the disk before; and what is read from now on survives a power cut.
func keepLatest(out *writer) error {
	latest := readMetas(out.file)[0]
	out.opened = latest.txid
	page := make([]byte, latest.pageSize)
	at := int64(latest.page) * latest.pageSize
	_, err := out.file.ReadAt(page, at)
	if err == nil {
		_, err = out.WriteAt(page, at)
	}
	if err == nil {
		err = out.Sync()
	}
	if err != nil {
		return fmt.Errorf("writing the first page of %s again: %w", out.file.Name(), err)
	}
	return nil
}
