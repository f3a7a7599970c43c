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

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

// publication returns the journal entry of a log as a client sends it.
func publication(requestID, sum string) journal.Entry {
	return journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Actor: "ari", Claimed: "robot", RequestID: requestID, SHA256: sum, Triples: 1}
}

// diskFails makes every write to a store's log, and every commit, return an error: after
// the data was stored if stored is true, otherwise before.
func diskFails(s *Store, stored bool) {
	s.writeLog = func(payload []byte) (m file.Mark, err error) {
		if stored {
			if m, err = s.file.Region().Append(payload); err != nil {
				return m, err
			}
		}
		return m, syscall.EIO
	}
	s.commitFile = func(tx *bolt.Tx) error {
		if stored {
			if err := s.file.Commit(tx); err != nil {
				return err
			}
		} else if err := tx.Rollback(); err != nil {
			return err
		}
		return &file.CommitError{Err: syscall.EIO, InDoubt: true}
	}
}

// A write whose sync failed is in doubt, whether it is stored or not. Writing stops and
// reading goes on. After the restart the same request is answered as it would have been,
// or is stored now; it is never stored twice. The same request id with another document,
// user or actor is another request.
func TestAWriteInDoubtIsAnsweredTruthfullyAfterTheRestart(t *testing.T) {
	t.Parallel()
	const one, two = "_:x <http://ex/p> 1 .", "_:x <http://ex/p> 2 ."
	for name, stored := range map[string]bool{"it was stored": true, "it was not stored": false} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			failures := 0
			s, err := Open(path, withProvenance(Options{DiskFailed: func() { failures++ }}))
			if err != nil {
				t.Fatal(err)
			}
			add(t, s, "<http://ex/a> <http://ex/p> 1 .")
			diskFails(s, stored)
			sent := publication("r1", "one")
			_, err = s.Add(t.Context(), document(t, turtle.Turtle, one), sent)
			if !errors.Is(err, store.ErrInDoubt) || !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrDiskFull) {
				t.Errorf("the write gave %v", err)
			}
			if failures != 1 {
				t.Errorf("DiskFailed was called %d times", failures)
			}
			for _, err := range []error{s.Ready(t.Context()), s.Note(t.Context(), journal.Entry{})} {
				if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrInDoubt) {
					t.Errorf("after it: %v", err)
				}
			}
			if text := exported(t, s, turtle.NTriples); !strings.Contains(text, "<http://ex/a>") {
				t.Errorf("reading goes on, and returns %q", text)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}

			s = reopen(t, path)
			again := publication("r1", "one") // the client's retry
			earlier, repeated, err := provenanceOf(s).Repeated(t.Context(), again)
			if err != nil || repeated != stored || repeated && (earlier.LogID != sent.LogID || earlier.Added != 1) {
				t.Errorf("the retry repeats %+v, %v, %v", earlier, repeated, err)
			}
			for _, other := range []journal.Entry{publication("r1", "two"), publication("r2", "one"), {Action: journal.Insert, RequestID: "r1", SHA256: "one", Actor: "eve", Claimed: "robot"},
				{Action: journal.Insert, RequestID: "r1", SHA256: "one", Actor: "ari"}, {Action: journal.Clear, RequestID: "r1", SHA256: "one", Actor: "ari", Claimed: "robot"}} {
				if _, repeated, err := provenanceOf(s).Repeated(t.Context(), other); repeated || err != nil {
					t.Errorf("%+v repeats %+v, %v", other, sent, err)
				}
			}
			if !repeated {
				if _, err := s.Add(t.Context(), document(t, turtle.Turtle, one), again); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.Add(t.Context(), document(t, turtle.Turtle, two), publication("r1", "two")); err != nil {
				t.Error(err)
			}
			if n := strings.Count(exported(t, s, turtle.NTriples), "\n"); n != 3 {
				t.Errorf("%d triples are stored, want 3", n)
			}
			mustCheck(t, s)
		})
	}
}

// Only what was in doubt when the store was closed is known by its request id alone, even if
// it was deleted since.
func TestALogOfBeforeTheRestartIsKnownByItsRequestID(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := reopen(t, path)
	sent := publication("r1", "one")
	if _, err := s.Add(t.Context(), document(t, turtle.Turtle, "<http://ex/a> <http://ex/p> 1 ."), sent); err != nil {
		t.Fatal(err)
	}
	if _, repeated, err := provenanceOf(s).Repeated(t.Context(), publication("r1", "one")); repeated || err != nil {
		t.Errorf("before a restart nothing is in doubt: %v, %v", repeated, err)
	}
	s.Close()
	s = reopen(t, path)
	for range 2 {
		if _, repeated, err := provenanceOf(s).Repeated(t.Context(), publication("r1", "one")); !repeated || err != nil {
			t.Errorf("after the restart: %v, %v", repeated, err)
		}
		if _, err := s.Clear(t.Context(), false, journal.Entry{Action: journal.Clear}); err != nil {
			t.Fatal(err)
		}
	}
}

// If nothing of a write can be stored, the error does not say that it may be. A full disk
// does not stop writing.
func TestAWriteThatIsSurelyNotStoredIsNotInDoubt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		want   error
		goesOn bool
	}{
		{&file.CommitError{Err: &fs.PathError{Op: "write", Err: syscall.ENOSPC}}, store.ErrDiskFull, true},
		{&file.CommitError{Err: syscall.EDQUOT}, store.ErrDiskFull, true},
		{&file.CommitError{Err: bolterrors.ErrMaxSizeReached}, store.ErrAtLimit, true},
		{&file.CommitError{Err: &fs.PathError{Op: "write", Err: syscall.EIO}}, store.ErrUnavailable, false},
		{&file.CommitError{Err: syscall.ENOSPC, InDoubt: true}, store.ErrInDoubt, false},
	} {
		s := openStore(t)
		s.commitFile = func(tx *bolt.Tx) error { return errors.Join(tx.Rollback(), c.err) }
		err := s.direct(t.Context(), directly{do: func(tx *Tx) error {
			_, err := tx.addDocument(document(t, turtle.Turtle, "<http://ex/a> <http://ex/p> 1 ."), nil)
			return err
		}})
		if !errors.Is(err, c.want) || errors.Is(err, store.ErrInDoubt) != (c.want == store.ErrInDoubt) || errors.Is(err, store.ErrDiskFull) != (c.want == store.ErrDiskFull) {
			t.Errorf("%v: the write gave %v", c.err, err)
		}
		if err := s.Ready(t.Context()); (err == nil) != c.goesOn {
			t.Errorf("%v: Ready gave %v", c.err, err)
		}
		s.commitFile = s.file.Commit
		if _, err := s.Add(t.Context(), document(t, turtle.Turtle, "<http://ex/a> <http://ex/p> 2 ."), journal.Entry{}); (err == nil) != c.goesOn {
			t.Errorf("%v: the next write gave %v", c.err, err)
		}
	}
}

// If its file was moved, removed or replaced, a store takes no writes and is not ready
// until the file is back in its place.
func TestAStoreWhoseFileIsGoneTakesNoWrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s, err := Open(path, Options{BeforeClear: func(context.Context) error { t.Error("a snapshot is made in vain"); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	clear := func() error {
		_, err := s.Clear(t.Context(), true, journal.Entry{})
		return err
	}
	add(t, s, "<http://ex/a> <http://ex/p> 1 .")
	post := func() error {
		_, err := s.Add(t.Context(), document(t, turtle.Turtle, "<http://ex/b> <http://ex/p> 2 ."), journal.Entry{})
		return err
	}
	for name, put := range map[string]func() error{
		"removed":  func() error { return nil },
		"replaced": func() error { other := reopen(t, path); return other.Close() },
	} {
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		if err := put(); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{"ready": s.Ready(t.Context()), "a write": post(), "clearing": clear()} {
			var unready *store.UnreadyError
			if !errors.As(err, &unready) || !strings.Contains(unready.Detail, "removed, moved or replaced") || strings.Contains(unready.Detail, path) {
				t.Errorf("%s: %s gave %v", name, what, err)
			}
		}
		if text := exported(t, s, turtle.NTriples); strings.Count(text, "\n") != 1 {
			t.Errorf("%s: reading goes on, and returns %q", name, text)
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		if err := s.Ready(t.Context()); err != nil {
			t.Errorf("%s and moved back: %v", name, err)
		}
	}
	if err := post(); err != nil {
		t.Error(err)
	}
	mustCheck(t, s)
}

// What waits for a flush begins nothing once that is in doubt: its transaction would have the same number, and readers would
// take the deferred writes for stored.
func TestNothingIsCommittedAfterAFlushInDoubt(t *testing.T) {
	t.Parallel()
	s := openTexts(t, filepath.Join(t.TempDir(), "x.db"), Options{})
	for i := range 40 {
		add(t, s, fmt.Sprintf("<http://ex/a%d> <http://ex/p> \"text %d\" .", i, i))
	}
	flushed(t, s) // gives the indexer something to do
	add(t, s, "<http://ex/acknowledged> <http://ex/p> 1 .")
	diskFails(s, false)
	s.queue.freezeIdle()
	if err := s.flushFrozen(); !errors.Is(err, store.ErrInDoubt) {
		t.Fatal(err)
	}
	s.commitFile = s.file.Commit
	if _, err := s.indexStep(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the indexer wrote: %v", err)
	}
	if !strings.Contains(exported(t, s, turtle.NTriples), "acknowledged") {
		t.Error("an acknowledged triple is gone")
	}
}
