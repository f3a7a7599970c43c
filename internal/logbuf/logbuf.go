// Package logbuf is the server's log: an slog.Handler that writes each record as one line
// and keeps the newest of them in memory for GET /logs/server. Its rules:
//
//   - A record is one line, whatever is in it: what can't be printed is escaped.
//   - No line holds a token: what looks like one is cut out before it is written or kept.
//   - Memory is bounded by a number of records and by their bytes, and a record by MaxText a text.
//   - Anybody can make a service log, by asking for what is not there. So warnings have a share of
//     the memory of their own, and so have errors: a flood of lesser records drives out none.
//   - Who logs never waits for where lines go: a goroutine of the Buffer's writes them. Lines
//     that come faster than they can be written are dropped, and it is written how many; what
//     GET /logs/server shows has them all.
//
// The attributes "logger", "request_id", "actor" and "origin_ip" have fields of their own.
// The last three come by themselves from a context that WithRequest made.
package logbuf

import (
	"cmp"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// LevelCritical is for what stops the service from working.
const LevelCritical = slog.Level(12)

// MaxText is the greatest length in bytes of one text of a record; longer ones are cut.
const MaxText = 4 << 10

// Options say where lines go and how many are kept. The zero value writes nowhere and keeps
// 10,000 records of 8 MiB in all, from INFO upwards.
type Options struct {
	Writer  io.Writer    // where lines go, one line a Write; nil is nowhere
	Name    string       // what that place is called, such as "stderr"
	Level   slog.Leveler // the least severe that is logged; nil is INFO
	JSON    bool         // lines are JSON objects and not text
	Entries int          // how many records are kept, a quarter of them warnings and a quarter errors; 0 is 10,000
	Bytes   int          // how many bytes of lines are kept, in the same shares; 0 is 8 MiB
}

// Entry is a record as it is kept. A field that the record lacks is empty.
type Entry struct {
	Time      time.Time
	Level     slog.Level
	Logger    string
	RequestID string
	Actor     string
	Address   string
	Message   string // the message and the other attributes
	Raw       string // the whole line
	Number    uint64 // counts all records, from 1

	text int // how many bytes of Message are the message without its attributes
}

// Buffer keeps the newest records. It may be used by many goroutines at once.
type Buffer struct {
	options Options
	out     *writer // nil where lines go nowhere

	mu     sync.Mutex // also so that lines are written in the order in which they are kept
	count  uint64     // of all records there ever were
	shares [3]ring    // of what is kept, by severity: see shareOf
}

// New returns an empty Buffer, which must be closed if it has a Writer.
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

// Close writes the lines that wait, for at most a second. Records that come later are
// kept and not written. The error says that lines were not written.
func (b *Buffer) Close() error {
	if b.out == nil {
		return nil
	}
	return b.out.close()
}

// Name tells where lines go.
func (b *Buffer) Name() string { return b.options.Name }

// Handler returns the slog.Handler that fills the buffer.
func (b *Buffer) Handler() slog.Handler { return &handler{buffer: b} }

// Logger returns a logger whose records have that name in their field "logger".
func (b *Buffer) Logger(name string) *slog.Logger {
	return slog.New(b.Handler()).With("logger", name)
}

// Filter says which records are wanted.
type Filter struct {
	Limit    int        // at most so many, the newest
	Level    slog.Level // the least severe that is wanted
	Contains string     // what the line holds, in capitals or not; "" is in every line
	Request  string     // the request whose records are wanted; "" is any, or none
	After    uint64     // the number after which records are wanted
}

// Query returns the newest records that the filter lets through, oldest first.
func (b *Buffer) Query(f Filter) []Entry {
	// Matching is done on a copy: a search through long lines must not hold up who logs.
	var entries []Entry
	b.mu.Lock()
	for i := range b.shares {
		entries = append(entries, b.shares[i].all()...)
	}
	b.mu.Unlock()
	slices.SortFunc(entries, func(x, y Entry) int { return cmp.Compare(x.Number, y.Number) })

	wanted := strings.ToLower(f.Contains)
	from := len(entries) // matches are gathered at the end of entries, from here on
	for i := len(entries) - 1; i >= 0 && len(entries)-from < f.Limit; i-- {
		e := entries[i]
		if e.Number <= f.After {
			break
		}
		if e.Level >= f.Level && (f.Request == "" || e.RequestID == f.Request) &&
			(wanted == "" || strings.Contains(strings.ToLower(e.Raw), wanted)) {
			from--
			entries[from] = e
		}
	}
	return entries[from:]
}

// Last returns the number of the newest record; 0 where there was none.
func (b *Buffer) Last() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count
}

// add keeps a record and hands its line to the writer.
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
