//go:build !windows

package errno

import "syscall"

var (
	diskFull     = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
	diskFailed   = []syscall.Errno{syscall.EIO}
	addressInUse = []syscall.Errno{syscall.EADDRINUSE}
	refused      = []syscall.Errno{syscall.ECONNREFUSED}
)
