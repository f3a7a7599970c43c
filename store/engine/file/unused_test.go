package file

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// A text that lies across two unused pages is in what Unused passes, once.
func TestUnusedPagesOverlap(t *testing.T) {
	t.Parallel()
	f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
	name, text, times := []byte("bucket"), "qwertyz", 6000
	put := func(key string, value []byte) {
		t.Helper()
		err := f.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(name)
			if err == nil {
				err = b.Put([]byte(key), value)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put("key", []byte(strings.Repeat(text, times)))
	reader, err := f.Begin(false) // so that no page is used again
	if err != nil {
		t.Fatal(err)
	}
	defer f.End(reader)
	put("key", nil)
	for overlap, missed := range map[int]bool{len(text) - 1: false, 0: true} {
		found := 0
		err := f.Unused(t.Context(), overlap, func(page []byte, _ func(func(key, value []byte))) { found += bytes.Count(page, []byte(text)) })
		if err != nil || found > times || found < times != missed {
			t.Errorf("with an overlap of %d it is found %d times: %v", overlap, found, err)
		}
	}
}
