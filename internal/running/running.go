// Package running records which queries are running in a file, so that the next start can
// name the query that ended the process.
//
// Each running query has a slot in a file beside the store's file. Begin writes the slot
// and end overwrites it with zeros, without a sync: data written by a process survives its end, even a
// crash. A power cut may lose it; nothing depends on it.
package running

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	slots    = 256
	slotSize = 4 << 10 // bytes: a length, a CRC-32, and a Query in JSON
	header   = 8
	maxText  = 2 << 10 // bytes of a query's text that are kept
)

// Query describes a running query.
type Query struct {
	Began     time.Time `json:"began"`
	RequestID string    `json:"request_id"`
	Actor     string    `json:"actor"`
	Text      string    `json:"text"` // beginning of the query's text
}

// Tracker records running queries. It is safe for concurrent use.
type Tracker struct {
	file *os.File
	log  *slog.Logger

	mu   sync.Mutex
	free []int
}

// Open returns a Tracker that uses the file at path, and the queries that were running
// when the previous process ended.
func Open(path string, log *slog.Logger) (t *Tracker, interrupted []Query, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the file of running queries: %w", err)
	}
	t = &Tracker{file: file, log: log}
	b := make([]byte, slotSize)
	for i := range slots {
		t.free = append(t.free, slots-1-i)
		clear(b)
		_, _ = file.ReadAt(b, int64(i)*slotSize) // what is beyond the end, or unreadable, stays zero
		if q, ok := decode(b); ok {
			interrupted = append(interrupted, q)
		}
	}
	if err := file.Truncate(0); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("emptying the file of running queries: %w", err), file.Close())
	}
	return t, interrupted, nil
}

// Begin records a query until end is called. If all slots are taken or the write fails,
// the query is not recorded.
func (t *Tracker) Begin(requestID, actor, text string) (end func()) {
	t.mu.Lock()
	if len(t.free) == 0 {
		t.mu.Unlock()
		return func() {}
	}
	slot := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	t.mu.Unlock()
	b, err := encode(Query{time.Now().UTC(), requestID, actor, text})
	if err == nil {
		_, err = t.file.WriteAt(b, int64(slot)*slotSize)
	}
	if err != nil {
		t.log.Debug("recording a running query failed", "error", err)
	}
	return func() {
		_, err := t.file.WriteAt(make([]byte, slotSize), int64(slot)*slotSize)
		if err != nil {
			t.log.Debug("clearing a query that ended failed", "error", err)
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.free = append(t.free, slot)
	}
}

// Close removes the file, since no query was interrupted.
func (t *Tracker) Close() error {
	return errors.Join(t.file.Close(), os.Remove(t.file.Name()))
}

// encode returns the contents of a query's slot. It cuts texts that are too long.
func encode(q Query) ([]byte, error) {
	cut := func(s string, limit int) string {
		if len(s) <= limit {
			return s
		}
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		return s[:limit] + "…"
	}
	for limit := maxText; ; limit /= 2 { // escaping may lengthen the text
		q.Text, q.RequestID, q.Actor = cut(q.Text, limit), cut(q.RequestID, 64), cut(q.Actor, 256)
		text, err := json.Marshal(q)
		if err != nil {
			return nil, err
		}
		if len(text) > slotSize-header {
			continue
		}
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
		b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(text))
		return append(b, text...), nil
	}
}

// decode returns the query in a slot. ok is false if the slot is empty or damaged.
func decode(b []byte) (q Query, ok bool) {
	n := binary.LittleEndian.Uint32(b)
	if n == 0 || n > slotSize-header {
		return q, false
	}
	text := b[header : header+n]
	ok = binary.LittleEndian.Uint32(b[4:]) == crc32.ChecksumIEEE(text) && json.Unmarshal(text, &q) == nil
	return q, ok
}
