package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/kv"
)

func open(t *testing.T) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(filepath.Join(t.TempDir(), "journal.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// read runs do on the journal of a file.
func read(db *bolt.DB, do func(kv.Reader) error) error {
	return db.View(func(tx *bolt.Tx) error { return do(kv.OnBolt(tx)) })
}

func entries(n int) []Entry {
	out := make([]Entry, n)
	for i := range out {
		out[i] = Entry{LogID: string(rune('a' + i)), Action: Insert, Time: time.Unix(int64(i), 5000).UTC(), Actor: "ari",
			Claimed: "ari\u2028", Address: "192.0.2.1", RequestID: "r1", Triples: 14, Added: i, SHA256: "ab"}
	}
	return out
}

func appendAll(t *testing.T, db *bolt.DB, es []Entry) {
	t.Helper()
	appendAllFrom(t, db, es, 0)
}

func appendAllFrom(t *testing.T, db *bolt.DB, es []Entry, first int) {
	t.Helper()
	for i, e := range es {
		if i < first {
			continue
		}
		err := db.Update(func(tx *bolt.Tx) error {
			seq, err := Append(kv.OnBolt(tx), e)
			if seq != uint64(i+1) {
				t.Errorf("entry %d has number %d", i+1, seq)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestEntriesAreReturnedInOrder(t *testing.T) {
	db := open(t)
	want := entries(20)
	appendAll(t, db, want)
	err := read(db, func(tx kv.Reader) error {
		return Verify(tx, func(h Head, _ []byte) error {
			e, err := Get(tx, h.Seq)
			e.Salted = Salted{} // random
			if err != nil || e != want[h.Seq-1] {
				t.Errorf("entry %d is %+v, %v; want %+v", h.Seq, e, err, want[h.Seq-1])
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAnEditedEntryIsNoticed(t *testing.T) {
	key := func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
	for name, edit := range map[string]func(b *bolt.Bucket) error{
		"changed": func(b *bolt.Bucket) error {
			return b.Put(key(3), bytes.Replace(b.Get(key(3)), []byte("insert"), []byte("remove"), 1))
		},
		"removed":  func(b *bolt.Bucket) error { return b.Delete(key(3)) },
		"no entry": func(b *bolt.Bucket) error { return b.Put(key(6), []byte("x")) },
	} {
		db := open(t)
		appendAll(t, db, entries(5))
		if err := db.Update(func(tx *bolt.Tx) error { return edit(tx.Bucket([]byte(bucketName))) }); err != nil {
			t.Fatal(err)
		}
		err := read(db, func(tx kv.Reader) error {
			return Verify(tx, func(_ Head, stored []byte) error { _, err := Parse(stored); return err })
		})
		var damaged *DamagedError
		if !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoJournalIsEmpty(t *testing.T) {
	err := read(open(t), func(tx kv.Reader) error {
		return Verify(tx, func(Head, []byte) error { t.Error("an entry"); return nil })
	})
	if err != nil {
		t.Error(err)
	}
}
