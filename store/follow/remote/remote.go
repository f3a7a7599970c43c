// Package remote answers queries with a separate graph store, over the SPARQL 1.1
// Protocol and the Graph Store Protocol. A Dialect describes how a product deviates from
// the standards.
//
// All data stays in segraph's own file, with its journal. A Store is an engine.Store that
// has other servers answer its queries. Each server follows the file:
//
//   - A document is acknowledged once it is in the file. The file's outbox holds the changes
//     that a server has not received yet. A goroutine for each sends them, in the order of the
//     writes, and retries until it succeeds. A query goes to a server that has received all
//     earlier writes.
//   - While none can be queried, the file answers, unless Options.Strict is set.
//   - A separate graph at the server holds a mark: whose graph it is, and the number of its last
//     change. It is read every second, before each write, and whenever the server was
//     unreachable. Changes that were lost are sent again, or everything if too much was lost.
//   - A term that the server would change is replaced by one that it keeps, and restored in
//     answers. Blank nodes have names there, so that they can be sent again.
//   - An answer is complete, or an error. The file answers what the servers can't.
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

// Options are for all servers.
type Options struct {
	// Strict refuses posts and queries while no server can be queried. Otherwise the file
	// accepts and answers them.
	Strict bool
	Log    *slog.Logger
}

// Config describes a server that follows.
type Config struct {
	Name    string // identifies it in the file, so that it keeps its data when its address changes
	Product string // what people call it
	Query   string // URL of the SPARQL endpoint
	Update  string // URL that accepts updates
	// GraphStore is the URL for the Graph Store Protocol, without parameters, or "". If
	// it is set, large documents are sent in one request.
	GraphStore string

	User, Password string // or ""
	PasswordFrom   string // what people call the place of the password
	TokenFile      string // with a Bearer token, read for each request, in place of a user; or ""
	Graph          string // name of the published graph at the server
	Dialect        Dialect

	// Timeout is how long a query waits for a server that does not respond; 0 means
	// DefaultTimeout.
	Timeout time.Duration

	Transport http.RoundTripper // nil means the default

	maxBehind uint64        // 0 means the constant maxBehind
	markTime  time.Duration // 0 means the constant markTime
}

// Store is a store whose queries servers answer. Follow returns one.
type Store struct {
	*engine.Store
	outbox    *outbox.Outbox
	followers []*follower
	strict    bool
	log       *slog.Logger

	stop  context.CancelFunc
	ended sync.WaitGroup // of the goroutines that send
	begun *time.Timer    // ends the wait for the first attempts to reach the servers

	// Read-locked while a document is stored, so that importing a graph can wait for
	// documents that were admitted.
	adding  sync.RWMutex
	meeting sync.Mutex // held while a server's graph is compared with the file's
	started bool       // the outbox is prepared; guarded by meeting

	mu       sync.Mutex    // guards what follower says
	progress chan struct{} // closed when a follower's down or received changes
}

// follower is a server that follows the file.
type follower struct {
	group   *Store
	file    *engine.Store
	outbox  *outbox.Outbox
	changed <-chan struct{} // of the outbox
	client  *client
	config  Config
	log     *slog.Logger

	hurry chan struct{} // probe at once, because a request failed
	asked atomic.Int32  // queries that it answers now

	unable atomic.Bool // the server lacks data that it refused
	kept   atomic.Bool // it has literals with substituted datatypes
	lost   atomic.Bool // it returned a literal without its language or datatype
	floats atomic.Bool // answers may have numbers with few digits
	doubt  atomic.Bool // it was unreachable since its mark was read, so it may have lost changes

	// Owned by the sending goroutine: whether the server keeps each checked word, the
	// number and time of the last mark at the server, and its position in the outbox.
	words     map[rdf.Term]bool
	marked    uint64
	markedAt  time.Time
	confirmed uint64
	owned     bool // this process has marked the graph as its own
	broken    int  // how often the server failed an update with status 500 since it last received all that it was sent

	process, host string // of the marks of this process

	// Guarded by group.mu.
	down     *absence  // why the server can't be queried, or nil
	received uint64    // the last change that the server has
	current  time.Time // when the server was last up to date
}

// Limits on changes that the server has not received yet.
const (
	maxBehind = 2000             // changes; beyond it, the file answers queries, and in strict mode documents wait
	near      = 200              // changes; a server that comes back is queried once it is at most this far behind
	patience  = 10 * time.Second // how long documents wait
	catchTime = 2 * time.Second  // how long queries wait
	startTime = 2 * time.Second  // how long documents and queries wait for the first attempt to reach the server
)

// Follow returns a Store that makes the servers, at least one with a Name of its own each,
// follow s. s must have been opened with o, which must record all changes. The returned Store
// takes over s.
func Follow(s *engine.Store, o *outbox.Outbox, options Options, servers ...Config) *Store {
	ctx, stop := context.WithCancel(context.Background())
	g := &Store{Store: s, outbox: o, strict: options.Strict, log: options.Log, stop: stop, progress: make(chan struct{})}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	host, _ := os.Hostname() // marks work without it
	process := uuid.NewString()
	for _, c := range servers {
		c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
		c.maxBehind, c.markTime = cmp.Or(c.maxBehind, maxBehind), cmp.Or(c.markTime, markTime)
		c.Dialect = c.Dialect.withDefaults()
		f := &follower{
			group: g, file: s, outbox: o, changed: o.Changed(), config: c, log: g.log, client: newClient(c),
			process: process, host: strings.Join(strings.Fields(host), ""),
			hurry: make(chan struct{}, 1), current: time.Now(),
		}
		f.down = f.unreachable(&store.UnreadyError{Detail: c.Product + " was not reached yet"})
		f.down.first = true
		g.followers = append(g.followers, f)
	}
	g.begun = time.AfterFunc(startTime, func() {
		for _, f := range g.followers {
			f.endFirst()
		}
	})
	for _, f := range g.followers { // once all are known
		g.ended.Go(func() { f.run(ctx) })
	}
	return g
}

// start prepares the outbox, once.
func (s *Store) start(ctx context.Context) error {
	s.meeting.Lock()
	defer s.meeting.Unlock()
	if s.started {
		return nil
	}
	var names []string
	for _, f := range s.followers {
		names = append(names, f.config.Name)
	}
	if err := s.outbox.Start(ctx, names); err != nil {
		return err
	}
	trimmed, _, err := s.outbox.Span()
	if err != nil {
		return err
	}
	for _, f := range s.followers {
		f.setReceived(trimmed) // at least
	}
	err = s.noteUnmet(ctx)
	s.started = err == nil
	return err
}

// Close stops sending and closes the file. Changes that remain are sent when the file is
// served again.
func (s *Store) Close() error {
	s.stop()
	s.begun.Stop()
	s.ended.Wait()
	return s.Store.Close()
}

// Add implements store.Graph.
func (s *Store) Add(ctx context.Context, d *store.Document, e journal.Entry) (added int, err error) {
	err = s.Admitted(ctx, d, func() error { added, err = s.Store.Add(ctx, d, e); return err })
	return added, err
}

// Admitted calls add, which adds a document to the file, once a server is close enough to
// the file. It refuses a document that one of the servers could not store.
func (s *Store) Admitted(ctx context.Context, d *store.Document, add func() error) error {
	for _, t := range d.Terms {
		if why := s.refuse(t); why != "" {
			return &store.RefusedError{Detail: why}
		}
	}
	return s.admitted(ctx, add)
}

// refuse returns why a server can't store a term, or "".
func (s *Store) refuse(t rdf.Term) string {
	for _, f := range s.followers {
		if why := f.config.Dialect.refuse(t); why != "" {
			return why
		}
	}
	return ""
}

// AddText implements store.Graph.
func (s *Store) AddText(ctx context.Context, t *store.Text, e journal.Entry) (out journal.Entry, err error) {
	t.Refuse = s.refuse
	err = s.admitted(ctx, func() error { out, err = s.Store.AddText(ctx, t, e); return err })
	return out, err
}

// admitted adds a document once a server is close enough to the file.
func (s *Store) admitted(ctx context.Context, add func() error) error {
	if err := s.AwaitRoom(ctx); err != nil {
		return err
	}
	s.adding.RLock()
	defer s.adding.RUnlock()
	if down, _ := s.absence(); down != nil && down.refuses { // since the document was admitted
		return down
	}
	return add()
}

// Importing returns an error while a graph is imported, which the file can't be cleared of yet.
func (s *Store) Importing() error {
	if down, _ := s.absence(); down != nil && down.importing {
		return down
	}
	return nil
}

// Ready returns an error if the file is not ready, or if no server is ready and the file
// can't replace them.
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
	if !s.strict {
		return nil
	}
	var err error
	for _, f := range s.ready() {
		if err = f.probe(ctx); err == nil {
			return nil
		}
		f.look()
	}
	return err
}

// look makes the next probe happen soon.
func (f *follower) look() {
	select {
	case f.hurry <- struct{}{}:
	default:
	}
}

// unavailable reports whether err is a store.ErrUnavailable, which says nothing about the
// request itself.
func unavailable(err error) bool { return errors.Is(err, store.ErrUnavailable) }
