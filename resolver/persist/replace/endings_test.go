package replace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/resolver/persist/replace"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
)

// After each restore of the same backup the file has the legal holds that it had before: also one that was added since the
// backup, and not one that was lifted. A hold that was never in the file stays.
func TestARestoreKeepsLegalHolds(t *testing.T) {
	folder := t.TempDir()
	data, backup := filepath.Join(folder, "a.db"), filepath.Join(folder, "backup.db")
	entry := func(a journal.Action) journal.Entry {
		return journal.Entry{LogID: journal.NewLogID(), Action: a, Time: time.Now().UTC(), Actor: "eve"}
	}
	at := func(path string, do func(all *holds.Holds)) {
		t.Helper()
		s, err := persist.Open(path, persist.Options{})
		if err != nil {
			t.Fatal(err)
		}
		do(holds.Of(s.Store))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	add := func(log string) (h holds.Hold) {
		at(data, func(all *holds.Holds) {
			var err error
			if h, err = all.Add(t.Context(), holds.Hold{Log: log, Reason: "case " + log}, entry(journal.Hold)); err != nil {
				t.Fatal(err)
			}
		})
		return h
	}
	restore := func(want ...string) {
		t.Helper()
		done, err := replace.File(t.Context(), backup, data, "eve", "")
		if err != nil || done.Unread != nil {
			t.Fatal(err, done.Unread)
		}
		at(data, func(all *holds.Holds) {
			list, err := all.All(time.Now())
			var got []string
			for _, h := range list {
				got = append(got, h.Log)
			}
			if slices.Sort(got); err != nil || !slices.Equal(got, want) {
				t.Errorf("after a restore %q are held, want %q, %v", got, want, err)
			}
		})
	}
	lift := func(h holds.Hold) {
		at(data, func(all *holds.Holds) {
			if _, ok, err := all.Lift(t.Context(), h.ID, entry(journal.Lift)); !ok || err != nil {
				t.Fatal(ok, err)
			}
		})
	}
	early := add("early")
	text, err := os.ReadFile(data)
	if err == nil {
		err = os.WriteFile(backup, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	lift(early)
	late := add("late")
	restore("late")
	restore("late")
	lift(late)
	restore()
	at(backup, func(all *holds.Holds) {
		if _, err := all.Add(t.Context(), holds.Hold{Log: "unknown", Reason: "another file"}, entry(journal.Hold)); err != nil {
			t.Fatal(err)
		}
	})
	restore("unknown")
}

// After each restore the journal says who issued the tokens that are valid: otherwise somebody could confirm their own request with
// one.
func TestARestoreKeepsWhoIssuedTokens(t *testing.T) {
	data, backup := filepath.Join(t.TempDir(), "a.db"), filepath.Join(t.TempDir(), "backup.db")
	issue := journal.Entry{LogID: journal.NewLogID(), Action: journal.Issue, Time: time.Now().UTC(), Actor: "ari", Owner: "bob", Detail: "jti X, admin"}
	for _, path := range []string{backup, data} {
		s, err := persist.Open(path, persist.Options{})
		if err == nil && path == data {
			err = s.Note(t.Context(), issue)
		}
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := replace.File(t.Context(), backup, data, "ari", ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := replace.File(t.Context(), data, data, "ari", ""); err != nil { // a backup that has the entry
		t.Fatal(err)
	}
	s, err := persist.Open(data, persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all, err := s.Logs(t.Context(), journal.Filter{Action: journal.Issue, Limit: 9, Look: 100}, nil)
	if err != nil || len(all.Entries) != 1 || all.Entries[0].Actor != "ari" || all.Entries[0].Owner != "bob" || all.Entries[0].Detail != issue.Detail {
		t.Errorf("%+v, %v", all.Entries, err)
	}
}

// A graph store may have changes that were made after the backup. So after a restore it does not go on from them: it gets
// everything.
func TestARestoreTakesThePositionsOfGraphStores(t *testing.T) {
	data := filepath.Join(t.TempDir(), "segraph.db")
	open := func() *persist.Store {
		t.Helper()
		s, err := persist.Open(data, persist.Options{Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	last, err := s.Outbox.Begin(t.Context(), "f")
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := replace.File(t.Context(), data, data, "eve", ""); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close()
	if resumes, err := s.Outbox.Resumes("f", last); resumes || err != nil {
		t.Errorf("it resumes at %d, %v", last, err)
	}
}

// TestARestoreDoesNotWaitForAServiceThatEnds lets the service end while the restore waits: it might have revoked more.
func TestARestoreDoesNotWaitForAServiceThatEnds(t *testing.T) {
	data := filepath.Join(t.TempDir(), "a.db")
	s, err := persist.Open(data, persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	time.AfterFunc(1500*time.Millisecond, func() { ended <- s.Close() }) // Open waits for a second
	if _, err := replace.File(t.Context(), data, data, "eve", ""); !errors.As(err, new(*file.LockedError)) {
		t.Errorf("a restore while the service ends: %v", err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// A backup from before an erasure, and from before the centre was named, is restored while the centre has not confirmed the erasure:
// the new file still sends the names. So it does after a second restore, once.
func TestARestoreKeepsErasuresForCentres(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	data, backup := filepath.Join(folder, "a.db"), filepath.Join(folder, "backup.db")
	open := func() *persist.Store {
		s, err := persist.Open(data, persist.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	done := func(s *persist.Store, err error) {
		t.Helper()
		if err = errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	s := open()
	done(s, nil)
	text, err := os.ReadFile(data)
	if err == nil {
		err = os.WriteFile(backup, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s = open()
	r, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()})
	if err == nil {
		_, err = box.SetCentres(t.Context(), s.Store, []string{"a centre"})
	}
	if err != nil {
		t.Fatal(err)
	}
	const maria = "http://ex/maria"
	entry := journal.Entry{LogID: journal.NewLogID(), Action: journal.Erasure, Time: time.Now().UTC(), Actor: "eve", Detail: "a letter"}
	_, err = persist.ResolvedGraph{Graph: s, Store: s, Resolver: r}.Erase(t.Context(), maria, "", entry)
	done(s, err)
	for range 2 {
		if done, err := replace.File(t.Context(), backup, data, "eve", ""); err != nil || done.Unread != nil {
			t.Fatal(err, done.Unread)
		}
		s = open()
		sent := 0
		err = s.View(func(snap *engine.Snapshot) error {
			for seq := uint64(1); seq <= journal.Count(snap.KV()); seq++ {
				e, err := journal.Get(snap.KV(), seq)
				if err != nil {
					return err
				}
				text, salt, err := s.Sent(seq-1, &e)
				if e.Action == journal.Erasure {
					sent++
					if whom := strings.Split(string(text), "\n"); err != nil || len(whom) != 2 || whom[1] != maria || e.Person != journal.PersonOf(salt, whom[1:]) || e.Detail != "a letter" {
						t.Errorf("the file keeps %q of %+v, %v", text, e, err)
					}
				}
			}
			return nil
		})
		if sent != 1 {
			t.Errorf("the file has %d erasures", sent)
		}
		done(s, err)
	}
}
