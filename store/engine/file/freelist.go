package file

import (
	"fmt"

	bolt "go.etcd.io/bbolt"
)

const (
	// longList is the largest number of pages of a list of free pages that is written
	// with each transaction.
	longList = 16
	// relist is the number of transactions after which a long list is written anyway, to
	// find out whether it is still long.
	relist = 1 << 12
)

// Commit commits a transaction of the file's only writer. The error is a *CommitError.
//
// bbolt writes the list of all free pages with every transaction. After deletions, or
// during a long read, a long list would take most of each write, so Commit omits it.
// WriteFreelist writes it before the file is closed. If the file is not closed cleanly, the
// next open scans it for used pages.
func (f *File) Commit(tx *bolt.Tx) error {
	id := uint64(tx.ID())
	f.commits++
	f.DB.NoFreelistSync = f.unlisted && f.commits%relist != 0 // guarded by the write lock that tx holds
	if err := withCause(f.commit(tx)); err != nil {
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

// listPages returns the number of pages that a transaction's list of free pages takes, or
// 0 if that is unknown.
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

// WriteFreelist writes the list of free pages if it was omitted. The file's only writer
// calls it last.
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
