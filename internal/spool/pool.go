package spool

import (
	"os"
	"sync/atomic"
	"time"
)

// Pool holds the settings that spools share. The zero value is ready to use: 128 KiB of
// memory for each spool, files in os.TempDir(), no limit on disk space, and no timeout.
type Pool struct {
	Memory   int                    // bytes of memory per spool; 0 means 128 KiB
	Dir      string                 // folder of the files; "" means os.TempDir()
	Disk     int64                  // maximum bytes of all files together; 0 means no limit
	Files    int                    // maximum number of files; 0 means no limit
	Keep     func(disk int64) int64 // bytes to leave free on a disk of the given size; nil means none
	Patience time.Duration          // how long a Write waits without any progress; 0 means forever

	used    atomic.Int64
	revoked atomic.Uint64                      // how often Revoke was called
	files   atomic.Int64                       // that are open
	create  func(dir string) (*os.File, error) // nil means unnamed; tests simulate a broken disk
}

// Used returns the bytes of disk in use by the pool's spools.
func (p *Pool) Used() int64 { return p.used.Load() }

// Generation returns how often Revoke was called; see Spool.Since.
func (p *Pool) Generation() uint64 { return p.revoked.Load() }

// Revoke ends the spools that were made before: what they hold is sent to nobody any more.
func (p *Pool) Revoke() { p.revoked.Add(1) }

// memory returns the bytes of memory per spool.
func (p *Pool) memory() int {
	if p.Memory <= 0 {
		return 128 << 10
	}
	return p.Memory
}

// reserve reserves n bytes of disk. It returns ErrUsedUp or ErrDiskFull if it can't.
func (p *Pool) reserve(n int64) error {
	for {
		used := p.used.Load()
		if p.Disk > 0 && used+n > p.Disk {
			return ErrUsedUp
		}
		// Adding first and subtracting the excess would make other spools fail in
		// between.
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

// open creates a file. It returns ErrUsedUp if there are too many.
func (p *Pool) open() (file *os.File, err error) {
	if n := p.files.Add(1); p.Files > 0 && n > int64(p.Files) {
		p.files.Add(-1)
		return nil, ErrUsedUp
	}
	if p.create != nil {
		file, err = p.create(p.dir())
	} else {
		file, err = Unnamed(p.Dir)
	}
	if err != nil {
		p.files.Add(-1)
	}
	return file, err
}

// close closes a file that open created.
func (p *Pool) close(file *os.File) error {
	p.files.Add(-1)
	return file.Close()
}
