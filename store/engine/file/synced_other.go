//go:build !linux

package file

import (
	"errors"
	"os"
)

func syncsWrites(*os.File) bool { return false }

func writeSynced(*os.File, []byte, int64) (int, error) { return 0, errors.ErrUnsupported }
