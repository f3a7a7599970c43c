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

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/tree"
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

func TestEveryWriteExtendsTheTree(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
