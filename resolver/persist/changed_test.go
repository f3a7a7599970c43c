package persist

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

// TestAChangeInAnyBucketIsFound changes a byte of one value in each bucket of a file that has all kinds of data. Each time,
// checking the file must fail: what a check does not read may later stop all writing.
func TestAChangeInAnyBucketIsFound(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s, g := marked(t)
	first := publish(t, s, "<http://ex/both> <http://ex/p> 1 .")
	publish(t, s, "<http://ex/both> <http://ex/p> 1 .")
	if _, err := s.Withdraw(t.Context(), first, entryOf(journal.Withdraw)); err != nil { // the other log inherits
		t.Fatal(err)
	}
	if _, err := g.Erase(t.Context(), personA, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	log := translog.New(s.Store, translog.Options{KeyFile: t.TempDir() + "/key"})
	if _, err := log.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		path  [][]byte
		key   []byte
		value []byte
	}
	var places []place
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(b *bolt.Bucket, in [][]byte) error
	walk = func(b *bolt.Bucket, in [][]byte) error {
		found := false
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return walk(b.Bucket(k), append(in[:len(in):len(in)], bytes.Clone(k)))
			}
			if !found && len(v) > 0 {
				found = true
				places = append(places, place{in, bytes.Clone(k), bytes.Clone(v)})
			}
			return nil
		})
	}
	err = db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error { return walk(b, [][]byte{bytes.Clone(name)}) })
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	harmless := map[string]string{
		"wal":        "frames have checksums, and what is between them is not read",
		"prefixes":   "labels that exports prefer",
		"noncetimes": "until when a nonce is kept at least",
	}
	for _, p := range places {
		if harmless[string(p.path[0])] != "" {
			continue
		}
		name := fmt.Sprintf("%q", bytes.Join(p.path, []byte("/")))
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := bolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bolt.Tx) error {
			b := tx.Bucket(p.path[0])
			for _, part := range p.path[1:] {
				b = b.Bucket(part)
			}
			bad := bytes.Clone(p.value)
			bad[len(bad)-1] ^= 1
			return b.Put(p.key, bad)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := CheckFile(t.Context(), path); err == nil {
			t.Errorf("a changed byte in bucket %s, key %q is not found", name, p.key)
		} else if strings.Contains(err.Error(), "panic") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(places) < 30 {
		t.Errorf("only %d buckets hold anything", len(places))
	}
}
