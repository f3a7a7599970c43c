package file

import (
	"errors"
	"io"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// syncsWrites reports whether the file system of a file is one that is known to sync a write with RWF_DSYNC.
func syncsWrites(f *os.File) bool {
	var s unix.Statfs_t
	known := []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC}
	return unix.Fstatfs(int(f.Fd()), &s) == nil && slices.Contains(known, int64(s.Type))
}

// writeSynced writes b, and returns once it is on the disk. An fdatasync would also wait for all pages that others are
// writing to the file. The error is errors.ErrUnsupported before Linux 4.7, and where a sandbox does not know the call.
func writeSynced(f *os.File, b []byte, at int64) (n int, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	for n < len(b) && err == nil {
		var m int
		if cerr := conn.Write(func(fd uintptr) bool {
			m, err = unix.Pwritev2(int(fd), [][]byte{b[n:]}, at+int64(n), unix.RWF_DSYNC)
			return true
		}); cerr != nil {
			return n, cerr
		}
		switch {
		case errors.Is(err, unix.EINTR):
			err = nil
		case err == nil && m == 0:
			err = io.ErrShortWrite
		}
		n += max(m, 0)
	}
	if n == 0 && (errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL)) {
		err = errors.ErrUnsupported
	}
	return n, err
}
