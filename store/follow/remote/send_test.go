package remote

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// A server that hangs during an update is unreachable for posts and queries too. When it
// responds again, everything that it received by then counts.
func TestAServerThatHangsDuringAnUpdateIsUnreachable(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	s := newServer(t)
	f := followAs(t, s, as{strict: true})
	release := make(chan struct{})
	stands := func() { s.mu.Unlock(); <-release; s.mu.Lock() }
	s.mu.Lock()
	s.refuse = func(update string) bool { stands(); return false }
	s.answer = func(http.ResponseWriter, string) bool { stands(); return false }
	s.mu.Unlock()
	add(t, f, rdf.NewString("a"))
	begin := time.Now()
	eventually(t, "posts are refused", func() bool {
		_, err := f.Add(t.Context(), &store.Document{}, journal.Entry{Action: journal.Insert})
		return errors.Is(err, store.ErrUnavailable)
	})
	if took := time.Since(begin); took > updateTime/2 {
		t.Errorf("posts were accepted for %v", took)
	}
	if n, since := lacking(f); n == 0 || since <= 0 {
		t.Errorf("%d changes behind for %v, while the update hangs", n, since)
	}
	if _, err := ask(t, f, all, budget.Limits{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a query returned %v", err)
	}
	close(release)
	eventually(t, "the server is back", func() bool { return f.Ready(t.Context()) == nil && !f.followers[0].doubt.Load() })
	add(t, f, rdf.NewString("b"))
	eventually(t, "the server has all", func() bool { n, _ := lacking(f); return n == 0 && len(s.received(`"b"`)) > 0 })
}

// A refused login is not retried at once, because the server would refuse it again.
func TestALoginThatIsRefusedIsNotTriedAgainAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	tries := make(chan struct{}, 100)
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/update" {
			tries <- struct{}{}
			w.Header().Set("WWW-Authenticate", `Basic realm="SPARQL"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.ServeHTTP(w, r)
	}))
	defer guarded.Close()
	file, err := persist.Open(filepath.Join(t.TempDir(), "segraph.db"), persist.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	f := Follow(file.Store, file.Outbox, Options{}, Config{Name: "server", Product: "the server", Query: guarded.URL + "/query", Update: guarded.URL + "/update", Graph: "urn:g", User: "dba", Password: "wrong",
		Dialect: Dialect{LoginAdvice: func(password string) string { return "Try harder than " + password }}})
	defer f.Close()
	eventually(t, "the refusal is reported", func() bool { return f.followers[0].whyDown() != nil && errors.Is(f.followers[0].whyDown(), errLogin) })
	if text := f.followers[0].whyDown().Error(); !strings.Contains(text, "refuses the user dba") || !strings.Contains(text, "Try harder than wrong") {
		t.Errorf("the error is %q", text)
	}
	if got := pauseAfter(f.followers[0].whyDown()); got != refusedTime {
		t.Errorf("the next try is after %v, want %v", got, refusedTime)
	}
	if n := len(tries); n > 3 {
		t.Errorf("%d requests were made at once", n)
	}
}

// The file may have data, from when another store was in use, that this server can't
// store. The server still receives the rest.
func TestTriplesThatTheServerRefusesAreOmittedAndTheFileAnswers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	name := filepath.Join(t.TempDir(), "segraph.db")
	file, err := persist.Open(name, persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := &store.Document{}
	for _, o := range []rdf.Term{rdf.NewString("good"), rdf.NewString("too long"), rdf.NewLiteral("x", keptSpace+"urn:alien")} {
		d.Add(rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: o})
	}
	if _, err := file.Add(t.Context(), d, journal.Entry{Action: journal.Insert}); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if file, err = persist.Open(name, persist.Options{Follow: true}); err != nil {
		t.Fatal(err)
	}
	f := Follow(file.Store, file.Outbox, Options{}, Config{Name: "server", Product: "the server", Query: s.URL + "/query", Update: s.URL + "/update", Graph: "urn:g", Dialect: Dialect{
		Refuse: func(t rdf.Term) string {
			if t.Value() == "too long" {
				return "it is too long"
			}
			return ""
		}}})
	defer f.Close()
	eventually(t, "the server has what it can have", func() bool { return state(f) == store.FollowOK })
	if len(s.received("good")) == 0 || len(s.received("too long")) > 0 || len(s.received(`"x"`)) > 0 {
		t.Errorf("the server received %q", s.updates)
	}
	if rows, err := ask(t, f, all, budget.Limits{}); len(rows) != 3 || err != nil {
		t.Errorf("%d rows, %v; want all 3, from the file", len(rows), err)
	}
}

// An explanation has the query for the server, or the reason for not sending it.
func TestAnExplanationShowsTheQuerySentToTheServer(t *testing.T) {
	t.Parallel()
	f := follow(t, newServer(t), Dialect{})
	for text, want := range map[string]sparql.Server{
		`SELECT ?o { ?s ?p ?o FILTER(ISBLANK(?s)) }`:        {Product: "the server", Query: blankSpace},
		`DESCRIBE <urn:s>`:                                  {Product: "the server", Because: "DESCRIBE"},
		`ASK { << ?s ?p ?o >> ?q ?x }`:                      {Product: "the server", Because: "triple terms"},
		`ASK { ?x ?q <<( <x:s> <x:p> 1 )>> }`:               {Product: "the server", Because: "triple terms"},
		`ASK { VALUES ?x { <<( <x:s> <x:p> 1 )>> } }`:       {Product: "the server", Because: "triple terms"},
		`ASK { ?s ?p ?o FILTER(isTRIPLE(?o)) }`:             {Product: "the server", Because: "triple terms"},
		`CONSTRUCT { ?s ?p <<( ?s ?p ?o )>> } { ?s ?p ?o }`: {Product: "the server", Because: "triple terms"},
	} {
		q, err := sparql.Prepare(context.Background(), text, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := f.Explain(t.Context(), q, budget.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := x.Server
		if got == nil || got.Product != want.Product || (got.Query == "") != (want.Query == "") || !strings.Contains(got.Query, want.Query) || !strings.Contains(got.Because, want.Because) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
		if !strings.Contains(x.String(), want.Query+want.Because) {
			t.Errorf("as text:\n%s", x)
		}
	}
}
