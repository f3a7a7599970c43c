//go:build unix

package file

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file that root puts in the place of a service's file gets that file's owner.
// Otherwise the service could not open it.
func TestFilesReplacedByRootKeepTheirOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	const service, other = 4242, 4343
	owner := func(path string) int {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has the mode %o", path, mode)
		}
		return int(info.Sys().(*syscall.Stat_t).Uid)
	}
	dir := t.TempDir()
	if err := os.Chown(dir, service, service); err != nil {
		t.Fatal(err)
	}
	path, from := filepath.Join(dir, "x.db"), filepath.Join(dir, "new.db")
	mustOpen(t, path).Close()
	if got := owner(path); got != service {
		t.Errorf("a new file belongs to %d", got)
	}
	for _, had := range []int{service, other} {
		if err := os.Chown(path, had, had); err != nil {
			t.Fatal(err)
		}
		mustOpen(t, from).Close()
		if err := os.Chown(from, 0, 0); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(GiveTo(path, from), Replace(path, from, filepath.Join(dir, "old.db"))); err != nil {
			t.Fatal(err)
		}
		if got := owner(path); got != had {
			t.Errorf("a file of user %d was replaced by one of %d", had, got)
		}
		if err := os.Remove(filepath.Join(dir, "old.db")); err != nil {
			t.Fatal(err)
		}
	}
}
