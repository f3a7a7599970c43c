package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
)

const (
	clients = 8
	readers = 2
	width   = 5 // triples per document
)

// fleet is a set of robots that publish documents and record the answers.
type fleet struct {
	mu    sync.Mutex
	sent  map[string]bool   // documents by name, true after a 201
	first map[string]string // the answers by name, of documents with one
	acked atomic.Int64
	next  atomic.Int64
}

// document returns the text of the document with a name: a robot log with unique triples.
func document(name string) string {
	var b strings.Builder
	for i := range width {
		fmt.Fprintf(&b, "<http://example.org/%s> <http://example.org/p%d> \"%s\" .\n", name, i, name)
	}
	return b.String()
}

// publish sends documents until the service is gone. Anything but 201 or a broken
// connection is an error.
func (f *fleet) publish(t *testing.T, api string) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for {
		name := "d" + strconv.FormatInt(f.next.Add(1), 10)
		f.mu.Lock()
		f.sent[name] = false
		f.mu.Unlock()
		a, err := try(client, "POST", api+"/ttl?user=ari", []byte(document(name)), "Content-Type", "text/turtle", "Idempotency-Key", name)
		if a.status == 0 {
			return // no answer began: the service is gone
		}
		if a.status != http.StatusCreated {
			t.Errorf("POST /ttl: %d %v\n%s", a.status, err, a.body)
			return
		}
		f.mu.Lock()
		f.sent[name] = true // a 201 arrived, even if the connection broke in the body
		if err == nil {
			f.first[name] = string(a.body)
		}
		f.mu.Unlock()
		f.acked.Add(1)
	}
}

// read exports the graph and counts its triples with a query, until the service is gone.
func read(api string) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for n := 0; ; n++ {
		address := api + "/events"
		if n%2 == 0 {
			address = api + "/query?query=SELECT+(COUNT(*)+AS+%3Fn)+%7B%3Fs+%3Fp+%3Fo%7D"
		}
		if a, _ := try(client, "GET", address, nil); a.status == 0 {
			return
		}
	}
}

// repeat sends the documents without an answer again with their keys, and some others. Each is
// then stored once, and those with an answer get the same one.
func (f *fleet) repeat(t *testing.T, s *service, round int) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	const others = 10
	n := 0
	for name, acked := range f.sent {
		if n++; acked && n > others {
			continue
		}
		a := request(t, "POST", s.api+"/ttl?user=ari", []byte(document(name)), "Content-Type", "text/turtle", "Idempotency-Key", name)
		if first, known := f.first[name]; a.status != http.StatusCreated || known && string(a.body) != first {
			t.Errorf("round %d: %s again: %d %s; first %s", round, name, a.status, a.body, first)
		}
		f.sent[name], f.first[name] = true, string(a.body)
	}
}

// Every document that was answered with 201 is completely stored after a kill. Every
// other document is stored completely or not at all. Sent again with its key, it is stored
// once and answered as the first time.
func TestEvery201SurvivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := &fleet{sent: map[string]bool{}, first: map[string]string{}}
	rounds := suite.Times(500, suite.Size(20, 5))
	if storeSettings(t) != nil {
		rounds = 4 // the killed program is the same
	}
	var slowest time.Duration
	s := serve(t, dir, nil)
	for round := range rounds {
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() { f.publish(t, s.api) })
		}
		for range readers {
			wg.Go(func() { read(s.api) })
		}
		// The kill comes after some more answers, at a random point of the next write.
		goal := f.acked.Load() + int64(rand.IntN(60))
		poll(t, "enough documents are published", func() bool { return f.acked.Load() >= goal || t.Failed() })
		s.kill()
		wg.Wait()
		journaled := checkFile(t, filepath.Join(dir, "segraph.db"))
		begin := time.Now()
		s = serve(t, dir, nil)
		slowest = max(slowest, time.Since(begin))
		if stored := f.check(t, s, round); stored != journaled {
			t.Errorf("round %d: %d triples are stored, and the journal counts %d", round, stored, journaled)
		}
		f.repeat(t, s, round)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills, %d documents sent, %d answered with 201; slowest restart %v", rounds, len(f.sent), f.acked.Load(), slowest)
	if limit := 2 * time.Second; slowest > limit && float64(slowest) > suite.Slowness()*float64(limit) {
		t.Errorf("ready again after %v, want %v", slowest, limit)
	}
	s.stop()
	storedOnce(t, filepath.Join(dir, "segraph.db"), len(f.sent))
}

// storedOnce verifies that a file has n logs, and that each was new.
func storedOnce(t *testing.T, path string, n int) {
	t.Helper()
	s, err := persist.Open(path, persist.Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(func(snap *engine.Snapshot) error {
		entries, err := storetest.Entries(snap.KV())
		if len(entries) != n {
			t.Errorf("%d logs are stored, want %d", len(entries), n)
		}
		for _, e := range entries {
			if e.Added != width {
				t.Errorf("log %s was stored twice", e.LogID)
			}
		}
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Error(err)
	}
}

// checkFile verifies a file after a kill: its pages, their content, and the chain of its
// journal. It returns the number of triples according to the journal.
func checkFile(t *testing.T, path string) (triples int) {
	t.Helper()
	s, err := persist.Open(path, persist.Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	err = s.View(func(snap *engine.Snapshot) error {
		entries, err := storetest.Entries(snap.KV())
		for _, e := range entries {
			triples += e.Added
		}
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Error(err)
	}
	return triples
}

// check compares the stored documents with the answers and returns the number of triples.
func (f *fleet) check(t *testing.T, s *service, round int) (triples int) {
	t.Helper()
	a := request(t, "GET", s.api+"/events", nil, "Accept", "application/n-triples")
	if a.status != http.StatusOK {
		t.Fatalf("round %d: GET /events: %d\n%s", round, a.status, a.body)
	}
	stored := map[string]int{}
	triples = bytes.Count(a.body, []byte("\n"))
	for line := range strings.Lines(string(a.body)) {
		subject, _, _ := strings.Cut(strings.TrimPrefix(line, "<http://example.org/"), ">")
		stored[subject]++
		if !strings.Contains(document(subject), line) {
			t.Errorf("round %d: a triple was stored that nobody sent: %s", round, line)
		}
	}
	for name, acked := range f.sent {
		if n := stored[name]; acked && n != width || n != 0 && n != width {
			t.Errorf("round %d: document %s, answered with 201: %v, has %d of its %d triples", round, name, acked, n, width)
		}
		delete(stored, name)
	}
	if len(stored) > 0 {
		t.Errorf("round %d: %d documents are stored that nobody sent", round, len(stored))
	}
	return triples
}
