package remote

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// followFile is follow, and returns the file too. The server refuses updates with the literal "bad" in them; random names may have its letters.
func followFile(t *testing.T, s *server, d Dialect) (*persist.Store, *Store) {
	t.Helper()
	s.refuse = func(update string) bool { return strings.Contains(update, `"bad"`) }
	file, err := persist.Open(filepath.Join(t.TempDir(), "segraph.db"), persist.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	f := Follow(file.Store, file.Outbox, Options{}, s.configured(Config{Dialect: d}))
	t.Cleanup(func() { f.Close() })
	eventually(t, "the server has all", func() bool { return state(f) == store.FollowOK })
	return file, f
}

// apply adds and removes triples with these objects in a graph, and waits until the server has the change.
func apply(t *testing.T, file *persist.Store, f *Store, g rdf.Term, added, removed []string) {
	t.Helper()
	quads := func(objects []string) (out []rdf.Quad) {
		for _, o := range objects {
			out = append(out, rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString(o), G: g})
		}
		return out
	}
	if err := file.Contexts().Apply(t.Context(), []resolver.Change{{Add: quads(added), Remove: quads(removed)}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server has the change", func() bool { n, _ := lacking(f); return n == 0 && state(f) == store.FollowOK })
}

// What is withdrawn leaves the server even if it refuses to remove one of the triples: then its graphs are emptied, and an
// erasure waits for that.
func TestNothingWithdrawnStaysBecauseTheServerRefusesATriple(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	file, f := followFile(t, s, Dialect{})
	objects := []string{"a", "bad", "c"}
	apply(t, file, f, rdf.Term{}, objects, nil)
	if f.followers[0].lacks() == "" || len(s.received(`"a"`)) == 0 || len(s.received(`"c"`)) == 0 {
		t.Errorf("the server received %q", s.updates)
	}
	cleared := 0
	s.do(func() {
		s.refuse = func(update string) bool {
			if strings.HasPrefix(update, "CLEAR") {
				cleared++
				if trimmed, last, err := file.Outbox.Span(); err != nil || trimmed == last {
					t.Errorf("the change is gone from the file before the server has removed the triples, %v", err)
				}
			}
			return strings.Contains(update, `"bad"`)
		}
	})
	apply(t, file, f, rdf.Term{}, nil, objects)
	s.do(func() {
		if cleared != len(f.followers[0].graphs()) || f.followers[0].lacks() != "" {
			t.Errorf("%d graphs were cleared, and the server lacks data (%s)", cleared, f.followers[0].lacks())
		}
	})
}

// No update is too long, to add or to remove triples, and none has a text that looks like the code of a character.
func TestUpdatesHaveTheLengthAndTheFormThatServersTake(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const limit = 300
	file, f := followFile(t, s, Dialect{MaxInsert: 100, MaxInsertBytes: limit})
	objects := []string{`C:\users`, `C:\Users`, `C:\\users`, "C:\\\x01"}
	for i := range 10 {
		objects = append(objects, strings.Repeat("x", 50+i))
	}
	apply(t, file, f, rdf.Term{}, objects, nil)
	if _, err := ask(t, f, `SELECT ?o { ?s ?p ?o FILTER(?o = "C:\\users") }`, budget.Limits{}); err != nil {
		t.Error(err)
	}
	apply(t, file, f, rdf.Term{}, nil, objects)
	s.mu.Lock()
	defer s.mu.Unlock()
	all := strings.Join(append(s.updates, s.queries...), "")
	for _, want := range []string{`"C:\\\u0075sers"`, `"C:\\\u0055sers"`, `"C:\\\\\u0075sers"`, `"C:\\\u0001"`} {
		if strings.Count(all, want) < 2 {
			t.Errorf("%s was not added and removed: %s", want, all)
		}
	}
	if strings.Contains(strings.ReplaceAll(all, `\\\u00`, ""), `\u`) || !strings.Contains(all, `= "C:\\\u0075sers"`) {
		t.Errorf("the server received %s", all)
	}
	for _, u := range s.updates {
		if strings.Contains(u, " DATA ") && len(u) > limit+100 {
			t.Errorf("an update has %d bytes", len(u))
		}
	}
}

// After the published graph was cleared, the server has what the graph of contexts has, or is known to lack it.
func TestWhatTheServerLacksIsKnownAfterAGraphWasCleared(t *testing.T) {
	t.Parallel()
	contexts := rdf.NewIRI(store.ContextsGraph)
	for _, tt := range []struct {
		published, contexts string
		all, lacks          bool // everything is cleared; the server lacks something then
		clears              int
	}{{"bad", "good", false, false, 3}, {"good", "bad", false, true, 3}, {"good", "bad", true, false, 2}} {
		s := newServer(t)
		file, f := followFile(t, s, Dialect{})
		apply(t, file, f, rdf.Term{}, []string{tt.published}, nil)
		apply(t, file, f, contexts, []string{tt.contexts}, nil)
		if f.followers[0].lacks() == "" {
			t.Errorf("%+v: the server lacks nothing before", tt)
		}
		before := len(s.received("CLEAR"))
		if _, err := f.Clear(t.Context(), tt.all, journal.Entry{Action: journal.Clear}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the server has the change", func() bool { n, _ := lacking(f); return n == 0 && state(f) == store.FollowOK })
		if got := f.followers[0].lacks(); (got != "") != tt.lacks || len(s.received("CLEAR"))-before != tt.clears {
			t.Errorf("%+v: it lacks data: %q, after %q", tt, got, s.received("CLEAR")[before:])
		}
	}
}

// A triple at which the server breaks again and again is left out, and the rest is sent. If the server breaks at
// everything, nothing is left out.
func TestATripleThatBreaksTheServerIsLeftOutInTheEnd(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		s := newServer(t)
		f := follow(t, s, Dialect{}).followers[0]
		s.mu.Lock()
		s.breaks = func(update string) bool { return all || strings.Contains(update, "poison") }
		s.mu.Unlock()
		var quads []rdf.Quad
		for _, o := range []string{"first", "poison", "last"} {
			quads = append(quads, rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString(o)})
		}
		for range maxBreaks {
			if err := f.add(t.Context(), quads); !errors.Is(err, errFails) || f.unable.Load() {
				t.Errorf("it fails with %v", err)
			}
		}
		if err := f.add(t.Context(), quads); errors.Is(err, errFails) != all || f.unable.Load() == all || (len(s.received("first")) > 0 && len(s.received("last")) > 0) == all {
			t.Errorf("in the end it fails with %v, after %q", err, s.updates)
		}
	}
}

// A server that recovers before the trial has all triples. Each trial is another triple, which a full server can't have yet.
func TestATripleIsSentAgainAfterTheTrial(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := follow(t, s, Dialect{}).followers[0]
	trials, seen := map[string]bool{}, map[string]bool{}
	s.mu.Lock()
	s.breaks = func(update string) bool {
		if _, trial, is := strings.Cut(update, "trial"); is {
			trials[trial] = true
			return false
		}
		again := seen[update]
		seen[update] = true
		return !again
	}
	s.mu.Unlock()
	for _, o := range []string{"first", "second"} {
		f.broken = maxBreaks
		q := rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString(o)}
		if err := f.add(t.Context(), []rdf.Quad{q}); err != nil || f.unable.Load() || len(s.received(o)) != 1 {
			t.Errorf("%v, unable %v, after %q", err, f.unable.Load(), s.updates)
		}
	}
	if gone := s.received("DELETE DATA { GRAPH <" + f.stateGraph()); len(trials) != 2 || len(gone) != 2 || !strings.Contains(gone[1], "trial") {
		t.Errorf("the trials are %v, and these were deleted: %v", trials, gone)
	}
}

// Only a refusal that is about the content leaves a triple out. After other failures, updates are sent again, not soon.
func TestOnlyARefusalOfTheContentLeavesTriplesOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status  int
		text    string
		content bool
	}{
		{http.StatusBadRequest, "", true}, {http.StatusRequestEntityTooLarge, "", true}, {http.StatusUnprocessableEntity, "", true},
		{http.StatusInternalServerError, "a bad literal", true}, {http.StatusInsufficientStorage, "a bad literal", false},
		{http.StatusInternalServerError, "the disk is full", false}, {http.StatusTooManyRequests, "", false}, {http.StatusFound, "", false},
		{http.StatusNotFound, "", false}, {http.StatusInternalServerError, "conflict", false},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, tt.text, tt.status) }))
		t.Cleanup(s.Close)
		d := Dialect{Rejects: func(said string) bool { return strings.HasPrefix(said, "a bad") }, Passing: func(said string) bool { return said == "conflict" }}
		err := newClient(Config{Product: "the server", Update: s.URL, Dialect: d.withDefaults()}).update(t.Context(), "INSERT DATA {}")
		var refusal *RefusalError
		if got := errors.As(err, &refusal); got != tt.content || unavailable(err) == tt.content {
			t.Errorf("%d %s: %v", tt.status, tt.text, err)
		}
		if later := pauseAfter(err) == refusedTime; later == tt.content {
			t.Errorf("%d %s: sent again after %v", tt.status, tt.text, pauseAfter(err))
		}
	}
}
