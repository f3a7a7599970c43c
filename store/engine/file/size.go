package file

import (
	"errors"
	"fmt"
	"strconv"

	bolterrors "go.etcd.io/bbolt/errors"
)

// MaxSize is how many bytes a file may have for this program to open it, 0 where only the
// disk bounds it: bbolt maps the whole file, and where addresses have 32 bits, it maps 2
// GiB at most. That is about 55 million triples.
const MaxSize = (1<<31 - 1) * (64 - strconv.IntSize) / 32

// growRoom is how much of MaxSize is left when a file stops growing: bbolt reckons with
// 32 bits, too, where a value of many pages ends.
const growRoom = 64 << 20

// TooLargeError says that a file can't be opened where addresses have 32 bits.
type TooLargeError struct {
	Path string
	Size int64 // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, and a 32-bit program opens 2 GiB at most, about 55 million triples: open it with a 64-bit one, on a 64-bit system", e.Path, e.Size)
}

// checkSize returns a *TooLargeError for a file of more than most bytes, 0 being no bound.
func checkSize(path string, size, most int64) error {
	if most > 0 && size > most {
		return &TooLargeError{path, size}
	}
	return nil
}

// growLimit returns the size in bytes up to which a file may grow, 0 where only the disk
// bounds it.
func growLimit() int { return int(max(MaxSize-growRoom, 0)) }

// IsAtLimit reports whether an error means that the file would grow over MaxSize.
func IsAtLimit(err error) bool { return errors.Is(err, bolterrors.ErrMaxSizeReached) }
