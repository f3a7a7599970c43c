// Package service holds what segraph does for its clients: publish, export, query, resolve,
// review, withdraw, back up, and so on, one file each. Its rules:
//
//   - It knows no HTTP and no HTML. The front ends, httpapi and webui, translate.
//   - A refusal that a client should read is an *Error. ErrorOf turns the errors of the stores
//     and of the resolver into one. Any other error is the server's fault.
//   - Every write names its actor, and has an entry in the journal.
//   - What all clients share is bounded: documents and exports at once, queries at once, memory,
//     disk. Whoever waits for its turn holds no read snapshot of the store.
//   - A panic ends its request and makes the service not ready. It does not end the process.
package service

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/logbuf"
	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/sparql/eval"
)

// Config is what a Service is made of. Graph, Queries, Journal, Contexts, Revocations,
// Auth and Log are required.
type Config struct {
	Graph       store.Graph
	Queries     Querier // of the same store
	Journal     Journal // of every write to it
	Contexts    Contexts
	Backups     Backups     // of the store; nil if it has none
	Importer    Importer    // of backups; nil imports none
	Revocations Revocations // of tokens
	Auth        *auth.Authenticator
	Log         *logbuf.Buffer
	Running     Running // nil records nothing
	StoreName   string  // "cayley" or "virtuoso"
	// SEGB gives clients of SEGB 1.1.1 what they rely on and the specification does not
	// have: Turtle for every query unless the client asks for something else, the member
	// virtuoso of /healthz/ready on every store, and bodies without "user".
	SEGB bool
	// StrictIRIs refuses documents with IRIs or language tags that other programs may
	// refuse. Without it they are stored with a warning.
	StrictIRIs bool
	// Following reports how the graph store that answers queries stands to the file. It
	// is nil if the file answers.
	Following func() store.Following
	// Notice is what an operator should know of the file as it was opened; "" is nothing.
	Notice string
	// SpoolDir is where exports and answers to queries wait for slow clients; "" is
	// os.TempDir().
	SpoolDir string
	// KeepFree returns how much exports leave free of a disk of so many bytes; nil leaves
	// half of it, and no more than 1 GiB.
	KeepFree func(disk int64) int64
	Limits   Limits
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Service answers use cases. It is made by New, and safe for use by many goroutines.
type Service struct {
	config     Config
	log        *slog.Logger
	spools     *spool.Pool
	memory     *memory.Pool // for requests
	queries    *gate
	processors *eval.Processors // for queries
	work       workload
	makers     *gate // of exports
	exports    exports
	decoders   *gate // of bodies that are decompressed
	verdict    verdict

	draining atomic.Bool // SetReady(false) was called
	panicked atomic.Bool // something is broken that only a restart repairs
}

// New makes a service, which is ready from the start.
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
		spools:     &spool.Pool{Dir: c.SpoolDir, Disk: l.SpoolDisk, Keep: c.KeepFree, Patience: l.Room},
		memory:     memory.NewPool(l.Memory),
		queries:    newGate(int64(l.Queries)),
		processors: eval.NewProcessors(l.Queries),
		makers:     newGate(int64(l.Workers)),
		exports:    exports{newest: map[exportKind]*sharedExport{}, next: map[exportKind]*following{}},
		decoders:   newGate(int64(l.Workers)),
	}
	s.queries.queueSize = int64(l.QueryQueue)
	s.work = workload{
		shared:     s.memory,
		processors: newGate(int64(l.Workers)),
		memory:     newGate(l.Document),
		patience:   l.DocumentPatience,
	}
	return s
}

// Config returns what the service was made of, with the defaults filled in.
func (s *Service) Config() Config { return s.config }

// SetReady sets whether the service may report that it is ready. Shutting down begins with
// SetReady(false), so that no new work is sent here.
func (s *Service) SetReady(ready bool) { s.draining.Store(!ready) }

// guard is deferred at the top of a goroutine that a request starts. It logs a panic,
// makes the service not ready, and calls then.
func (s *Service) guard(ctx context.Context, then func()) {
	if value := recover(); value != nil {
		s.Panicked(ctx, value)
		then()
	}
}

// Panicked logs a panic and makes the service not ready. The deferred function that
// recovered the panic calls it.
func (s *Service) Panicked(ctx context.Context, value any) {
	s.panicked.Store(true)
	s.log.Log(ctx, logbuf.LevelCritical, "panic: the service is not ready any more",
		"panic", value, "stack", string(debug.Stack()))
}

// entry begins the journal's entry of a write. claimed is the name that the actor gives;
// "" is none.
func (s *Service) entry(ctx context.Context, actor auth.Actor, action journal.Action, claimed string) journal.Entry {
	q := logbuf.RequestOf(ctx)
	return journal.Entry{
		LogID:     journal.NewLogID(),
		Action:    action,
		Time:      s.config.Now().UTC(),
		Actor:     actor.Username,
		Claimed:   claimed,
		Address:   q.Address,
		RequestID: q.ID,
	}
}

// Stats is what a service is doing now.
type Stats struct {
	QueriesRunning, QueriesWaiting int
	ExportsRunning, ExportsWaiting int
	ExportReaders                  int   // of the newest exports, which they share
	DocumentsRunning               int   // documents that are being read
	DocumentBytes                  int64 // of documents that are being read or stored
	MemoryBytes                    int64 // of the memory that requests share
	SpoolBytes                     int64 // of disk, of answers that wait for their clients
	Ready                          bool
}

// Stats returns what the service is doing now. It waits for nothing.
func (s *Service) Stats() Stats {
	return Stats{
		QueriesRunning: int(s.queries.inside()), QueriesWaiting: s.queries.waiting(),
		ExportsRunning: int(s.makers.inside()), ExportsWaiting: s.makers.waiting(), ExportReaders: s.exports.reading(),
		DocumentsRunning: int(s.work.processors.inside()), DocumentBytes: s.work.memory.inside(),
		MemoryBytes: s.memory.Used(), SpoolBytes: s.spools.Used(),
		Ready: !s.draining.Load() && !s.panicked.Load() && s.config.Graph.Ready(context.Background()) == nil,
	}
}
