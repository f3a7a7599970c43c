package file

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// syncsWrites reports whether the file system of a file is one that is known to sync a write with RWF_DSYNC.
func syncsWrites(f *os.File) bool {
	var s unix.Statfs_t
	known := []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.TMPFS_MAGIC}
	return unix.Fstatfs(int(f.Fd()), &s) == nil && slices.Contains(known, int64(s.Type))
}

// writeSynced writes b, and returns once it is on the disk. An fdatasync would also wait for all pages that others are
// writing to the file. The error is errors.ErrUnsupported before Linux 4.7, and where a sandbox does not know the call.
func writeSynced(f *os.File, b []byte, at int64) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = unix.Pwritev2(int(f.Fd()), [][]byte{b[n:]}, at+int64(n), unix.RWF_DSYNC)
		n += max(m, 0)
		if errors.Is(err, unix.EINTR) {
			err = nil
		}
	}
	if n == 0 && (errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL)) {
		err = errors.ErrUnsupported
	}
	return n, err
}
