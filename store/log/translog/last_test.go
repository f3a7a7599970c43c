package translog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// TestTheNextOriginNamesTheLastSignedCheckpoint restarts a log without its key.
func TestTheNextOriginNamesTheLastSignedCheckpoint(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	o := Options{KeyFile: s.Path() + ".key"}
	l := New(s, o)
	fill(t, s, 4)
	name, _ := checkpoint(t, l, s) // of 5 entries, stored at once
	key, err := KeyOf(s)
	if err != nil {
		t.Fatal(err)
	}
	kept := func(want uint64) {
		t.Helper()
		last, err := LastOf(s)
		if err == nil && last.Size > 0 {
			err = Verify(s, last)
		}
		if err != nil || last.Size != want {
			t.Errorf("the file holds a checkpoint of %d entries, want %d, %v", last.Size, want, err)
		}
	}
	kept(5)
	fill(t, s, 2)
	l.at = l.at.Add(-fresh)
	checkpoint(t, l, s)
	kept(5) // the previous one was stored less than a minute ago
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept(7)
	fill(t, s, 1)
	if err := os.Remove(o.KeyFile); err != nil {
		t.Fatal(err)
	}
	next, tree := checkpoint(t, New(s, o), s)
	var e journal.Entry
	if err := s.View(func(snap *engine.Snapshot) (err error) { e, err = journal.Get(snap.KV(), 9); return err }); err != nil {
		t.Fatal(err)
	}
	same, former := opened(t, key, []byte(e.Former)) // verified with the lost key
	if same != name || next == name || former.N != 7 || tree.N != 9 {
		t.Errorf("%s began after %d entries of %s: %+v", next, former.N, same, e)
	}
	kept(9)
}

// TestAFileThatDoesNotContinueItsLastCheckpointIsDamaged stores a checkpoint of another
// history.
func TestAFileThatDoesNotContinueItsLastCheckpointIsDamaged(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	l := New(s, Options{KeyFile: s.Path() + ".key"})
	fill(t, s, 4)
	checkpoint(t, l, s)
	other := clone(t, l)
	fill(t, other.store, 3)
	checkpoint(t, other, s)
	longer, err := LastOf(other.store)
	if err != nil || longer.Size != 8 {
		t.Fatalf("%+v, %v", longer, err)
	}
	fails := func(c Cosigned, want string) {
		t.Helper()
		var damaged interface{ Damaged() string }
		if err := Verify(s, c); !errors.As(err, &damaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	fill(t, s, 3)
	fails(longer, "does not continue the 8 entries that its key signed")
	longer.Signed = bytes.Replace(longer.Signed, []byte("\n8\n"), []byte("\n7\n"), 1)
	fails(longer, "has a last checkpoint that its key did not sign")
}
