//go:build amd64 || arm64

package powercut

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// call is a system call that has begun. All its details are read at its beginning,
// because the program may be killed before it ends.
type call struct {
	number uint64
	args   [6]uint64
	data   []byte
	file   int // 0 if the file is not in the folder
	at     int64
	paths  [2]string // in the folder; "" means none
	covers int
	err    error
}

// begins reads the details of a call at its beginning.
func (p *process) begins(c *call) {
	switch c.number {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		if c.file = p.file(c.args[0]); c.file == 0 {
			return
		}
		c.data = make([]byte, c.args[2])
		c.err = p.read(c.data, c.args[1])
		if c.at = int64(c.args[3]); c.err == nil && c.number == syscall.SYS_WRITE {
			c.at, c.err = p.position(c.args[0])
		}
	case syscall.SYS_FTRUNCATE:
		c.file, c.at = p.file(c.args[0]), int64(c.args[1])
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		c.file, c.covers = p.file(c.args[0]), p.tracer.Recording.Len()
		if c.file == 0 {
			c.paths[0] = p.folder(c.args[0])
		}
	case syscall.SYS_OPENAT:
		if c.args[2]&syscall.O_CREAT != 0 {
			c.paths[0], c.err = p.path(c.args[1])
		}
	case syscall.SYS_MKDIRAT, syscall.SYS_UNLINKAT:
		c.paths[0], c.err = p.path(c.args[1])
	case syscall.SYS_RENAMEAT:
		if c.paths[0], c.err = p.path(c.args[1]); c.err == nil {
			c.paths[1], c.err = p.path(c.args[3])
		}
		if c.err == nil && (c.paths[0] == "") != (c.paths[1] == "") {
			c.err = fmt.Errorf("a file was moved into the folder or out of it: %s, %s", c.paths[0], c.paths[1])
		}
	}
}

// ended records a successful call.
func (p *process) ended(c call, result int64) {
	p.fail(c.err)
	if c.err != nil || c.file == 0 && c.paths[0] == "" {
		return
	}
	t, r := p.tracer, p.tracer.Recording
	switch c.number {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		r.Write(c.file, c.at, c.data[:result])
	case syscall.SYS_FTRUNCATE:
		r.Resize(c.file, c.at)
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		if c.file != 0 {
			r.Sync(c.file, c.number == syscall.SYS_FDATASYNC, c.covers)
		} else {
			r.SyncFolder(c.paths[0], c.covers)
		}
	case syscall.SYS_OPENAT:
		p.fail(t.opened(c.paths[0], c.args[2]&syscall.O_TRUNC != 0))
	case syscall.SYS_MKDIRAT:
		r.Mkdir(c.paths[0])
	case syscall.SYS_UNLINKAT:
		t.forget(c.paths[0])
		r.Remove(c.paths[0])
	case syscall.SYS_RENAMEAT:
		t.forget(c.paths[1])
		t.names[c.paths[1]] = t.names[c.paths[0]]
		delete(t.names, c.paths[0])
		r.Rename(c.paths[0], c.paths[1])
	}
}

// cutShort records a call during which the program was killed, if the folder shows its
// effect. Syncs do not count.
func (p *process) cutShort(c call) {
	if c.err != nil || c.file == 0 && c.paths[0] == "" {
		return
	}
	there := func(name string) bool {
		_, err := os.Lstat(filepath.Join(p.tracer.folder, name))
		return err == nil
	}
	switch c.number {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		p.ended(c, p.tracer.written(c))
	case syscall.SYS_FTRUNCATE:
		if info, err := os.Stat(p.tracer.path(c.file)); err == nil && info.Size() == c.at {
			p.ended(c, 0)
		}
	case syscall.SYS_OPENAT, syscall.SYS_MKDIRAT:
		if there(c.paths[0]) {
			p.ended(c, 0)
		}
	case syscall.SYS_UNLINKAT, syscall.SYS_RENAMEAT:
		if !there(c.paths[0]) {
			p.ended(c, 0)
		}
	}
}

// path returns the path of a file, or "".
func (t *Tracer) path(file int) string {
	for name, number := range t.names {
		if t.files[number] == file {
			return filepath.Join(t.folder, name)
		}
	}
	return ""
}

// written returns how many bytes of a write are in its file.
func (t *Tracer) written(c call) int64 {
	f, err := os.Open(t.path(c.file))
	if err != nil {
		return 0
	}
	defer f.Close()
	there := make([]byte, len(c.data))
	n, _ := f.ReadAt(there, c.at) // the file may end earlier
	for i := range n {
		if there[i] != c.data[i] {
			return int64(i)
		}
	}
	return int64(n)
}

// opened records that opening a file created or emptied it.
func (t *Tracer) opened(name string, emptied bool) error {
	number, ok := inodeOf(filepath.Join(t.folder, name))
	if !ok {
		return fmt.Errorf("%s was created and is missing", name)
	}
	if id, ok := t.files[number]; ok && t.names[name] == number {
		if emptied {
			t.Recording.Resize(id, 0)
		}
		return nil
	}
	t.made++
	t.files[number], t.names[name] = t.made, number
	t.Recording.Create(name, t.made)
	return nil
}

// forget drops a file whose name was removed. Another file may reuse its inode.
func (t *Tracer) forget(name string) {
	delete(t.files, t.names[name])
	delete(t.names, name)
}

// inside returns the name of a path relative to the folder, or "" if it is outside.
func (t *Tracer) inside(path string) string {
	name, err := filepath.Rel(t.folder, path)
	if err != nil || !filepath.IsAbs(path) || name == ".." || strings.HasPrefix(name, "../") {
		return ""
	}
	return name
}
