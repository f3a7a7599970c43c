package resolver

import (
	"context"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// ErrEncoding reports records in an encoding that this version can't read.
var ErrEncoding = record.ErrEncoding

// Store stores the resolver's records under keys that are ordered by their bytes. A
// Resolver is the only writer of its store. Keys have 1 to 64 bytes. Most values have less
// than 1 KiB, some of many long texts and IRIs nearly 1 MiB. Their format is internal to the
// resolver.
type Store interface {
	// Get returns the value of a key, or nil. The caller may keep it.
	Get(key []byte) ([]byte, error)

	// Scan calls yield with the records with from <= key < to, in order, until it returns
	// false. An empty to means the end. key and value are valid only during the call, and
	// yield must not call the store.
	Scan(from, to []byte, yield func(key, value []byte) bool) error

	// Submit submits a change, which is stored completely or not at all. If it returns an
	// error, nothing was stored, or nothing is until the program restarts. When it returns
	// without an error, Get and Scan see the change. When wait returns without an error,
	// the change survives a power cut. If wait fails, the change and all later ones are
	// not stored, and Get and Scan no longer see them. From then on Submit fails until
	// Reset is called. Submit is not called again before it returns. It must not keep
	// change.Add and change.Records, but may keep the keys and values.
	Submit(ctx context.Context, change Change) (wait func() error, err error)

	// Reset tells the store that the resolver has emptied its memory and will read the
	// store again.
	Reset()
}

// Change holds the changes of one decision, as records and as RDF with the same content.
// A change removes before it adds. Quads are in the graph urn:segraph:contexts or, for
// the two that describe a merge, in the published graph, whose name is the zero term.
// They contain no blank nodes. Adding an existing quad or removing a missing one has no
// effect.
type Change struct {
	// Clear first removes all records in the store and the whole graph
	// urn:segraph:contexts. It does not affect the published graph.
	Clear    bool
	Contexts int64 // with Clear: how many contexts that deletes
	Records  []Record
	Remove   []rdf.Quad
	Add      []rdf.Quad
	// Entry is the journal's entry of a person's decision, or nil. A store with a journal
	// appends it in the same transaction.
	Entry *journal.Entry
	// Also is stored in the same transaction, after the rest, or nil. The store defines its
	// type.
	Also any
}

// Record is a key with its value. A nil value removes the key.
type Record struct{ Key, Value []byte }
