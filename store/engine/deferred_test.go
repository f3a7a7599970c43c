package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Writes that were deferred when the process was killed are there after the restart, even
// if the kill came during a flush.
func TestDeferredWritesSurviveAKill(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	for seed := range uint64(suite.Size(suite.Times(20, 3), 1)) {
		w := newWorker(t, seed, Options{})
		var flushing atomic.Bool // and nothing else writes
		w.s.commitFile = func(tx *bolt.Tx) error {
			if flushing.Load() {
				w.image("before a flush is committed")
			}
			err := w.s.file.Commit(tx)
			if flushing.Load() && err == nil {
				w.image("after a flush was committed")
			}
			return err
		}
		for range 40 {
			if err := w.write(); err != nil {
				t.Fatal(err)
			}
			switch w.random.IntN(6) {
			case 0:
				w.image("between writes")
			case 1:
				w.s.queue.freezeIdle()
				w.holds(w.s, "with a frozen level")
			case 2:
				w.s.queue.freezeIdle()
				flushing.Store(true)
				if err := w.s.flushFrozen(); err != nil {
					t.Fatal(err)
				}
				flushing.Store(false)
				w.holds(w.s, "after a flush")
			}
		}
		w.holds(w.s, "in the end")
		if w.images < 5 {
			t.Errorf("%d images were opened", w.images)
		}
	}
}

// TestWhatAKillLeftIsFlushedBeforeTheStoreServes opens what a killed process left.
// Writing its frames again would let a power cut damage those that were acknowledged.
func TestWhatAKillLeftIsFlushedBeforeTheStoreServes(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	if _, err := s.Add(t.Context(), document(t, turtle.Turtle, sample), journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadFile(s.Path())
	if err != nil || s.Deferred() == 0 {
		t.Fatalf("%d bytes are not flushed, %v", s.Deferred(), err)
	}
	path := filepath.Join(t.TempDir(), "left.db")
	if err := os.WriteFile(path, left, 0o600); err != nil {
		t.Fatal(err)
	}
	again := reopen(t, path)
	if again.Deferred() != 0 || dumped(t, again, turtle.NQuads) != dumped(t, s, turtle.NQuads) {
		t.Errorf("%d bytes are not flushed of\n%s", again.Deferred(), dumped(t, again, turtle.NQuads))
	}
}

// A log region that is much too small for the writes is flushed again and again, while
// they go on.
func TestASmallLogIsFlushedBesideWrites(t *testing.T) {
	t.Parallel()
	w := newWorker(t, 5, Options{logSize: 1})
	for range suite.Times(2000, 400) {
		if err := w.write(); err != nil {
			t.Fatal(err)
		}
	}
	w.holds(w.s, "in the end")
	if err := w.s.Close(); err != nil {
		t.Fatal(err)
	}
	s := reopen(t, w.path)
	if n := s.Deferred(); n != 0 {
		t.Errorf("%d bytes of the log are not flushed by Close", n)
	}
	w.holds(s, "after a restart")
}

// If flushes fail because the disk is full, writes go on until the log is full. Writes
// that fail then are lost, and no others.
func TestABatchThatFailedLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorker(t, 6, Options{logSize: 1})
	full := &file.CommitError{Err: &fs.PathError{Op: "write", Err: syscall.ENOSPC}}
	w.s.commitFile = func(tx *bolt.Tx) error { return errors.Join(tx.Rollback(), full) }
	failed := 0
	for n := 0; failed < 20; n++ {
		switch err := w.write(); {
		case errors.Is(err, store.ErrDiskFull):
			failed++
		case err != nil:
			t.Fatal(err)
		case n > 5000:
			t.Fatal("a full log takes writes")
		}
		if n%100 == 0 {
			w.holds(w.s, "on a full disk")
		}
	}
	w.holds(w.s, "on a full disk")
	w.image("on a full disk")
	w.s.storing.Lock() // wait for the flusher
	w.s.commitFile = w.s.file.Commit
	w.s.storing.Unlock()
	for range 100 {
		if err := w.write(); err != nil {
			t.Fatal(err)
		}
	}
	w.holds(w.s, "with room again")
}

// A write that is built on a lost write fails too.
func TestWritesAfterALostWriteFail(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, sample)
	want := exported(t, s, turtle.NTriples)
	begun, end := make(chan struct{}), make(chan struct{})
	s.writeLog = func([]byte) (file.Mark, error) {
		close(begun)
		<-end
		return file.Mark{}, syscall.EIO
	}
	doc := func(n int) *store.Document {
		return document(t, turtle.Turtle, fmt.Sprintf("<http://ex/new> <http://ex/n> %d .", n))
	}
	var tickets []*Ticket
	for i := range 3 {
		ticket, err := s.Submit(t.Context(), func(tx *Tx) error {
			n, err := tx.addDocument(doc(i), nil)
			if seen := tx.view(defaultGraph).count(0); err == nil && (n != 1 || seen != int64(strings.Count(want, "\n")+i+1)) {
				t.Errorf("write %d adds %d triples and sees %d", i, n, seen)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if tickets = append(tickets, ticket); i == 0 {
			<-begun
		}
	}
	if got := exported(t, s, turtle.NTriples); got != want {
		t.Error("readers see what is not on the disk")
	}
	close(end)
	for i, ticket := range tickets {
		if err := ticket.Wait(); !errors.Is(err, store.ErrInDoubt) || (i > 0) != errors.Is(err, errBuiltOnLost) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if _, err := s.Add(t.Context(), doc(9), journal.Entry{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the next write: %v", err)
	}
	if got := exported(t, s, turtle.NTriples); got != want {
		t.Error("readers see what was lost")
	}
}

// A write that is too large for the log, or that a level cannot express, changes the
// buckets at once.
func TestLargeWritesAreNotDeferred(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, sample)
	if s.Deferred() == 0 {
		t.Error("a small document is not deferred")
	}
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "<http://ex/large> <http://ex/p> \"%0300d\" .\n", i)
	}
	if n := add(t, s, text.String()); n != 3000 {
		t.Errorf("%d triples are new", n)
	}
	if n := s.Deferred(); n != 0 {
		t.Errorf("%d bytes are deferred after a large document", n)
	}
	mustCheck(t, s)
}

// A unit of work finds the triples that it added itself, whether their terms are new to
// the store or not.
func TestAUnitOfWorkAddsATripleOnce(t *testing.T) {
	t.Parallel()
	w := newWorker(t, 1, Options{})
	old := rdf.Quad{S: rdf.NewIRI("http://ex/s"), P: rdf.NewIRI("http://ex/p"), O: rdf.NewIRI("http://ex/o")}
	if n, err := w.s.Writer(journal.Entry{}).Add(t.Context(), old); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	fresh, mixed := old, old
	fresh.S, mixed.S, mixed.O = rdf.NewIRI("http://ex/new"), old.O, old.S
	var d store.Document
	for _, q := range []rdf.Quad{old, fresh, mixed, fresh} {
		d.Add(q)
	}
	err := w.s.Update(t.Context(), func(tx *Tx) error {
		for i, want := range []int{2, 0} {
			if n, err := tx.addDocument(&d, nil); n != want || err != nil {
				t.Errorf("time %d: %d triples are new, want %d; %v", i, n, want, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.s.View(func(s *Snapshot) error {
		if n, err := s.Count(0, 0, 0, defaultGraph); n != 3 || err != nil {
			t.Errorf("the graph has %d triples, want 3; %v", n, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
