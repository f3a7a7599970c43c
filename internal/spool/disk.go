//go:build linux || darwin || freebsd

package spool

import "syscall"

// DiskSpace returns the size of the disk that holds the folder dir, and the bytes of it
// that this process may still use. known is false if the system does not provide them.
func DiskSpace(dir string) (size, free int64, known bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, 0, false
	}
	block := int64(fs.Bsize)
	return int64(fs.Blocks) * block, int64(fs.Bavail) * block, true
}
