// Package engine is the embedded triple store: a dictionary and three covering indexes for each graph,
// in one bbolt file, with snapshots for readers and group commit for writers. It serves
// store.Graph.
//
// Rules: ids and indexes are read through a Snapshot, one moment of the file; writes go through
// Store.update, where many callers share one transaction and one fsync; a write is
// answered after the fsync, never before.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/turtle"
)

// Options say how to open a store. The zero value opens for reading and writing, and creates.
type Options struct {
	ReadOnly bool
	Existing bool // a file that is not there is not made
	// NoJournal creates a file without a journal: nothing records its writes, and none can be withdrawn. A file that was
	// created so is opened for writing only with this option. A file that has a journal keeps it.
	NoJournal bool
	// AsIs, with ReadOnly, leaves a file that was not closed in good order as it is. Without it the file is
	// opened for writing first if it can be, so that the graph of contexts says all that was decided.
	AsIs   bool
	Logger *slog.Logger // nil: nothing is logged
	Terms  int64        // about the bytes that the cache of terms may keep; 0 is 16 MiB
	// BeforeClear, which may be nil, is called before the graph is deleted, while nothing is written. An
	// error of it keeps everything.
	BeforeClear func(context.Context) error
	// DiskFailed, which may be nil, is called once if a write fails in a way after which the disk can't be trusted until
	// the file is opened again. Reading goes on. It must not wait for the store.
	DiskFailed func()
	Extensions []Extension
	Labels     []turtle.Prefix // usual labels of namespaces, for exports
	keepsTags  bool            // language tags are not folded when idle; for tests
}

// Store is an open file. Its methods may be called from many goroutines at once.
type Store struct {
	file   *file.File
	log    *slog.Logger
	terms  *dict.Cache // for all snapshots, as the next
	census *eval.Census

	extensions []Extension
	labels     map[string]string // by namespace

	before   func(context.Context) error
	readOnly bool
	// journaled says that the file has a journal, with lists of what each log brought. It is known where the file
	// is written.
	journaled bool
	chunk     int // quads of a part of what Load reads
	queue     chan *write
	writer    sync.WaitGroup
	gate      sync.RWMutex // held for reading while a write is put into the queue
	closing   chan struct{}
	once      sync.Once
	broken    atomic.Pointer[error] // why nothing is written any more
	failed    func()                // DiskFailed of the options, until it was called
	folding   folding
	keepsTags bool        // as in the options
	moved     atomic.Bool // the log says that the file is not in its place
	// commitFile is file.Commit, but for tests.
	commitFile func(*bolt.Tx) error
	// The writer's own.
	known     *dict.Known
	editor    *index.Editor
	late      []*Delta  // in the order of the bucket
	settling  *settling // of the first of them; nil for none
	due       int       // the lateness from which on it is worth while: enough, or more where it failed
	enough    int
	staging   map[*staged]bool // documents on their way
	litter    [][]byte         // of documents that did not come to be stored
	moving    bool             // the published graph has parts
	pause     <-chan time.Time // before tidying is tried again; nil for none
	lastGroup int              // how many writes the last transaction held
	lastTook  time.Duration    // and how long it took

	lateRecords lateRecords // those of late

	turn chan struct{} // holds one while a document is compared with the published graph, until it is in it
}

var _ store.Graph = (*Store)(nil)

// Open opens the file at path. Errors are those of file.Open.
func Open(path string, o Options) (*Store, error) {
	s, err := open(path, o)
	if err != nil || !o.ReadOnly || o.AsIs || !s.behind() {
		return s, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	if recovered, err := open(path, Options{Logger: o.Logger, NoJournal: true, Extensions: o.Extensions, Labels: o.Labels}); err == nil {
		if err := recovered.Close(); err != nil {
			return nil, err
		}
	}
	return open(path, o)
}

// behind tells whether quads are late in the file.
func (s *Store) behind() bool {
	behind := false
	err := s.Guard(func() error {
		return s.file.DB.View(func(tx *bolt.Tx) error {
			behind = isLate(tx)
			return nil
		})
	})
	return behind && err == nil
}

func open(path string, o Options) (*Store, error) {
	f, err := file.Open(path, file.Options{ReadOnly: o.ReadOnly, Existing: o.Existing, Whole: func(size int64) {
		if o.Logger != nil {
			o.Logger.Info("the file was not closed in good order: all of it is read before anything is answered", "bytes", size)
		}
	}})
	if err != nil {
		return nil, err
	}
	s := &Store{file: f, log: o.Logger, before: o.BeforeClear, extensions: o.Extensions, readOnly: o.ReadOnly, terms: dict.NewCache(o.Terms), census: &eval.Census{}, known: &dict.Known{}, editor: &index.Editor{},
		enough: enoughLate, due: enoughLate, queue: make(chan *write, maxGroup), closing: make(chan struct{}), chunk: chunkQuads}
	s.keepsTags = o.keepsTags
	s.labels = map[string]string{}
	for _, p := range o.Labels {
		s.labels[p.Namespace] = p.Label
	}
	s.staging, s.turn = map[*staged]bool{}, make(chan struct{}, 1)
	s.commitFile, s.failed = f.Commit, o.DiskFailed
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if found := f.MetaPages(); found != file.MetaGood && !o.ReadOnly {
		s.log.Warn(found.String(), "file", path)
	}
	if !o.ReadOnly {
		if err := s.Guard(func() error { return s.prepare(o.NoJournal) }); err != nil {
			f.Close()
			return nil, fmt.Errorf("preparing %s: %w", path, err)
		}
	}
	s.writer.Add(1)
	go s.writeLoop()
	for _, x := range o.Extensions {
		if x.Opened == nil {
			continue
		}
		if err := x.Opened(s); err != nil {
			return nil, errors.Join(fmt.Errorf("opening %s: %w", path, err), s.Close())
		}
	}
	return s, nil
}

// prepare makes the buckets of a new file, so that readers find them, and settles what is late in another.
func (s *Store) prepare(noJournal bool) error {
	fresh := false
	err := s.file.DB.View(func(tx *bolt.Tx) (err error) {
		fresh, s.journaled = revision(tx) == nil, journal.Enabled(kv.OnBolt(tx))
		s.late, err = readLate(tx)
		if err == nil {
			s.litter, s.moving = readStaged(tx)
			s.folding.due = foldState(tx) == 0 && !fresh && !s.keepsTags
		}
		return err
	})
	if err != nil {
		return err
	}
	if !s.journaled && !noJournal {
		return ErrNoJournal
	}
	s.lateRecords.add(s.late)
	if !fresh {
		s.settleRest()
		return nil
	}
	s.journaled = !noJournal
	return s.file.Update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{graphsName, dictName, prefixesName} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		if noJournal {
			if err := journal.Disable(kv.OnBolt(tx)); err != nil {
				return err
			}
		}
		if err := setRevision(tx); err != nil {
			return err
		}
		return setFoldState(tx, neverVaried)
	})
}

// ErrNoJournal says that a file without a journal was opened for writing without Options.NoJournal.
var ErrNoJournal = errors.New("the file was created without a journal: write to it with the program that created it, or load a dump of it " +
	"into a new file")

// Ready says whether the store can serve: not where the file is no longer in its place, though it can be read.
func (s *Store) Ready(context.Context) error {
	if err := s.works(); err != nil {
		return err
	}
	return s.unready(s.file.InPlace())
}

// works says why nothing can be written, nil if it can.
func (s *Store) works() error {
	select {
	case <-s.closing:
		return errClosing
	default:
	}
	if err := s.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// ReadOnly reports whether the store was opened for reading alone.
func (s *Store) ReadOnly() bool { return s.readOnly }

// Path returns the path of the file, as it was opened.
func (s *Store) Path() string { return s.file.Path() }

// ID names the file: copies of it and its backups have the same.
func (s *Store) ID() string { return s.file.ID().String() }

// MetaPages returns what the file's meta pages were when it was opened.
func (s *Store) MetaPages() file.MetaPages { return s.file.MetaPages() }

// Close waits for the writes that were begun and lets go of the file. Snapshots must be
// closed before.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		s.gate.Lock() // the writer takes what is being put into the queue
		close(s.closing)
		s.gate.Unlock()
		s.writer.Wait()
		err = s.file.Close()
	})
	return err
}

// What a write gets that comes too late, or to a store that was opened for reading alone.
var (
	errClosing  = fmt.Errorf("%w: it is closing", store.ErrUnavailable)
	ErrReadOnly = errors.New("the store was opened for reading alone")
)
