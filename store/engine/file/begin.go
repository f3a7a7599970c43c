package file

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
)

// Begin begins a transaction. If a meta page was damaged while the file is open, it returns a *DamagedError, now and
// from then on, because bbolt would panic and keep its locks. If writable, it returns a *MovedError for a file that
// is no longer at its path.
func (f *File) Begin(writable bool) (tx *bolt.Tx, err error) {
	if writable {
		if err := cmp.Or(f.lostError(), f.InPlace()); err != nil {
			return nil, err
		}
	}
	f.beginning.Lock() // a panic of bbolt leaves its locks held, so no other goroutine may be waiting for them
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
	from := uint64(tx.ID()) // the last committed transaction that tx sees
	if writable {           // its own number is the next one
		from--
	}
	if from < last {
		_ = tx.Rollback() // fails only if already closed
		return nil, &DamagedError{Path: f.path, Detail: fmt.Sprintf("the meta page of transaction %d is damaged, and the older one is of transaction %d", last, from),
			remedy: "restart the service: it rewrites the page from its copy"}
	}
	if !writable {
		f.reading.Store(tx, uint64(tx.ID()))
	}
	return tx, nil
}

// End ends a read transaction. It does nothing if it has ended, or if bbolt has lost its locks. It does not wait while
// another transaction begins, because that one may be waiting for readers to end, so that bbolt can move the map.
func (f *File) End(tx *bolt.Tx) {
	if f.lostError() == nil && tx.Rollback() == nil {
		f.reading.Delete(tx)
	}
}

// Readers returns the number of read transactions.
func (f *File) Readers() (n int) {
	f.reading.Range(func(_, _ any) bool { n++; return true })
	return n
}

// oldestReader returns the number of the oldest transaction that is read, or the greatest number.
func (f *File) oldestReader() uint64 {
	oldest := uint64(math.MaxUint64)
	f.reading.Range(func(_, id any) bool { oldest = min(oldest, id.(uint64)); return true })
	return oldest
}

// lostError returns the error that keeps transactions from beginning, or nil.
func (f *File) lostError() error {
	if lost := f.lost.Load(); lost != nil {
		return lost
	}
	return nil
}

// Close closes the file. It waits for transactions to end.
func (f *File) Close() error {
	var err error
	if lost := f.lost.Load(); lost != nil { // bbolt would wait for its own locks; the file stays mapped until the process ends
		err = errors.Join(lost, f.pages.Close())
	} else {
		err = f.DB.Close()
	}
	if f.frames != nil {
		err = errors.Join(err, f.frames.Close())
	}
	if err != nil {
		return fmt.Errorf("closing %s: %w", f.path, err)
	}
	return nil
}

// keepLatest puts the newer meta page on the disk and returns it. It must be there before the next transaction
// overwrites pages that only the older one needs, and after a kill it may be in the system's cache only. A sync
// writes it; writing it again could spoil it in a power cut. If the disk has failed, the system may wrongly believe
// that it wrote the page. So a copy is written too, except if it is in doubt which page is newer: then the copy
// would claim that nothing is lost.
func keepLatest(out *writer, found MetaPages) (meta, error) {
	latest := readMetas(out.file)[0]
	err := out.Sync()
	kept, ok := readCopy(out.file, 1-latest.page, latest.pageSize)
	hasCopy := ok && kept.txid == latest.txid
	if err == nil && !hasCopy && found != MetaDoubtful {
		err = writeCopy(out, latest)
		if err == nil {
			err = out.Sync()
		}
	}
	if err != nil {
		return latest, fmt.Errorf("keeping the first page of %s: %w", out.file.Name(), err)
	}
	return latest, nil
}
