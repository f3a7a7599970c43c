package spool

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// unnamed creates a temporary file that the system removes when it is closed or the
// process ends. Windows can't remove the name of an open file.
func unnamed(dir string) (*os.File, error) {
	name := filepath.Join(dir, "segraph-spool-"+rand.Text())
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|windows.FILE_FLAG_DELETE_ON_CLOSE, 0o600)
}
