package file

import (
	"context"
	"errors"
	"fmt"
	"os"

	bolt "go.etcd.io/bbolt"
)

// Check verifies the file's pages: each page is used or free exactly once, and each key
// is in its place. It reads all keys in one snapshot, concurrently with writers. It does
// not check the meaning of the content. The error is a *DamagedError or the context's.
func (f *File) Check(ctx context.Context) error {
	tx, m, err := f.begin(ctx)
	if err != nil {
		return err
	}
	defer f.End(tx)
	return f.verdict(ctx, newWalk(ctx, f.pages, m).run())
}

// begin begins a read transaction and returns its meta page. While the transaction is
// open, no page reachable from there is written.
func (f *File) begin(ctx context.Context) (tx *bolt.Tx, m meta, err error) {
	const tries = 100
	for range tries {
		tx, err := f.Begin(false)
		if err != nil {
			return nil, meta{}, fmt.Errorf("beginning to read: %w", err)
		}
		for _, m := range readMetas(f.pages) {
			if m.txid == uint64(tx.ID()) {
				return tx, m, nil
			}
		}
		f.End(tx)
		// The second commit after the snapshot overwrote its meta page before it was
		// read.
		if ctx.Err() != nil {
			return nil, meta{}, ctx.Err()
		}
	}
	return nil, meta{}, &DamagedError{Path: f.path, Detail: "its first pages are not the ones in use"}
}

// verdict adds the file's name to the error of a walk.
func (f *File) verdict(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return &DamagedError{Path: f.path, Detail: err.Error()}
}

// quickPages limits what is read before a file is opened: 64 MiB with the usual pages.
const quickPages = 1 << 14

// checkQuick finds damage that bbolt does not report and Guard can't stop, before bbolt
// maps the file: a missing end, cycles of branches, used pages in the list of free ones. Of
// the leaves it reads only those of buckets that hold buckets. A file that is opened for
// writing and has no list of free pages is read completely, as bbolt then does too.
func checkQuick(path string, file *os.File, o Options) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	metas := readMetas(file)
	switch {
	case info.Size() == 0:
		return &DamagedError{Path: path, Detail: "it is empty, and a segraph file never is",
			remedy: "restore it from a backup, or remove it to start with an empty store"}
	case len(metas) == 0:
		return &DamagedError{Path: path, Detail: "neither of its first two pages is intact"}
	}
	newest := metas[0]
	if newest.highWater > uint64(info.Size()/newest.pageSize) {
		return &DamagedError{Path: path, Detail: fmt.Sprintf("it has %d bytes and should have %d pages of %d: its end is missing", info.Size(), newest.highWater, newest.pageSize)}
	}
	w := newWalk(context.Background(), file, newest)
	if newest.freelist != noFreelist || o.ReadOnly {
		w.quick, w.budget = true, quickPages
	} else if o.ReadAll != nil {
		o.ReadAll(info.Size())
	}
	if err := w.run(); err != nil {
		return &DamagedError{Path: path, Detail: err.Error()}
	}
	return nil
}
