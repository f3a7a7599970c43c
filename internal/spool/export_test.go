package spool

import "os"

// PoolOn gives a pool whose files are all that one, such as a device.
func PoolOn(path string) *Pool {
	return &Pool{create: func(string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }}
}
