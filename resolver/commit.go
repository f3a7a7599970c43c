package resolver

import (
	"context"
	"errors"
)

// commit is a change that is being stored.
type commit struct {
	number uint64
	wait   func() error
}

// submit submits a change to the store. If the store refuses it, submit returns with the error the change before it, or nil:
// the loss of that one may be the reason. The caller holds the lock.
func (r *Resolver) submit(c Change) (*commit, error) {
	// The caller's context must not cancel it, because other decisions build on it.
	wait, err := r.store.Submit(context.Background(), c)
	if err != nil {
		return r.last, err
	}
	r.changes++
	r.last = &commit{number: r.changes, wait: wait}
	return r.last, nil
}

// await waits until a change is stored or has failed. If it failed, decisions made since
// fail too, because they build on it.
func (r *Resolver) await(w *commit) error {
	err := w.wait()
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if w.number > r.lost { // otherwise memory was read again since
			r.reset()
		}
		if r.last == w {
			r.last = nil // nothing in memory builds on it any more
		}
	}
	return err
}

// cause returns the error of an operation: err, or the loss of a change that it builds
// on. After a loss, records may be missing until the reset removes those that refer to them.
// The caller holds the lock.
func (r *Resolver) cause(err error) error {
	if r.last == nil || !errors.Is(err, errMissing) {
		return err
	}
	if lost := r.last.wait(); lost != nil {
		r.reset()
		return lost
	}
	return err
}
