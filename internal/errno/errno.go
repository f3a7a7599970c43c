// Package errno classifies system errors, whose numbers differ between systems.
package errno

import (
	"errors"
	"slices"
	"strings"
	"syscall"
)

// DiskFull reports whether err means that the disk or the user's quota is full.
func DiskFull(err error) bool { return isAny(err, diskFull) }

// FullIn returns the error of a full disk with whose words a text ends, or nil.
func FullIn(text string) error {
	for _, n := range diskFull {
		if strings.HasSuffix(text, n.Error()) {
			return n
		}
	}
	return nil
}

// DiskFailed reports whether err means that reading or writing the disk failed.
func DiskFailed(err error) bool { return isAny(err, diskFailed) }

// AddressInUse reports whether err means that another program listens at the address.
func AddressInUse(err error) bool { return isAny(err, addressInUse) }

// Refused reports whether err means that no program listens at the address.
func Refused(err error) bool { return isAny(err, refused) }

func isAny(err error, numbers []syscall.Errno) bool {
	return slices.ContainsFunc(numbers, func(n syscall.Errno) bool { return errors.Is(err, n) })
}
