package logs

import "log/slog"

// shareOf returns the share that a record belongs to: 0 below warnings, 1 for warnings, 2
// above.
func shareOf(l slog.Level) int {
	switch {
	case l < slog.LevelWarn:
		return 0
	case l < slog.LevelError:
		return 1
	}
	return 2
}

// ring keeps the newest records up to its limits.
type ring struct {
	maxEntries, maxBytes int

	entries []Entry // the oldest is entries[first]
	first   int
	bytes   int
}

func (r *ring) all() []Entry { return r.entries[r.first:] }

// forget removes the records whose lines a function accepts.
func (r *ring) forget(gone func(line string) bool) {
	kept := make([]Entry, 0, len(r.all()))
	for _, e := range r.all() {
		if gone(e.Raw) {
			r.bytes -= len(e.Raw)
		} else {
			kept = append(kept, e)
		}
	}
	r.entries, r.first = kept, 0
}

// add drops the oldest records beyond the limits.
func (r *ring) add(e Entry) {
	r.entries = append(r.entries, e)
	r.bytes += len(e.Raw)
	for len(r.entries)-r.first > r.maxEntries || r.bytes > r.maxBytes {
		r.bytes -= len(r.entries[r.first].Raw)
		r.entries[r.first] = Entry{}
		r.first++
	}
	if r.first > len(r.entries)/2 {
		r.entries = append(r.entries[:0], r.entries[r.first:]...)
		r.first = 0
	}
}
