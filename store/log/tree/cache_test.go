package tree

import (
	"encoding/binary"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// TestReadersSeeEntriesThatAreNotStored reads with and without a Cache. The results must
// be the same.
func TestReadersSeeEntriesThatAreNotStored(t *testing.T) {
	db := open(t)
	var c Cache
	check := func(what string, r kv.Reader) {
		t.Helper()
		size := int64(journal.Count(r))
		root, _ := reference(t, db, size)
		for name, read := range map[string]func(kv.Reader) (*Reader, error){"cached": c.Reader, "alone": NewReader} {
			tree, err := read(r)
			if err != nil {
				t.Fatal(what, name, err)
			}
			if want := (Head{uint64(size), root}); tree.Latest() != want || tree.Size() != want.Size {
				t.Errorf("%s, %s: the head is %v, want %v", what, name, tree.Latest(), want)
			}
			for level := range 2 {
				for n := range tree.Size() >> (tileHeight * (level + 1)) {
					if _, ok, err := tree.Tile(level, n, TileWidth); !ok || err != nil {
						t.Errorf("%s, %s: tile %d of level %d: %v, %v", what, name, n, level, ok, err)
					}
				}
			}
			if h, err := tree.Head(tree.Size()); err != nil || h != tree.Latest() {
				t.Errorf("%s, %s: computed from its tiles, the head is %v, %v", what, name, h, err)
			}
		}
	}
	store := func() {
		t.Helper()
		if err := db.Update(func(tx *bolt.Tx) error { return Extend(kv.OnBolt(tx)) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{0, 1, 300, 0, 500, 3} {
		write(t, db, n, none)
		view(t, db, func(r kv.Reader) error { check("unstored", r); return nil })
	}
	store()
	view(t, db, func(r kv.Reader) error { check("stored", r); return nil })
	old, err := db.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Rollback() }() // fails only if already closed
	write(t, db, 700, none)
	view(t, db, func(r kv.Reader) error { check("more", r); return nil })
	tree, err := c.Reader(kv.OnBolt(old))
	if err != nil || tree.Size() != 804 {
		t.Errorf("an older snapshot: %d, %v", tree.Size(), err)
	}
	if c.last.edge.End() != 1504 {
		t.Error("an older snapshot made the cache forget the newer one")
	}
	_ = old.Rollback()
	unstored, err := db.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unstored.Rollback() }()
	store()
	view(t, db, func(r kv.Reader) error { check("stored again", r); return nil })
	check("a snapshot from before a flush", kv.OnBolt(unstored))
	if c.last.from != 1504 {
		t.Error("a snapshot from before a flush made the cache forget what was stored")
	}
	_ = unstored.Rollback()
	write(t, db, 30, none)
	view(t, db, func(r kv.Reader) error { check("stored and more", r); return nil })
	if len(c.last.nodes) != 0 {
		t.Errorf("%d nodes are remembered, and all are stored", len(c.last.nodes))
	}

	// Entries that were lost on their way to the disk, and others in their place.
	err = db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("journal"))
		for n := uint64(1510); n <= 1534; n++ {
			if err := b.Delete(binary.BigEndian.AppendUint64(nil, n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	view(t, db, func(r kv.Reader) error { check("shorter", r); return nil })
	write(t, db, 60, none)
	view(t, db, func(r kv.Reader) error { check("others", r); return nil })
}
