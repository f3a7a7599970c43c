package errno

import (
	"syscall"

	"golang.org/x/sys/windows"
)

var (
	diskFull = []syscall.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED,
		syscall.ENOSPC, syscall.EDQUOT}
	diskFailed = []syscall.Errno{windows.ERROR_IO_DEVICE, windows.ERROR_CRC, windows.ERROR_READ_FAULT, windows.ERROR_WRITE_FAULT,
		windows.ERROR_NOT_READY, syscall.EIO}
	addressInUse = []syscall.Errno{windows.WSAEADDRINUSE, syscall.EADDRINUSE}
	refused      = []syscall.Errno{windows.WSAECONNREFUSED, syscall.ECONNREFUSED}
)
