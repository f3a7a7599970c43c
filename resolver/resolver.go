// Package resolver decides which observations of robots are one event.
//
// An observation comes in with Resolve and is joined to a shared context, or founds a new one,
// or founds one and opens a case for a person, who decides it with Accept or Reject. The rules
// of the specification are gates: no match without the same kind, the same known subject, the
// same modality, very similar text and a very small gap. Inside the gates evidence is weighed
// (package weigh). Every decision is explained, remembered and can be undone.
//
// The package knows no HTTP. What it remembers are records in a Store, and the same in RDF, both
// in one Change, so that a store keeps them in one transaction. Memory is a cache of the store and
// nothing else: when a change can't be stored, what was thought since is forgotten.
//
// The same observations in the same order, with the same clock and the same random numbers,
// give the same answers.
package resolver

import (
	"context"
	"io"
	"time"

	"github.com/segraph/segraph/internal/journal"
)

// Version names the rules by which this package decides. It changes with them.
const Version = "1.0.0"

// Options are what a Resolver takes from outside.
type Options struct {
	// Settings are checked by Open.
	Settings Settings
	// Now is the clock: when contexts are made and decisions taken. nil is time.Now.
	Now func() time.Time
	// Random makes the names of one store differ from those of others; it is read once, when a
	// store is used for the first time. nil is crypto/rand.Reader.
	Random io.Reader
}

// Service is what a Resolver does. Its methods may be called from many goroutines at once; a
// write has been stored when its method returns without an error. by is who asks; e is the
// journal's entry of what a person decides, whose Actor that is: the service fills in what was
// decided (Decision, Case, Source, Target, Undone) and gives it to the store with the change. Where
// nothing changes there is no entry. The errors that a caller tells apart are *Error; others are of the store.
type Service interface {
	// Resolve decides what an observation belongs to. A repeat of one is answered as it was.
	Resolve(ctx context.Context, o Observation, by string) (*Resolution, error)

	// Reconcile looks again at all contexts of the last 24 hours and those that are unresolved, with
	// what was learnt since, and merges, opens and closes cases. A second run changes nothing. It
	// never splits, and never touches what a person decided.
	Reconcile(ctx context.Context, e journal.Entry) (*Reconciliation, error)

	// Pending gives the cases that wait for a person, oldest first: at most limit from the
	// offset-th on. It changes nothing.
	Pending(ctx context.Context, limit, offset int) (*Queue, error)

	// Accept merges the source of a case into target, a context that the case offers, or if target is
	// empty into the best of them. Where a person has said before that the two are different
	// events, that is an error unless override is set.
	Accept(ctx context.Context, caseID, target string, override bool, e journal.Entry) (*Verdict, error)

	// Reject keeps the source of a case apart from all that it was offered, for good.
	Reject(ctx context.Context, caseID string, e journal.Entry) (*Verdict, error)

	// Undo takes a decision back: id is a case that was accepted or rejected, or a decision that
	// merged two contexts. A case becomes pending again.
	Undo(ctx context.Context, id string, e journal.Entry) (*Reversal, error)

	// Stats counts. It changes nothing.
	Stats(ctx context.Context) (*Statistics, error)

	// Clear forgets contexts, cases and decisions, and keeps the learnt clocks. The change is given to
	// apply, so that it can be stored in one transaction with what else is cleared; a nil apply is
	// the store's own.
	Clear(ctx context.Context, apply func(context.Context, Change) error) error
}
