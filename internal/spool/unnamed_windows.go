package spool

import (
	"cmp"
	"crypto/rand"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Unnamed creates a temporary file in a folder, "" for the system's. The system removes it once it is closed or the
// process ends. Windows can't remove the name of an open file.
func Unnamed(dir string) (*os.File, error) {
	name := filepath.Join(cmp.Or(dir, os.TempDir()), "segraph-spool-"+rand.Text())
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|windows.FILE_FLAG_DELETE_ON_CLOSE, 0o600)
}
