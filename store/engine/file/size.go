package file

import (
	"errors"
	"fmt"
	"strconv"

	bolterrors "go.etcd.io/bbolt/errors"
)

// MaxSize is the size in bytes of the largest file that this program can open, or 0 if
// only the disk limits it. bbolt maps the whole file; with 32-bit addresses it maps at
// most 2 GiB, about 55 million triples.
const MaxSize = (1<<31 - 1) * (64 - strconv.IntSize) / 32 // the factor and divisor give 1 or, with 64-bit addresses, 0

// GrowthStep is by how many bytes a file grows at once.
const GrowthStep = 4 << 20

// growRoom is how many bytes below MaxSize a file stops growing, because bbolt also
// computes the end of a large value in 32 bits.
const growRoom = 64 << 20

// TooLargeError means that a file is too large for 32-bit addresses.
type TooLargeError struct {
	Path string
	Size int64 // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, but a 32-bit program can open at most 2 GiB, about 55 million triples: use a 64-bit program on a 64-bit system", e.Path, e.Size)
}

// checkSize returns a *TooLargeError for a file of more than limit bytes. If limit is 0,
// there is no limit.
func checkSize(path string, size, limit int64) error {
	if limit > 0 && size > limit {
		return &TooLargeError{path, size}
	}
	return nil
}

// growLimit returns the size in bytes up to which a file may grow, or 0 if only the disk
// limits it.
func growLimit() int { return max(MaxSize-growRoom, 0) }

// IsAtLimit reports whether an error means that the file would exceed MaxSize.
func IsAtLimit(err error) bool { return errors.Is(err, bolterrors.ErrMaxSizeReached) }
