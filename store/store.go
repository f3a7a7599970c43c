// Package store says what segraph wants of a triple store, and nothing of how one
// does it. The embedded engine (store/engine) and the adapter to Virtuoso serve it.
package store

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Graph is the published graph in a triple store. Its methods may be called from many
// goroutines at once.
type Graph interface {
	// Add stores a document's quads, all or none, with e as the journal's entry of it
	// (Add fills in e.Added). It returns once both are on disk.
	Add(ctx context.Context, d *Document, e journal.Entry) (added int, err error)

	// AddText stores the triples of a document that is too large to be held, as Add does.
	// It returns e with its counts. The text has been read before, and is known to be
	// right.
	AddText(ctx context.Context, t *Text, e journal.Entry) (journal.Entry, error)

	// Clear removes the published graph, and with contexts also the shared contexts,
	// cases and decisions, in one transaction with e as the journal's entry (Clear fills
	// in e.Removed).
	Clear(ctx context.Context, contexts bool, e journal.Entry) (Cleared, error)

	// Export opens one consistent moment of the published graph for writing out.
	// The caller closes it.
	Export(ctx context.Context, f turtle.Format) (Export, error)

	// Ready says whether the store can serve now; the error says why not.
	Ready(ctx context.Context) error
}

// ContextsGraph is the named graph in which a resolver mirrors its contexts. Nobody else
// writes to it.
const ContextsGraph = "urn:segraph:contexts"

// Cleared is what Clear removed.
type Cleared struct {
	Triples  int64 // of the published graph
	Contexts int64 // shared contexts, where a resolver counts them
}

// Export is one moment of the graph as text. WriteTo is called once at most and ends early,
// with an error, when the context that Export was given ends. Close lets go of the moment.
type Export interface {
	io.WriterTo
	io.Closer
	// ETag identifies the bytes that WriteTo will write, without quotes.
	ETag() string
}

// Errors that a caller tells apart with errors.Is.
var (
	// ErrUnavailable: the store can't be reached or is closing; a later try may succeed.
	ErrUnavailable = errors.New("the graph store is not available")
	// ErrDiskFull: there is no room; nothing of the write was stored.
	ErrDiskFull = errors.New("the disk is full")
	// ErrAtLimit: the file would grow over what a 32-bit program can open; nothing of the
	// write was stored.
	ErrAtLimit = errors.New("the file has reached 2 GiB, the most that a 32-bit program can use")
	// ErrInDoubt: the write failed while it was put on the disk. It is stored, all of it,
	// or not at all, and which of the two is known once the store is opened again. It
	// comes with an ErrUnavailable.
	ErrInDoubt = errors.New("it is not known whether the write is stored")
	// ErrNoLog: no log has that id.
	ErrNoLog = errors.New("there is no such log")
	// ErrForgotten: what the log brought was deleted since, or it is older than such lists.
	ErrForgotten = errors.New("what this log brought is not kept any more")
)

// UnreadyError says why a store can't serve, in words for everybody. It is an
// ErrUnavailable.
type UnreadyError struct {
	Detail string
	Err    error // what is for the log alone; may be nil
}

func (e *UnreadyError) Error() string {
	if e.Err != nil {
		return e.Detail + ": " + e.Err.Error()
	}
	return e.Detail
}

// Unwrap returns ErrUnavailable and what is for the log.
func (e *UnreadyError) Unwrap() []error { return []error{ErrUnavailable, e.Err} }

// RefusedError says that a document can't be stored because of what it holds; sending it
// again will not help.
type RefusedError struct{ Detail string }

func (e *RefusedError) Error() string { return "the document can't be stored: " + e.Detail }

// UnfitError says that a backup can't be brought back into the file that is in use, or
// that a log can't be taken back.
type UnfitError struct{ Detail string }

func (e *UnfitError) Error() string { return e.Detail }

// Following says how the graph store that answers queries stands to the file that it
// follows.
type Following struct {
	State  string        // one of those below
	Detail string        // why it is not FollowOK, in words for everybody
	Behind uint64        // changes that it lacks
	Since  time.Duration // for so long it has lacked any
}

// States of a graph store that follows the file.
const (
	FollowOK          = "ok"          // it answers queries
	FollowResync      = "resync"      // it is being told what it lacks
	FollowUnreachable = "unreachable" // it can't be reached, or does not do what it is asked
	FollowConflict    = "conflict"    // it holds another graph, which is taken in or which somebody has to decide about
)

// Log is what is known of one published log.
type Log struct {
	Entries []journal.Numbered // one, or one for each part that it was stored in
	Quads   []rdf.Quad         // of what it brought, whether new or not, as many as were asked for
	Total   int64              // of these there are so many
	// Kept says that all it brought is known: false where its graph was deleted since.
	Kept bool
}

// Withdrawn is what became of the triples of a log that was taken back.
type Withdrawn struct {
	Removed int
	Stayed  int // because other logs brought them, or decisions on contexts did
}

// BroughtBack is what came back from a backup.
type BroughtBack struct {
	Triples, Added int64 // of the published graph: those of the backup, and of them those that were not there
	Contexts       bool  // shared contexts, cases and decisions came back too
	Kept           bool  // they were not cleared since, and stayed as they are
}

// Moment is what a backup holds.
type Moment struct {
	Head        journal.Head // of the journal
	Transaction uint64       // grows with every write
	Triples     int64        // of all graphs
	Size        int64        // bytes
}

// Walk says what to look for around a node: every IRI that few enough steps lead to. A
// step is a triple of the published graph or of the graph of contexts; literals and blank
// nodes are not stepped on.
type Walk struct {
	From   string   // an IRI
	By     []string // predicates; none is all but those of Except
	Except []string
	// Out steps from subjects to objects, and In the other way. Both may be set.
	Out, In bool
	Steps   int // at most
	Most    int // nodes to find
}

// Reached is a node that a Walk found.
type Reached struct {
	IRI   string
	Steps int // the least that lead there
}

// Walker finds what lies within some steps of a node.
type Walker interface {
	// Walk returns the nodes in the order of their steps, without the one it begins at.
	// cut reports whether there are more than w.Most. With an error it returns what it
	// found before.
	Walk(ctx context.Context, w Walk) (found []Reached, cut bool, err error)
}
