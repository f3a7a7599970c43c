package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// away ends a server, as a crash does. Calling back starts it again at the same address.
func (s *server) away(t *testing.T) (back func()) {
	t.Helper()
	address := s.Listener.Addr().String()
	s.CloseClientConnections()
	s.Close()
	return func() {
		t.Helper()
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		s.Server = httptest.NewUnstartedServer(s)
		s.Listener.Close()
		s.Listener = l
		s.Start()
		t.Cleanup(s.Close)
	}
}

// answerWith makes the server answer the query all with these rows.
func (s *server) answerWith(values ...string) {
	s.do(func() { s.answer = answerRows(func(w http.ResponseWriter) { fmt.Fprint(w, bindings(values...)) }) })
}

// do changes the behaviour of a server.
func (s *server) do(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// stands returns two functions. still blocks the request that calls it until release is
// called. The caller of still holds the server's lock.
func (s *server) stands() (still, release func()) {
	released := make(chan struct{})
	return func() {
		s.mu.Unlock()
		<-released
		s.mu.Lock()
	}, func() { close(released) }
}

// wantRows checks the number of rows of the query all.
func wantRows(t *testing.T, f *Store, want int) {
	t.Helper()
	if rows, err := ask(t, f, all, budget.Limits{}); err != nil || len(rows) != want {
		t.Errorf("%d rows, %v; want %d", len(rows), err, want)
	}
}

// state returns the state that the service reports for its server.
func state(f *Store) string { return f.Following()[0].State }

// lacking returns how far its server is behind.
func lacking(f *Store) (uint64, time.Duration) {
	return f.Following()[0].Behind, f.Following()[0].Since
}

// While the server is away, from the start or later, the file accepts posts and answers
// queries. When the server is back, it receives everything and answers queries again.
func TestTheFileServesWhileTheServerIsAway(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	s := newServer(t)
	back := s.away(t)
	f := beginAs(t, s, as{})
	add(t, f, rdf.NewString("a"), rdf.NewString("b"))
	wantRows(t, f, 2)
	if got := f.Following()[0]; got.State != store.FollowUnreachable || !strings.Contains(got.Detail, "is unreachable") || got.Behind != 1 {
		t.Errorf("Following returned %+v", got)
	}
	if err := f.Ready(t.Context()); err != nil {
		t.Errorf("it is not ready: %v", err)
	}
	for _, text := range []string{`"a"`, `"c"`} { // the second time, it goes away while the service runs
		s.answerWith("from the server")
		back()
		eventually(t, "the server has all", func() bool { return state(f) == store.FollowOK })
		if len(s.received(text)) == 0 {
			t.Errorf("the server did not receive %s", text)
		}
		wantRows(t, f, 1)
		back = s.away(t)
		eventually(t, "it is noticed", func() bool { return state(f) == store.FollowUnreachable })
		add(t, f, rdf.NewString("c"))
		wantRows(t, f, 3)
	}
}

// If the server fails before a part of an answer was passed on, the file answers the
// query. From then on the service reports that the server is away.
func TestTheFileAnswersAQueryThatTheServerDrops(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	s := newServer(t)
	f := follow(t, s, Dialect{})
	add(t, f, rdf.NewString("a"), rdf.NewString("b"))
	for _, answer := range []func(http.ResponseWriter){
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter) { http.Error(w, "busy", http.StatusServiceUnavailable) },
		func(w http.ResponseWriter) { fmt.Fprint(w, `{"head":{"vars":["o"]},"results":{`) },
	} {
		eventually(t, "the server has all", func() bool { return state(f) == store.FollowOK })
		s.do(func() { s.answer = answerRows(answer) })
		wantRows(t, f, 2)
	}
	eventually(t, "the server has all", func() bool { return state(f) == store.FollowOK })
	s.do(func() {
		s.answer = answerRows(func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "10000")
			fmt.Fprint(w, strings.TrimSuffix(bindings("x"), "]}}"))
		})
	})
	wantRows(t, f, 2)
	eventually(t, "the server has all", func() bool { return state(f) == store.FollowOK })
	s.do(func() {
		s.answer = answerRows(func(w http.ResponseWriter) {
			fmt.Fprint(w, strings.TrimSuffix(bindings(strings.Repeat("x", heldBytes)), "]}}"))
		})
	})
	if rows, err := ask(t, f, all, budget.Limits{}); err == nil || len(rows) != 1 {
		t.Errorf("an answer that broke off after a row that was passed on: %d rows, %v; want an error", len(rows), err)
	}
}

// While the server is being rebuilt, posts and queries do not wait for it. Documents
// published meanwhile are sent too. A strict service refuses posts and queries.
func TestTheFileServesWhileTheServerReceivesEverything(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	for _, strict := range []bool{false, true} {
		s := newServer(t)
		f := followAs(t, s, as{strict: strict})
		add(t, f, rdf.NewString("a"), rdf.NewString("b"))
		eventually(t, "the server receives it", func() bool { return len(s.received(`"b"`)) > 0 })
		back := s.away(t)
		eventually(t, "it is noticed", func() bool { return f.followers[0].whyDown() != nil })
		still, release := s.stands()
		s.do(func() { // it comes back empty, and takes long over the first document
			s.mark, s.updates = "", nil
			s.refuse = func(update string) bool {
				if strings.Contains(update, "INSERT") && strings.Contains(update, `"a"`) {
					still()
				}
				return false
			}
		})
		back()
		eventually(t, "it receives everything", func() bool { // not only in doubt, which has the same state
			down, _ := f.absence()
			return down != nil && down.state == store.FollowResync
		})
		if strict {
			_, err := f.Add(t.Context(), &store.Document{}, journal.Entry{})
			_, asked := ask(t, f, all, budget.Limits{})
			if !errors.Is(err, store.ErrUnavailable) || !errors.Is(asked, store.ErrUnavailable) || f.Ready(t.Context()) == nil {
				t.Errorf("a strict service takes a post (%v), answers a query (%v), or is ready", err, asked)
			}
		} else {
			add(t, f, rdf.NewString("meanwhile"))
			wantRows(t, f, 3)
		}
		release()
		eventually(t, "the server has all", func() bool { return state(f) == store.FollowOK })
		if !strict && len(s.received(`"meanwhile"`)) == 0 {
			t.Error("documents published meanwhile were not sent")
		}
		s.answerWith("from the server")
		wantRows(t, f, 1)
	}
}

// Posts do not wait for a server that is too slow for them, unless the service is strict.
// The file answers queries as soon as the server is far behind.
func TestPostsDoNotWaitForASlowServer(t *testing.T) {
	s := newServer(t)
	f := followAs(t, s, as{Config: Config{maxBehind: 10}})
	still, release := s.stands()
	s.do(func() {
		s.refuse = func(update string) bool {
			if strings.Contains(update, "urn:s") {
				still()
			}
			return false
		}
	})
	const posts = 30
	begin := time.Now()
	for i := range posts {
		add(t, f, rdf.NewString(fmt.Sprint(i)))
	}
	if waited := time.Since(begin); waited > patience {
		t.Errorf("%d posts took %v", posts, waited)
	}
	if _, why, err := f.answerer(t.Context(), nil); err != nil || !strings.Contains(why, "changes behind") {
		t.Errorf("the file answers because %q, %v", why, err)
	}
	wantRows(t, f, posts)
	release()
	eventually(t, "it has all", func() bool { n, _ := lacking(f); return n == 0 })
}

// If a server stops responding during a query, the error blames the server. If half of the
// query's time ends first, because the server is frozen or only slow, the file answers.
func TestAServerThatFreezesIsNotBlamedOnTheQuery(t *testing.T) {
	for _, tt := range []struct {
		name    string
		timeout time.Duration // of the server
		limit   time.Duration // of the query
		frozen  bool          // the server does not respond any more
		rows    bool          // it has sent a row before
		want    string        // in the error; "" if the file answers
	}{
		{"frozen", time.Second, time.Minute, true, false, "stopped answering"},
		{"frozen after a row", time.Second, time.Minute, true, true, "stopped answering"},
		{"frozen, with less time for the query", time.Minute, 2 * time.Second, true, false, ""},
		{"slow", time.Second, 4 * time.Second, false, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			f := followAs(t, s, as{Config: Config{Timeout: tt.timeout}})
			add(t, f, rdf.NewString("a"))
			eventually(t, "the server receives it", func() bool { n, _ := lacking(f); return n == 0 })
			still, release := s.stands()
			defer release()
			s.do(func() {
				s.answer = func(w http.ResponseWriter, query string) bool {
					asked := strings.Contains(query, "?s ?p ?o") && !strings.Contains(query, "LIMIT")
					if asked && tt.rows {
						fmt.Fprint(w, strings.TrimSuffix(bindings("x"), "]}}"))
						w.(http.Flusher).Flush()
					}
					if asked || tt.frozen {
						still()
					}
					return asked
				}
			})
			begin := time.Now()
			rows, err := ask(t, f, all, budget.Limits{Time: tt.limit})
			if answered := tt.want == ""; answered != (err == nil && len(rows) == 1) || !answered && (!strings.Contains(err.Error(), tt.want) || !errors.Is(err, store.ErrUnavailable)) {
				t.Errorf("%d rows, %v; want %q", len(rows), err, tt.want)
			}
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if tt.frozen {
				eventually(t, "the file answers", func() bool { return state(f) != store.FollowOK })
				wantRows(t, f, 1)
			}
		})
	}
}

// If a server freezes while the store connects to it, the file still serves. The store
// connects again once the server responds.
func TestAServerThatFreezesWhileItIsMetIsMetAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	still, release := s.stands()
	frozen := false
	s.answer = func(_ http.ResponseWriter, query string) bool {
		if frozen = frozen || strings.Contains(query, markProperty); frozen {
			still()
		}
		return false
	}
	f := beginAs(t, s, as{Config: Config{Timeout: 100 * time.Millisecond}})
	add(t, f, rdf.NewString("a"))
	wantRows(t, f, 1)
	s.do(func() { s.answer = nil })
	release()
	eventually(t, "the server has all", func() bool { return state(f) == store.FollowOK })
}

// TestAServerAnswersAfterTheDiskFailed stops writing while changes wait for the server. It has nothing to do with the server.
func TestAServerAnswersAfterTheDiskFailed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := followAs(t, s, as{Config: Config{markTime: time.Millisecond}})
	s.mu.Lock()
	s.refuse = func(update string) bool {
		if strings.Contains(update, `"first"`) {
			add(t, f, rdf.NewString("second"))
			defer func() { _ = recover() }()
			_ = f.Update(context.Background(), func(*engine.Tx) error { panic("a fault") })
		}
		return false
	}
	s.mu.Unlock()
	add(t, f, rdf.NewString("first"))
	eventually(t, "writing stops", func() bool { return f.Store.Ready(context.Background()) != nil })
	for range 100 {
		if got := f.Following()[0]; got.State != store.FollowOK {
			t.Fatalf("the server is %+v", got)
		}
		time.Sleep(retryTime / 25)
	}
}
