package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// backedUp writes a backup to a file of its own. It returns the path and the number of
// the last journal entry.
func backedUp(t *testing.T, s *Store) (string, uint64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup.db")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Backup(t.Context(), out)
	if err = errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != m.Size {
		t.Errorf("the backup has %d bytes, and Backup returned %d, %v", info.Size(), m.Size, err)
	}
	return path, m.Head.Seq
}

// TestEveryHotBackupIsOneSnapshot makes 100 backups while eight robots publish
// and one sometimes deletes everything. Each backup opens, checks clean, and holds
// exactly what its journal records.
func TestEveryHotBackupIsOneSnapshot(t *testing.T) {
	t.Parallel()
	if !suite.Race { // whose only run in CI has -short
		suite.NotShort(t)
	}
	s := openStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	var robots sync.WaitGroup
	for robot := range 8 {
		robots.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				d := document(t, turtle.Turtle, fmt.Sprintf("<http://ex/%d/%d> a <http://ex/Event> ; <http://ex/n> %d ; <http://ex/has> [ <http://ex/x> %d ] .", robot, n, n, n%100))
				if _, err := s.Add(ctx, d, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Triples: len(d.Quads)}); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
				if robot == 0 && n%40 == 39 {
					if _, err := s.Clear(ctx, true, journal.Entry{LogID: journal.NewLogID(), Action: journal.Clear}); err != nil && ctx.Err() == nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	var last uint64
	for n := range suite.Size(suite.Times(100, 12), 5) {
		for moved := false; !moved && !t.Failed(); { // until the journal has grown
			withSnapshot(t, s, func(snap *Snapshot) { moved = journal.HeadOf(snap.KV()).Seq > last+5 })
		}
		path, seq := backedUp(t, s)
		b, err := Open(path, Options{ReadOnly: true})
		if err != nil {
			t.Fatalf("backup %d: %v", n, err)
		}
		report, err := b.Inspect(t.Context())
		if err != nil {
			t.Errorf("backup %d: %v", n, err)
		}
		var want int64
		es := entries(t, b)
		for _, e := range es {
			want += int64(e.Added)
			if e.Action == journal.Clear {
				want = 0
			}
		}
		if report.Triples != want || uint64(len(es)) != seq || seq < last {
			t.Errorf("backup %d holds %d triples and its journal %d; it has %d entries, and Backup returned %d, after %d", n, report.Triples, want, len(es), seq, last)
		}
		last = seq
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			break
		}
	}
	cancel()
	robots.Wait()
	if last == 0 {
		t.Error("nothing was published meanwhile")
	}
	mustCheck(t, s)
}

func TestABackupEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, sample)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Backup(ctx, discard{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestNothingIsDeletedWithoutASnapshot checks that BeforeClear can save everything that
// is about to be deleted, even what was stored just before.
func TestNothingIsDeletedWithoutASnapshot(t *testing.T) {
	t.Parallel()
	var s *Store
	var snapshots []int64
	var fails error
	s, err := Open(filepath.Join(t.TempDir(), "x.db"), Options{BeforeClear: func(ctx context.Context) error {
		if fails != nil {
			return fails
		}
		m, err := s.Backup(ctx, discard{})
		snapshots = append(snapshots, m.Triples)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	clearAll := func() (store.Cleared, error) {
		return s.Clear(t.Context(), true, journal.Entry{LogID: journal.NewLogID(), Action: journal.Clear})
	}
	if _, err := clearAll(); err != nil || snapshots != nil {
		t.Errorf("an empty store has the snapshots %v, %v", snapshots, err)
	}
	add(t, s, large(0, 10))
	fails = errors.New("no room")
	if _, err := clearAll(); !errors.Is(err, fails) {
		t.Errorf("without a snapshot: %v", err)
	}
	withSnapshot(t, s, func(snap *Snapshot) {
		if n, err := snap.Count(0, 0, 0, defaultGraph); n != 40 || err != nil {
			t.Errorf("%d triples are left, %v", n, err)
		}
	})
	fails = nil
	if c, err := clearAll(); c.Triples != 40 || err != nil || len(snapshots) != 1 || snapshots[0] != 40 {
		t.Errorf("%d removed, %v; snapshots of %v triples", c.Triples, err, snapshots)
	}
	// If only another graph has triples, clearing the published graph deletes nothing.
	decided := &Delta{}
	decided.Add.Add(rdf.Quad{S: rdf.NewIRI("http://ex/s"), P: rdf.NewIRI("http://ex/p"), O: rdf.NewIRI("http://ex/o"), G: contextsGraph})
	if err := s.Update(t.Context(), func(tx *Tx) error { return tx.Apply(decided) }); err != nil {
		t.Fatal(err)
	}
	for _, contexts := range []bool{false, true} {
		if _, err := s.Clear(t.Context(), contexts, journal.Entry{Action: journal.Clear}); err != nil || (len(snapshots) == 2) != contexts {
			t.Errorf("with contexts %v: %v, and %d snapshots", contexts, err, len(snapshots))
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func TestCompactingKeepsEverything(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for i := range 20 {
		publish(t, s, large(100*i, 100))
	}
	load(t, s, turtle.TriG, dataset)
	if _, err := s.Clear(t.Context(), true, journal.Entry{Action: journal.Clear}); err != nil {
		t.Fatal(err)
	}
	id := publish(t, s, sample)
	want, err := s.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "small.db")
	if err := s.Compact(path); err != nil {
		t.Fatal(err)
	}
	small := reopen(t, path)
	if got, err := small.Inspect(t.Context()); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, want := dumped(t, small, turtle.NQuads), dumped(t, s, turtle.NQuads); got != want {
		t.Errorf("the compacted file says\n%s, want\n%s", got, want)
	}
	if l, err := provenanceOf(small).Log(t.Context(), id, 0); err != nil || !l.Kept {
		t.Error("the contribution of a log was lost")
	}
	if n := add(t, small, "<http://ex/new> <http://ex/p> [] ."); n != 1 {
		t.Error("it can't be written to")
	}
	mustCheck(t, small)
}
