// Package resolver decides which observations of robots are one event.
//
// An observation comes in with Resolve and is joined to a shared context, or founds a new
// one, or founds one and opens a case for a person, who decides it with Accept or Reject.
// The rules of the specification are gates: no match without the same kind, the same
// known subject, the same modality, very similar text and a very small gap. Inside the
// gates evidence is weighed (package weigh). Every decision is explained, remembered and
// can be undone.
//
// The package knows no HTTP. What it remembers are records in a Store, and the same in
// RDF, both in one Change, so that a store keeps them in one transaction. Memory is a
// cache of the store and nothing else: when a change can't be stored, what was thought
// since is forgotten.
//
// The same observations in the same order, with the same clock and the same random numbers,
// give the same answers.
package resolver

import (
	"crypto/rand"
	"io"
	"sync"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// Version names the rules by which this package decides. It changes with them.
const Version = "2.0.0"

// Options are what a Resolver takes from outside.
type Options struct {
	// Settings are checked by Open.
	Settings Settings
	// Now returns the time of arrivals and decisions. Several goroutines may call it at
	// once. nil is time.Now.
	Now func() time.Time
	// Random keeps names unique among stores, also after a backup was restored. 16 bytes
	// of it are read whenever the store's records are. nil is crypto/rand.Reader.
	Random io.Reader
}

// Resolver decides. Its methods may be called from many goroutines at once; a write has
// been stored when its method returns without an error. An e that it takes is the
// journal's entry of what a person decides, whose Actor that is: the resolver fills in
// what was decided (Decision, Case, Source, Target, Undone) and gives it to the store
// with the change; where nothing changes there is no entry. The errors that a caller
// tells apart are *Error; others are of the store.
type Resolver struct {
	policy *policy
	now    func() time.Time
	random io.Reader
	store  Store

	dated chan struct{} // of Dated

	reconciling sync.Mutex // held by the one that reconciles

	mu        sync.Mutex // guards what follows
	committed committed
	changes   uint64     // the number of the last change
	last      *commit    // nil before the first
	quads     []rdf.Quad // memory for those that the next unit adds
	reported  []report   // and for the reports that it compares
}

// Open returns a resolver on a store, which it alone uses from now on. It reads a few
// records, however many there are.
func Open(store Store, o Options) (*Resolver, error) {
	if err := o.Settings.Validate(); err != nil {
		return nil, err
	}
	o.Settings.Namespace = separated(o.Settings.Namespace)
	r := &Resolver{policy: newPolicy(o.Settings), now: o.Now, random: o.Random, store: store,
		dated: make(chan struct{}, 1)}
	if r.now == nil {
		r.now = time.Now
	}
	if r.random == nil {
		r.random = rand.Reader
	}
	r.committed = committed{store: store, policy: r.policy}
	r.committed.forget()
	return r, r.recall()
}

// recall reads what is always in memory, if it was forgotten. The caller holds the lock.
func (r *Resolver) recall() error {
	if !r.committed.fresh {
		return nil
	}
	if err := r.committed.recall(r.random); err != nil {
		return err
	}
	if isDated(&r.committed.totals) {
		select {
		case r.dated <- struct{}{}:
		default: // one value waits already
		}
	}
	return nil
}

// forget makes what is used next be read from the store. The caller holds the lock.
func (r *Resolver) forget() {
	r.committed.forget()
	r.store.Forget()
}
