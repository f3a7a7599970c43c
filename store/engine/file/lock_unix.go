//go:build unix

package file

import (
	"os"
	"syscall"
)

// inode returns the inode of the file at path, or false if it can't be read.
func inode(path string) (number uint64, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return st.Ino, true
}

// onDisk returns the total size of a file's blocks.
func onDisk(info os.FileInfo) int64 {
	const block = 512 // whatever the file system's block size is
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * block
	}
	return info.Size()
}
