package file

import (
	"fmt"

	bolt "go.etcd.io/bbolt"
)

const (
	// longList is how many pages the list of free pages may take to be written with each
	// transaction.
	longList = 16
	// relist is after how many transactions a list that was long is written all the same,
	// to see whether it still is.
	relist = 1 << 12
)

// Commit ends a transaction of the file's one writer. bbolt writes the list of all free
// pages with every transaction, and frees the pages of the one before. Where many pages
// were freed, by deleting or by writing much beside one who reads for long, that is most
// of what is written, from then on; and while he reads, the lists themselves pile up. So
// a list that is long is left out. WriteFreelist writes it before the file is closed; a
// file that was not closed in good order is looked through when it is opened, to find the
// pages that are used.
//
// An error is a *CommitError.
func (f *File) Commit(tx *bolt.Tx) error {
	id := uint64(tx.ID())
	f.commits++
	f.DB.NoFreelistSync = f.unlisted && f.commits%relist != 0 // tx has the lock of writers, and with it this
	if err := f.commit(tx); err != nil {
		return &CommitError{Err: err, InDoubt: f.inDoubt(id, err)}
	}
	f.countCommit(tx)
	f.committed()
	f.region.committed()
	if !f.DB.NoFreelistSync {
		f.unlisted = f.listPages(id) > f.longList
	}
	return nil
}

// listPages returns how many pages the list of free pages takes that a transaction wrote,
// 0 where that can't be told.
func (f *File) listPages(id uint64) int {
	for _, m := range readMetas(f.pages) {
		if m.txid != id || m.freelist == noFreelist {
			continue
		}
		b := make([]byte, pageHeader)
		if _, err := f.pages.ReadAt(b, int64(m.freelist)*m.pageSize); err == nil {
			return int(parseHeader(b).overflow) + 1
		}
	}
	return 0
}

// WriteFreelist writes the list of free pages if it was left out, for whoever opens the
// file next. The file's one writer calls it last.
func (f *File) WriteFreelist() error {
	if !f.unlisted {
		return nil
	}
	tx, err := f.Begin(true)
	if err == nil {
		f.DB.NoFreelistSync = false
		err = f.commit(tx)
	}
	if err != nil {
		return fmt.Errorf("writing the list of free pages: %w", err)
	}
	f.countCommit(tx)
	f.committed()
	f.region.committed()
	f.unlisted = false
	return nil
}
