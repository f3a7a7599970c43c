package resolver

import (
	"context"
	"errors"
)

// commit is a change on its way into the store.
type commit struct {
	number uint64
	wait   func() error
}

// submit hands a change to the store. The caller holds the lock.
func (r *Resolver) submit(c Change) (*commit, error) {
	// The end of the caller's context does not stop it, because other decisions build on
	// it.
	wait, err := r.store.Submit(context.Background(), c)
	if err != nil {
		r.forget()
		return nil, err
	}
	r.changes++
	r.last = &commit{number: r.changes, wait: wait}
	return r.last, nil
}

// await returns when a change is stored, or cannot be. What was decided since builds on
// what is not stored: it fails too, and is forgotten.
func (r *Resolver) await(w *commit) error {
	err := w.wait()
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.forget()
	}
	return err
}

// cause returns why an operation failed: err, unless the change it builds on was lost.
// Then records are missing until what named them is forgotten. The caller holds the lock.
func (r *Resolver) cause(err error) error {
	if r.last == nil || !errors.Is(err, errMissing) {
		return err
	}
	if lost := r.last.wait(); lost != nil {
		r.forget()
		return lost
	}
	return err
}
