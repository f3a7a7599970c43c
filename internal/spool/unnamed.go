//go:build !windows

package spool

import (
	"errors"
	"os"
)

// Unnamed creates a temporary file in a folder, "" for the system's, and removes its name at once: nothing is left of it
// once it is closed or the process ends.
func Unnamed(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "segraph-spool-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
