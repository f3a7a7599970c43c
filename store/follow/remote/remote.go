// Package remote answers queries with a separate graph store, over the SPARQL 1.1
// Protocol and the Graph Store Protocol. A Dialect describes how a product deviates from
// the standards.
//
// All data stays in segraph's own file, with its journal. A Store is an engine.Store
// whose queries another server answers. That server follows the file:
//
//   - A document is acknowledged once it is in the file. The file's outbox holds the changes
//     that the server has not received yet. One goroutine sends them, in the order of the
//     writes, and retries until it succeeds. A query waits until the server has received all
//     earlier writes.
//   - While the server is unreachable or being rebuilt, the file answers, unless Config.Strict
//     is set.
//   - A separate graph at the server holds a mark: whose graph it is, and the number of its last
//     change. It is read every second, before each write, and whenever the server was unreachable. Changes that were lost are sent again, or everything if too
//     much was lost.
//   - A term that the server would change is replaced by one that it keeps, and restored in
//     answers. Blank nodes have names there, so that they can be sent again.
//   - An answer is complete, or an error. The file answers what the server can't.
package remote

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/follow/outbox"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// DefaultGraph is the default name of the published graph at a server.
const DefaultGraph = "urn:segraph:log"

// DefaultTimeout is the default of Config.Timeout.
const DefaultTimeout = 5 * time.Second

// Config describes the server that follows.
type Config struct {
	Product string // name of the product, for people
	Query   string // URL of the SPARQL endpoint
	Update  string // URL that accepts updates
	// GraphStore is the URL for the Graph Store Protocol, without parameters, or "". If
	// it is set, large documents are sent in one request.
	GraphStore string

	User, Password string // or ""
	Graph          string // name of the published graph at the server
	Dialect        Dialect

	// Strict refuses posts and queries while the server is unreachable or being rebuilt.
	// Otherwise the file accepts and answers them.
	Strict bool
	// Timeout is how long a query waits for a server that does not respond; 0 means
	// DefaultTimeout.
	Timeout time.Duration

	Log       *slog.Logger
	Transport http.RoundTripper // nil means the default

	maxBehind uint64 // 0 means the constant maxBehind
}

// Store is a store whose queries a server answers. Follow returns one.
type Store struct {
	*engine.Store
	outbox *outbox.Outbox
	client *client
	config Config
	log    *slog.Logger

	stop  context.CancelFunc
	ended chan struct{} // closed when sending has ended
	hurry chan struct{} // probe at once, because a request failed
	begun *time.Timer   // ends the wait for the first attempt to reach the server

	unable atomic.Bool // the server lacks data that it refused
	kept   atomic.Bool // it has literals with substituted datatypes
	lost   atomic.Bool // it returned a literal without its language or datatype
	floats atomic.Bool // answers may have numbers with few digits
	doubt  atomic.Bool // it was unreachable since its mark was read, so it may have lost changes

	// Owned by the sending goroutine: whether the server keeps each checked word, and the
	// number and time of the last mark at the server.
	words    map[rdf.Term]bool
	marked   uint64
	markedAt time.Time
	owned    bool // this process has marked the graph as its own

	process, host string // of the marks of this process

	// Read-locked while a document is stored, so that importing a graph can wait for
	// documents that were admitted.
	adding sync.RWMutex

	mu       sync.Mutex
	down     *absence      // why the server can't be queried, or nil
	received uint64        // the last change that the server has
	current  time.Time     // when the server was last up to date
	progress chan struct{} // closed when down or received changes
}

// Limits on changes that the server has not received yet.
const (
	maxBehind = 2000             // changes; beyond it, the file answers queries, and in strict mode documents wait
	near      = 200              // changes; a server that comes back is queried once it is at most this far behind
	patience  = 10 * time.Second // how long documents wait
	catchTime = 2 * time.Second  // how long queries wait
	startTime = 2 * time.Second  // how long documents and queries wait for the first attempt to reach the server
)

// Follow returns a Store that makes the server described by c follow s. s must have been
// opened with o, which must record all changes. The returned Store takes over s.
func Follow(s *engine.Store, o *outbox.Outbox, c Config) *Store {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.maxBehind = cmp.Or(c.maxBehind, maxBehind)
	c.Dialect = c.Dialect.withDefaults()
	ctx, stop := context.WithCancel(context.Background())
	host, _ := os.Hostname() // marks work without it
	f := &Store{
		process: uuid.NewString(), host: strings.Join(strings.Fields(host), ""),
		Store: s, outbox: o, config: c, log: c.Log, client: newClient(c), stop: stop,
		ended: make(chan struct{}), hurry: make(chan struct{}, 1),
		current: time.Now(), progress: make(chan struct{}),
	}
	f.down = f.unreachable(&store.UnreadyError{Detail: c.Product + " was not reached yet"})
	f.down.first = true
	f.begun = time.AfterFunc(startTime, f.endFirst)
	go f.run(ctx)
	return f
}

// Close stops sending and closes the file. Changes that remain are sent when the file is
// served again.
func (s *Store) Close() error {
	s.stop()
	s.begun.Stop()
	<-s.ended
	return s.Store.Close()
}

// Add implements store.Graph.
func (s *Store) Add(ctx context.Context, d *store.Document, e journal.Entry) (added int, err error) {
	err = s.Admitted(ctx, d, func() error { added, err = s.Store.Add(ctx, d, e); return err })
	return added, err
}

// Admitted calls add, which adds a document to the file, once the server is close enough to
// the file. It refuses a document that the server could not store.
func (s *Store) Admitted(ctx context.Context, d *store.Document, add func() error) error {
	for _, t := range d.Terms {
		if why := s.config.Dialect.refuse(t); why != "" {
			return &store.RefusedError{Detail: why}
		}
	}
	return s.admitted(ctx, add)
}

// AddText implements store.Graph.
func (s *Store) AddText(ctx context.Context, t *store.Text, e journal.Entry) (out journal.Entry, err error) {
	t.Refuse = s.config.Dialect.refuse
	err = s.admitted(ctx, func() error { out, err = s.Store.AddText(ctx, t, e); return err })
	return out, err
}

// admitted adds a document once the server is close enough to the file.
func (s *Store) admitted(ctx context.Context, add func() error) error {
	if err := s.admit(ctx, s.notTooFar); err != nil {
		return err
	}
	s.adding.RLock()
	defer s.adding.RUnlock()
	if down, _ := s.absence(); down != nil && down.refuses { // since the document was admitted
		return down
	}
	return add()
}

// Clear implements store.Graph.
func (s *Store) Clear(ctx context.Context, contexts bool, e journal.Entry) (store.Cleared, error) {
	if err := s.admit(ctx, func() (bool, error) { return true, nil }); err != nil {
		return store.Cleared{}, err
	}
	return s.Store.Clear(ctx, contexts, e)
}

// Ready returns an error if the file is not ready, or if the server is not ready and the
// file can't replace it.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.Store.Ready(ctx); err != nil {
		return err
	}
	if down, _ := s.absence(); down != nil {
		if down.first || !s.fileTakes(down) {
			return down
		}
		return nil
	}
	if !s.config.Strict {
		return nil
	}
	err := s.probe(ctx)
	if err != nil {
		s.look()
	}
	return err
}

// look makes the next probe happen soon.
func (s *Store) look() {
	select {
	case s.hurry <- struct{}{}:
	default:
	}
}

// unavailable reports whether err is a store.ErrUnavailable, which says nothing about the
// request itself.
func unavailable(err error) bool { return errors.Is(err, store.ErrUnavailable) }
