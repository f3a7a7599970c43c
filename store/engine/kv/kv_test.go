package kv

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// update runs do in a transaction of a new file.
func update(t *testing.T, do func(tx *bolt.Tx, w Writer) error) {
	t.Helper()
	db, err := bolt.Open(filepath.Join(t.TempDir(), "kv.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(func(tx *bolt.Tx) error { return do(tx, OnBolt(tx)) }); err != nil {
		t.Fatal(err)
	}
}

func keys(b Bucket) string {
	var out []byte
	for k := range All(b) {
		out = append(out, k...)
	}
	return string(out)
}

func TestABucketThatIsNotThereReadsAsAnEmptyOne(t *testing.T) {
	update(t, func(_ *bolt.Tx, w Writer) error {
		for _, path := range [][]string{{"none"}, {"none", "nested"}, {"top", "none", "nested"}, {}} {
			b := w.Bucket(path...)
			if b == nil {
				t.Fatalf("the bucket at %q is nil", path)
			}
			if b.Get([]byte("k")) != nil || keys(b) != "" || b.Sequence() != 0 {
				t.Errorf("the bucket at %q holds something", path)
			}
			if k, _ := b.Cursor().Last(); k != nil {
				t.Errorf("the bucket at %q has a last key", path)
			}
			if len(path) > 0 {
				if err := w.Remove(path...); err != nil {
					t.Errorf("removing %q: %v", path, err)
				}
			}
		}
		if _, err := w.Writable(); err == nil {
			t.Error("a bucket without a name was opened")
		}
		return nil
	})
}

func TestWritableMakesAllBucketsOfAPath(t *testing.T) {
	update(t, func(_ *bolt.Tx, w Writer) error {
		b, err := w.Writable("a", "b", "c")
		if err != nil {
			return err
		}
		if err := b.Put([]byte("k"), []byte("v")); err != nil {
			return err
		}
		if got := w.Bucket("a", "b", "c").Get([]byte("k")); string(got) != "v" {
			t.Errorf("the value is %q", got)
		}
		if err := w.Remove("a", "b"); err != nil {
			return err
		}
		if got := w.Bucket("a", "b", "c").Get([]byte("k")); got != nil {
			t.Errorf("a removed bucket holds %q", got)
		}
		return nil
	})
}

func TestACursorPassesOverNestedBuckets(t *testing.T) {
	update(t, func(tx *bolt.Tx, w Writer) error {
		b, err := w.Writable("top")
		if err != nil {
			return err
		}
		for _, name := range []string{"a", "c", "e"} {
			if _, err := w.Writable("top", name); err != nil {
				return err
			}
		}
		for _, k := range []string{"b", "d"} {
			if err := b.Put([]byte(k), nil); err != nil {
				return err
			}
		}
		if got := keys(b); got != "bd" {
			t.Errorf("the keys are %q", got)
		}
		c := b.Cursor()
		at := func(want string) func(k, _ []byte) {
			return func(k, _ []byte) {
				t.Helper()
				if string(k) != want {
					t.Errorf("the cursor is at %q and not at %q", k, want)
				}
			}
		}
		at("d")(c.Last())
		at("b")(c.Prev())
		at("")(c.Prev())
		at("d")(c.Seek([]byte("c")))
		at("")(c.Seek([]byte("x")))
		at("d")(c.Prev())
		if v := b.Get([]byte("b")); v == nil || len(v) > 0 {
			t.Errorf("an empty value is read as %v", v)
		}
		return nil
	})
}

func TestSeekBehindTheLastKeyLetsPrevFindIt(t *testing.T) {
	update(t, func(_ *bolt.Tx, w Writer) error {
		b, err := w.Writable("many")
		if err != nil {
			return err
		}
		for i := range 2000 { // more than a page
			if err := b.Put([]byte{byte(i >> 8), byte(i)}, make([]byte, 50)); err != nil {
				return err
			}
		}
		c := b.Cursor()
		if k, _ := c.Seek([]byte{255}); k != nil {
			t.Errorf("a key follows the last: %x", k)
		}
		if k, _ := c.Prev(); !bytes.Equal(k, []byte{1999 >> 8, 1999 & 255}) {
			t.Errorf("the last key is %x", k)
		}
		return nil
	})
}

func TestASealedValueThatChangedIsDamaged(t *testing.T) {
	key, value := []byte("key"), []byte("value")
	sealed := Seal(key, value)
	if got, err := Unseal(key, sealed); err != nil || !bytes.Equal(got, value) {
		t.Errorf("%q, %v", got, err)
	}
	var damaged *DamagedError
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := Unseal(key, changed); !errors.As(err, &damaged) {
			t.Errorf("byte %d was changed: %v", i, err)
		}
	}
	if _, err := Unseal([]byte("other"), sealed); !errors.As(err, &damaged) {
		t.Errorf("under another key: %v", err)
	}
	if _, err := Unseal(key, []byte("abc")); !errors.As(err, &damaged) {
		t.Errorf("a value that is too short: %v", err)
	}
}

// TestDeletingAChangedBucketFreesAllPages deletes a bucket of buckets in the transaction
// that adds another one to it.
func TestDeletingAChangedBucketFreesAllPages(t *testing.T) {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "kv.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fill := func(tx *bolt.Tx, path ...string) error {
		b, err := OnBolt(tx).Writable(path...)
		for n := 0; n < 500 && err == nil; n++ {
			err = b.Put([]byte{byte(n >> 8), byte(n)}, make([]byte, 50))
		}
		return err
	}
	err = db.Update(func(tx *bolt.Tx) (err error) {
		for _, name := range []string{"a", "b", "c", "d"} {
			err = errors.Join(err, fill(tx, "graph", name), fill(tx, "graph", name, "nested"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		return errors.Join(fill(tx, "graph", "e"), OnBolt(tx).Remove("graph"))
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *bolt.Tx) (err error) {
		for found := range tx.Check() {
			err = errors.Join(err, found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
