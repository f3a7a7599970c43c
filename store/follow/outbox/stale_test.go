package outbox_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// A write without the outbox makes it stale until Begin is called. Notes stay.
func TestAnOutboxKnowsThatItIsIncomplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.db")
	stale := func(s *persist.Store, want bool) {
		t.Helper()
		if _, _, got, err := s.Outbox.Span(); got != want || err != nil {
			t.Fatalf("stale: %v, %v; want %v", got, err, want)
		}
	}
	add := func(s *persist.Store, n int) {
		t.Helper()
		d := &store.Document{}
		d.Add(outboxQuad(n, rdf.Term{}))
		if _, err := s.Add(t.Context(), d, journal.Entry{}); err != nil {
			t.Fatal(err)
		}
	}
	s := openOutboxStore(t, path, false)
	add(s, 1)
	stale(s, true) // the file never had an outbox
	if _, err := s.Outbox.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	stale(s, false)
	add(s, 9)
	stale(s, true)
	s.Close()

	s = openOutboxStore(t, path, true)
	if _, err := s.Outbox.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Outbox.SetNote(t.Context(), "name", []byte("value")); err != nil {
		t.Fatal(err)
	}
	add(s, 2)
	stale(s, false)
	_, before, _, _ := s.Outbox.Span()
	s.Close()

	s = openOutboxStore(t, path, false)
	add(s, 2) // changes nothing
	stale(s, false)
	add(s, 3)
	stale(s, true)
	s.Close()

	s = openOutboxStore(t, path, true)
	defer s.Close()
	stale(s, true)
	if last, err := s.Outbox.Begin(t.Context()); err != nil || last < before {
		t.Errorf("Begin returned %d, want %d or more: %v", last, before, err)
	}
	stale(s, false)
	if v, err := s.Outbox.Note("name"); string(v) != "value" || err != nil {
		t.Errorf("the note is %q, %v", v, err)
	}
}

// If a program opens the file without the outbox and changes triples, the outbox becomes
// stale.
func TestAnOutboxKnowsWhatAProgramWithoutItChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.db")
	s := openOutboxStore(t, path, true)
	if _, err := s.Outbox.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for _, changes := range []bool{false, true} {
		without, err := engine.Open(path, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := &store.Document{}
		if changes {
			d.Add(outboxQuad(1, rdf.Term{}))
		}
		if _, err := without.Add(t.Context(), d, journal.Entry{}); err != nil {
			t.Fatal(err)
		}
		without.Close()
		s = openOutboxStore(t, path, true)
		if _, _, stale, err := s.Outbox.Span(); stale != changes || err != nil {
			t.Errorf("changes: %v; stale: %v, %v", changes, stale, err)
		}
		if _, err := s.Outbox.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, _, stale, err := s.Outbox.Span(); stale || err != nil {
			t.Errorf("stale after Begin: %v, %v", stale, err)
		}
		s.Close()
	}
}

// A receiver of Changed gets a value if there are changes that were not read yet.
func TestTheOutboxSaysThatThereIsAChange(t *testing.T) {
	s := openOutboxStore(t, filepath.Join(t.TempDir(), "outbox.db"), true)
	defer s.Close()
	d := &store.Document{}
	d.Add(outboxQuad(1, rdf.Term{}))
	for i, want := range []bool{true, false} { // the second time nothing is new
		if _, err := s.Add(t.Context(), d, journal.Entry{}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-s.Outbox.Changed():
			if !want {
				t.Errorf("write %d: Changed received a value without a change", i)
			}
		default:
			if want {
				t.Errorf("write %d: Changed received nothing", i)
			}
		}
	}
}

// Check finds a damaged change, and Read returns an error instead of it.
func TestADamagedChangeIsNeverSent(t *testing.T) {
	s := openOutboxStore(t, filepath.Join(t.TempDir(), "outbox.db"), true)
	defer s.Close()
	d := &store.Document{}
	d.Add(outboxQuad(1, rdf.Term{}))
	if _, err := s.Add(t.Context(), d, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := s.Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.KV().Writable("outbox", "changes")
		if err != nil {
			return err
		}
		k, v := b.Cursor().First()
		rotten := bytes.Clone(v)
		rotten[0] ^= 1
		return b.Put(k, rotten)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err == nil {
		t.Error("Check returned nil")
	}
	if _, err := s.Outbox.Read(t.Context(), 0, 10); err == nil {
		t.Error("Read returned the change")
	}
}
