package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// setCommit replaces how transactions are committed while none is.
func setCommit(s *Store, commit func(*bolt.Tx) error) {
	s.storing.Lock()
	defer s.storing.Unlock()
	s.commitFile = commit
}

// diskFull is a commit that finds the disk full.
func diskFull(tx *bolt.Tx) error {
	return errors.Join(tx.Rollback(), &file.CommitError{Err: &fs.PathError{Op: "write", Err: syscall.ENOSPC}})
}

// TestADirectWriteAfterALostBatchKnowsNoneOfItsIDs lets a direct write wait for a batch that does not fit on the disk.
// The direct write has a term of the batch.
func TestADirectWriteAfterALostBatchKnowsNoneOfItsIDs(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "x.db"), withProvenance(Options{logSize: 1}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	setCommit(s, diskFull)
	text := func(n int) *store.Document {
		return document(t, turtle.Turtle, fmt.Sprintf("<http://ex/s%d> <http://ex/p> %q .", n, strings.Repeat("x", 900)))
	}
	for n := 0; err == nil; n++ { // until the log region is full
		_, err = s.Add(t.Context(), text(n), journal.Entry{})
	}
	if !errors.Is(err, store.ErrDiskFull) {
		t.Fatal(err)
	}
	before := s.queue.lost.Load()
	s.storing.Lock() // holds up the syncer's flush
	s.commitFile = func(tx *bolt.Tx) error {
		if s.queue.lost.Load() == before {
			return diskFull(tx)
		}
		return s.file.Commit(tx)
	}
	var lost []*Ticket
	for _, n := range []int{1_000_001, 1_000_002} { // the turn can undo the second one only
		ticket, err := s.Submit(t.Context(), func(tx *Tx) error { return tx.AddLog(text(n), &journal.Entry{}) })
		if err != nil {
			t.Fatal(err)
		}
		lost = append(lost, ticket)
	}
	done := make(chan error, 1)
	go func() {
		done <- s.direct(t.Context(), directly{do: func(tx *Tx) error { return tx.AddLog(text(1_000_001), &journal.Entry{}) }})
	}()
	for len(s.turn.taken) == 0 { // until it waits for the batch
		time.Sleep(time.Millisecond)
	}
	s.storing.Unlock()
	for _, ticket := range lost {
		if ticket.Wait() == nil {
			t.Fatal("the batch was stored")
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
}

// TestADocumentWhoseBucketWasNotStoredRemovesNoOthers gives up a document whose first commit failed. The next one gets
// the same number.
func TestADocumentWhoseBucketWasNotStoredRemovesNoOthers(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	keepUntidy(t, s)
	a := s.newStaged(t.Context(), &store.Text{Content: []byte(mixedText(1, 5000))})
	if err := a.number(); err != nil {
		t.Fatal(err)
	}
	setCommit(s, diskFull)
	if err := a.begin(); !errors.Is(err, store.ErrDiskFull) {
		t.Fatal(err)
	}
	setCommit(s, s.file.Commit)
	a.giveUp()
	b := s.newStaged(t.Context(), &store.Text{Content: []byte(mixedText(2, 5000))})
	if err := errors.Join(b.number(), b.begin(), b.compare()); err != nil {
		t.Fatal(err)
	}
	tidyAgainNow(t, s)
	for _, o := range orders.Others {
		if err := b.reorder(o); err != nil {
			t.Fatal(err)
		}
	}
}

// TestADocumentThatIsGivenUpWhileTheFileIsAwayEnds also ends a collection afterwards.
func TestADocumentThatIsGivenUpWhileTheFileIsAwayEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := reopen(t, path)
	d := s.newStaged(t.Context(), &store.Text{Content: []byte(mixedText(1, 5000))})
	if err := d.step(func(*Tx) error { s.turn.staging[d] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if err := d.begin(); err == nil {
		t.Error("a document is stored in a file that is away")
	}
	d.giveUp()
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
	defer end()
	if _, err := s.Collect(ctx); err != nil {
		t.Error(err)
	}
}

// TestTermsOfWhatIsNotStoredAreCollected deletes the published graph while another graph stays, and gives up a large document
// that has numbers for its terms, with a bucket and without.
func TestTermsOfWhatIsNotStoredAreCollected(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, `<http://ex/a> <http://ex/p> "cleared" .`)
	if _, err := s.Writer(journal.Entry{}).Add(t.Context(), libraryQuad("b", "stays", "http://ex/g")); err != nil {
		t.Fatal(err)
	}
	wanted := func(what string) {
		t.Helper()
		if !s.orphaned() {
			t.Errorf("%s: nobody looks for the terms", what)
		}
		if _, err := s.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"cleared", "text 7"} {
			found, err := s.Find(t.Context(), text, func([]byte) [][]byte { return nil })
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if f.Where != "free pages" && f.Where != "log region" {
					t.Errorf("%s: %q is in %s", what, text, f.Where)
				}
			}
		}
	}
	if _, err := s.Clear(t.Context(), false, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	wanted("deleted")
	for _, bucket := range []bool{false, true} {
		d := s.newStaged(t.Context(), &store.Text{Content: []byte(mixedText(1, 5000))})
		err := d.number()
		if err == nil && bucket {
			err = errors.Join(d.begin(), d.compare())
		}
		if err != nil {
			t.Fatal(err)
		}
		d.giveUp()
		tidied(t, s)
		wanted(fmt.Sprintf("given up, with a bucket: %t", bucket))
	}
	mustCheck(t, s)
}

// TestStoredIsWhatTheDiskHas stops between the write of the meta page, which readers see at once, and the last sync.
func TestStoredIsWhatTheDiskHas(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	visible, synced := make(chan bool, 1), make(chan bool)
	setCommit(s, func(tx *bolt.Tx) error {
		err := s.file.Commit(tx)
		select {
		case visible <- true:
		default:
		}
		<-synced
		return err
	})
	cleared := make(chan error, 1)
	go func() { _, err := s.Clear(t.Context(), true, journal.Entry{}); cleared <- err }()
	<-visible
	if n, err := Read(s, func(snap *Snapshot) (uint64, error) { return journal.HeadOf(snap.KV()).Seq, nil }); n != 1 || err != nil {
		t.Errorf("a reader waits for the disk, or sees %d entries, %v", n, err)
	}
	short, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	if err := s.AwaitStored(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the entry is not on the disk: %v", err)
	}
	close(synced)
	if err := errors.Join(s.AwaitStored(t.Context()), <-cleared); err != nil {
		t.Error(err)
	}
	setCommit(s, s.file.Commit)
}

// TestADocumentThatGotNoIDsWantsNoCollection refuses the first term of a large document.
func TestADocumentThatGotNoIDsWantsNoCollection(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	text := &store.Text{Content: []byte(mixedText(1, 5000)), Refuse: func(rdf.Term) string { return "no" }}
	if _, err := s.AddText(t.Context(), text, journal.Entry{}); err == nil {
		t.Fatal("the document was stored")
	}
	tidied(t, s)
	if s.orphaned() {
		t.Error("nothing got an id, and the whole file is searched for terms")
	}
}
