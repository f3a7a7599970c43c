//go:build !windows

package errno

import "syscall"

var (
	diskFull     = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} // EFBIG: a limit of the file system or the process
	diskFailed   = []syscall.Errno{syscall.EIO}
	addressInUse = []syscall.Errno{syscall.EADDRINUSE}
	refused      = []syscall.Errno{syscall.ECONNREFUSED}
)
