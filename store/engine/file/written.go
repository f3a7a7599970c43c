package file

import (
	"io"
	"os"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
)

// Written counts the writes to a file since Open.
type Written struct {
	Bytes int64 // passed to write system calls
	Syncs int64 // calls of fsync and fdatasync
}

// Written returns the counts. A transaction counts once it is committed.
func (f *File) Written() Written {
	return Written{f.out.bytes.Load(), f.out.syncs.Load()}
}

// openFile is what a writer needs of an *os.File.
type openFile interface {
	io.ReaderAt
	io.WriterAt
	Name() string
	Stat() (os.FileInfo, error)
	Sync() error
}

// writer writes to an open file and counts its writes. bbolt writes to the same file on
// its own; transaction counts those writes.
type writer struct {
	file         openFile
	size         int64 // size of the file after the last transaction
	bytes, syncs atomic.Int64
}

// WriteAt implements io.WriterAt.
func (w *writer) WriteAt(b []byte, at int64) (int, error) {
	n, err := w.file.WriteAt(b, at)
	w.bytes.Add(int64(n))
	return n, err
}

// Sync syncs the file.
func (w *writer) Sync() error {
	w.syncs.Add(1)
	return w.file.Sync()
}

// transaction counts bbolt's writes for a committed transaction: the data pages, a sync,
// a meta page, and a sync. bbolt syncs once more if the file grew.
func (w *writer) transaction(pages, pageSize int64) {
	w.bytes.Add((pages + 1) * pageSize)
	w.syncs.Add(2)
	if info, err := w.file.Stat(); err == nil && info.Size() != w.size {
		w.size = info.Size()
		w.syncs.Add(1)
	}
}

// countCommit counts a committed transaction. bbolt writes each page that the transaction
// allocated, and the meta page.
func (f *File) countCommit(tx *bolt.Tx) {
	stats, pageSize := tx.Stats(), int64(f.DB.Info().PageSize)
	f.out.transaction(stats.GetPageAlloc()/pageSize, pageSize)
}
