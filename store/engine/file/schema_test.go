package file

import (
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// makeSchema1 makes a file as earlier versions did.
func makeSchema1(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.db")
	f := mustOpen(t, path)
	err := f.DB.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(metaName)
		return errors.Join(tx.DeleteBucket(walName), b.Delete(featuresKey), b.Delete(flushedKey), b.Put(schemaKey, []byte{0, 0, 0, 1}))
	})
	small := path + ".small"
	if err := errors.Join(err, f.Compact(small), f.Close()); err != nil {
		t.Fatal(err)
	}
	return small
}

func TestAFileOfSchema1GetsARegionWhenItIsOpenedForWriting(t *testing.T) {
	path := makeSchema1(t)
	f, err := Open(path, Options{ReadOnly: true})
	if err != nil || f.Region() != nil {
		t.Fatal("read only", f.Region(), err)
	}
	f.Close()
	if f, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	if r := f.Region(); r == nil || r.Size() != RegionSize {
		t.Fatalf("its region is %v", r)
	}
	if err := errors.Join(f.Check(context.Background()), f.Close()); err != nil {
		t.Fatal(err)
	}
	if f, err = Open(path, Options{ReadOnly: true}); err != nil || f.Region() == nil {
		t.Fatal("read only, later", err)
	}
	f.Close()
}

// A file of schema 1 opens for writing even if there is no room for a region, because
// making room takes a write.
func TestAFileOfSchema1OpensWithoutRoomForARegion(t *testing.T) {
	path := makeSchema1(t)
	f, err := Open(path, Options{most: 1 << 20})
	if err != nil || f.Region() != nil {
		t.Fatal(f, err)
	}
	if err := f.Update(func(*bolt.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
	f.Close()
}

func TestUnknownFeaturesAreRefusedWithWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := mustOpen(t, path)
	err := f.DB.Update(func(tx *bolt.Tx) error {
		return tx.Bucket(metaName).Put(featuresKey, binary.BigEndian.AppendUint64(nil, features|1<<9))
	})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {ReadOnly: true}} {
		f, err := Open(path, o)
		var unknown *FeatureError
		if !errors.As(err, &unknown) || unknown.Bit != 9 || !strings.Contains(err.Error(), "feature 9") || !strings.Contains(err.Error(), useNewer) {
			t.Errorf("%v: %v", o, err)
		}
		if err == nil {
			f.Close()
		}
	}
}
