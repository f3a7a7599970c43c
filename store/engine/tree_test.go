package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/journal/tree"
)

// treeOf returns the head of the tree that readers see.
func treeOf(t testing.TB, s *Store) (h tree.Head) {
	t.Helper()
	withSnapshot(t, s, func(snap *Snapshot) {
		var err error
		if h, err = tree.HeadOf(snap.KV()); err != nil {
			t.Fatal(err)
		}
	})
	return h
}

// storedTree returns the number of entries in the stored tree.
func storedTree(t testing.TB, s *Store) (size uint64) {
	t.Helper()
	withSnapshot(t, s, func(snap *Snapshot) {
		if edge := snap.KV().Bucket("tree").Get([]byte("edge")); edge != nil {
			size = binary.BigEndian.Uint64(edge)
		}
	})
	return size
}

// awaitTree waits until the stored tree has n entries.
func awaitTree(t testing.TB, s *Store, n uint64) tree.Head {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		size := storedTree(t, s)
		if size == n {
			return treeOf(t, s)
		}
		if time.Now().After(until) {
			t.Fatalf("the tree has %d entries, and should have %d", size, n)
		}
	}
}

// withoutTree removes the tree, as if a program without trees had written the file. Then
// it builds the tree of the first built entries, as if a kill had stopped the rest.
func withoutTree(t testing.TB, path string, built uint64) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		if err := tx.DeleteBucket([]byte("tree")); err != nil {
			return err
		}
		g, err := tree.Build(kv.OnBolt(tx), built, built)
		if err != nil || g == nil {
			return err
		}
		return g.Put(kv.OnBolt(tx))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestEveryWriteExtendsTheTree(t *testing.T) {
	s := openStore(t)
	for n := range 5 {
		add(t, s, fmt.Sprintf("<http://ex/a> <http://ex/p> %d .", n))
		if h := treeOf(t, s); h.Size != uint64(n+1) {
			t.Errorf("after entry %d the tree has %d", n+1, h.Size)
		}
	}
	if n := storedTree(t, s); n != 0 {
		t.Errorf("%d entries are stored, and nothing was flushed", n)
	}
	flushed(t, s)
	if n := storedTree(t, s); n != 5 {
		t.Errorf("%d entries are stored after a flush", n)
	}
	if _, err := s.Clear(t.Context(), true, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Audit(t.Context(), journal.Head{}); err != nil || a.Tree != treeOf(t, s) || a.Tree.Size != 6 {
		t.Errorf("%+v, %v", a.Tree, err)
	}
	if n := storedTree(t, s); n != 6 {
		t.Errorf("%d entries are stored after a direct write", n)
	}
	mustCheck(t, s)
}

// TestAnOldFileGetsItsTreeWhileItIsInUse builds the tree of a file that had none, while
// others write. A build that was killed continues.
func TestAnOldFileGetsItsTreeWhileItIsInUse(t *testing.T) {
	s := openStore(t)
	const old = 700
	err := s.Update(t.Context(), func(tx *Tx) error {
		for range old {
			if _, err := journal.Append(tx.KV(), journal.Entry{Actor: "ari"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	path, want := s.Path(), treeOf(t, s)
	for _, built := range []uint64{300, 0} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		withoutTree(t, path, built)
		s = reopen(t, path)
		add(t, s, "<http://ex/a> <http://ex/p> 1 .")
		awaitTree(t, s, want.Size) // the new entry waits for its flush
		flushed(t, s)
		if h := awaitTree(t, s, want.Size+1); built == 300 {
			mustCheck(t, s)
			want = h
		}
	}
	mustCheck(t, s)
}

// TestEverySchemaGetsATree pins the trees of the files in testdata.
func TestEverySchemaGetsATree(t *testing.T) {
	for n, want := range []string{goldenTree1, goldenTree2} {
		path := filepath.Join(t.TempDir(), "old.db")
		unpack(t, filepath.Join("testdata", fmt.Sprintf("schema%d.db.gz", n+1)), path)
		h := awaitTree(t, reopen(t, path), 2)
		if got := hex.EncodeToString(h.Root[:]); got != want {
			t.Errorf("schema %d: the root is %s, and was %s", n+1, got, want)
		}
	}
	if file.Schema != 2 {
		t.Error("add the golden root of the new schema")
	}
}

const (
	goldenTree1 = "3e55d308fcae72ae772a103d272e2b749bbc5802895c5b6bd4082f659108000a"
	goldenTree2 = "8f5686c02585ef3d4b6b8fc81edfe76bb1b559302097d64ad7edfb63188608d5"
)

// leaves returns a hash of all stored entries.
func leaves(t testing.TB, s *Store) string {
	t.Helper()
	sum := sha256.New()
	withSnapshot(t, s, func(snap *Snapshot) {
		err := journal.Verify(snap.KV(), func(_ journal.Head, stored []byte) error { sum.Write(stored); return nil })
		if err != nil {
			t.Fatal(err)
		}
	})
	return hex.EncodeToString(sum.Sum(nil))
}

func TestBackupsAndCompactionKeepTheLeavesByteForByte(t *testing.T) {
	s := openStore(t)
	err := s.Update(t.Context(), func(tx *Tx) (err error) {
		for range 300 {
			err = errors.Join(err, tx.Journal(journal.Entry{Actor: "ari"}))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want, head := leaves(t, s), treeOf(t, s)
	var copied bytes.Buffer
	if _, err := s.Backup(t.Context(), &copied); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "backup.db"), copied.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(filepath.Join(folder, "compact.db")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"backup.db", "compact.db"} {
		c := reopen(t, filepath.Join(folder, name))
		if got := leaves(t, c); got != want || treeOf(t, c) != head {
			t.Errorf("%s has other leaves", name)
		}
		mustCheck(t, c)
	}
}
