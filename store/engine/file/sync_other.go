//go:build !linux

package file

import "os"

// syncData syncs what was written to f.
func syncData(f *os.File) error { return f.Sync() }
