// Package powercut records what programs write to a folder, and constructs what a power
// cut at any moment may leave of it. It is for tests only. Its model of a disk promises
// as little as POSIX does:
//
//   - A write is on disk once a later fsync or fdatasync of the file has returned. Until
//     then, each of its sectors of 512 bytes may or may not be there, in any order.
//   - The size of a file is on disk after an fsync; an fdatasync does not count. Data
//     beyond that size is lost.
//   - A name is on disk once its folder was synced. A rename happens completely or not at
//     all.
package powercut

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// Recording is the sequence of events in a folder. It is safe for concurrent use. Paths
// are relative to the folder, with slashes; "." is the folder itself. Callers identify a
// file by a number of their choice that is never reused.
type Recording struct {
	mu     sync.Mutex
	events []event
}

type action uint8

const (
	created action = iota // a file, or a folder if its number is aFolder, was created
	renamed
	removed
	wrote
	resized
	syncedFile
	syncedData
	syncedFolder
	marked
)

// aFolder stands for the number of a file where a name is that of a folder.
const aFolder = -1

// event is one change. Which fields are set depends on the action.
type event struct {
	action   action
	path, to string
	file     int
	at       int64 // offset of a write, or the new size
	data     []byte
	covers   int // for a sync: it covers the events before this one
	mark     any
}

func (e *event) isSync() bool {
	return e.action == syncedFile || e.action == syncedData || e.action == syncedFolder
}

func (r *Recording) add(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// Len returns the number of events so far.
func (r *Recording) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// Mark records something that the caller observed, such as that a write was acknowledged.
func (r *Recording) Mark(m any) { r.add(event{action: marked, mark: m}) }

// Create records a new, empty file.
func (r *Recording) Create(path string, file int) {
	r.add(event{action: created, path: path, file: file})
}

// Mkdir records a new folder.
func (r *Recording) Mkdir(path string) { r.add(event{action: created, path: path, file: aFolder}) }

// Rename records that a file was renamed, replacing any file of the new name.
func (r *Recording) Rename(from, to string) { r.add(event{action: renamed, path: from, to: to}) }

// Remove records that a name was removed.
func (r *Recording) Remove(path string) { r.add(event{action: removed, path: path}) }

// Write records a write of data at offset at. It keeps data.
func (r *Recording) Write(file int, at int64, data []byte) {
	r.add(event{action: wrote, file: file, at: at, data: data})
}

// Resize records that a file was truncated or extended.
func (r *Recording) Resize(file int, size int64) {
	r.add(event{action: resized, file: file, at: size})
}

// Sync records that an fsync of a file, or an fdatasync if dataOnly, has returned. covers
// is the value of Len when the call began: later changes need not be on disk.
func (r *Recording) Sync(file int, dataOnly bool, covers int) {
	e := event{action: syncedFile, file: file, covers: covers}
	if dataOnly {
		e.action = syncedData
	}
	r.add(e)
}

// SyncFolder is like Sync, for the names in a folder.
func (r *Recording) SyncFolder(path string, covers int) {
	r.add(event{action: syncedFolder, path: path, covers: covers})
}

// Moments returns n random points of the recording as event numbers in ascending order.
// Every second one is right before a sync returns, when the most changes are unsynced.
func (r *Recording) Moments(n int, random *rand.Rand) []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var syncs []int
	for i, e := range r.events {
		if e.isSync() {
			syncs = append(syncs, i)
		}
	}
	out := make([]int, n)
	for i := range out {
		all, of := len(r.events), func(i int) int { return i }
		if i%2 == 1 && len(syncs) > 0 {
			all, of = len(syncs), func(i int) int { return syncs[i] }
		}
		out[i] = of((i*all + random.IntN(all)) / n)
	}
	slices.Sort(out)
	return out
}

// Written returns the bytes written and the number of syncs since event number since, for
// the file that has the given path at the end.
func (r *Recording) Written(path string, since int) (bytes int64, syncs int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := r.number(path)
	for _, e := range r.events[since:] {
		switch {
		case e.file != file: // another file
		case e.action == wrote:
			bytes += int64(len(e.data))
		case e.action == syncedFile || e.action == syncedData:
			syncs++
		}
	}
	return bytes, syncs
}

// WritesBefore returns how many writes to a file, from event number since on, begin at an offset that is
// less than limit. path is the one that the file has when the recording ends.
func (r *Recording) WritesBefore(path string, since int, limit int64) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := r.number(path)
	for _, e := range r.events[since:] {
		if e.file == file && e.action == wrote && e.at < limit {
			n++
		}
	}
	return n
}

// number returns the number of the file that has the given path at the end.
func (r *Recording) number(path string) int {
	names := map[string]int{}
	for _, e := range r.events {
		switch e.action {
		case created:
			names[e.path] = e.file
		case renamed:
			names[e.to] = names[e.path]
		}
	}
	return names[path]
}

// Counts returns the number of writes and of syncs, and the bytes written.
func (r *Recording) Counts() (writes, syncs int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.action == wrote {
			writes, bytes = writes+1, bytes+int64(len(e.data))
		} else if e.isSync() {
			syncs++
		}
	}
	return writes, syncs, bytes
}
