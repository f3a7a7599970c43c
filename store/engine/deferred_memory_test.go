package engine

import (
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// addEvents publishes the given number of documents like a robot's, from eight
// goroutines, and calls look after each.
func addEvents(t *testing.T, s *Store, events int64, look func()) {
	t.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := next.Add(1); n <= events; n = next.Add(1) {
				doc := &store.Document{}
				event := rdf.NewIRI(fmt.Sprint("http://example.org/robot/activity/", n*7919%100_000))
				for p := range 8 {
					doc.Add(rdf.Quad{S: event, P: rdf.NewIRI(fmt.Sprint("http://example.org/vocabulary/", p)), O: rdf.NewLiteral(fmt.Sprint(n*int64(p)), rdf.XSDInteger)})
				}
				for p := range 3 {
					doc.Add(rdf.Quad{S: event, P: rdf.NewIRI(fmt.Sprint("http://example.org/vocabulary/t", p)), O: rdf.NewString(fmt.Sprint("something was said, ", n, p))})
				}
				if _, err := s.Add(t.Context(), doc, journal.Entry{Action: journal.Insert, Actor: "test"}); err != nil {
					t.Error(err)
				}
				look()
			}
		})
	}
	all.Wait()
}

// Deferred writes stay within the memory that the options allow, even if the log has
// room.
func TestDeferredWritesKeepToTheirMemory(t *testing.T) {
	t.Parallel()
	const most = 256 << 10
	s, err := Open(filepath.Join(t.TempDir(), "x.db"), withProvenance(Options{Deferred: most}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var peak atomic.Int64
	addEvents(t, s, 400, func() {
		s.queue.mu.Lock()
		defer s.queue.mu.Unlock()
		for n := s.queue.state.size(); ; {
			if old := peak.Load(); n <= old || peak.CompareAndSwap(old, n) {
				return
			}
		}
	})
	if n := peak.Load(); n > most+most/8 || n < most/8 {
		t.Errorf("deferred writes took %d bytes of memory of %d", n, most)
	}
	mustCheck(t, s)
}

// The estimated memory of deferred writes is about what they take.
func TestTheMemoryOfDeferredWritesIsKnown(t *testing.T) {
	for name, write := range map[string]func(s *Store){
		"events": func(s *Store) { addEvents(t, s, 500, func() {}) },
		"triple terms": func(s *Store) {
			for n := range 100 {
				mustAdd(t, s, claims(20*n, 20))
			}
		},
	} {
		s, err := Open(filepath.Join(t.TempDir(), "x.db"), withProvenance(Options{}))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		mustAdd(t, s, claims(0, 1)) // the first is not deferred
		live := func() int64 {
			s.turn.known.Reset()
			var m runtime.MemStats
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before := live()
		write(s)
		if s.Deferred() < 100<<10 {
			t.Fatalf("%s: only %d bytes of the log are deferred", name, s.Deferred())
		}
		after := live()
		said, is := s.queue.state.size(), after-before
		t.Logf("%s: %d bytes in the log, estimated at %d in memory, which takes %d", name, s.Deferred(), said, is)
		if is > said*5/4 || is < said/2 {
			t.Errorf("deferred %s are estimated at %d bytes of memory, and take %d", name, said, is)
		}
	}
}
