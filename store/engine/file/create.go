package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
)

// create creates the file at path, unless another process does so first; see claim. bbolt
// does not protect a new file from a power cut, so create writes it under another name,
// syncs it, and renames it: after an interruption it is complete or missing.
func create(path string, region int, deadline time.Time) error {
	path, err := FollowLinks(path)
	if err != nil {
		return err
	}
	claimed, err := claim(path, deadline)
	if err != nil {
		return err
	}
	defer claimed.Close()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err // nil: another process has created the file
	}
	removeLeftovers(path, newSuffix)
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+newSuffix)
	if err != nil {
		return err
	}
	name := tmp.Name()
	if err = tmp.Close(); err == nil {
		err = errors.Join(initialise(name, region), GiveTo(path, name))
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		os.Remove(name)
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// initialise makes the file at path: its identity, and its log region, whose size is in bytes.
func initialise(path string, region int) error {
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
		if err := b.Put(identityKey, id[:]); err != nil {
			return err
		}
		return makeRegion(tx, region)
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return trim(path)
}

// claimSuffix is the suffix of the empty file whose lock is the right to create the file
// at a path.
const claimSuffix = ".creating"

// claimedPath is the right to create the file at a path. Close releases it.
type claimedPath struct{ *os.File }

// claim acquires the right to create the file at path. The error may be a *LockedError.
func claim(path string, deadline time.Time) (*claimedPath, error) {
	name := path + claimSuffix
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lock(f, exclusively, deadline); err != nil {
			f.Close()
			if errors.Is(err, errLocked) {
				return nil, &LockedError{Path: path, Holder: holder(name)}
			}
			return nil, fmt.Errorf("locking %s: %w", name, err)
		}
		if isAt(name, f) {
			return &claimedPath{f}, nil
		}
		f.Close() // the previous holder of the lock has removed it
	}
}

func (c *claimedPath) Close() error {
	if !movesOpen {
		err := c.File.Close()
		os.Remove(c.Name()) // fails if another process waits for the lock and so has it open; that process removes it
		return err
	}
	return errors.Join(os.Remove(c.Name()), c.File.Close()) // remove first, so that no process gets the lock of a removed file
}

// FollowLinks returns the path that a symbolic link leads to, whether a file exists there
// or not. Creating or replacing the file at that path keeps the link.
func FollowLinks(path string) (string, error) {
	const most = 40
	for range most {
		target, err := os.Readlink(path)
		if err != nil { // it is not a link
			return path, nil
		}
		if !filepath.IsAbs(target) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path)) // otherwise .. in the target would mean another folder
			if err != nil {
				return "", err
			}
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

// movesOpen reports whether the system can rename and remove open files. Windows can't,
// nor can it replace an open file.
const movesOpen = runtime.GOOS != "windows"

// SyncFolder makes the names in a folder survive a power cut. It does nothing on Windows,
// which has no such call and journals names itself.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("syncing the folder %s: %w", dir, err)
	}
	return nil
}

// WriteSecret writes a file that only its owner can read, atomically: after a kill it has
// the old content or the new. It returns once the file is on the disk. If root calls it,
// the file gets the owner of the old file, or of the folder. Nobody else may write the
// file at the same time.
func WriteSecret(path string, text []byte) error {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed
		return err
	}
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = GiveTo(path, fresh)
	}
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return SyncFolder(filepath.Dir(path))
}
