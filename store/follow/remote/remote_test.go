package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// If the server's answer is incomplete or refused, the file answers completely. An answer
// that breaks off is an error.
func TestNoPartOfAnAnswerLooksWhole(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := followAs(t, s, as{strict: true, Config: Config{Dialect: Dialect{Complete: func(h http.Header) error {
		if h.Get("X-Rows") != "" {
			return &PartError{"there are more"}
		}
		return nil
	}}}})
	add(t, f, rdf.NewString("a"), rdf.NewString("b"))
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter)
		rows   int
		err    string
	}{
		{"whole", func(w http.ResponseWriter) { fmt.Fprint(w, bindings("x", "y", "z")) }, 3, ""},
		{"cut, with a sign", func(w http.ResponseWriter) { w.Header().Set("X-Rows", "1"); fmt.Fprint(w, bindings("x")) }, 2, ""},
		{"refused", func(w http.ResponseWriter) { http.Error(w, "too hard", http.StatusInternalServerError) }, 2, ""},
		{"broken off", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "10000")
			fmt.Fprint(w, strings.TrimSuffix(bindings("x", "y"), "]}}"))
		}, 0, "unexpected EOF"},
		{"gone without a word", func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }, 0, "without an answer"},
		{"not JSON", func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") }, 0, "broke off an answer"},
	} {
		s.mu.Lock()
		s.answer = answerRows(tt.answer)
		s.mu.Unlock()
		rows, err := ask(t, f, all, budget.Limits{})
		if errors.Is(err, io.EOF) {
			t.Errorf("%s: the error is io.EOF, which means a normal end: %v", tt.name, err)
		}
		if len(rows) != tt.rows || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %d rows, %v; want %d, %q", tt.name, len(rows), err, tt.rows, tt.err)
		}
	}
}

// If a server has sent nothing in half of a query's time, the file answers.
func TestTheFileAnswersInPlaceOfASlowServer(t *testing.T) {
	s := newServer(t)
	f := follow(t, s, Dialect{})
	add(t, f, rdf.NewString("a"))
	eventually(t, "the server receives it", func() bool { n, _ := lacking(f); return n == 0 })
	release := make(chan struct{})
	defer close(release)
	s.mu.Lock()
	s.answer = answerRows(func(http.ResponseWriter) { s.mu.Unlock(); <-release; s.mu.Lock() })
	s.mu.Unlock()
	begin := time.Now()
	rows, err := ask(t, f, all, budget.Limits{Time: 4 * time.Second})
	if took := time.Since(begin); err != nil || len(rows) != 1 || took < 2*time.Second || took > 4*time.Second {
		t.Errorf("after %v: %d rows, %v", took, len(rows), err)
	}
}

// A triple that a server refuses does not delay others. From then on the file answers
// queries.
func TestARefusedTripleIsNotReportedAsMissing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.refuse = func(update string) bool { return strings.Contains(update, "poison") }
	f := follow(t, s, Dialect{})
	add(t, f, rdf.NewString("a"), rdf.NewString("poison"), rdf.NewString("c"))
	rows, err := ask(t, f, all, budget.Limits{})
	if len(rows) != 3 || err != nil {
		t.Errorf("%d rows, %v; want all 3", len(rows), err)
	}
	if len(s.received(`"a"`)) == 0 || len(s.received(`"c"`)) == 0 {
		t.Error("the other triples were not sent")
	}
	if _, err := f.Clear(t.Context(), true, journal.Entry{Action: journal.Clear}); err != nil {
		t.Fatal(err)
	}
	add(t, f, rdf.NewString("d"))
	s.mu.Lock()
	s.answer = answerRows(func(w http.ResponseWriter) { fmt.Fprint(w, bindings("from the server")) })
	s.mu.Unlock()
	if rows, err := ask(t, f, all, budget.Limits{}); err != nil || len(rows) != 1 || rows[0][0].Value() != "from the server" {
		t.Errorf("after the graph was cleared: %v, %v", rows, err)
	}
}

// If a file already has triple terms and base directions, the server receives the rest,
// and the file answers queries.
func TestAFileWithTripleTermsIsFollowedWithoutThem(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	path := filepath.Join(t.TempDir(), "segraph.db")
	alone, err := persist.Open(path, persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	triple := rdf.Triple{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString("plain")}
	d := &store.Document{}
	for _, o := range []rdf.Term{triple.O, rdf.NewTripleTerm(triple), rdf.NewDirLang("directed", "ar", "rtl")} {
		d.Add(rdf.Quad{S: triple.S, P: triple.P, O: o})
	}
	_, err = alone.Add(t.Context(), d, journal.Entry{Action: journal.Insert})
	if err := errors.Join(err, alone.Close()); err != nil {
		t.Fatal(err)
	}
	f := beginFile(t, s, path, as{})
	eventually(t, "the server has the rest", func() bool { return state(f) == store.FollowOK && f.Ready(context.Background()) == nil })
	if len(s.received(`"plain" .`)) == 0 || len(s.received("<<(")) > 0 || len(s.received("directed")) > 0 {
		t.Errorf("the server received %q", s.updates)
	}
	if rows, err := ask(t, f, all, budget.Limits{}); len(rows) != 3 || err != nil {
		t.Errorf("%d rows, %v; want all 3", len(rows), err)
	}
}

// A term that a server would change is sent and queried as another term, and restored in
// answers.
func TestTermsRoundTripThroughTheServer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := follow(t, s, Dialect{Alien: func(t rdf.Term) bool { return t.Datatype() == "urn:alien" }})
	add(t, f, rdf.NewLiteral("x", "urn:alien"), rdf.NewBlank("b"))
	if _, err := ask(t, f, `SELECT ?o { ?s ?p ?o, "x"^^<urn:alien> FILTER(?o != "y"^^<urn:alien> && !ISBLANK(?o)) VALUES ?o { "z"^^<urn:alien> } }`, budget.Limits{}); err != nil {
		t.Fatal(err)
	}
	if len(s.received(`"x"^^<urn:segraph:kept:urn:alien>`)) != 1 || len(s.received("<urn:segraph:blank:")) != 1 {
		t.Errorf("the server received %q", s.updates)
	}
	s.mu.Lock()
	asked := s.queries[len(s.queries)-1]
	s.mu.Unlock()
	for _, part := range []string{`"x"^^<urn:segraph:kept:urn:alien>`, `"y"^^<urn:segraph:kept:urn:alien>`, `"z"^^<urn:segraph:kept:urn:alien>`, `"urn:segraph:blank:"`} {
		if !strings.Contains(asked, part) {
			t.Errorf("the server was asked\n%s\nwithout %s", asked, part)
		}
	}
	d := Dialect{}.withDefaults()
	for want, given := range map[rdf.Term]rdf.Term{
		rdf.NewLiteral("x", "urn:alien"): rdf.NewLiteral("x", keptSpace+"urn:alien"),
		rdf.NewBlank("b7"):               rdf.NewIRI(blankSpace + "7"),
		rdf.NewIRI("urn:alien"):          rdf.NewIRI(keptSpace + "urn:alien"), // as DATATYPE returns it
		rdf.NewIRI("urn:x"):              rdf.NewIRI("urn:x"),
		rdf.NewLang("a", "en"):           rdf.NewLang("a", "en"),
	} {
		if got := d.in(given); got != want {
			t.Errorf("%v comes in as %v, want %v", given, got, want)
		}
	}
	var refused *store.RefusedError
	for _, name := range []string{blankSpace + "1", keptSpace + "urn:x"} {
		doc := &store.Document{}
		doc.Add(rdf.Quad{S: rdf.NewIRI(name), P: rdf.NewIRI("urn:p"), O: rdf.NewString("")})
		if _, err := f.Add(t.Context(), doc, journal.Entry{}); !errors.As(err, &refused) {
			t.Errorf("%s, in segraph's own namespace, was accepted: %v", name, err)
		}
	}
	for word, o := range map[string]rdf.Term{
		"triple term":    rdf.NewTripleTerm(rdf.Triple{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString("x")}),
		"base direction": rdf.NewDirLang("x", "ar", "rtl"),
	} {
		doc := &store.Document{}
		doc.Add(rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: o})
		if _, err := f.Add(t.Context(), doc, journal.Entry{}); !errors.As(err, &refused) || !strings.Contains(refused.Detail, word) {
			t.Errorf("%v: %v", o, err)
		}
		text := &store.Text{Content: []byte("<urn:s> <urn:p> " + o.String() + " ."), Format: turtle.Turtle}
		if _, err := f.AddText(t.Context(), text, journal.Entry{}); !errors.As(err, &refused) || !strings.Contains(refused.Detail, word) {
			t.Errorf("%v in a text: %v", o, err)
		}
	}
}

// A strict service refuses everything while the server is away, and the error says why.
func TestStrictModeRefusesWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := followAs(t, s, as{strict: true})
	s.Close()
	var unready *store.UnreadyError
	eventually(t, "it is noticed", func() bool { return errors.As(f.Ready(t.Context()), &unready) })
	if !strings.Contains(unready.Detail, "the server is unreachable") || strings.Contains(unready.Detail, "127.0.0.1") {
		t.Errorf("the detail is %q", unready.Detail)
	}
	eventually(t, "posts are refused", func() bool {
		d := &store.Document{}
		d.Add(rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString("x")})
		_, err := f.Add(t.Context(), d, journal.Entry{})
		return errors.Is(err, store.ErrUnavailable)
	})
	if _, err := ask(t, f, all, budget.Limits{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a query returned %v", err)
	}
}

func TestAPanicWhileSendingChangesIsLoggedAndEndsNothingElse(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := follow(t, s, Dialect{Alien: func(term rdf.Term) bool {
		if term.Value() == "panic" {
			panic("a fault of the program")
		}
		return false
	}})
	add(t, f, rdf.NewString("panic")) // stored in the file, and sent afterwards
	var unready *store.UnreadyError
	eventually(t, "the panic is reported", func() bool { return errors.As(f.Ready(t.Context()), &unready) })
	if !strings.Contains(unready.Detail, "restart the service") {
		t.Errorf("the detail is %q", unready.Detail)
	}
	if _, err := ask(t, f, all, budget.Limits{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a query returned %v", err)
	}
}
