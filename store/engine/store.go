// Package engine is the embedded triple store. One bbolt file holds a dictionary of terms
// and, for each graph, three covering indexes. Readers use snapshots; writers share group
// commits. Store implements store.Graph.
//
// Three rules hold. Read ids and indexes through a Snapshot, which shows the store at one
// moment. Small writes go through Store.Submit, where many callers share one write to the
// log and one sync; large ones go through Store.direct. A write is acknowledged after the
// sync, never before.
package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sync/semaphore"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/statistics"
	"github.com/segraph/segraph/store/turtle"
)

// Options configure how a store is opened. The zero value opens the file for reading and
// writing, and creates it if it does not exist.
type Options struct {
	ReadOnly bool
	Existing bool // fail if the file does not exist
	// NoJournal creates a file without a journal: its writes are not recorded, and
	// nothing can be withdrawn. Such a file can be opened for writing only with this
	// option. A file that has a journal keeps it.
	NoJournal bool
	Logger    *slog.Logger // nil discards the log
	Terms     int64        // approximate limit in bytes of the cache of terms; 0 means 16 MiB
	Deferred  int64        // approximate limit in bytes of the memory of deferred writes; 0 means 24 MiB
	// BeforeClear, if not nil, is called before the graph is deleted, while no write
	// runs. If it returns an error, nothing is deleted.
	BeforeClear func(context.Context) error
	// DiskFailed, if not nil, is called once, when a write fails in a way that makes the
	// disk untrustworthy until the file is opened again. Reading continues. The function
	// must not wait for the store.
	DiskFailed func()
	Extensions []Extension
	Labels     []turtle.Prefix // preferred labels of namespaces, for exports
	// Becomes returns what Load stores in place of a term; of the zero Term, nothing: its quads
	// are left out. Nil means the term itself.
	Becomes func(rdf.Term) rdf.Term
	// Sentences are the texts that Load leaves out with those whom Becomes replaces; see store.Omitted.
	Sentences store.Sentences
	TextIndex TextIndex
	textSteps textSteps // zero means usualTextSteps; for tests
	logSize   int       // log region of a new file, in bytes; 0 means the default; for tests
}

// Store is an open file. Its methods may be called by several goroutines at once.
type Store struct {
	file   *file.File
	log    *slog.Logger
	terms  *dict.Cache // shared by all snapshots, like census
	census *statistics.Census

	becomes    func(rdf.Term) rdf.Term // Options.Becomes
	sentences  store.Sentences         // Options.Sentences
	extensions []Extension
	labels     map[string]string // by namespace

	before   func(context.Context) error
	readOnly bool
	// journaled reports whether the file has a journal, with a list of each log's
	// contribution.
	journaled bool
	chunk     int // quads in a part of the text that Load reads
	closing   chan struct{}
	drained   chan struct{} // closed when nothing more will be written
	once      sync.Once
	workers   sync.WaitGroup
	broken    atomic.Pointer[error] // why writing has stopped; nil if it has not
	failed    func()                // Options.DiskFailed, for failing
	failing   sync.Once
	indexing  *indexing
	opened    string      // differs each time a file is opened
	moved     atomic.Bool // the log already reports that the file is not in its place
	// writeLog and commitFile are the file's own, except in tests.
	writeLog   func(payload []byte) (file.Mark, error)
	commitFile func(*bolt.Tx) error

	turn          turn
	queue         queue
	flushNow      chan struct{}       // wakes the flusher
	flushing      atomic.Int64        // nanoseconds of all flushes
	untidy        chan struct{}       // wakes the tidier
	collectNow    chan struct{}       // wakes the collector
	collection    *semaphore.Weighted // taken while the collector runs
	documents     *semaphore.Weighted // each large document takes 1 while it is stored, a collection takes allDocuments while it begins
	endCollecting context.CancelFunc
	storing       sync.Mutex    // held while a transaction writes to the buckets
	editor        *index.Editor // guarded by storing
	lists         tupleLists    // guarded by storing

	// publishing holds one element while a large document is compared with the published
	// graph, and until it is published.
	publishing chan struct{}
	restarted  atomic.Int32 // large documents that are being stored again
	directs    atomic.Int32 // direct writes that wait for storing
}

var _ store.Graph = (*Store)(nil)

// Open opens the file at path. It returns the errors of file.Open, ErrNoJournal, and
// those of the extensions' Opened.
func Open(path string, o Options) (*Store, error) {
	f, err := file.Open(path, file.Options{ReadOnly: o.ReadOnly, Existing: o.Existing, Log: o.logSize, ReadAll: func(size int64) {
		if o.Logger != nil {
			o.Logger.Info("the file was not closed properly: the store reads all of it before it answers", "bytes", size)
		}
	}})
	if err != nil {
		return nil, err
	}
	s := &Store{file: f, becomes: o.Becomes, sentences: o.Sentences, log: o.Logger, before: o.BeforeClear, extensions: o.Extensions, readOnly: o.ReadOnly, terms: dict.NewCache(o.Terms), census: &statistics.Census{}, editor: &index.Editor{},
		closing: make(chan struct{}), drained: make(chan struct{}),
		flushNow: make(chan struct{}, 1), untidy: make(chan struct{}, 1), collectNow: make(chan struct{}, 1), chunk: chunkQuads,
		collection: semaphore.NewWeighted(1), documents: semaphore.NewWeighted(allDocuments)}
	s.turn = turn{taken: make(chan struct{}, 1), known: &dict.Known{}, staging: map[*staged]bool{}}
	s.queue.start(f.Region(), cmp.Or(o.Deferred, usualDeferred))
	s.opened = rand.Text()
	s.indexing = newIndexing(&o)
	s.labels = map[string]string{}
	for _, p := range o.Labels {
		s.labels[p.Namespace] = p.Label
	}
	s.publishing = make(chan struct{}, 1)
	s.writeLog, s.commitFile, s.failed = f.Region().Append, f.Commit, o.DiskFailed
	if s.becomes == nil {
		s.becomes = func(t rdf.Term) rdf.Term { return t }
	}
	if s.failed == nil {
		s.failed = func() {}
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
		if err := s.startWorkers(); err != nil {
			return nil, errors.Join(fmt.Errorf("preparing %s: %w", path, err), s.Close())
		}
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

// startWorkers starts what writes in the background, and stores what a crash left in the log region.
func (s *Store) startWorkers() error {
	s.workers.Add(5)
	go s.syncLoop()
	go s.flushLoop()
	go s.tidyLoop()
	go s.indexLoop()
	ctx, end := context.WithCancel(context.Background())
	s.endCollecting = end
	go s.collectLoop(ctx)
	if err := s.keepRecovered(); err != nil {
		return err
	}
	s.wantTidying()
	if s.orphaned() { // after keepRecovered: a unit that a crash left in the log may say so
		s.wantCollection()
	}
	s.wantIndexing()
	return nil
}

// prepare creates the buckets of a new file, so that readers find them, and reads the log
// region into the first level of the queue. With noJournal, a new file gets no journal, and
// a file without one can be opened for writing.
func (s *Store) prepare(noJournal bool) error {
	fresh, known, most := false, 0, 0 // extensions with Uses
	err := s.file.DB.View(func(tx *bolt.Tx) error {
		fresh, s.journaled = tx.Bucket(dictName) == nil, journal.Enabled(kv.OnBolt(tx))
		known, most = users(tx, s.extensions)
		s.turn.abandoned, s.turn.moving = readStaged(tx)
		return nil
	})
	if err != nil {
		return err
	}
	if !s.journaled && !noJournal && !s.readOnly {
		return ErrNoJournal
	}
	if (fresh || known > most) && !s.readOnly {
		err := s.file.Update(func(tx *bolt.Tx) error {
			if fresh {
				if err := s.create(tx, noJournal); err != nil {
					return err
				}
			}
			return tx.Bucket(metaName).Put(usersKey, []byte{byte(known)})
		})
		if err != nil {
			return err
		}
	}
	r := s.file.Region()
	err = s.file.DB.View(func(tx *bolt.Tx) error {
		if err := dict.CheckSecret(tx.Bucket(dictName)); err != nil {
			return err
		}
		terms := dict.NewHasher(tx.Bucket(dictName))
		return r.Recover(func(_ file.Mark, payload []byte) error { return s.queue.recover(payload, terms) })
	})
	if err != nil {
		return err
	}
	s.queue.state.end = r.Head()
	recovered := s.queue.state.levels[0]
	s.queue.publish(&recovered)
	s.queue.state.levels[0].Level = recovered.Copy() // what readers see does not change
	return nil
}

// create creates the buckets of a new file.
func (s *Store) create(tx *bolt.Tx, noJournal bool) error {
	s.journaled = !noJournal
	for _, name := range [][]byte{graphsName, dictName, prefixesName} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	if err := dict.Create(tx.Bucket(dictName)); err != nil {
		return err
	}
	if noJournal {
		if err := journal.Disable(kv.OnBolt(tx)); err != nil {
			return err
		}
	}
	return setRevision(kv.OnBolt(tx))
}

// ErrNoJournal means that a file without a journal was opened for writing without
// Options.NoJournal.
var ErrNoJournal = errors.New("the file was created without a journal: write to it with the program that created it, or load a dump of it " +
	"into a new file")

// Ready returns an error if the store cannot serve. A file that is no longer in its place
// is not ready, although it can be read.
func (s *Store) Ready(context.Context) error {
	if err := s.works(); err != nil {
		return err
	}
	return s.unready(s.file.InPlace())
}

// works returns the error that keeps the store from writing, or nil.
func (s *Store) works() error {
	select {
	case <-s.closing:
		return errClosing
	default: // still open
	}
	if err := s.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// ReadOnly reports whether the store was opened read-only.
func (s *Store) ReadOnly() bool { return s.readOnly }

// Path returns the path that the file was opened with.
func (s *Store) Path() string { return s.file.Path() }

// ID returns the file's id. Copies and backups of a file have the same id.
func (s *Store) ID() string { return s.file.ID().String() }

// MetaPages returns the condition of the file's meta pages when it was opened.
func (s *Store) MetaPages() file.MetaPages { return s.file.MetaPages() }

// Close waits for the writes in progress, flushes deferred writes and closes the file.
// All snapshots must be closed first.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		s.turn.taken <- struct{}{} // never released
		close(s.closing)
		if !s.readOnly {
			s.endCollecting()
			s.queue.settle()
			close(s.drained)
			s.workers.Wait()
			s.flushRest()
			s.listFree()
		}
		err = s.file.Close()
	})
	return err
}

// flushRest flushes all deferred writes. If that fails, they stay in the log region until
// the file is opened again.
func (s *Store) flushRest() {
	if s.broken.Load() != nil || s.Deferred() == 0 {
		return
	}
	s.queue.freezeIdle()
	if err := s.flushFrozen(); err != nil {
		s.log.Error("flushing failed: the last writes are in the log, and reach the indexes when the file is opened again", "error", err)
	}
}

// Errors of writes that come after Close, or to a store that was opened read-only.
var (
	errClosing  = fmt.Errorf("%w: it is closing", store.ErrUnavailable)
	ErrReadOnly = errors.New("the store was opened read-only")
)
