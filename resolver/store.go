package resolver

import (
	"context"

	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Store keeps what the resolver remembers: records under keys that are ordered by their
// bytes. A Resolver is the only writer of its store. Keys are 1 to 64 bytes, values 64
// KiB at most; what is in them is the resolver's own business.
type Store interface {
	// Get returns the value under a key, nil if there is none. The caller keeps it.
	Get(key []byte) ([]byte, error)

	// Scan calls yield with the records with from <= key < to, in order, until it returns
	// false. An empty to is the end of all keys. key and value are good during the call
	// only, in which yield calls nothing of the store.
	Scan(from, to []byte, yield func(key, value []byte) bool) error

	// Submit submits a change, which is stored whole or not at all. When it returns
	// without an error, Get and Scan see the change. When wait returns without an error,
	// the change survives a power cut. If wait fails, the change is not stored, and
	// neither is any that was submitted after it: Get and Scan see none of them any more.
	// From then on Submit fails until Forget is called. Submit is not called again before
	// it returns. It keeps no part of change.Add.
	Submit(ctx context.Context, change Change) (wait func() error, err error)

	// Forget says that the resolver has forgotten what it knew, and will read it again.
	Forget()
}

// Change is what one decision changes, as records and as RDF; the two always say the
// same. The removals of a change come before its additions. Quads are in the graph
// urn:segraph:contexts, or, for the two that tell of a merge, in the published graph,
// which is the zero graph name. They hold no blank nodes. Adding what is there and
// removing what is not there changes nothing.
type Change struct {
	// Clear removes all records that the store has and the whole graph
	// urn:segraph:contexts before the rest is applied. It leaves the published graph
	// alone.
	Clear   bool
	Records []Record
	// Anew are IRIs of which Add says all that the graph urn:segraph:contexts is to say.
	// What else it has with one of them as the subject, or with an IRI that continues one
	// behind a slash, is removed first.
	Anew   []rdf.Term
	Remove []rdf.Quad
	Add    []rdf.Quad
	// Entry is the journal's entry of what a person decided, nil where nobody did. A
	// store that has a journal appends it in the same transaction.
	Entry *journal.Entry
}

// Record is a value to be stored under a key; a nil value removes the key.
type Record struct{ Key, Value []byte }
