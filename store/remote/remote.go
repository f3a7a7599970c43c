// Package remote answers queries from a graph store that is a service of its own, over the SPARQL 1.1
// Protocol and Graph Store Protocol. What a product does otherwise than the standards is a Dialect.
//
// What was published stays in segraph's own file, to the letter, with its journal: a Store is a
// cayley.Store whose queries another server answers. That server follows the file:
//
//   - A document is answered once it is in the file. The file's outbox says what the server has not been
//     told yet; one goroutine tells it, in the order of the writes, and tries until it has succeeded. A
//     query waits until the server was told of all that was written before it.
//   - A graph of its own at the server holds the number of the last change there. It is read whenever
//     the server was out of reach, so that changes which it has lost are told it again, and all is
//     when it lost too much.
//   - A term that the server would change into another one is told it as a term that it leaves alone,
//     and given back as what it was. Blank nodes have names there, so that they can be told again.
//   - Answers are complete, or an error. What the server can't answer, the file answers.
package remote

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

// DefaultGraph is the usual name of the published graph at a server.
const DefaultGraph = "urn:segraph:log"

// Config says which server follows.
type Config struct {
	Product string // as people call it
	Query   string // URL of the SPARQL endpoint
	Update  string // URL where updates are taken
	// GraphStore is the URL of the Graph Store Protocol, without parameters; "" where it is not
	// to be used. With it a large document is told in one request.
	GraphStore string

	User, Password string // "" for none
	Graph          string // the name of the published graph there
	Dialect        Dialect
	Log            *slog.Logger
	Transport      http.RoundTripper // nil is the usual one
}

// Store is a store whose queries a server answers. It is made by Follow.
type Store struct {
	*cayley.Store
	client *client
	config Config
	log    *slog.Logger

	stop  context.CancelFunc
	ended chan struct{} // closed once nothing is told any more
	hurry chan struct{} // a request met an error: look at once

	unable atomic.Bool // the server lacks something that it did not take
	kept   atomic.Bool // it has literals under other datatypes than theirs
	lost   atomic.Bool // it has shown a literal without its language or datatype
	floats atomic.Bool // answers may hold numbers that it shows with a few digits
	doubt  atomic.Bool // it was out of reach since its mark was read, so it may have lost something

	words map[rdf.Term]bool // which the server keeps, of those that were looked at; of the goroutine that tells

	mu       sync.Mutex
	down     error         // why the server can't be asked; nil while it can
	told     uint64        // the last change that the server has
	even     time.Time     // when it had all that there was
	progress chan struct{} // closed when down or told changes
}

// Limits of what the server has not been told yet.
const (
	maxBehind = 2000             // changes; beyond, documents wait
	patience  = 10 * time.Second // of documents
	catchTime = 2 * time.Second  // of queries
)

// Follow makes the server that c says follow a store, which must have been opened with its outbox, and which
// belongs to the Store from now on.
func Follow(s *cayley.Store, c Config) *Store {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Dialect = c.Dialect.withDefaults()
	ctx, stop := context.WithCancel(context.Background())
	f := &Store{
		Store: s, config: c, log: c.Log, client: newClient(c), stop: stop,
		ended: make(chan struct{}), hurry: make(chan struct{}, 1),
		down: &store.UnreadyError{Detail: c.Product + " was not reached yet"}, even: time.Now(), progress: make(chan struct{}),
	}
	go f.run(ctx)
	return f
}

// Close ends telling and closes the file. What was not told is told when the file is served again.
func (s *Store) Close() error {
	s.stop()
	<-s.ended
	return s.Store.Close()
}

// Add implements store.Graph. While the server can't be reached nothing is taken.
func (s *Store) Add(ctx context.Context, d *store.Document, e journal.Entry) (int, error) {
	for _, t := range d.Terms {
		if why := s.config.Dialect.refuse(t); why != "" {
			return 0, &store.RefusedError{Detail: why}
		}
	}
	if err := s.wait(ctx, patience, s.notTooFar); err != nil {
		return 0, err
	}
	return s.Store.Add(ctx, d, e)
}

// Clear implements store.Graph.
func (s *Store) Clear(ctx context.Context, contexts bool, e journal.Entry) (store.Cleared, error) {
	if err := s.wait(ctx, patience, func() (bool, error) { return true, nil }); err != nil {
		return store.Cleared{}, err
	}
	return s.Store.Clear(ctx, contexts, e)
}

// Ready asks the file and the server.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.Store.Ready(ctx); err != nil {
		return err
	}
	if down := s.whyDown(); down != nil {
		return down
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if err := s.client.probe(ctx); err != nil {
		s.look()
		return err
	}
	return nil
}

// whyDown says why the server can't be asked, nil while it can.
func (s *Store) whyDown() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// Behind tells how many changes the server has not been told yet, and for how long it has not had all. After
// a start the number may be too large by those since the last mark, until the server is reached.
func (s *Store) Behind() (changes uint64, since time.Duration) {
	trimmed, last, _, err := s.Outbox().Span()
	if err != nil {
		return 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if told := max(s.told, trimmed); told < last {
		return last - told, time.Since(s.even)
	}
	return 0, 0
}

// look makes the server be looked at soon.
func (s *Store) look() {
	select {
	case s.hurry <- struct{}{}:
	default:
	}
}

// setTelling says that the server is being told everything, and can't be asked meanwhile.
func (s *Store) setTelling() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = &store.UnreadyError{Detail: s.config.Product + " is being told all that was published"}
	s.log.Info("telling the graph store all that was published", "product", s.config.Product)
}

// setDown says why the server can't be asked, or that it can.
func (s *Store) setDown(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil || s.down == nil || err.Error() != s.down.Error() {
		if err != nil {
			s.log.Error("the graph store can't be asked", "product", s.config.Product, "error", err)
		} else {
			s.log.Info("the graph store has all that was published", "product", s.config.Product, "change", s.told)
		}
	}
	s.down = err
	close(s.progress)
	s.progress = make(chan struct{})
}

// setTold says which change is the last that the server has.
func (s *Store) setTold(n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = n
	close(s.progress)
	s.progress = make(chan struct{})
}

// setEven says that the server has all that there was a moment ago.
func (s *Store) setEven() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.even = time.Now()
}

// wait waits until enough was told, and past the time gives an errBehind. It does not wait for a server
// that can't be reached.
func (s *Store) wait(ctx context.Context, patience time.Duration, enough func() (bool, error)) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		s.mu.Lock()
		down, progress := s.down, s.progress
		s.mu.Unlock()
		if down != nil {
			return down
		}
		if ok, err := enough(); ok || err != nil {
			return err
		}
		select {
		case <-progress:
		case <-timer.C:
			return &errBehind{&store.UnreadyError{Detail: s.config.Product + " has not been told yet of all that was published"}}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errBehind says that the server is there and lacks what was published last.
type errBehind struct{ *store.UnreadyError }

func (e *errBehind) Unwrap() error { return e.UnreadyError }

// hasTold tells whether the server has a change.
func (s *Store) hasTold(n uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told >= n
}

func (s *Store) notTooFar() (bool, error) {
	_, last, _, err := s.Outbox().Span()
	return last < maxBehind || s.hasTold(last-maxBehind), err
}

// upToDate waits until the server has all that was written before.
func (s *Store) upToDate(ctx context.Context) error {
	_, last, _, err := s.Outbox().Span()
	if err != nil {
		return err
	}
	return s.wait(ctx, catchTime, func() (bool, error) { return s.hasTold(last), nil })
}

// unavailable tells the errors that say nothing about what was asked.
func unavailable(err error) bool { return errors.Is(err, store.ErrUnavailable) }
