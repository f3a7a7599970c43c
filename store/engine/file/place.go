package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// MovedError means that the open file is no longer the one at its path. Writes to it
// would be lost with the process.
type MovedError struct{ Path, Detail string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("%s is not the file that is open: %s", e.Path, e.Detail)
}

// InPlace returns a *MovedError if the file was removed, moved or replaced since it was
// opened, or if that can't be found out. A file that was moved back is in place again: it
// is locked, so no other process can have opened it for writing.
func (f *File) InPlace() error {
	there, err := os.Stat(f.path)
	switch {
	case err == nil && os.SameFile(there, f.info):
		return nil
	case err == nil:
		return &MovedError{f.path, "another file is in its place"}
	case errors.Is(err, fs.ErrNotExist):
		return &MovedError{f.path, "it was removed or moved away"}
	}
	return &MovedError{f.path, "it can't be examined: " + err.Error()}
}
