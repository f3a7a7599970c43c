// Package errno says what an error of the system means, whatever number the system gives
// it.
package errno

import (
	"errors"
	"slices"
	"syscall"
)

// DiskFull reports whether err means that the disk, or the user's share of it, has no room.
func DiskFull(err error) bool { return isAny(err, diskFull) }

// DiskFailed reports whether err means that the disk could not be read or written.
func DiskFailed(err error) bool { return isAny(err, diskFailed) }

// AddressInUse reports whether err means that another program listens at an address.
func AddressInUse(err error) bool { return isAny(err, addressInUse) }

// Refused reports whether err means that no program listens at an address.
func Refused(err error) bool { return isAny(err, refused) }

func isAny(err error, numbers []syscall.Errno) bool {
	return slices.ContainsFunc(numbers, func(n syscall.Errno) bool { return errors.Is(err, n) })
}
