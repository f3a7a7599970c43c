// Package store defines the interface of a triple store, without implementing it. The
// embedded engine (store/engine) and the adapter for other servers (store/follow/remote)
// implement it.
package store

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Graph is the published graph in a triple store. Its methods are safe for concurrent
// use.
type Graph interface {
	// Add stores a document's quads, all or none, with e as the journal's entry (Add sets
	// e.Added). When it returns without an error, both are on disk.
	Add(ctx context.Context, d *Document, e journal.Entry) (added int, err error)

	// AddText stores the triples of a document that is too large for memory, like Add. It
	// returns e with its counts. The text must have been parsed before without an error.
	AddText(ctx context.Context, t *Text, e journal.Entry) (journal.Entry, error)

	// Clear removes the published graph, and with contexts also the shared contexts,
	// cases and decisions, in one transaction with e as the journal's entry (Clear sets
	// e.Removed).
	Clear(ctx context.Context, contexts bool, e journal.Entry) (Cleared, error)

	// Export opens a consistent snapshot of a graph as text: of the named graph, or of the
	// published graph if name is zero. If there is no such graph, the error is ErrNoGraph.
	// The caller closes it.
	Export(ctx context.Context, name rdf.Term, f turtle.Format) (Export, error)

	// Ready returns nil if the store can serve now, or an error with the reason.
	Ready(ctx context.Context) error
}

// ContextsGraph is the named graph that mirrors a resolver's contexts. Only the resolver
// writes to it.
const ContextsGraph = "urn:segraph:contexts"

// Cleared counts what Clear removed.
type Cleared struct {
	Triples  int64 // triples of the published graph
	Contexts int64 // shared contexts, if a resolver counts them
}

// Export is a snapshot of the graph as text. WriteTo may be called once. It returns
// early, with an error, when the context passed to Export ends. Close releases the
// snapshot.
type Export interface {
	io.WriterTo
	io.Closer
	// ETag identifies the bytes that WriteTo writes, without quotes. The tag of a named
	// graph may also change while the bytes stay the same.
	ETag() string
	// Version returns the lowest version of RDF that can hold the text.
	Version() (rdf.Version, error)
}

// Errors to be tested with errors.Is.
var (
	// ErrUnavailable: the store is unreachable or closing. A retry may succeed.
	ErrUnavailable = errors.New("the graph store is not available")
	// ErrDiskFull: there is no room. Nothing of the write was stored.
	ErrDiskFull = errors.New("the disk is full")
	// ErrAtLimit: the file would exceed the size that a 32-bit program can open. Nothing
	// of the write was stored.
	ErrAtLimit = errors.New("the file has reached 2 GiB, the most that a 32-bit program can use")
	// ErrInDoubt: the write failed while it was being synced. It is stored completely or
	// not at all, and which of the two is known only once the store is opened again. It
	// is also an ErrUnavailable.
	ErrInDoubt = errors.New("it is not known whether the write is stored")
	// ErrNoGraph: there is no graph with that name.
	ErrNoGraph = errors.New("there is no such graph")
	// ErrNoLog: there is no log with that id.
	ErrNoLog = errors.New("there is no such log")
	// ErrNotKept: the log's contribution was deleted since, or the log is older than
	// the record of contributions.
	ErrNotKept = errors.New("the contribution of this log is no longer kept")
)

// UnreadyError reports why a store can't serve, in words fit for every client. It is an
// ErrUnavailable.
type UnreadyError struct {
	Detail string
	Err    error // details for the server log; may be nil
}

func (e *UnreadyError) Error() string {
	if e.Err != nil {
		return e.Detail + ": " + e.Err.Error()
	}
	return e.Detail
}

// Unwrap returns ErrUnavailable and Err.
func (e *UnreadyError) Unwrap() []error { return []error{ErrUnavailable, e.Err} }

// RefusedError reports that the content of a document can't be stored. Sending it again
// does not help.
type RefusedError struct{ Detail string }

func (e *RefusedError) Error() string { return "the document can't be stored: " + e.Detail }

// UnfitError reports that a backup can't be imported into the current file, or that a log
// can't be withdrawn.
type UnfitError struct{ Detail string }

func (e *UnfitError) Error() string { return e.Detail }

// ErrShared says that a person can't be erased under an IRI with which the data of others would go.
var ErrShared = &UnfitError{"this IRI is, or begins, a predicate or a class of the graph, or a term of the vocabulary: what others said would go too. Name the person by an IRI of their own, or first withdraw the logs that use it so"}

// Following is the state of a graph store that follows the file and answers queries.
type Following struct {
	Name   string        // the settings' name for it
	State  string        // one of the states below
	Detail string        // why it is not FollowOK, in words fit for every client
	Behind uint64        // changes that it has not received yet
	Since  time.Duration // how long it has lacked changes
}

// States of a graph store that follows the file.
const (
	FollowOK          = "ok"          // it answers queries
	FollowResync      = "resync"      // it receives missing changes
	FollowUnreachable = "unreachable" // it is unreachable, or fails requests
	FollowConflict    = "conflict"    // its graph differs from the file's, and is being imported or awaits an operator's decision
)

// BestOf returns the state of the graph store among several, at least one, that can do most.
func BestOf(list []Following) Following {
	order := []string{FollowOK, FollowResync, FollowUnreachable, FollowConflict}
	return slices.MinFunc(list, func(a, b Following) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State)), cmp.Compare(a.Behind, b.Behind))
	})
}

// Log describes a published log.
type Log struct {
	Entries []journal.Numbered // one, or one for each part in which it was stored
	Quads   []rdf.Quad         // the first of its quads, both new and already known
	Total   int64              // the number of its quads
	// Kept reports whether the log's whole contribution is known. It is not if the log's
	// graph was deleted since.
	Kept bool
}

// Triples is the number of distinct triples that the log had when it was stored, in all its parts.
func (l Log) Triples() (n int) {
	for _, part := range l.Entries {
		n += part.Triples
	}
	return n
}

// Selection chooses logs. Conditions that are zero do not count; all others must be met.
type Selection struct {
	After        uint64          // the number of its entry is greater
	IDs          map[string]bool // its id is one of these; nil does not count
	User         string          // the token's user, or the one that the client named
	Since, Until time.Time       // the log arrived at Since or later, and before Until
	Robot        rdf.Term        // it has an activity of this agent
	Kind         rdf.Term        // it has something of this class
	About        []rdf.Term      // it has a triple with one of these subjects; nil does not count
	Naming       []rdf.Term      // it has a triple with one of these as subject or object; nil does not count
}

// Expiry says which logs have become too old. A log obeys the first of Rules whose User, Robot and
// Kind it meets; without one it stays.
type Expiry struct {
	Now   time.Time    // a log from later has a wrong time
	Rules []ExpiryRule // at most 30
	Times []rdf.Term   // predicates of the times of what logs report
	// Held reports whether a log with an id must stay, if all that it reports and its arrival are
	// from first to last. People are IRIs: a log that has one, or a continuation of one after
	// # / or ?, stays.
	Held   func(id string, first, last time.Time) bool
	People []string
	// Forwarded says that boxes forward logs, which arrived there before.
	Forwarded bool
	Jumps     []ClockJump // of the clock, oldest first
}

// ExpiryRule chooses logs by User, Robot and Kind alone.
type ExpiryRule struct {
	Selection
	Before  time.Time // logs from before this time are too old; zero means none is
	ByEvent bool      // the time is the last that the log reports up to its arrival, unless that is before the year 2000
}

// ClockJump says that the clock may have been behind while some entries were written, and was then set.
type ClockJump struct {
	After uint64        `json:"after"` // the numbers of the entries are greater,
	UpTo  uint64        `json:"up_to"` // and up to this one
	At    time.Time     `json:"at"`    // when that was found, by the clock that was set
	By    time.Duration `json:"by"`    // how far it was behind, in nanoseconds, or somewhat more
}

// maxLate is how much earlier than at its centre a log can have arrived at its box, as far as retention is concerned. A clock that
// was more than that behind was wrong.
const maxLate = 30 * 24 * time.Hour

// arrived returns when a log arrived: by the clock of its box, if that is not later than here, nor more than maxLate earlier.
func (x *Expiry) arrived(n *journal.Numbered) time.Time {
	at := n.Time
	for _, j := range x.Jumps {
		wasSet := !j.At.After(x.Now) && n.Seq > j.After && n.Seq <= j.UpTo
		if wasSet && at.Before(j.At.Add(-maxLate)) {
			at = slices.MinFunc([]time.Time{at.Add(j.By), j.At}, time.Time.Compare)
		}
	}
	switch earliest := at.Add(-maxLate); {
	case n.BoxTime.IsZero() || n.BoxTime.After(at):
		return at
	case n.BoxTime.Before(earliest):
		return earliest
	}
	return n.BoxTime
}

// TooOld reports whether a log is too old by a rule, given its entry and the last time that it reports up to its arrival, or
// zero. A log that arrived before the year 2000 is not: the clock was not set, so nobody knows its age.
func (x *Expiry) TooOld(rule int, n *journal.Numbered, last time.Time) bool {
	r, from := &x.Rules[rule], x.arrived(n)
	if r.ByEvent && last.Year() >= 2000 && last.Before(from) {
		from = last
	}
	return from.Year() >= 2000 && from.Before(r.Before)
}

// Expired is a log that is too old.
type Expired struct {
	LogID string
	Seq   uint64 // number of its entry, or of that of the first of its parts that is left
	Rule  int    // index of the rule that it obeys
}

// Wants reports whether an entry meets the conditions that do not depend on triples.
func (s *Selection) Wants(e *journal.Entry) bool {
	return (s.IDs == nil || s.IDs[e.LogID]) && (s.User == "" || e.Actor == s.User || e.Claimed == s.User) && !e.Time.Before(s.Since) && (s.Until.IsZero() || e.Time.Before(s.Until))
}

// PageText returns how many bytes of texts a page of n entries or triples has, or slightly more.
func PageText(n int) int { return min(64+n, 4<<10) << 10 }

// Withdrawn counts the triples of a withdrawn log.
type Withdrawn struct {
	Removed  int
	Stayed   int      // triples that stay because of other logs, or of decisions on contexts
	Contexts []uint64 // numbers of the shared contexts that it named, in any order
}

// WithdrawnContexts counts shared contexts after logs were withdrawn.
type WithdrawnContexts struct {
	Named   int `json:"named"`   // by these logs
	Removed int `json:"removed"` // because nothing else held them
	Stayed  int `json:"stayed"`
}

// WithdrawnLog is the result of withdrawing one of several logs, or a part of it.
type WithdrawnLog struct {
	LogID string
	Withdrawn
	Refused error // ErrNoLog, ErrNotKept or an *UnfitError; nil if it is withdrawn
}

// Erased counts what an erasure took out of the file.
type Erased struct {
	Terms        int `json:"terms"`        // IRIs of the person, and triple terms with one
	Triples      int `json:"triples"`      // that were removed or, with a pseudonym, replaced
	Logs         int `json:"logs"`         // that had one of them
	Observations int `json:"observations"` // about or by the person
	Contexts     int `json:"contexts"`     // with such an observation
	Notes        int `json:"notes"`        // saved queries and reviews
	Answers      int `json:"answers"`      // kept for retries
	Entries      int `json:"entries"`      // of the journal that lost values
	// Index is the log index of the erasure's entry, plus one, and Salt that of its Person.
	Index uint64 `json:"-"`
	Salt  string `json:"salt,omitempty"`
}

// ErasurePreview says what an erasure would take.
type ErasurePreview struct {
	IRIs []string `json:"iris"` // of the person
	Erased
	ByLog []ErasedLog `json:"by_log"` // oldest first
}

// ErasedLog is a log that an erasure takes triples from, or one part of it.
type ErasedLog struct {
	LogID   string    `json:"log_id"`
	Time    time.Time `json:"time"`
	User    string    `json:"user"`
	Triples int       `json:"triples"`
}

// Version identifies the state that a backup holds.
type Version struct {
	Head        journal.Head // of the journal
	Transaction uint64       // increases with every write
	Triples     int64        // in all graphs
	Size        int64        // in bytes
}

// Content is what a store holds, in numbers for people.
type Content struct {
	Logs           int       // that were published, also those withdrawn since
	LastLog        time.Time // when the newest of them was stored; zero if there is none
	Cases, Pending int64     // review cases, and the undecided ones among them
}

// Walk is a search for the IRIs within some steps of a node. A step is a triple of the
// published graph or of the graph of contexts. Steps do not lead through literals or
// blank nodes.
type Walk struct {
	From   string   // an IRI
	By     []string // predicates of a step; empty means all but those of Except
	Except []string
	// Out allows steps from subjects to objects, In from objects to subjects. Both may be
	// set.
	Out, In bool
	Against []string // more predicates, followed in the direction opposite to Out or In
	Steps   int      // largest number of steps
	Most    int      // largest number of nodes
	Each    int      // largest number of nodes of a step, or 0 for any; if a step has 50 times as many, the walk ends there
}

// Reached is a node found by a Walk.
type Reached struct {
	IRI   string
	Steps int // least number of steps from the start
}

// Walker searches for nodes within some steps of a node.
type Walker interface {
	// Walk returns the nodes in order of their number of steps, without the start. cut
	// reports whether w.Most or w.Each left some out. With an error it returns the nodes
	// found until then.
	Walk(ctx context.Context, w Walk) (found []Reached, cut bool, err error)
}
