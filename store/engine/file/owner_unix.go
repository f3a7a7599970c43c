//go:build unix

package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// GiveTo changes the owner of the new file at from to that of the file at path or, if
// that is missing or empty, of its folder. It does so only for root, so that root can
// restore a file for a service that runs as another user.
func GiveTo(path, from string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	owner, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && owner.Size() == 0 {
		owner, err = os.Stat(filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	if s, ok := owner.Sys().(*syscall.Stat_t); ok {
		if err := os.Chown(from, int(s.Uid), int(s.Gid)); err != nil {
			return fmt.Errorf("giving the new file to the owner of the old one: %w", err)
		}
	}
	return nil
}
