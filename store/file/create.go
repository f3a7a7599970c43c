package file

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
)

// newSuffix marks files that are being made, before they have their name.
const newSuffix = ".new-"

// create puts a new file in the place of the empty one at path, whose lock the caller holds: with
// it one process at a time makes the file. bbolt itself is not safe against a power cut in the
// first moments of a file, so it is made under another name, written out, and then
// named: whenever this is cut short, there is an empty file at path or a good one.
//
// The new file is not locked yet. Who has opened the empty one sees that it is no longer at path.
func create(path string, empty *os.File) error {
	path, err := filepath.EvalSymlinks(path) // a link to the file stays a link
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	removeLeftovers(path)
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+newSuffix)
	if err != nil {
		return err
	}
	name := tmp.Name()
	if err = tmp.Close(); err == nil {
		err = errors.Join(initialise(name), GiveTo(path, name))
	}
	if _, same := isAt(path, empty); err != nil || !same {
		os.Remove(name)
		return err
	}
	if err := os.Rename(name, path); err != nil {
		os.Remove(name)
		return err
	}
	return SyncFolder(dir)
}

func initialise(path string) error {
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket(metaName)
		if err != nil {
			return err
		}
		id, err := uuid.NewRandom()
		if err != nil {
			return err
		}
		if err := b.Put(schemaKey, binary.BigEndian.AppendUint32(nil, Schema)); err != nil {
			return err
		}
		return b.Put(identityKey, id[:])
	})
	return errors.Join(err, db.Close())
}

// removeLeftovers takes away what a creation that was cut short left behind. Nobody else makes the
// file at path now: its lock is held.
func removeLeftovers(path string) {
	dir, prefix := filepath.Dir(path), filepath.Base(path)+newSuffix
	names, _ := os.ReadDir(dir) // what can't be listed stays
	for _, n := range names {
		if number, ok := strings.CutPrefix(n.Name(), prefix); ok && strings.Trim(number, "0123456789") == "" {
			os.Remove(filepath.Join(dir, n.Name()))
		}
	}
}

// SyncFolder makes names that were given or taken away in a folder survive a power cut.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("writing the folder %s out: %w", dir, err)
	}
	return nil
}
