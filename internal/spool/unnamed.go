//go:build !windows

package spool

import (
	"errors"
	"os"
)

// unnamed creates a temporary file and removes its name at once.
func unnamed(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "segraph-spool-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
