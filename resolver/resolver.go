// Package resolver decides which observations of robots are one event.
//
// Resolve joins an observation to a shared context or creates one. If it is unsure, it
// also opens a case, which a person decides with Accept or Reject. The rules of the
// specification are gates: a match needs the same kind, the same known subject, the same
// modality, very similar text and a very small gap. Among candidates that pass, package
// weigh weighs the evidence. Every decision is explained, stored and can be undone.
//
// The package knows no HTTP. It stores records in a Store, and the same content as RDF,
// both in one Change, so that a store keeps them in one transaction. Memory is only a
// cache of the store: if a change can't be stored, all later decisions are lost too.
//
// The same observations in the same order, with the same clock and the same random
// numbers, have the same results.
//
// Everywhere u is a unit of work, k a case or a relay, c a candidate or a clock, and s a sighting, which is an
// observation that is being resolved, or a shared context; x is a copy of the record of a context, to be changed.
package resolver

import (
	"cmp"
	"crypto/rand"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Version names the rules by which this package decides. It changes with them.
const Version = "2.1.0"

// Options configure a Resolver.
type Options struct {
	// Settings are checked by Open.
	Settings Settings
	// Now returns the time of arrivals and decisions. It may be called concurrently. If
	// nil, time.Now is used.
	Now func() time.Time
	// Random makes names unique among stores, even after a backup is restored. Reading
	// the store's records reads 16 bytes of it, or 48 the first time, for the secret of
	// their hashes. If nil, crypto/rand.Reader is used.
	Random io.Reader
	// Shared, if it is not "", takes the place of Random for names and for the secret of hashes, so that stores that
	// get the same in the same order have the same names. It is a secret: with it, names and hashes can be guessed.
	Shared string
	// Memory is about how many bytes the caches may take; 0 means 256 MiB.
	Memory int64
}

// Resolver makes decisions. Its methods are safe for concurrent use. When a writing
// method returns without an error, its changes are stored. A parameter e is the journal's
// entry of a person's decision; its Actor is that person. The resolver fills in the
// decision (Decision, Case, Source, Target, Undone) and passes the entry to the store
// with the change. If nothing changes, there is no entry. Errors that a caller may want
// to distinguish are *Error; others are the store's.
type Resolver struct {
	policy *policy
	now    func() time.Time
	random io.Reader
	shared string
	store  Store

	reconciling chan struct{} // holds one element while one of those runs that alone is for
	waiting     atomic.Int32  // how many wait for it

	renames atomic.Uint64 // see Renames

	mu        sync.Mutex // guards the fields below
	committed committed
	changes   uint64  // the number of the last change
	lost      uint64  // what changes was when the memory was emptied: all those are stored or lost
	last      *commit // nil before the first
	spare     spare   // for the next unit
}

// Open returns a resolver on a store. No one else may use the store afterwards. Open
// reads a few records, whatever the size of the store.
func Open(store Store, o Options) (*Resolver, error) {
	if err := o.Settings.Validate(); err != nil {
		return nil, err
	}
	o.Settings.Namespace = separated(o.Settings.Namespace)
	r := &Resolver{policy: newPolicy(o.Settings), now: o.Now, random: o.Random, shared: o.Shared, store: store, reconciling: make(chan struct{}, 1)}
	if r.now == nil {
		r.now = time.Now
	}
	if r.random == nil {
		r.random = rand.Reader
	}
	r.committed = committed{store: store, policy: r.policy, room: cmp.Or(o.Memory, usualRoom)}
	r.committed.reset()
	return r, r.recall()
}

// recall reads what is always in memory, after a reset. The caller holds the lock.
func (r *Resolver) recall() error {
	if !r.committed.unread {
		return nil
	}
	return r.committed.recall(r.random, r.shared)
}

// reset empties the memory, so that the store is read again. The caller holds the lock.
func (r *Resolver) reset() {
	r.lost = r.changes
	r.renames.Add(1)
	r.committed.reset()
	r.store.Reset()
}
