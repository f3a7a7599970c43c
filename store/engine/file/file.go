// Package file owns the one file that everything is kept in: it creates, opens and locks
// it, says in words what is wrong with it, and knows the schema's number. What is in the
// buckets is their owners' business.
//
// The file is a bbolt database. Its buckets: "meta" and "wal" (this package), "dict",
// "graphs", "prefixes", "contexts", "late", "outbox" (store/engine), "journal"
// (store/journal).
package file

import (
	"cmp"
	"encoding/binary"
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

// Schema is the number of the layout that this program writes. It rises with every change
// that an older program could not read.
const Schema = 2

// oldest is the number of the first layout. A file of it gets its region when it is
// opened for writing; nothing else of it changes.
const oldest = 1

var (
	metaName    = []byte("meta")
	schemaKey   = []byte("schema")
	identityKey = []byte("identity")
)

// Options say how to open a file. The zero value opens for reading and writing and creates.
type Options struct {
	ReadOnly    bool          // open an existing file beside other readers
	Existing    bool          // do not make the file if there is none
	LockTimeout time.Duration // how long to wait for another process to let go; 0 is one second
	// Whole, which may be nil, is called before all of a file is read to open it, as
	// after a kill, with its size in bytes.
	Whole func(size int64)
	// Log is the size in bytes of the region that a file gets for its log, if it has
	// none. 0 is RegionSize.
	Log  int
	most int // in place of growLimit, for tests
}

// maxSize returns how many bytes the file may grow to, 0 for no bound.
func (o Options) maxSize() int { return cmp.Or(o.most, growLimit()) }

func (o Options) creates() bool { return !o.ReadOnly && !o.Existing }

// File is an open file. Its lock is held until Close.
type File struct {
	DB        *bolt.DB
	path      string
	id        uuid.UUID
	pages     *os.File // which bbolt closes; out writes to it
	out       *writer
	info      os.FileInfo                  // by which the file is known
	lost      atomic.Pointer[DamagedError] // why bbolt can begin nothing any more
	beginning sync.Mutex                   // held while a transaction begins

	readOnly  bool
	region    *Region
	sync      func() error // waits until what was written is on the disk
	metaPages MetaPages
	last      atomic.Uint64 // the transaction that was committed last
	// Of Commit.
	commit   func(*bolt.Tx) error // bbolt's, but for tests
	commits  int
	longList int  // longList
	unlisted bool // the list of free pages is left out
}

// Open opens the file at path and, if the options allow it, makes it if there is none. A
// file that is opened for writing has no leftovers beside it then; see RemoveLeftovers.
// Errors are *LockedError, *DamagedError, *SchemaError, *TooLargeError or the system's
// own.
func Open(path string, o Options) (*File, error) {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("opening %s: it is a folder, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("opening %s: it is no regular file", path)
	case err != nil && (!o.creates() || !errors.Is(err, fs.ErrNotExist)):
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	handle, err := openLocked(path, o)
	if err != nil {
		return nil, err
	}
	info, err := handle.Stat()
	if err == nil {
		err = checkSize(path, info.Size(), MaxSize)
	}
	out := &writer{file: handle}
	var found MetaPages
	if err == nil {
		out.size = info.Size()
		found, err = openMetas(out, o)
	}
	if err == nil {
		err = checkQuick(path, handle, o)
	}
	if err == nil && !o.ReadOnly {
		RemoveLeftovers(path)
		err = keepLatest(out)
	}
	if err != nil {
		handle.Close()
		return nil, err
	}
	db, err := openBolt(handle, o)
	if err != nil {
		return nil, err
	}
	f := &File{DB: db, path: path, pages: handle, out: out, info: info, commit: (*bolt.Tx).Commit, longList: longList, metaPages: found,
		readOnly: o.ReadOnly, sync: db.Sync}
	if err := f.readMeta(); err != nil {
		db.Close()
		return nil, err
	}
	if !o.ReadOnly {
		f.countOpening()
	}
	if !o.ReadOnly && found != MetaDoubtful { // of which a copy would say that nothing is lost
		f.committed()
	}
	if err := f.haveRegion(o); err != nil {
		db.Close()
		return nil, err
	}
	return f, nil
}

// openBolt hands a locked file to bbolt, which closes it, and turns what bbolt says about
// it, and what it panics with, into this package's errors.
func openBolt(handle *os.File, o Options) (db *bolt.DB, err error) {
	path := handle.Name()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			handle.Close() // and with it the lock
			err = damage(path, r)
		}
	}()
	given := false
	db, err = bolt.Open(path, 0o600, &bolt.Options{
		Timeout:  time.Second, // where the lock could not be taken before
		ReadOnly: o.ReadOnly,
		// A map that never has to move: moving it would make writers wait for readers.
		InitialMmapSize: mapSize(),
		MaxSize:         o.maxSize(),
		FreelistType:    bolt.FreelistArrayType,
		NoStatistics:    true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			if !given {
				given = true
				return handle, nil
			}
			return os.OpenFile(name, flag, mode) // to be copied
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
	// The file grows in steps of this; bbolt's own 16 MiB is much for an edge box.
	db.AllocSize = 4 << 20
	return db, nil
}

// mapSize is 64 GiB of addresses, not of memory. Where addresses are 32 bits, it is
// bbolt's own choice, and also on Windows, where the file is made as long as the map.
func mapSize() int {
	if strconv.IntSize < 64 || runtime.GOOS == "windows" {
		return 0
	}
	size := int64(64 << 30)
	return int(size)
}

func (f *File) readMeta() error {
	return f.Guard(func() error {
		return f.DB.View(func(tx *bolt.Tx) error {
			b := tx.Bucket(metaName)
			if b == nil {
				return &DamagedError{Path: f.path, Detail: "it is a bbolt file, but not one of segraph's"}
			}
			v := b.Get(schemaKey)
			if len(v) != 4 {
				return &DamagedError{Path: f.path, Detail: "it has no schema number"}
			}
			if n := binary.BigEndian.Uint32(v); n < oldest || n > Schema {
				return &SchemaError{Path: f.path, Found: int(n)}
			} else if n > oldest {
				if err := f.readFeatures(b.Get(featuresKey)); err != nil {
					return err
				}
			}
			if err := f.id.UnmarshalBinary(b.Get(identityKey)); err != nil {
				return &DamagedError{Path: f.path, Detail: "it has no identity"}
			}
			return nil
		})
	})
}

// ID identifies the file for as long as it lives, also when it is copied or moved.
func (f *File) ID() uuid.UUID { return f.id }

// Path is where the file was opened.
func (f *File) Path() string { return f.path }
