package front

import (
	"net/http"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

// Minute is what a front answered in a minute. Background requests of open pages and health checks do not count.
type Minute struct {
	Start            time.Time
	Requests, Failed int           // Failed have a status of 500 or more
	Took             time.Duration // the requests' times, in total
	Memory           int64         // bytes that the program used when the minute was first asked about; 0 if nobody did
}

// history keeps the last hour in memory.
type history struct {
	mu      sync.Mutex
	began   time.Time // of the first minute; zero before
	minutes [60]Minute
}

// at returns the minute of a time. Call it with mu held.
func (h *history) at(now time.Time) *Minute {
	start := now.UTC().Truncate(time.Minute)
	m := &h.minutes[start.Unix()/60%60]
	if !m.Start.Equal(start) {
		*m = Minute{Start: start, Memory: memoryInUse()}
	}
	if h.began.IsZero() || start.Before(h.began) { // or the clock was set back
		h.began = start
	}
	return m
}

// add counts a request.
func (h *history) add(now time.Time, status int, took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.at(now)
	m.Requests++
	m.Took += took
	if status >= http.StatusInternalServerError {
		m.Failed++
	}
}

// History returns the minutes of the last hour until now, oldest first, without those before the first request.
func (f *Front) History(now time.Time) (out []Minute) {
	h := &f.history
	h.mu.Lock()
	defer h.mu.Unlock()
	for start := h.at(now).Start; len(out) < len(h.minutes) && !start.Before(h.began); start = start.Add(-time.Minute) {
		m := h.minutes[start.Unix()/60%60]
		if !m.Start.Equal(start) {
			m = Minute{Start: start}
		}
		out = append(out, m)
	}
	slices.Reverse(out)
	return out
}

// memoryInUse returns how many bytes the program has from the system, without its file's pages.
func memoryInUse() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
