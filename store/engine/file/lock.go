package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// LockedError means that another process has the file open.
type LockedError struct {
	Path   string
	Holder string // describes that process; "" if unknown
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.Holder != "" {
		who = e.Holder
	}
	return fmt.Sprintf("%s is in use by %s: stop that process, or choose another file with --data", e.Path, who)
}

// errLocked means that another open file has the lock.
var errLocked = errors.New("another process has the lock")

// lockRetry is how long to wait before trying again to get a lock.
const lockRetry = 20 * time.Millisecond

// openLocked opens the file at path and locks it until it is closed. If the file is
// missing and the options allow it, openLocked creates it first.
func openLocked(path string, o Options) (*os.File, error) {
	timeout := o.LockTimeout
	if timeout == 0 {
		timeout = time.Second
	}
	deadline := time.Now().Add(timeout)
	flag := os.O_RDWR
	if o.ReadOnly {
		flag = os.O_RDONLY
	}
	for {
		f, err := os.OpenFile(path, flag, 0)
		if errors.Is(err, fs.ErrNotExist) && o.creates() {
			if err := create(path, o.Log, deadline); err != nil {
				return nil, lockError("creating", path, err)
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
		if err := lock(f, !o.ReadOnly, deadline); err != nil {
			f.Close()
			return nil, lockError("locking", path, err)
		}
		if isAt(path, f) {
			return f, nil
		}
		f.Close() // the previous holder of the lock has replaced the file
	}
}

// lockError wraps an error of locking. It adds the process that holds the file at path.
func lockError(doing, path string, err error) error {
	var locked *LockedError
	switch {
	case errors.As(err, &locked):
		return locked
	case errors.Is(err, errLocked):
		return &LockedError{Path: path, Holder: holder(path)}
	}
	return fmt.Errorf("%s %s: %w", doing, path, err)
}

const exclusively = true // an argument of lock and tryLock

// lock waits for the lock of f, shared unless exclusive is set, until the deadline. Then it returns errLocked.
func lock(f *os.File, exclusive bool, deadline time.Time) error {
	for {
		err := tryLock(f, exclusive)
		if !errors.Is(err, errLocked) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(lockRetry)
	}
}

// isAt reports whether f is the file at path, and not one that was removed or replaced.
func isAt(path string, f *os.File) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	own, err := f.Stat()
	return err == nil && os.SameFile(there, own)
}

// procLocks is Linux's list of file locks. Each line has the process and the device and
// inode of the file.
const procLocks = "/proc/locks"

// holder describes the process that holds the lock on the file at path, or returns "" if
// the system does not tell.
func holder(path string) string {
	want, ok := inode(path)
	if !ok {
		return ""
	}
	locks, err := os.ReadFile(procLocks)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(locks)) {
		// "1: FLOCK ADVISORY WRITE 1234 fd:00:5678 0 EOF"; for a waiting process, "->"
		// follows the number.
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || !strings.HasSuffix(f[5], fmt.Sprintf(":%d", want)) {
			continue
		}
		name, err := os.ReadFile("/proc/" + f[4] + "/comm")
		if err != nil {
			return "process " + f[4]
		}
		return fmt.Sprintf("process %s (%s)", f[4], strings.TrimSpace(string(name)))
	}
	return ""
}
