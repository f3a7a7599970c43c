//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"os"
	"syscall"
)

// locks reports whether tryLock takes locks.
const locks = true

// tryLock takes the lock that bbolt takes: an exclusive one to write, or a shared one to
// read. bbolt then takes it again through the same open file, which succeeds. If another
// open file has a lock that excludes this one, tryLock returns errLocked.
func tryLock(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case !errors.Is(err, syscall.EINTR):
			return os.NewSyscallError("flock", err)
		}
	}
}
