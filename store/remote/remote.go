// Package remote answers queries from a graph store that is a service of its own, over
// the SPARQL 1.1 Protocol and Graph Store Protocol. What a product does otherwise than
// the standards is a Dialect.
//
// What was published stays in segraph's own file, to the letter, with its journal: a
// Store is a engine.Store whose queries another server answers. That server follows the
// file:
//
//   - A document is answered once it is in the file. The file's outbox says what the server has not been
//     told yet; one goroutine tells it, in the order of the writes, and tries until it has succeeded. A
//     query waits until the server was told of all that was written before it.
//   - While the server is away or is told everything, the file answers, unless Config.Strict is set.
//   - A graph of its own at the server holds the number of the last change there. It is read whenever
//     the server was out of reach, so that changes which it has lost are told it again, and all is
//     when it lost too much.
//   - A term that the server would change into another one is told it as a term that it leaves alone,
//     and given back as what it was. Blank nodes have names there, so that they can be told again.
//   - Answers are complete, or an error. What the server can't answer, the file answers.
package remote

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/outbox"
	"github.com/segraph/segraph/store/rdf"
)

// DefaultGraph is the usual name of the published graph at a server.
const DefaultGraph = "urn:segraph:log"

// DefaultTimeout is the usual Config.Timeout.
const DefaultTimeout = 5 * time.Second

// Config says which server follows.
type Config struct {
	Product string // as people call it
	Query   string // URL of the SPARQL endpoint
	Update  string // URL where updates are taken
	// GraphStore is the URL of the Graph Store Protocol, without parameters; "" where it
	// is not to be used. With it a large document is told in one request.
	GraphStore string

	User, Password string // "" for none
	Graph          string // the name of the published graph there
	Dialect        Dialect

	// Strict refuses posts and queries while the server is away or is told everything.
	// Otherwise the file takes and answers them.
	Strict bool
	// Timeout is how long the server may give no sign of life while a query waits for it;
	// 0 is DefaultTimeout.
	Timeout time.Duration

	Log       *slog.Logger
	Transport http.RoundTripper // nil is the usual one

	maxBehind uint64 // 0 is maxBehind
}

// Store is a store whose queries a server answers. It is made by Follow.
type Store struct {
	*engine.Store
	outbox *outbox.Outbox
	client *client
	config Config
	log    *slog.Logger

	stop  context.CancelFunc
	ended chan struct{} // closed once nothing is told any more
	hurry chan struct{} // a request met an error: look at once
	begun *time.Timer   // after which nobody waits any more for the first try to reach the server

	unable atomic.Bool // the server lacks something that it did not take
	kept   atomic.Bool // it has literals under other datatypes than theirs
	lost   atomic.Bool // it has shown a literal without its language or datatype
	floats atomic.Bool // answers may hold numbers that it shows with a few digits
	doubt  atomic.Bool // it was out of reach since its mark was read, so it may have lost something

	// Of the goroutine that tells: which words the server keeps, of those that were
	// looked at, and which change was marked there last, and when.
	words    map[rdf.Term]bool
	marked   uint64
	markedAt time.Time

	// Held to read while a document is stored, so that taking in a graph waits for those
	// that were admitted before.
	adding sync.RWMutex

	mu       sync.Mutex
	down     *absence      // why the server can't be asked; nil while it can
	told     uint64        // the last change that the server has
	even     time.Time     // when it had all that there was
	progress chan struct{} // closed when down or told changes
}

// Limits of what the server has not been told yet.
const (
	maxBehind = 2000             // changes; beyond, documents wait where they must, and queries do not
	near      = 200              // changes; a server that comes back is asked once it is no further behind
	patience  = 10 * time.Second // of documents
	catchTime = 2 * time.Second  // of queries
	startTime = 2 * time.Second  // of both, for the first try to reach the server
)

// Follow makes the server that c says follow a store, which must have been opened with an
// outbox that keeps all changes, and which belongs to the Store from now on.
func Follow(s *engine.Store, o *outbox.Outbox, c Config) *Store {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.maxBehind = cmp.Or(c.maxBehind, maxBehind)
	c.Dialect = c.Dialect.withDefaults()
	ctx, stop := context.WithCancel(context.Background())
	f := &Store{
		Store: s, outbox: o, config: c, log: c.Log, client: newClient(c), stop: stop,
		ended: make(chan struct{}), hurry: make(chan struct{}, 1),
		even: time.Now(), progress: make(chan struct{}),
	}
	f.down = f.unreachable(&store.UnreadyError{Detail: c.Product + " was not reached yet"})
	f.down.first = true
	f.begun = time.AfterFunc(startTime, f.endFirst)
	go f.run(ctx)
	return f
}

// Close ends telling and closes the file. What was not told is told when the file is
// served again.
func (s *Store) Close() error {
	s.stop()
	s.begun.Stop()
	<-s.ended
	return s.Store.Close()
}

// Add implements store.Graph.
func (s *Store) Add(ctx context.Context, d *store.Document, e journal.Entry) (added int, err error) {
	for _, t := range d.Terms {
		if why := s.config.Dialect.refuse(t); why != "" {
			return 0, &store.RefusedError{Detail: why}
		}
	}
	err = s.admitted(ctx, func() error { added, err = s.Store.Add(ctx, d, e); return err })
	return added, err
}

// AddText implements store.Graph.
func (s *Store) AddText(ctx context.Context, t *store.Text, e journal.Entry) (out journal.Entry, err error) {
	t.Refuse = s.config.Dialect.refuse
	err = s.admitted(ctx, func() error { out, err = s.Store.AddText(ctx, t, e); return err })
	return out, err
}

// admitted adds a document once the server is near enough behind the file.
func (s *Store) admitted(ctx context.Context, add func() error) error {
	if err := s.admit(ctx, s.notTooFar); err != nil {
		return err
	}
	s.adding.RLock()
	defer s.adding.RUnlock()
	if down, _ := s.absence(); down != nil && down.refuses { // since it was admitted
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

// Ready asks the file and, where nothing is done without it, the server.
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

// look makes the server be looked at soon.
func (s *Store) look() {
	select {
	case s.hurry <- struct{}{}:
	default:
	}
}

// unavailable tells the errors that say nothing about what was asked.
func unavailable(err error) bool { return errors.Is(err, store.ErrUnavailable) }
