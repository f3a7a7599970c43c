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
	"crypto/rand"
	"io"
	"regexp"
	"sync"
	"time"
)

// Version names the rules by which this package decides. It changes with them.
const Version = "2.0.0"

// Options are what a Resolver takes from outside.
type Options struct {
	// Settings are checked by Open.
	Settings Settings
	// Now is the clock: when observations arrive, contexts are made and decisions taken. Many goroutines may
	// call it at once. nil is time.Now.
	Now func() time.Time
	// Random makes names that no other store gives, nor this one after it was restored: 16 bytes of it are
	// read whenever the store's records are. nil is crypto/rand.Reader.
	Random io.Reader
}

// Resolver decides. Its methods may be called from many goroutines at once; a write has been stored
// when its method returns without an error. An e that it takes is the journal's entry of what a
// person decides, whose Actor that is: the resolver fills in what was decided (Decision, Case,
// Source, Target, Undone) and gives it to the store with the change; where nothing changes there
// is no entry. The errors that a caller tells apart are *Error; others are of the store.
type Resolver struct {
	settings Settings
	generic  *regexp.Regexp
	plan     string // the IRI of the rules and settings
	now      func() time.Time
	random   io.Reader
	store    Store

	lead chan struct{} // held by who stores what waits
	more chan struct{} // holds something once more waits

	dated chan struct{} // of Dated

	reconciling sync.Mutex // held by the one that reconciles

	mu sync.Mutex // guards what follows
	remembered
	waiting []*commit
	changes uint64        // the number of the last change
	askers  int           // how many asked at once, when last a transaction ended
	linger  time.Duration // how long to wait for them
}

// Open gives a resolver on a store, which it alone uses from now on. It reads a few records, however
// many there are.
func Open(store Store, o Options) (*Resolver, error) {
	if err := o.Settings.Validate(); err != nil {
		return nil, err
	}
	o.Settings.Namespace = separated(o.Settings.Namespace)
	r := &Resolver{settings: o.Settings, generic: regexp.MustCompile("(?i)" + o.Settings.GenericSubjects), plan: o.Settings.plan(),
		now: o.Now, random: o.Random, store: store, lead: make(chan struct{}, 1), more: make(chan struct{}, 1), dated: make(chan struct{}, 1)}
	if r.now == nil {
		r.now = time.Now
	}
	if r.random == nil {
		r.random = rand.Reader
	}
	r.forget()
	return r, r.recall()
}
