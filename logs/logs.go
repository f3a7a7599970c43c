// Package logs is the server log: an slog.Handler that writes each record as one line
// and keeps the newest records in memory for GET /logs/server. Its rules:
//
//   - A record is one line whatever it contains: unprintable characters are escaped.
//   - A line never contains a token: whatever looks like one is removed before the line is
//     written or kept.
//   - Memory is bounded by the number of records, their total size, and MaxText for each
//     text.
//   - Anybody can make the service log, for example by requesting unknown pages. So
//     warnings and errors each have their own share of the memory: a flood of less severe
//     records never displaces them.
//   - Logging never waits for the writer: a goroutine of the Buffer writes the lines. If it
//     can't keep up, lines are dropped and their number is logged. GET /logs/server still
//     shows them.
//
// The attributes "logger", "request_id", "actor" and "origin_ip" have fields of their
// own. The last three are taken from a context made by WithRequest.
package logs

import (
	"cmp"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/segraph/segraph/store/trigram"
)

// LevelCritical is the level of errors that stop the service from working.
const LevelCritical = slog.Level(12)

// MaxText is the maximum length in bytes of one text in a record. Longer ones are cut.
const MaxText = 4 << 10

// Options configure a Buffer. The zero value writes nowhere and keeps 10,000 records, 8
// MiB in all, from INFO upwards.
type Options struct {
	Writer  io.Writer    // destination, one line per Write; nil means nowhere
	Name    string       // name of the destination, such as "stderr"
	Level   slog.Leveler // least severe level that is logged; nil means INFO
	JSON    bool         // write lines as JSON objects instead of text
	Entries int          // records to keep, a quarter each for warnings and errors; 0 means 10,000
	Bytes   int          // bytes of lines to keep, in the same shares; 0 means 8 MiB
}

// Entry is a kept record. Missing fields are empty.
type Entry struct {
	Time      time.Time
	Level     slog.Level
	Logger    string
	RequestID string
	Actor     string
	Address   string
	Message   string // the message and the other attributes
	Raw       string // the complete line
	Number    uint64 // sequence number of the record, from 1

	text int // length in bytes of the message without its attributes
}

// Buffer keeps the newest records. It is safe for concurrent use.
type Buffer struct {
	options Options
	out     *writer // nil without a Writer

	mu     sync.Mutex // guards the rest; lines are written in the order in which they are kept
	count  uint64     // number of records so far
	shares [3]ring    // kept records by severity; see shareOf
}

// New returns an empty Buffer. A Buffer with a Writer must be closed.
func New(o Options) *Buffer {
	if o.Level == nil {
		o.Level = slog.LevelInfo
	}
	if o.Entries <= 0 {
		o.Entries = 10_000
	}
	if o.Bytes <= 0 {
		o.Bytes = 8 << 20
	}
	b := &Buffer{options: o}
	for i, part := range []int{2, 4, 4} { // half, a quarter, a quarter
		b.shares[i].maxEntries, b.shares[i].maxBytes = max(1, o.Entries/part), o.Bytes/part
	}
	if o.Writer != nil {
		b.out = newWriter(o.Writer, b.lost)
	}
	return b
}

// Close writes the waiting lines, for at most a second. Later records are kept but not
// written. It returns an error if lines were not written.
func (b *Buffer) Close() error {
	if b.out == nil {
		return nil
	}
	return b.out.close()
}

// Name returns the name of the destination.
func (b *Buffer) Name() string { return b.options.Name }

// Handler returns an slog.Handler that adds to the buffer.
func (b *Buffer) Handler() slog.Handler { return &handler{buffer: b} }

// Logger returns a logger that sets the field "logger" to name.
func (b *Buffer) Logger(name string) *slog.Logger {
	return slog.New(b.Handler()).With("logger", name)
}

// Filter selects records.
type Filter struct {
	Limit    int        // maximum number of records, the newest ones
	Level    slog.Level // least severe level to return
	Contains string     // text that the line must contain, ignoring case and accents; "" matches every line
	Request  string     // id of the request whose records to return; "" matches every record
	After    uint64     // return only records with a greater number
	Since    time.Time  // return only records of this time or later; zero is open
	Until    time.Time  // return only records before this time; zero is open
}

// Query returns the newest records that match f, oldest first.
func (b *Buffer) Query(f Filter) []Entry {
	// Match on a copy, so that a search through long lines does not block logging.
	var entries []Entry
	b.mu.Lock()
	for i := range b.shares {
		entries = append(entries, b.shares[i].all()...)
	}
	b.mu.Unlock()
	slices.SortFunc(entries, func(x, y Entry) int { return cmp.Compare(x.Number, y.Number) })

	wanted := trigram.NewMatcher(f.Contains)
	from := len(entries) // matches are collected at the end of entries, from here on
	for i := len(entries) - 1; i >= 0 && len(entries)-from < f.Limit; i-- {
		e := entries[i]
		if e.Number <= f.After {
			break
		}
		early, late := e.Time.Before(f.Since), !f.Until.IsZero() && !e.Time.Before(f.Until)
		other := f.Request != "" && e.RequestID != f.Request
		if e.Level >= f.Level && !early && !late && !other && (f.Contains == "" || wanted.Matches(e.Raw)) {
			from--
			entries[from] = e
		}
	}
	return entries[from:]
}

// Forget removes the kept records whose lines a function accepts. What was written stays.
func (b *Buffer) Forget(gone func(line string) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.shares {
		b.shares[i].forget(gone)
	}
}

// Last returns the number of the newest record, or 0 if there is none.
func (b *Buffer) Last() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count
}

// add keeps a record and passes its line to the writer.
func (b *Buffer) add(e Entry) {
	b.mu.Lock()
	b.count++
	e.Number = b.count
	b.shares[shareOf(e.Level)].add(e)
	if b.out != nil {
		b.out.put(e.Raw)
	}
	b.mu.Unlock()
}
