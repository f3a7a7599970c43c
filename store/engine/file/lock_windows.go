package file

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// locks reports whether tryLock takes locks.
const locks = true

// tryLock locks a byte beyond the end of any file, or returns errLocked if another process
// has it. Closing f releases the lock. It is another byte than bbolt's, because a lock on
// Windows excludes its own holder too.
func tryLock(f *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxUint32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return os.NewSyscallError("LockFileEx", err)
}
