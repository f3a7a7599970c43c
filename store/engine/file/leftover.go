package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Suffixes of temporary files next to a file. Digits follow them.
const (
	newSuffix  = ".new-"        // while creating
	Restoring  = ".restoring-"  // for a restore
	Compacting = ".compacting-" // for a compaction
)

// BeforeRestore is the suffix of the name of a file that a restore replaced. The time follows, in UTC and in the form
// of ReplacedAt.
const (
	BeforeRestore = ".before-restore-"
	ReplacedAt    = "20060102T150405.000Z"
)

// RemoveLeftovers removes the files that killed processes left next to the file at path
// while they created, restored or compacted it. The caller must hold the file's lock,
// which these operations need too. RemoveLeftovers ignores files that it can't remove.
func RemoveLeftovers(path string) {
	path, err := FollowLinks(path)
	if err != nil {
		return
	}
	removeLeftovers(path, newSuffix, Restoring, Compacting)
	name := path + claimSuffix
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		return // it is not ours
	}
	if claimed, err := claim(path, time.Time{}); err == nil {
		claimed.Close()
	}
}

// removeLeftovers removes the files whose names consist of path, one of the suffixes, and
// digits.
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

// Temporary creates a file in dir whose name is prefix, digits and suffix, and locks it
// until it is closed. Other processes may still open it for reading. Temporary first
// removes unlocked files with such names, which killed processes left.
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
		err = tryLock(f, !exclusively)
		switch {
		case errors.Is(err, errLocked), err == nil && !isAt(f.Name(), f): // another process took it for a leftover
			f.Close()
		case err != nil:
			return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
		default:
			return f, nil
		}
	}
}

// Place renames a file created by Temporary to path, and closes it.
func Place(f *os.File, path string) error {
	if !movesOpen {
		return errors.Join(f.Close(), os.Rename(f.Name(), path))
	}
	return errors.Join(os.Rename(f.Name(), path), f.Close())
}

// removeUnlocked removes a file unless a process has its lock.
func removeUnlocked(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if tryLock(f, exclusively) == nil && isAt(path, f) {
		if !movesOpen {
			f.Close() // close first; a process that opens the file now keeps it
		}
		os.Remove(path)
	}
}

// namesIn returns the names in a folder, or none if it can't be listed.
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
