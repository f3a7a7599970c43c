package file

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
)

// manyFreed returns an open file whose list of free pages is too long to be written with
// each transaction. To get it, it writes 40 transactions of about 25 pages during a read,
// and ends the read.
func manyFreed(t *testing.T, path string) *File {
	t.Helper()
	f := mustOpen(t, path)
	f.DB.NoSync = true // commit as fast as possible
	f.longList = 1
	fillBucket(t, f.DB, 3000)
	reading, err := f.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		touch(t, f, i)
	}
	if err := reading.Rollback(); err != nil {
		t.Fatal(err)
	}
	return f
}

// touch writes 50 keys that are far from each other.
func touch(t *testing.T, f *File, round int) {
	t.Helper()
	tx, err := f.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := tx.CreateBucketIfNotExists([]byte("touched"))
	if err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 1000)
	for i := range 50 {
		binary.BigEndian.PutUint64(value, uint64(round))
		if err := b.Put(binary.BigEndian.AppendUint64(nil, uint64(i*7+round%7)), value); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Commit(tx); err != nil {
		t.Fatal(err)
	}
}

// newest returns the newer meta page of a file.
func newest(t *testing.T, path string) meta {
	t.Helper()
	return readMetas(handle(t, path))[0]
}

func TestALongListOfFreePagesIsNotWrittenEachTime(t *testing.T) {
	suite.NotShort(t)
	path := filepath.Join(t.TempDir(), "x.db")
	f := manyFreed(t, path)
	if newest(t, path).freelist != noFreelist {
		t.Fatal("a long list was written")
	}
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	for i := range 200 { // free pages are used nevertheless
		touch(t, f, i)
	}
	if after := size(); after != before {
		t.Errorf("the file grew from %d to %d bytes", before, after)
	}
	for range relist { // the list is examined again
		if !f.unlisted || newest(t, path).freelist != noFreelist {
			break
		}
		tx, err := f.Begin(true)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(tx); err != nil {
			t.Fatal(err)
		}
	}
	if newest(t, path).freelist == noFreelist {
		t.Error("the list was never written again")
	}
	touch(t, f, 0)
	if err := f.WriteFreelist(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if newest(t, path).freelist == noFreelist {
		t.Error("a file that was closed properly has no list of free pages")
	}
	again := mustOpen(t, path)
	defer again.Close()
	if err := again.Check(context.Background()); err != nil {
		t.Error(err)
	}
}

// A kill leaves a file without the list. The file is intact, and Open finds its free
// pages. It calls Options.ReadAll before it reads the whole file.
func TestFreePagesAreFoundAfterAKill(t *testing.T) {
	suite.NotShort(t)
	path := filepath.Join(t.TempDir(), "x.db")
	f := manyFreed(t, path)
	left, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "left.db")
	if err := os.WriteFile(path, left, 0o600); err != nil {
		t.Fatal(err)
	}
	var read int64
	again, err := Open(path, Options{ReadAll: func(size int64) { read = size }})
	if err != nil {
		t.Fatal(err)
	}
	if read != int64(len(left)) {
		t.Errorf("ReadAll got %d bytes, and the file has %d", read, len(left))
	}
	for i := range 100 {
		touch(t, again, i)
	}
	if err := again.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != int64(len(left)) {
		t.Errorf("the file has %d bytes, and had %d: %v", info.Size(), len(left), err)
	}
	err = again.DB.View(func(tx *bolt.Tx) error {
		if n := tx.Bucket([]byte("things")).Stats().KeyN; n < 3000 {
			t.Errorf("of 3000 keys %d are left", n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	log := again.Region()
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	// Damage of a used page is reported before bbolt follows it.
	w := newWalk(t.Context(), handle(t, path), readMetas(bytes.NewReader(left))[0])
	w.file = bytes.NewReader(left)
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, left, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for id := uint64(2); id < w.meta.highWater; id++ {
		if w.claimed[id/64]&(1<<(id%64)) == 0 {
			continue
		}
		if at := int64(id) * w.meta.pageSize; at > log.at && at < log.at+int64(log.size) {
			continue // bbolt does not read it
		}
		at := id*uint64(w.meta.pageSize) + 8 // its type and the number of its keys
		for _, mask := range []byte{0xFF, 0} {
			if _, err := out.WriteAt([]byte{left[at] ^ mask, left[at+1], left[at+2] ^ mask}, int64(at)); err != nil {
				t.Fatal(err)
			}
			if mask == 0 {
				break // unchanged
			}
			f, err := Open(path, Options{})
			var damaged *DamagedError
			if !errors.As(err, &damaged) {
				t.Errorf("page %d: %v", id, err)
			}
			if err == nil {
				f.Close()
			}
		}
	}
}
