package spool

import "golang.org/x/sys/windows"

// DiskSpace returns the size of the disk that holds the folder dir, and the bytes of it
// that this process may still use. known is false if the system does not provide them.
func DiskSpace(dir string) (size, free int64, known bool) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, false
	}
	var mayUse, all uint64
	if err := windows.GetDiskFreeSpaceEx(path, &mayUse, &all, nil); err != nil {
		return 0, 0, false
	}
	return int64(all), int64(mayUse), true
}
