package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Lock locks the file at path, damaged or not, so that no process can open it until the
// returned Closer is closed. If there is no file, no process can create one meanwhile.
// The error may be a *LockedError.
func Lock(path string) (io.Closer, error) {
	deadline := time.Now().Add(time.Second)
	for {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			held, err := lockMissing(path, deadline)
			if err != nil {
				return nil, lockError("locking", path, err)
			}
			if held != nil {
				return held, nil
			}
			continue // there is a file now
		}
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
		if err := lock(f, exclusively, deadline); err != nil {
			f.Close()
			return nil, lockError("locking", path, err)
		}
		if isAt(path, f) {
			return f, nil
		}
		f.Close() // the file was replaced meanwhile
	}
}

// lockMissing locks the path of a file that does not exist. It returns nil if the file exists after all.
func lockMissing(path string, deadline time.Time) (io.Closer, error) {
	path, err := FollowLinks(path)
	if err != nil {
		return nil, err
	}
	held, err := claim(path, deadline)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return held, nil
	}
	return nil, held.Close()
}

// Replace atomically replaces the file at path with the file at from in the same folder: after an
// interruption, path is the old file or the new one. The caller must have locked path, and the new file
// must be on the disk. Replace keeps the old file under the name keep, unless that is "".
//
// open holds the caller's open handles of the two files, with their locks. Only on Windows, which can't
// rename an open file, does Replace close them, just before it renames. If another process opens the old
// file in between, Replace fails, and the old file stays.
//
// The error is an *UnsyncedError if the new file is in place.
func Replace(path, from, keep string, open ...io.Closer) error {
	steps := replacing(path, from, keep, open)
	for i, step := range steps {
		err := step()
		switch {
		case err == nil:
			continue
		case i == len(steps)-1:
			return &UnsyncedError{err}
		case i > 0 && keep != "":
			err = errors.Join(err, os.RemoveAll(keep))
		}
		return err
	}
	return nil
}

// UnsyncedError reports that a file was replaced, but that a power cut may bring the old one back.
type UnsyncedError struct{ Err error }

func (e *UnsyncedError) Error() string {
	return fmt.Sprintf("the file was replaced, but a power cut may bring the old one back: %v", e.Err)
}

// Unwrap returns the error of the sync.
func (e *UnsyncedError) Unwrap() error { return e.Err }

// replacing returns the steps of Replace. The process may be killed between and within
// any of them.
func replacing(path, from, keep string, open []io.Closer) []func() error {
	dir := filepath.Dir(path)
	return []func() error{
		func() error { return keepOld(path, keep) },
		func() error { return SyncFolder(dir) },
		func() error { return rename(from, path, open) },
		func() error { return SyncFolder(dir) },
	}
}

// rename moves a file. On a system that does not move open files, it closes them before.
func rename(from, path string, open []io.Closer) error {
	if !movesOpen {
		for _, o := range open {
			if err := o.Close(); err != nil {
				return err
			}
		}
	}
	return os.Rename(from, path)
}

// keepOld keeps the file at path under a second name, keep: by a hard link, or by a copy if linking fails. It does nothing
// if keep is "", or if there is no file at path or an empty one. It is an error if there is a file at keep.
func keepOld(path, keep string) error {
	if keep == "" {
		return nil
	}
	info, err := os.Stat(path)
	if empty := err == nil && info.Size() == 0; empty || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err = os.Link(path, keep)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(keep, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return errors.Join(fmt.Errorf("keeping a copy of %s: %w", path, err), os.Remove(keep))
	}
	return nil
}

// Compact writes a snapshot of the file's keys and values to a new file at path, with
// full pages and no free ones. When it returns nil, the new file is on the disk. After an
// error, part of it may exist.
func (f *File) Compact(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("creating %s: %w", path, fs.ErrExist)
	}
	out, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true, PageSize: f.DB.Info().PageSize, FreelistType: bolt.FreelistArrayType})
	if err != nil {
		return fmt.Errorf("creating %s: %w", path, err)
	}
	const transaction = 64 << 20 // bytes; limits the memory
	err = bolt.Compact(out, f.DB, transaction)
	if err == nil && f.region.Waiting() == 0 {
		if err = out.Update(func(*bolt.Tx) error { return nil }); err == nil { // so that both meta pages lead to the same
			err = out.View(func(tx *bolt.Tx) error { return zeroRest(path, tx) })
		}
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return trim(path)
}

// trim truncates a file after its last page, because bbolt makes it longer than needed,
// writes the copy of its newer meta page, and syncs it.
func trim(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if metas := readMetas(f); len(metas) > 0 {
		err = errors.Join(f.Truncate(int64(metas[0].highWater)*metas[0].pageSize), writeCopy(f, metas[0]))
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// OnDisk returns how many bytes of disk the file at path uses. That may be less than its
// length, since a file may have holes.
func OnDisk(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return onDisk(info), nil
}
