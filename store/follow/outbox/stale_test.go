package outbox_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/follow/outbox"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// wantResumes checks whether a follower that has all changes can go on.
func wantResumes(t *testing.T, s *persist.Store, follower string, want bool) {
	t.Helper()
	_, last, err := s.Outbox.Span()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Outbox.Resumes(follower, last); got != want || err != nil {
		t.Errorf("%s resumes at %d: %v, %v; want %v", follower, last, got, err, want)
	}
}

// addOutboxQuad adds a document.
func addOutboxQuad(t *testing.T, s interface {
	Add(context.Context, *store.Document, journal.Entry) (int, error)
}, n int) {
	t.Helper()
	d := &store.Document{}
	d.Add(outboxQuad(n, rdf.Term{}))
	if _, err := s.Add(t.Context(), d, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
}

// begin moves followers to the last change.
func begin(t *testing.T, s *persist.Store, followers ...string) {
	t.Helper()
	for _, f := range followers {
		if _, err := s.Outbox.Begin(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
}

// A write without the outbox takes the followers' positions, until each has begun again.
// Notes stay.
func TestAnOutboxKnowsThatItIsIncomplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.db")
	s := openOutboxStore(t, path, false)
	addOutboxQuad(t, s, 1)
	wantResumes(t, s, "f", false) // it never began
	begin(t, s, "f")
	wantResumes(t, s, "f", true)
	addOutboxQuad(t, s, 9)
	wantResumes(t, s, "f", false)
	s.Close()

	s = openOutboxStore(t, path, true)
	begin(t, s, "f", "g")
	if err := s.Outbox.SetNote(t.Context(), "name", []byte("value")); err != nil {
		t.Fatal(err)
	}
	addOutboxQuad(t, s, 2)
	wantResumes(t, s, "f", true)
	_, before, _ := s.Outbox.Span()
	s.Close()

	s = openOutboxStore(t, path, false)
	addOutboxQuad(t, s, 2) // changes nothing
	wantResumes(t, s, "g", true)
	addOutboxQuad(t, s, 3)
	wantResumes(t, s, "g", false)
	s.Close()

	s = openOutboxStore(t, path, true)
	defer s.Close()
	wantResumes(t, s, "f", false)
	if last, err := s.Outbox.Begin(t.Context(), "f"); err != nil || last < before {
		t.Errorf("Begin returned %d, want %d or more: %v", last, before, err)
	}
	wantResumes(t, s, "f", true)
	wantResumes(t, s, "g", false)
	if v, err := s.Outbox.Note("name"); string(v) != "value" || err != nil {
		t.Errorf("the note is %q, %v", v, err)
	}
}

// If a program opens the file without the outbox and changes triples, no follower resumes.
func TestAnOutboxKnowsWhatAProgramWithoutItChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.db")
	s := openOutboxStore(t, path, true)
	begin(t, s, "f", "g")
	s.Close()
	for _, changes := range []bool{false, true} {
		without, err := engine.Open(path, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if changes {
			addOutboxQuad(t, without, 1)
		}
		without.Close()
		s = openOutboxStore(t, path, true)
		if err := s.Outbox.Start(t.Context(), []string{"f", "g"}); err != nil {
			t.Fatal(err)
		}
		wantResumes(t, s, "f", !changes)
		begin(t, s, "f")
		wantResumes(t, s, "f", true)
		wantResumes(t, s, "g", !changes)
		s.Close()
	}
}

// Changes stay until the slowest follower has them. A follower that is no longer named, or is
// too far behind, does not count, and must get everything.
func TestTheOutboxKeepsWhatTheSlowestFollowerLacks(t *testing.T) {
	s := openOutboxStore(t, filepath.Join(t.TempDir(), "outbox.db"), true)
	defer s.Close()
	o, ctx := s.Outbox, t.Context()
	begin(t, s, "fast", "slow", "gone")
	for i := range 10 {
		addOutboxQuad(t, s, i)
	}
	want := func(trimmed uint64) {
		t.Helper()
		if got, last, err := o.Span(); got != trimmed || last != 10 || err != nil {
			t.Errorf("changes after %d up to %d are kept, %v; want those after %d", got, last, err, trimmed)
		}
	}
	confirm := func(follower string, at uint64) {
		t.Helper()
		if err := o.Confirm(ctx, follower, at); err != nil {
			t.Fatal(err)
		}
	}
	confirm("fast", 10)
	want(0)
	if err := o.Start(ctx, []string{"fast", "slow"}); err != nil {
		t.Fatal(err)
	}
	confirm("slow", 4)
	want(4)
	wantResumes(t, s, "gone", false)
	if ok, err := o.Resumes("slow", 3); ok || err != nil {
		t.Errorf("a follower that lost confirmed changes resumes: %v", err)
	}
	if err := o.WaitFor(ctx, "slow", 6, 1<<10); err != nil {
		t.Fatal(err)
	}
	want(4)
	wantResumes(t, s, "slow", true)
	if err := o.WaitFor(ctx, "slow", 5, 1<<10); err != nil {
		t.Fatal(err)
	}
	want(10)
	wantResumes(t, s, "slow", false)
	wantResumes(t, s, "fast", true)
}

// Few changes may be many bytes.
func TestTheOutboxKeepsFewBytes(t *testing.T) {
	s := openOutboxStore(t, filepath.Join(t.TempDir(), "outbox.db"), true)
	defer s.Close()
	begin(t, s, "away", "later")
	for i := range 40 {
		if addOutboxQuad(t, s, i); i == 9 {
			if err := s.Outbox.Confirm(t.Context(), "later", 10); err != nil {
				t.Fatal(err)
			}
		}
		for _, follower := range []string{"later", "away"} { // those after 10 are fewer
			if err := s.Outbox.WaitFor(t.Context(), follower, 100, 20*24); err != nil {
				t.Fatal(err)
			}
		}
		if i == 9 {
			wantResumes(t, s, "away", true)
		}
	}
	wantResumes(t, s, "away", false)
	if trimmed, _, err := s.Outbox.Span(); err != nil || trimmed < 10 {
		t.Errorf("changes after %d are kept, %v", trimmed, err)
	}
}

// Drain waits for each follower, but not for one that must get everything.
func TestDrainWaitsForEachFollower(t *testing.T) {
	s := openOutboxStore(t, filepath.Join(t.TempDir(), "outbox.db"), true)
	defer s.Close()
	o := s.Outbox
	begin(t, s, "a", "b")
	addOutboxQuad(t, s, 1)
	drained := make(chan error, 1)
	go func() { drained <- o.Drain(t.Context()) }()
	if err := o.Confirm(t.Context(), "a", 1); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-drained:
		t.Fatalf("it did not wait for b: %v", err)
	case <-time.After(3 * outbox.DrainedAgain): // it would have looked again
	}
	if err := o.Confirm(t.Context(), "b", 1); err != nil {
		t.Fatal(err)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
	if err := o.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	addOutboxQuad(t, s, 2)
	if err := o.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

// Each receiver of Changed gets a value if there are changes that were not read yet.
func TestTheOutboxSaysThatThereIsAChange(t *testing.T) {
	s := openOutboxStore(t, filepath.Join(t.TempDir(), "outbox.db"), true)
	defer s.Close()
	first, second := s.Outbox.Changed(), s.Outbox.Changed()
	d := &store.Document{}
	d.Add(outboxQuad(1, rdf.Term{}))
	for i, want := range []bool{true, false} { // the second time nothing is new
		if _, err := s.Add(t.Context(), d, journal.Entry{}); err != nil {
			t.Fatal(err)
		}
		for _, changed := range []<-chan struct{}{first, second} {
			select {
			case <-changed:
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

// A store may keep terms of one value once. If one of them is removed, those that stay are sent again.
func TestWhatEqualsARemovedTermIsSentAgain(t *testing.T) {
	s := openOutboxStore(t, filepath.Join(t.TempDir(), "outbox.db"), true)
	defer s.Close()
	at := func(datatype, lexical string) rdf.Term { return rdf.NewLiteral(lexical, rdf.XSD+datatype) }
	for _, equal := range [][2]rdf.Term{
		{at("integer", "01"), at("integer", "1")}, {at("decimal", "1.50"), at("double", "1.5E0")}, {at("boolean", "true"), at("integer", "1")},
		{at("boolean", "false"), at("boolean", "0")}, {at("dateTime", "2026-01-01T00:00:00+00:00"), at("dateTime", "2026-01-01T00:00:00Z")},
		{at("date", "2026-01-01"), at("dateTime", "2026-01-01T00:00:00")},
	} {
		quad := func(o rdf.Term) rdf.Quad {
			return rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: o, G: contextsGraph}
		}
		other := quad(equal[0])
		other.P = rdf.NewIRI("urn:q")
		gone, stays := quad(equal[0]), []rdf.Quad{quad(equal[1]), quad(at("integer", "7")), quad(rdf.NewString("a")), quad(rdf.NewIRI("urn:o")), other}
		apply := func(c resolver.Change) {
			t.Helper()
			if err := s.Contexts().Apply(t.Context(), []resolver.Change{c}); err != nil {
				t.Fatal(err)
			}
		}
		apply(resolver.Change{Clear: true, Add: append(stays, gone)})
		_, before, err := s.Outbox.Span()
		if err != nil {
			t.Fatal(err)
		}
		apply(resolver.Change{Remove: []rdf.Quad{gone}})
		c, err := s.Outbox.Read(t.Context(), before, 10)
		if err != nil || !slices.Equal(c.Remove, []rdf.Quad{gone}) || !slices.Equal(c.Add, stays[:1]) {
			t.Errorf("%v and then %v, %v; want %v and then %v", c.Remove, c.Add, err, gone, stays[0])
		}
	}
}

// A program without the outbox keeps the terms that its changes name.
func TestAProgramWithoutTheOutboxKeepsTheTermsOfChanges(t *testing.T) {
	for name, remove := range map[string]func(s *engine.Store) error{
		"removed": func(s *engine.Store) error {
			_, err := s.Writer(journal.Entry{}).Remove(t.Context(), outboxQuad(1, rdf.Term{}))
			return err
		},
		"cleared": func(s *engine.Store) error {
			_, err := s.Clear(t.Context(), true, journal.Entry{})
			return err
		},
	} {
		path := filepath.Join(t.TempDir(), "outbox.db")
		s := openOutboxStore(t, path, true)
		begin(t, s, "f")
		addOutboxQuad(t, s, 1)
		s.Close()
		without, err := engine.Open(path, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := remove(without); err != nil {
			t.Fatal(err)
		}
		if removed, err := without.Collect(t.Context()); err == nil {
			t.Errorf("%s: it removed %d terms", name, removed)
		}
		without.Close()
		s = openOutboxStore(t, path, true)
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		begin(t, s, "f")
		if _, err := s.Collect(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}
