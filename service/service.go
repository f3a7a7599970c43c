// Package service implements the use cases of segraph: publish, export, query, resolve,
// review, withdraw, back up, and so on, one file each. Its rules:
//
//   - It knows no HTTP and no HTML. The front ends, httpapi and views, translate.
//   - A refusal that a client should read is an *Error. ErrorOf turns the errors of the stores
//     and of the resolver into one. Any other error is the server's fault.
//   - Every write names its actor. The journal has an entry for each change of the published
//     graph, resolved observation, decision of a person, reconciliation that changed something,
//     restore and revocation.
//   - What clients share is bounded: concurrent documents, exports and queries, memory, disk.
//     A request that waits for its turn holds no read snapshot of the store.
//   - A panic ends its request and makes the service not ready. It does not end the process.
package service

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service/admit"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/log/cosigners"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/store/sparql/budget"
)

// Config configures a Service. A part is required unless its comment says what nil means.
type Config struct {
	Graph    store.Graph
	Queries  Querier // queries the same store
	Journal  Journal // what package journal records
	Contexts Contexts
	Backups  Backups // backups of the store
	// Restart has the process start the service again, with a copy of the backup at a path in the place of
	// its file. actor asked for it, for a reason. It returns false if that was asked for already. nil means that it can't.
	Restart  func(path, actor, reason string) bool
	Restored *backup.Restored // what the last such restart did; nil if there was none
	// Disk returns how many bytes of the store's disk are free, and how many the store may need
	// for writes. If known is false, nobody knows. nil means that too.
	Disk        func() (free, need int64, known bool)
	Lines       Lines                                  // stores the lines of POST /batch
	Forgotten   Forgotten                              // who was erased; nil means nobody
	Eraser      Eraser                                 // erases people
	TwoPersons  bool                                   // another admin must confirm an erasure
	Emptier     Emptier                                // removes the demo's contexts
	Revocations Revocations                            // stores revoked tokens
	Translog    Translog                               // the transparency log
	Bundles     Bundles                                // makes evidence bundles; nil if it makes none
	Retention   func() []string                        // says how long what is kept; nil means for ever
	PublicLog   bool                                   // everyone may read the log's checkpoint and hashes
	Centre      Centre                                 // receives journals of boxes; nil if it is no centre
	Lag         func() (lag time.Duration, why string) // how far this centre is behind the stream that it reads; nil if it reads none
	Forwarding  func() []box.Status                    // reports the links to centres; nil if it has none
	Witness     Witness                                // cosigns checkpoints of other logs; nil if it has none
	Witnesses   func() []cosigners.Status              // reports the witnesses of the log; nil if it has none
	Notes       Notes                                  // keeps saved queries and the like
	Follower    Follower                               // has shared contexts follow withdrawn logs
	Holds       Holds                                  // legal holds
	Signers     Signers                                // keys with which users sign requests
	Retries     *retries.Retries                       // keeps answers for requests that are sent again; nil if it keeps none
	// RequireSignatures are the users whose logs and observations must be signed, or
	// "all".
	RequireSignatures []string
	// RetentionRan returns when what is too old was last removed, or the zero Time; nil means never.
	RetentionRan func() time.Time

	Auth      *auth.Authenticator
	Log       *logs.Buffer
	StoreName string // "cayley" or "virtuoso"
	// SEGB enables what clients of SEGB 1.1.1 rely on beyond the specification: Turtle as
	// the default answer to every query, the member virtuoso of /healthz/ready on every
	// store, and bodies without "user".
	SEGB bool
	// StrictIRIs refuses documents with IRIs or language tags that other programs may
	// refuse. Otherwise they are stored with a warning.
	StrictIRIs bool
	// Following reports the states of the graph stores that follow the file and answer
	// queries, at least one. It is nil if the file answers.
	Following func() []store.Following
	// Notice is what an operator should know about the opened file, or "".
	Notice string
	// SpoolDir holds exports and query answers for slow clients. "" means os.TempDir().
	SpoolDir string
	// KeepFree returns how many bytes exports leave free on a disk of the given size. If
	// nil, that is half of the disk and at most 1 GiB.
	KeepFree func(disk int64) int64
	Limits   Limits
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
}

// Service implements the use cases. Create one with New. It is safe for concurrent use.
type Service struct {
	config     Config
	log        *slog.Logger
	spools     *spool.Pool
	memory     *memory.Pool // shared by requests
	queries    *admit.Gate
	processors *budget.Processors // shared by queries
	documents  *admit.Documents
	exporters  *admit.Gate // bounds concurrent exports
	pages      *admit.Gate // bounds concurrent pages of JSON, but for those of persons
	persons    *admit.Gate // bounds concurrent pages of persons
	nextExport *admit.Gate // holds the request of GET /events that is the next to enter exporters
	exports    exports
	verdict    verdict
	room       verdict    // on the disk
	batch      sync.Mutex // held while a batch of decisions is made or undone

	looking sync.Mutex      // guards looks
	looks   []journal.Entry // looks at persons that the journal has no room for yet

	erasures erasures

	demo sync.Mutex // held while the demo is played or removed

	signing    entrance[signedBy] // signed requests that are being stored
	attempting entrance[string]   // requests with a key that are under way

	single atomic.Int64 // when a log or an observation arrived last that is not a line, in Unix nanoseconds

	draining atomic.Bool // SetReady(false) was called
	panicked atomic.Bool // a fault occurred that only a restart repairs
}

// quiet is how long queries leave one processor free after other work arrived.
const quiet = 250 * time.Millisecond

// arrived notes that a log or an observation arrived that is not a line.
func (s *Service) arrived() {
	s.processors.Arrived()
	s.single.Store(s.config.Now().UnixNano())
}

// New returns a service, which is ready at once.
func New(c Config) *Service {
	c.Limits = c.Limits.withDefaults()
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.KeepFree == nil {
		c.KeepFree = keepFree
	}
	l := c.Limits
	s := &Service{
		config:     c,
		log:        c.Log.Logger("segraph.http"),
		spools:     &spool.Pool{Dir: c.SpoolDir, Disk: l.SpoolDisk, Files: l.Files, Keep: c.KeepFree, Patience: l.RoomPatience},
		memory:     memory.NewPool(l.Memory),
		queries:    admit.NewGate(int64(l.Queries)),
		processors: budget.NewProcessors(l.Queries),
		exporters:  admit.NewGate(int64(l.Workers)),
		pages:      admit.NewGate(int64(max(1, l.Workers/2))),
		persons:    admit.NewGate(int64(max(1, l.Workers/2))),
		nextExport: admit.NewGate(1),
		erasures:   erasures{running: make(chan struct{}, 1)},
		exports:    exports{newest: map[exportKind]*sharedExport{}},
	}
	s.processors.Quiet = quiet
	s.queries.QueueSize = int64(l.QueryQueue)
	s.documents = admit.NewDocuments(s.memory, l.Workers, l.Document, l.DocumentPatience)
	return s
}

// BeginDocument waits for the turn of a document with a size in bytes; see admit.Documents.Begin. The
// caller calls End. ErrorOf knows its errors.
func (s *Service) BeginDocument(ctx context.Context, bytes int64) (*admit.Turn, error) {
	return s.documents.Begin(ctx, bytes)
}

// BeginText waits for the memory to parse a text of the given bytes that is no document. The caller calls end.
// The errors are those of BeginDocument.
func (s *Service) BeginText(ctx context.Context, bytes int64) (end func(), err error) {
	return s.documents.BeginText(ctx, bytes)
}

// BeginSigned waits for the memory of a signed body with a Content-Encoding, as received. The caller calls end. The errors are those
// of BeginDocument.
func (s *Service) BeginSigned(ctx context.Context, bytes int64) (end func(), err error) {
	return s.documents.BeginSigned(ctx, bytes)
}

// BeginDecompressing waits for a slot and the memory to decompress a body. The caller calls end.
// The errors are those of BeginDocument.
func (s *Service) BeginDecompressing(ctx context.Context) (end func(), err error) {
	return s.documents.BeginDecompressing(ctx)
}

// Config returns the service's configuration with the defaults filled in.
func (s *Service) Config() Config { return s.config }

// SetReady sets whether the service may report that it is ready. A shutdown begins with
// SetReady(false), so that no new work is sent here.
func (s *Service) SetReady(ready bool) { s.draining.Store(!ready) }

// guard is deferred at the top of a goroutine that a request starts. After a panic it
// logs the panic, makes the service not ready, and calls then.
func (s *Service) guard(ctx context.Context, then func()) {
	if value := recover(); value != nil {
		s.Panicked(ctx, value)
		then()
	}
}

// Panicked logs a panic and makes the service not ready. A deferred function that
// recovers a panic calls it.
func (s *Service) Panicked(ctx context.Context, value any) {
	s.panicked.Store(true)
	s.log.Log(ctx, logs.LevelCritical, "panic: the service is no longer ready",
		"panic", value, "stack", string(debug.Stack()))
}

// entry returns a new journal entry for a write. claimed is the name that the actor
// claims, or "". A name of somebody who was erased is replaced; a write that may have one calls withholding first.
func (s *Service) entry(ctx context.Context, actor auth.Actor, action journal.Action, claimed string) journal.Entry {
	q := logs.RequestOf(ctx)
	if q == nil { // the program itself writes
		q = &logs.Request{}
	}
	return journal.Entry{
		LogID:     journal.NewLogID(),
		Action:    action,
		Time:      s.config.Now().UTC(),
		Actor:     s.unforgotten(actor.Username, journal.ErasedText),
		Claimed:   s.unforgotten(claimed, ""),
		Address:   q.Address,
		RequestID: q.ID,
		Retry:     retryOf(ctx),
	}
}

// Stats describes the current load of a service.
type Stats struct {
	QueriesRunning, QueriesWaiting int
	ExportsRunning, ExportsWaiting int
	ExportReaders                  int   // readers of the newest exports
	DocumentsRunning               int   // documents being read
	DocumentBytes                  int64 // bytes of the documents being read or stored
	MemoryBytes                    int64 // bytes in use of the memory that requests share
	SpoolBytes                     int64 // bytes on disk of waiting answers
	Ready                          bool
}

// Stats returns the current load. It does not block.
func (s *Service) Stats() Stats {
	return Stats{
		QueriesRunning: int(s.queries.Inside()), QueriesWaiting: s.queries.Waiting(),
		ExportsRunning: int(s.exporters.Inside()), ExportsWaiting: s.exporters.Waiting() + s.nextExport.Waiting(), ExportReaders: s.exports.reading(),
		DocumentsRunning: s.documents.Reading(), DocumentBytes: s.documents.Bytes(),
		MemoryBytes: s.memory.Used(), SpoolBytes: s.spools.Used(),
		Ready: !s.draining.Load() && !s.panicked.Load() && s.config.Graph.Ready(context.Background()) == nil,
	}
}
