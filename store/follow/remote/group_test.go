package remote

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// followGroup makes a file that servers follow, which answer the query all with their index.
func followGroup(t *testing.T, path string, o Options, servers ...*server) *Store {
	t.Helper()
	file, err := persist.Open(path, persist.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []Config
	for i, s := range servers {
		s.answerWith(fmt.Sprint(i))
		all = append(all, s.configured(Config{Name: fmt.Sprint(i), Product: fmt.Sprint("server ", i), markTime: 20 * time.Millisecond}))
	}
	f := Follow(file.Store, file.Outbox, o, all...)
	t.Cleanup(func() { f.Close() }) // some tests have closed it
	return f
}

// wantStates waits until the servers have these states.
func wantStates(t *testing.T, f *Store, want ...string) {
	t.Helper()
	eventually(t, fmt.Sprint("the states are ", want), func() bool {
		var got []string
		for _, s := range f.Following() {
			got = append(got, s.State)
		}
		return slices.Equal(got, want)
	})
}

// wantAnswer checks which server answers the query all.
func wantAnswer(t *testing.T, f *Store, want string) {
	t.Helper()
	if rows, err := ask(t, f, all, budget.Limits{}); err != nil || len(rows) != 1 || rows[0][0].Value() != want {
		t.Errorf("%v, %v; want the answer of %s", rows, err, want)
	}
}

const (
	ok   = store.FollowOK
	away = store.FollowUnreachable
)

// If a server drops a query before a part of its answer was passed on, is away, refuses it, or
// has frozen, the next answers, also in strict mode. A server that comes back gets what it
// missed, and no more. Without any, the file answers, or nobody in strict mode.
func TestAnotherServerAnswersInThePlaceOfOneThatFails(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprint("strict ", strict), func(t *testing.T) {
			t.Parallel()
			a, b := newServer(t), newServer(t)
			f := followGroup(t, filepath.Join(t.TempDir(), "segraph.db"), Options{Strict: strict}, a, b)
			wantStates(t, f, ok, ok)
			add(t, f, rdf.NewString("x"))
			eventually(t, "both have it", func() bool { list := f.Following(); return list[0].Behind+list[1].Behind == 0 })
			wantAnswer(t, f, "0")
			for _, answer := range []func(http.ResponseWriter){
				func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
				func(w http.ResponseWriter) { http.Error(w, "busy", http.StatusServiceUnavailable) },
				func(w http.ResponseWriter) { http.Error(w, "too hard", http.StatusBadRequest) },
			} {
				wantStates(t, f, ok, ok)
				a.do(func() { a.answer = answerRows(answer) })
				wantAnswer(t, f, "1")
			}
			a.answerWith("0")
			back := a.away(t)
			wantAnswer(t, f, "1")
			wantStates(t, f, away, ok)
			add(t, f, rdf.NewString("missed"))
			wantAnswer(t, f, "1")
			if err := f.Ready(t.Context()); err != nil {
				t.Errorf("it is not ready: %v", err)
			}
			whole := len(a.received("CLEAR"))
			back()
			wantStates(t, f, ok, ok)
			eventually(t, "it gets what it missed", func() bool { return len(a.received(`"missed"`)) > 0 })
			if len(a.received("CLEAR")) != whole {
				t.Error("it got everything")
			}
			a.away(t)
			b.away(t)
			wantStates(t, f, away, away)
			rows, err := ask(t, f, all, budget.Limits{})
			if strict && !errors.Is(err, store.ErrUnavailable) || !strict && (err != nil || len(rows) != 2) {
				t.Errorf("without servers: %v, %v", rows, err)
			}
		})
	}
}

// A query that waits for a server that has frozen is answered by another.
func TestAnotherServerAnswersInThePlaceOfAFrozenOne(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	a, b := newServer(t), newServer(t)
	f := followGroup(t, filepath.Join(t.TempDir(), "segraph.db"), Options{}, a, b)
	f.followers[0].config.Timeout = time.Second
	wantStates(t, f, ok, ok)
	still, release := a.stands()
	defer release()
	a.do(func() { a.answer = func(http.ResponseWriter, string) bool { still(); return false } })
	wantAnswer(t, f, "1")
}

// Queries at the same time go to different servers.
func TestQueriesAreDividedAmongServers(t *testing.T) {
	t.Parallel()
	a, b := newServer(t), newServer(t)
	f := followGroup(t, filepath.Join(t.TempDir(), "segraph.db"), Options{}, a, b)
	wantStates(t, f, ok, ok)
	still, release := a.stands()
	begun := make(chan struct{})
	a.do(func() {
		a.answer = answerRows(func(w http.ResponseWriter) { close(begun); still(); fmt.Fprint(w, bindings("0")) })
	})
	first := make(chan struct{})
	go func() { defer close(first); wantAnswer(t, f, "0") }()
	<-begun
	wantAnswer(t, f, "1")
	release()
	<-first
}

// A query goes to a server that has all earlier writes, and not to one that is slow to store.
func TestAQueryGoesToAServerThatHasEarlierWrites(t *testing.T) {
	t.Parallel()
	a, b := newServer(t), newServer(t)
	f := followGroup(t, filepath.Join(t.TempDir(), "segraph.db"), Options{}, a, b)
	wantStates(t, f, ok, ok)
	still, release := a.stands()
	defer release()
	a.do(func() {
		a.refuse = func(update string) bool {
			if strings.Contains(update, `"x"`) {
				still()
			}
			return false
		}
	})
	add(t, f, rdf.NewString("x"))
	wantAnswer(t, f, "1")
	if list := f.Following(); list[0].Behind != 1 {
		t.Errorf("the states are %+v", list)
	}
	if best := store.BestOf(f.Following()); best.Name != "1" {
		t.Errorf("the best is %+v", best)
	}
}

// While one server is away, even over a restart, the changes that it lacks stay in the file,
// and an erasure waits for it. It gets these, and not everything.
func TestTheFileKeepsWhatAnAbsentServerLacks(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	a, b := newServer(t), newServer(t)
	path := filepath.Join(t.TempDir(), "segraph.db")
	f := followGroup(t, path, Options{}, a, b)
	wantStates(t, f, ok, ok)
	back := b.away(t)
	add(t, f, rdf.NewString("1"))
	eventually(t, "it is noticed", func() bool { return f.Following()[1].State == away })
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = followGroup(t, path, Options{}, a, b)
	add(t, f, rdf.NewString("2"))
	eventually(t, "the first has all", func() bool { return f.Following()[0].Behind == 0 })
	drained := make(chan error, 1)
	go func() { drained <- f.outbox.Drain(t.Context()) }()
	select {
	case err := <-drained:
		t.Errorf("it was not waited for: %v", err)
	case <-time.After(200 * time.Millisecond): // ten marks of the first
	}
	if trimmed, last, err := f.outbox.Span(); err != nil || last-trimmed != 2 {
		t.Errorf("%d changes are kept, %v; want 2", last-trimmed, err)
	}
	whole := len(b.received("CLEAR"))
	back()
	if err := <-drained; err != nil {
		t.Error(err)
	}
	if len(b.received(`"1"`)) == 0 || len(b.received(`"2"`)) == 0 || len(b.received("CLEAR")) != whole {
		t.Errorf("the second received %q", b.updates)
	}
}

// A server whose graph another segraph owns does no harm to others, nor to the file.
func TestAServerInConflictDoesNotKeepOthersFromAnswering(t *testing.T) {
	t.Parallel()
	a, b := newServer(t), newServer(t)
	path := filepath.Join(t.TempDir(), "segraph.db")
	f := followGroup(t, path, Options{}, a, b)
	wantStates(t, f, ok, ok)
	b.do(func() { b.mark = "0f2b 7 another-process robot-9" })
	wantStates(t, f, ok, store.FollowConflict)
	add(t, f, rdf.NewString("x"))
	wantAnswer(t, f, "0")
	a.away(t)
	wantStates(t, f, away, store.FollowConflict)
	add(t, f, rdf.NewString("y"))
	if rows, err := ask(t, f, all, budget.Limits{}); err != nil || len(rows) != 2 {
		t.Errorf("the file answers %v, %v", rows, err)
	}
}

// A Bearer token is read for each request, and its file is named if it can't be read.
func TestATokenIsReadForEachRequest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	s := &secrets{tokenFile: path}
	for _, token := range []string{"one", "two"} {
		if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r, _ := http.NewRequest(http.MethodPost, "http://localhost", nil)
		if err := s.authorize(r); err != nil || r.Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("%v, %v", r.Header, err)
		}
	}
	c := newClient(Config{Product: "the server", Query: "http://127.0.0.1:1", TokenFile: path + "s"})
	var unready *store.UnreadyError
	if err := c.probe(t.Context()); !errors.As(err, &unready) || !strings.Contains(err.Error(), path+"s") || strings.Contains(unready.Detail, path) {
		t.Errorf("%v", err)
	}
	if text := newClient(Config{Product: "the server", TokenFile: path}).unauthorized("no").Error(); !strings.Contains(text, "refuses the token of its token_file") {
		t.Errorf("%s", text)
	}
}
