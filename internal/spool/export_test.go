package spool

import "os"

// PoolOn returns a pool that uses the file at path, such as a device, for every spool.
func PoolOn(path string) *Pool {
	return &Pool{create: func(string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }}
}
