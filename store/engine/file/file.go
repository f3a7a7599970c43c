// Package file manages the single file that holds all data: it creates, opens and locks
// it, reports damage, and defines its form. Other packages own the content of the
// buckets.
//
// The file is a bbolt database. Its buckets are "meta" and "wal" (this package); "dict",
// "graphs", "prefixes", "contexts", "staged", "trigrams" and "revoked"
// (store/engine); "journal", "nojournal", "logids", "clearlogs", "signkeys",
// "signed", "signedlogs", "signedothers", "nonces", "noncetimes" and
// "nonceslost" (store/log/journal); "tree" (store/log/tree); "translog" (store/log/translog);
// "outbox" (store/follow/outbox); "notes" (store/notes); "forgotten" (store/forgotten);
// "withdrawn" (resolver/persist); "forgot" (store/provenance); "boxes", "again" and "stream" (store/fleet/centre);
// "forwarded" and "erasures" (store/fleet/box); and "retries",
// "retryusers", "retryindex" and "retrystate" (store/retries).
package file

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Form names the layout of the files that this program reads and writes. Every change of
// the content of a bucket raises the number, and no file is converted. The first release
// has the form "1".
const Form = "development 15"

var (
	metaName    = []byte("meta")
	formKey     = []byte("form")
	identityKey = []byte("identity")
)

// Options configure Open. The zero value opens for reading and writing, and creates the
// file.
type Options struct {
	ReadOnly    bool          // open an existing file together with other readers
	Existing    bool          // do not create the file
	LockTimeout time.Duration // how long to wait for the lock of another process; 0 means one second
	// ReadAll is called, with the size in bytes, before the complete file is read to open
	// it, as after a kill. It may be nil.
	ReadAll func(size int64)
	// Log is the size in bytes of the log region of a new file. 0 means RegionSize.
	Log  int
	most int // replaces growLimit in tests
}

// maxSize returns the largest size of the file in bytes, or 0 for no limit.
func (o Options) maxSize() int { return cmp.Or(o.most, growLimit()) }

func (o Options) creates() bool { return !o.ReadOnly && !o.Existing }

// File is an open file. It holds the lock until Close.
type File struct {
	DB        *bolt.DB
	path      string
	id        uuid.UUID
	pages     *os.File // bbolt closes it; out writes to it
	frames    *os.File // the same file, for the log region; nil if readOnly
	out       *writer
	info      os.FileInfo                  // identity of the file
	lost      atomic.Pointer[DamagedError] // why transactions can't begin any more, or nil
	beginning sync.Mutex                   // held while a transaction begins
	reading   sync.Map                     // *bolt.Tx -> number, of read transactions

	readOnly  bool
	region    *Region
	metaPages MetaPages
	last      atomic.Uint64 // the last committed transaction
	// For Commit.
	commit   func(*bolt.Tx) error // bbolt's, except in tests
	commits  int
	longList int  // the constant longList, except in tests
	unlisted bool // the list of free pages was omitted
}

// Open opens the file at path and, if the options allow it, creates it. Before it opens a
// file for writing, it removes leftovers in the same folder (see RemoveLeftovers). The
// error is a *LockedError, *DamagedError, *FormError, *FeatureError or *TooLargeError, or
// says what path is instead of a file that can be read. Nothing is written to a file of
// another form.
func Open(path string, o Options) (*File, error) {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("opening %s: it is a folder, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("opening %s: it is not a regular file", path)
	case err != nil && (!o.creates() || !errors.Is(err, fs.ErrNotExist)):
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	handle, err := openLocked(path, o)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, pages: handle, out: &writer{file: handle}, commit: (*bolt.Tx).Commit, longList: longList, readOnly: o.ReadOnly}
	if err := f.examine(o); err != nil {
		handle.Close()
		return nil, err
	}
	if f.DB, err = openBolt(handle, o); err != nil { // which has closed handle
		f.frames.Close() // does nothing if it is nil
		return nil, err
	}
	if err = f.readMeta(); err == nil && !o.ReadOnly {
		var latest meta
		latest, err = keepLatest(f.out, f.metaPages)
		f.last.Store(latest.txid)
		f.unlisted = latest.freelist == noFreelist
		f.commits = relist - 1 // so the first Commit writes the list, and finds out how long it is
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// examine does what must precede bbolt's map of the locked file: it finds damage, repairs a meta page, and opens the file
// again for the log region.
func (f *File) examine(o Options) (err error) {
	if f.info, err = f.pages.Stat(); err != nil {
		return err
	}
	f.out.size = f.info.Size()
	if err := checkSize(f.path, f.out.size, MaxSize); err != nil {
		return err
	}
	if f.metaPages, err = openMetas(f.out, o); err != nil {
		return err
	}
	if err := checkQuick(f.path, f.pages, o); err != nil || o.ReadOnly {
		return err
	}
	RemoveLeftovers(f.path)
	f.frames, err = openAgain(f.path, f.info)
	return err
}

// openAgain opens the file at path, described by info, once more. If the system can't write a page, it reports that once
// for each time the file was opened, to the next sync. With one for frames and one for transactions, both learn of it.
func openAgain(path string, info os.FileInfo) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, errors.Join(fmt.Errorf("opening %s: it was replaced meanwhile", path), err, f.Close())
	}
	return f, nil
}

// openBolt passes a locked file to bbolt, which closes it, also if openBolt fails. It converts bbolt's errors and
// panics to errors of this package.
func openBolt(handle *os.File, o Options) (db *bolt.DB, err error) {
	path := handle.Name()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			handle.Close() // and releases the lock
			err = damage(path, r)
		}
	}()
	opened := false
	db, err = bolt.Open(path, 0o600, &bolt.Options{
		Timeout:  time.Second, // for systems on which tryLock takes no lock
		ReadOnly: o.ReadOnly,
		// Map enough from the start: moving the map would make writers wait for readers.
		InitialMmapSize: mapSize(),
		MaxSize:         o.maxSize(),
		FreelistType:    bolt.FreelistArrayType,
		NoFreelistSync:  true, // write nothing before keepLatest
		NoStatistics:    true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			if !opened {
				opened = true
				return handle, nil
			}
			return os.OpenFile(name, flag, mode) // bbolt opens its file again only to copy it
		},
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, &LockedError{Path: path, Holder: holder(path)}
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum), errors.Is(err, bolterrors.ErrVersionMismatch):
		return nil, &DamagedError{Path: path, Detail: err.Error()}
	case err != nil:
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	// The file grows in steps of this size; bbolt's default of 16 MiB is large for a
	// small device.
	db.AllocSize = GrowthStep
	db.NoFreelistSync = false
	return db, nil
}

// mapSize returns the size of the memory map: 64 GiB of addresses, not of memory. It
// returns 0, bbolt's default, for 32-bit addresses, and on Windows, which extends the
// file to the size of the map.
func mapSize() int {
	if strconv.IntSize < 64 || runtime.GOOS == "windows" {
		return 0
	}
	size := int64(64 << 30)
	return int(size)
}

// readMeta reads the file's identity, form and features, and opens its log region. Its errors tell what the file is
// instead.
func (f *File) readMeta() error {
	return f.Guard(func() error {
		return f.DB.View(func(tx *bolt.Tx) error {
			b := tx.Bucket(metaName)
			if b == nil {
				return &DamagedError{Path: f.path, Detail: "it is a bbolt file, but not one of segraph's"}
			}
			if err := f.id.UnmarshalBinary(b.Get(identityKey)); err != nil {
				return &DamagedError{Path: f.path, Detail: "it has no identity"}
			}
			if form := string(b.Get(formKey)); form != Form {
				return &FormError{Path: f.path, Found: form}
			}
			if err := f.readFeatures(tx); err != nil {
				return err
			}
			var err error
			f.region, err = f.openRegion(tx)
			return err
		})
	})
}

// ID returns the identity of the file. Copies have the same.
func (f *File) ID() uuid.UUID { return f.id }

// Path returns the path that the file was opened with.
func (f *File) Path() string { return f.path }
