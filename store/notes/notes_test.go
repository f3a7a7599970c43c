package notes_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
)

// open opens the notes of the file in a folder.
func open(t *testing.T, dir string) (*notes.Notes, *engine.Store) {
	t.Helper()
	n := &notes.Notes{}
	file, err := engine.Open(filepath.Join(dir, "segraph.db"), engine.Options{Extensions: []engine.Extension{n.Extension()}})
	if err != nil {
		t.Fatal(err)
	}
	return n, file
}

// A note and its journal entry are stored together or not at all.
func TestANoteComesWithItsEntries(t *testing.T) {
	n, file := open(t, t.TempDir())
	defer file.Close()
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Remark, Time: time.Now().UTC(), Actor: "ari"}
	x, units := notes.Note{Kind: "note", Owner: "ari", Name: "a", Text: "short"}, file.Units()
	if err := n.Put(t.Context(), x, e); err != nil || file.Units() != units+1 {
		t.Errorf("%d units of work, %v", file.Units()-units, err)
	}
	x.Name, x.Text = "b", strings.Repeat("x", notes.MaxText+1)
	if err := n.Put(t.Context(), x, e); err == nil {
		t.Error("too long a note is stored")
	}
	if report, err := file.Inspect(t.Context()); err != nil || report.Head.Seq != 1 {
		t.Errorf("the journal has %d entries, %v", report.Head.Seq, err)
	}
}

func TestNotesSurviveARestartAndDelete(t *testing.T) {
	dir := t.TempDir()
	n, file := open(t, dir)
	for _, x := range []notes.Note{{"query", "ari", "b", "two"}, {"query", "ari", "a", "one"}, {"query", "ari b", "a", "other"}, {"batch", "ari", "a", "else"}, {"query", "ari", "b", "three"}} {
		if err := n.Put(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	n, file = open(t, dir)
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := file.Inspect(t.Context()); err != nil {
		t.Errorf("the check: %v", err)
	}
	want := []notes.Note{{"query", "ari", "a", "one"}, {"query", "ari", "b", "three"}}
	if got, err := n.List("query", "ari"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := n.List("query", ""); err != nil || len(got) != 3 {
		t.Errorf("of all owners: %q, %v", got, err)
	}
	if got, ok, err := n.Get("batch", "ari", "a"); !ok || err != nil || got.Text != "else" {
		t.Errorf("%q, %v, %v", got, ok, err)
	}
	for _, want := range []bool{true, false} {
		if was, err := n.Remove(t.Context(), "query", "ari", "a"); was != want || err != nil {
			t.Errorf("removed: %v, %v", was, err)
		}
	}
	if _, ok, err := n.Get("query", "ari", "a"); ok || err != nil {
		t.Errorf("a removed note is there: %v", err)
	}
}

func TestNotesHaveLimits(t *testing.T) {
	n, file := open(t, t.TempDir())
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	var unfit *store.UnfitError
	for _, x := range []notes.Note{
		{"query", "ari", "", "x"}, {"query", "", "a", "x"}, {"query", "ari", "a\x00b", "x"},
		{"query", "ari", strings.Repeat("n", notes.MaxName+1), "x"}, {"query", "ari", "a", strings.Repeat("x", notes.MaxText+1)},
	} {
		if err := n.Put(t.Context(), x); !errors.As(err, &unfit) {
			t.Errorf("%.20q: %v", x.Name, err)
		}
	}
	for i := range notes.MaxOwned {
		if err := n.Put(t.Context(), notes.Note{Kind: "query", Owner: "ari", Name: fmt.Sprint(i), Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Put(t.Context(), notes.Note{Kind: "query", Owner: "ari", Name: "more", Text: "x"}); !errors.As(err, &unfit) {
		t.Errorf("one more: %v", err)
	}
	for _, x := range []notes.Note{{"query", "ari", "7", "y"}, {"query", "tiago", "more", "x"}, {"batch", "ari", "more", "x"}} {
		if err := n.Put(t.Context(), x); err != nil {
			t.Errorf("%v: %v", x, err)
		}
	}
}

// Users who fill the file with notes keep nobody from a legal hold.
func TestAHoldHasRoomOfItsOwn(t *testing.T) {
	n, file := open(t, t.TempDir())
	defer file.Close()
	fill := func(tx *engine.Tx) error { // faster than by PutIn, which counts all notes at each call
		b, err := tx.KV().Writable("notes")
		for i := range notes.MaxNotes {
			key := fmt.Appendf(nil, "query\x00%d\x00%d\x00", i/notes.MaxOwned, i)
			err = errors.Join(err, b.Put(key, kv.Seal(key, []byte("x"))))
		}
		return err
	}
	if err := n.Put(t.Context(), notes.Note{Kind: notes.Hold, Owner: "segraph", Name: "1", Text: "{}"}); err != nil {
		t.Fatal(err)
	}
	if err := file.Update(t.Context(), fill); err != nil {
		t.Fatal(err)
	}
	if err := n.Put(t.Context(), notes.Note{Kind: "query", Owner: "ari", Name: "more", Text: "x"}); err == nil {
		t.Error("there is room for one more")
	}
	for _, kind := range []string{notes.Hold, notes.Retention} {
		if err := n.Put(t.Context(), notes.Note{Kind: kind, Owner: "segraph", Name: "2", Text: "{}"}); err != nil {
			t.Error(err)
		}
	}
}

// An erasure finds the notes of users alone.
func TestRecordsOfTheServiceAreNotFound(t *testing.T) {
	n, file := open(t, t.TempDir())
	defer file.Close()
	for _, kind := range []string{"query", notes.Hold, notes.Retention} {
		if err := n.Put(t.Context(), notes.Note{Kind: kind, Owner: "ari", Name: "a", Text: "maria"}); err != nil {
			t.Fatal(err)
		}
	}
	err := file.View(func(snap *engine.Snapshot) error {
		found, err := notes.Naming(snap.KV(), func(n *notes.Note) bool { return n.Text == "maria" })
		if len(found) != 1 || found[0].Kind != "query" {
			t.Errorf("found %v", found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
