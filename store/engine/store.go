// Package engine is the embedded triple store: a dictionary and three covering indexes
// for each graph, in one bbolt file, with snapshots for readers and group commit for
// writers. It serves store.Graph.
//
// Rules: ids and indexes are read through a Snapshot, one moment of the store; small
// writes go through Store.Submit, where many callers share one write to the log and one
// sync, and large ones through Store.direct; a write is answered after the sync, never
// before.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

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

// Options say how to open a store. The zero value opens for reading and writing, and
// creates.
type Options struct {
	ReadOnly bool
	Existing bool // a file that is not there is not made
	// NoJournal creates a file without a journal: nothing records its writes, and none
	// can be withdrawn. A file that was created so is opened for writing only with this
	// option. A file that has a journal keeps it.
	NoJournal bool
	Logger    *slog.Logger // nil: nothing is logged
	Terms     int64        // about the bytes that the cache of terms may keep; 0 is 16 MiB
	Deferred  int64        // about the bytes of memory that deferred writes may take; 0 is 24 MiB
	// BeforeClear, which may be nil, is called before the graph is deleted, while nothing
	// is written. An error of it keeps everything.
	BeforeClear func(context.Context) error
	// DiskFailed, which may be nil, is called once if a write fails in a way after which
	// the disk can't be trusted until the file is opened again. Reading goes on. It must
	// not wait for the store.
	DiskFailed func()
	Extensions []Extension
	Labels     []turtle.Prefix // usual labels of namespaces, for exports
	TextIndex  TextIndex
	textSteps  textSteps // zero for the usual ones; for tests
	keepsTags  bool      // language tags are not folded when idle; for tests
	logSize    int       // of a new file, in bytes; 0 is the usual one; for tests
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
	// journaled says that the file has a journal, with lists of what each log brought. It
	// is known where the file is written.
	journaled bool
	chunk     int   // quads of a part of what Load reads
	deferring int64 // Deferred of the options
	closing   chan struct{}
	drained   chan struct{} // closed when nothing is written any more
	once      sync.Once
	workers   sync.WaitGroup
	broken    atomic.Pointer[error] // why nothing is written any more
	failed    func()                // DiskFailed of the options, until it was called
	folding   folding
	indexing  *indexing
	keepsTags bool        // as in the options
	moved     atomic.Bool // the log says that the file is not in its place
	// writeLog and commitFile are those of the file, but for tests.
	writeLog   func(payload []byte) (file.Mark, error)
	commitFile func(*bolt.Tx) error

	// writing holds one while a write runs: what it does until it is handed to the
	// syncer. Of whoever holds it:
	writing    chan struct{}
	known      *dict.Known
	scratch    []byte           // to encode a unit of work in
	staging    map[*staged]bool // documents on their way
	litter     [][]byte         // of documents that did not come to be stored
	moving     bool             // the published graph has parts
	untidied   bool             // nothing is tidied, in tests
	lostBefore uint64           // lost when the last write entered

	merging sync.RWMutex // held while the last level of state changes
	mu      sync.Mutex   // of what follows
	changed *sync.Cond   // a batch or a flush has ended
	state   state        // with what is on its way to the disk
	batch   []unit       // that waits for the disk
	payload []byte       // the deltas of the batch, each after its length
	written []byte       // memory of the one before; nil while that is written
	syncing bool         // a batch is on its way
	flushes bool         // a flush is running
	lostTo  error        // why writes failed last

	lost     atomic.Uint64         // how often writes failed on their way to the disk
	durable  atomic.Pointer[state] // what is on the disk
	more     chan struct{}         // for the syncer: the batch has grown
	flushNow chan struct{}         // for the flusher
	untidy   chan struct{}         // for the tidier
	storing  sync.Mutex            // held while a transaction writes to the buckets
	editor   *index.Editor         // its own

	turn chan struct{} // holds one while a document is compared with the published graph, until it is in it
}

var _ store.Graph = (*Store)(nil)

// Open opens the file at path. Errors are those of file.Open.
func Open(path string, o Options) (*Store, error) {
	f, err := file.Open(path, file.Options{ReadOnly: o.ReadOnly, Existing: o.Existing, Log: o.logSize, Whole: func(size int64) {
		if o.Logger != nil {
			o.Logger.Info("the file was not closed in good order: all of it is read before anything is answered", "bytes", size)
		}
	}})
	if err != nil {
		return nil, err
	}
	s := &Store{file: f, log: o.Logger, before: o.BeforeClear, extensions: o.Extensions, readOnly: o.ReadOnly, terms: dict.NewCache(o.Terms), census: &eval.Census{}, known: &dict.Known{}, editor: &index.Editor{},
		closing: make(chan struct{}), drained: make(chan struct{}), writing: make(chan struct{}, 1), more: make(chan struct{}, 1),
		flushNow: make(chan struct{}, 1), untidy: make(chan struct{}, 1), chunk: chunkQuads}
	s.changed, s.keepsTags, s.deferring = sync.NewCond(&s.mu), o.keepsTags, cmp.Or(o.Deferred, usualDeferred)
	s.indexing = newIndexing(&o)
	s.labels = map[string]string{}
	for _, p := range o.Labels {
		s.labels[p.Namespace] = p.Label
	}
	s.staging, s.turn = map[*staged]bool{}, make(chan struct{}, 1)
	s.commitFile, s.failed = f.Commit, o.DiskFailed
	if r := f.Region(); r != nil {
		s.writeLog = r.Append
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if found := f.MetaPages(); found != file.MetaGood && !o.ReadOnly {
		s.log.Warn(found.String(), "file", path)
	}
	if err := s.Guard(func() error { return s.prepare(o.NoJournal) }); err != nil {
		f.Close()
		return nil, fmt.Errorf("preparing %s: %w", path, err)
	}
	if !s.readOnly {
		s.workers.Add(4)
		go s.syncLoop()
		go s.flushLoop()
		go s.tidyLoop()
		go s.indexLoop()
		if err := s.migrate(); err != nil {
			return nil, errors.Join(fmt.Errorf("preparing %s: %w", path, err), s.Close())
		}
		s.wantTidying()
		s.wantIndexing()
	}
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

// prepare reads the log and makes the buckets of a new file, so that readers find them.
func (s *Store) prepare(noJournal bool) error {
	fresh := false
	err := s.file.DB.View(func(tx *bolt.Tx) error {
		fresh, s.journaled = tx.Bucket(dictName) == nil, journal.Enabled(kv.OnBolt(tx))
		s.litter, s.moving = readStaged(tx)
		s.folding.due = foldState(kv.OnBolt(tx)) == 0 && !fresh && !s.keepsTags
		return nil
	})
	if err != nil {
		return err
	}
	if !s.journaled && !noJournal && !s.readOnly {
		return ErrNoJournal
	}
	if fresh && !s.readOnly {
		s.journaled = !noJournal
		err := s.file.Update(func(tx *bolt.Tx) error {
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
			if err := setFoldState(kv.OnBolt(tx), neverVaried); err != nil {
				return err
			}
			return setRevision(kv.OnBolt(tx))
		})
		if err != nil {
			return err
		}
	}
	s.freeze()
	if r := s.file.Region(); r != nil {
		if err := r.Recover(func(_ file.Mark, payload []byte) error { return s.recover(payload) }); err != nil {
			return err
		}
		s.state.end = r.Head()
	}
	if s.readOnly {
		if err := s.readLate(); err != nil {
			return err
		}
	}
	first := s.state.levels[0]
	s.publish(&first)
	s.state.levels[0].Level = first.Copy()
	return nil
}

// ErrNoJournal says that a file without a journal was opened for writing without
// Options.NoJournal.
var ErrNoJournal = errors.New("the file was created without a journal: write to it with the program that created it, or load a dump of it " +
	"into a new file")

// Ready reports whether the store can serve: not where the file is no longer in its
// place, though it can be read.
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

// Close waits for the writes that were begun, flushes what is deferred, and lets go of
// the file. Snapshots must be closed before.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		s.writing <- struct{}{} // for good
		close(s.closing)
		if !s.readOnly {
			s.mu.Lock()
			for len(s.batch) > 0 || s.syncing {
				s.changed.Wait()
			}
			s.changed.Broadcast()
			s.mu.Unlock()
			close(s.drained)
			s.workers.Wait()
			s.flushRest()
			s.listFree()
		}
		err = s.file.Close()
	})
	return err
}

// flushRest flushes all that is deferred. What can't be stored stays in the log, for the
// next time the file is opened.
func (s *Store) flushRest() {
	if s.broken.Load() != nil || s.file.Region() == nil || s.Deferred() == 0 {
		return
	}
	s.freezeIdle()
	if err := s.flushFrozen(); err != nil {
		s.log.Error("what was written last is in the log, and not in the indexes yet", "error", err)
	}
}

// What a write gets that comes too late, or to a store that was opened for reading alone.
var (
	errClosing  = fmt.Errorf("%w: it is closing", store.ErrUnavailable)
	ErrReadOnly = errors.New("the store was opened for reading alone")
)
