package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// What stands behind a file's name in the names of files that are to take its place,
// before some digits.
const (
	newSuffix  = ".new-"        // of a first creation
	Restoring  = ".restoring-"  // of a restore
	Compacting = ".compacting-" // of a compaction
)

// RemoveLeftovers removes what processes that were killed left beside the file at path
// when they made, restored or compacted it. The caller holds the file's lock, without
// which nobody does any of that. What can't be removed stays.
func RemoveLeftovers(path string) {
	path, err := FollowLinks(path)
	if err != nil {
		return
	}
	removeLeftovers(path, newSuffix, Restoring, Compacting)
	name := path + claimSuffix
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		return // it is none of ours
	}
	if claimed, err := claim(path, time.Time{}); err == nil {
		claimed.Close()
	}
}

// removeLeftovers removes the files whose names are that of path, one of the suffixes,
// and digits.
func removeLeftovers(path string, suffixes ...string) {
	dir, base := filepath.Split(path)
	for _, name := range namesIn(dir) {
		for _, suffix := range suffixes {
			if numbered(name, base+suffix, "") {
				os.Remove(filepath.Join(dir, name))
			}
		}
	}
}

// Temporary creates a file in dir whose name is prefix, digits and suffix, and holds a
// lock on it, beside which it can be opened for reading, until it is closed. Before that
// it removes files with such names that no process has locked: they are left from
// processes that were killed.
func Temporary(dir, prefix, suffix string) (*os.File, error) {
	for _, name := range namesIn(dir) {
		if numbered(name, prefix, suffix) && locks {
			removeUnlocked(filepath.Join(dir, name))
		}
	}
	for {
		f, err := os.CreateTemp(dir, prefix+"*"+suffix)
		if err != nil {
			return nil, err
		}
		err = tryLock(f, false)
		switch {
		case errors.Is(err, errHeld), err == nil && !isAt(f.Name(), f): // another process took it for a leftover
			f.Close()
		case err != nil:
			return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
		default:
			return f, nil
		}
	}
}

// Place renames a file that Temporary made to path, and closes it.
func Place(f *os.File, path string) error {
	if !movesOpen {
		return errors.Join(f.Close(), os.Rename(f.Name(), path))
	}
	return errors.Join(os.Rename(f.Name(), path), f.Close())
}

// removeUnlocked removes a file if no process has its lock.
func removeUnlocked(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if tryLock(f, true) == nil && isAt(path, f) {
		if !movesOpen {
			f.Close() // whoever opens it now keeps it
		}
		os.Remove(path)
	}
}

// namesIn returns the names in a folder; none where it can't be listed.
func namesIn(dir string) []string {
	entries, _ := os.ReadDir(filepath.Clean(dir))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// numbered reports whether a name is prefix, digits and suffix.
func numbered(name, prefix, suffix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok || !strings.HasSuffix(rest, suffix) {
		return false
	}
	digits := strings.TrimSuffix(rest, suffix)
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}
