package file

import (
	"os"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
)

// Written says how much was written to a file since Open began to open it.
type Written struct {
	Bytes int64 // passed to the system's calls that write
	Syncs int64 // calls of fsync and fdatasync
}

// Written returns how much was written. A transaction counts once its commit has succeeded.
func (f *File) Written() Written {
	return Written{f.out.bytes.Load(), f.out.syncs.Load()}
}

// writer writes to an open file and counts what it writes. bbolt writes to the same file by
// itself, and transaction counts that.
type writer struct {
	file         *os.File
	size         int64  // of the file, after the last transaction
	opened       uint64 // the transaction that was the last one before bbolt opened the file
	bytes, syncs atomic.Int64
}

// WriteAt writes as os.File does.
func (w *writer) WriteAt(b []byte, at int64) (int, error) {
	n, err := w.file.WriteAt(b, at)
	w.bytes.Add(int64(n))
	return n, err
}

// Sync waits until what was written is on the disk.
func (w *writer) Sync() error {
	w.syncs.Add(1)
	return w.file.Sync()
}

// transaction counts what bbolt wrote to commit a transaction: so many pages of data, one
// sync, a meta page, and another sync. It syncs once more where it made the file longer.
func (w *writer) transaction(pages, pageSize int64) {
	w.bytes.Add((pages + 1) * pageSize)
	w.syncs.Add(2)
	if info, err := w.file.Stat(); err == nil && info.Size() != w.size {
		w.size = info.Size()
		w.syncs.Add(1)
	}
}

// countCommit counts a transaction that was committed. bbolt writes each page that the
// transaction allocated, and nothing else but the meta page.
func (f *File) countCommit(tx *bolt.Tx) {
	stats, pageSize := tx.Stats(), int64(f.DB.Info().PageSize)
	f.out.transaction(stats.GetPageAlloc()/pageSize, pageSize)
}

// countOpening counts the transaction that bbolt begins by itself as it opens a file
// without a list of free pages: it writes the list.
func (f *File) countOpening() {
	if metas := readMetas(f.pages); len(metas) > 0 && metas[0].txid > f.out.opened {
		f.out.transaction(int64(f.listPages(metas[0].txid)), metas[0].pageSize)
	}
}
