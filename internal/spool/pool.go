package spool

import (
	"os"
	"sync/atomic"
	"time"
)

// Pool is what spools have in common. The zero value is ready: 128 KiB of memory a spool,
// files in os.TempDir(), no bound to the disk, and no end to waiting.
type Pool struct {
	Memory   int                    // bytes of memory a spool; 0 is 128 KiB
	Dir      string                 // where the files are; "" is os.TempDir()
	Disk     int64                  // bytes of all files together; 0 is as much as there is
	Keep     func(disk int64) int64 // bytes that stay free on a disk of that size; nil is none
	Patience time.Duration          // how long a Write waits without any room; 0 is for ever

	used   atomic.Int64
	create func(dir string) (*os.File, error) // nil is unnamed; tests give a broken disk
}

// Used returns the bytes of disk that spools of the pool hold now.
func (p *Pool) Used() int64 { return p.used.Load() }

// memory returns how many bytes of memory a spool has.
func (p *Pool) memory() int {
	if p.Memory <= 0 {
		return 128 << 10
	}
	return p.Memory
}

// reserve takes n bytes of disk, or says why not.
func (p *Pool) reserve(n int64) error {
	for {
		used := p.used.Load()
		if p.Disk > 0 && used+n > p.Disk {
			return ErrUsedUp
		}
		// Adding first and taking back what was too much would refuse others for that
		// moment.
		if p.used.CompareAndSwap(used, used+n) {
			break
		}
	}
	if p.Keep == nil {
		return nil
	}
	size, free, known := DiskSpace(p.dir())
	if known && free-n < p.Keep(size) {
		p.used.Add(-n)
		return ErrDiskFull
	}
	return nil
}

func (p *Pool) dir() string {
	if p.Dir == "" {
		return os.TempDir()
	}
	return p.Dir
}

func (p *Pool) open() (*os.File, error) {
	if p.create != nil {
		return p.create(p.dir())
	}
	return unnamed(p.dir())
}
