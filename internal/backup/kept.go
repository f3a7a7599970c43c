package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/engine/file"
)

// Kept is a file that a restore replaced and kept beside the new one.
type Kept struct {
	Name string
	Time time.Time // of the restore
	Size int64     // bytes
}

// Kept returns the files that restores kept, the newest first.
func (f *Folder) Kept() ([]Kept, error) {
	_, all, err := f.kept()
	return all, err
}

// kept also returns the folder that the files are in.
func (f *Folder) kept() (dir string, all []Kept, err error) {
	if f.options.Data == "" {
		return "", nil, nil
	}
	data, err := file.FollowLinks(f.options.Data)
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Dir(data)
	names, err := os.ReadDir(dir)
	if err != nil {
		return dir, nil, fmt.Errorf("looking for files that restores kept: %w", err)
	}
	for _, n := range names {
		when, ok := strings.CutPrefix(n.Name(), filepath.Base(data)+file.BeforeRestore)
		at, wrong := time.Parse(file.ReplacedAt, when)
		if !ok || wrong != nil {
			continue
		}
		if info, err := n.Info(); err == nil && info.Mode().IsRegular() { // otherwise it is gone
			all = append(all, Kept{n.Name(), at, info.Size()})
		}
	}
	slices.Reverse(all) // names are in the order of time
	return dir, all, nil
}

// RemoveKept removes a file that a restore kept. The error may be ErrNone.
func (f *Folder) RemoveKept(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	removed, err := f.removeKept(func(k Kept) bool { return k.Name == name })
	if err == nil && removed == 0 {
		return ErrNone
	}
	return err
}

// removeKept removes the files kept by restores that unwanted accepts.
func (f *Folder) removeKept(unwanted func(Kept) bool) (removed int, err error) {
	dir, all, err := f.kept()
	if err != nil {
		return 0, err
	}
	for _, k := range all {
		if unwanted(k) {
			failed := os.Remove(filepath.Join(dir, k.Name))
			if err = errors.Join(err, failed); failed == nil {
				removed++
			}
		}
	}
	if err != nil || removed == 0 {
		return removed, err
	}
	return removed, file.SyncFolder(dir)
}
