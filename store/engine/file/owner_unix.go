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

// GiveTo has the new file at from, of root's, belong to whom the file at path belongs to,
// or, where there is none or an empty one, its folder: root restores for a service that
// runs as another user and could not open it. Others own what they make.
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
