package resolver

import (
	"context"
	"errors"
	"time"
)

// commit is a change on its way into the store, and who waits for it.
type commit struct {
	change Change
	number uint64
	err    error
	done   chan struct{} // closed when err is final
}

// enqueue puts a change behind those that wait. The caller holds the lock.
func (r *Resolver) enqueue(c Change) *commit {
	r.changes++
	w := &commit{change: c, number: r.changes, done: make(chan struct{})}
	r.committed.unsaved.add(c.Records, w.number)
	r.waiting = append(r.waiting, w)
	select {
	case r.more <- struct{}{}:
	default:
	}
	return w
}

// await returns when the change is stored, or can't be. Of those who wait one leads: he stores the changes
// of all in one transaction, while the next ones gather. ctx does not stop it, because the others'
// changes are in it too and the answer has to be the truth.
func (r *Resolver) await(ctx context.Context, w *commit) error {
	ctx = context.WithoutCancel(ctx)
	for {
		select {
		case <-w.done:
			return w.err
		case r.lead <- struct{}{}:
			r.storeWaiting(ctx)
			<-r.lead
		}
	}
}

// maxLinger bounds how long a group waits for those who were answered and will be back at once, as
// robots are that ask one question after the other. Without it, two halves of them would take turns,
// each paying for a whole transaction.
const maxLinger = 2 * time.Millisecond

// gather takes what waits. Where many ask, it waits until as many do as last time there were, for half
// as long as the last transaction took at most.
func (r *Resolver) gather() []*commit {
	var limit <-chan time.Time
	for {
		r.mu.Lock()
		if n := len(r.waiting); n == 0 || n >= r.askers || limit == nil && r.linger == 0 {
			return r.take()
		}
		linger := r.linger
		r.mu.Unlock()
		if limit == nil {
			timer := time.NewTimer(linger)
			defer timer.Stop()
			limit = timer.C
		}
		select {
		case <-r.more:
		case <-limit:
			r.mu.Lock()
			return r.take()
		}
	}
}

// take takes what waits, and lets go of the lock.
func (r *Resolver) take() []*commit {
	defer r.mu.Unlock()
	group := r.waiting
	r.waiting = nil
	return group
}

// storeWaiting stores what waits. Only who leads calls it.
func (r *Resolver) storeWaiting(ctx context.Context) {
	group := r.gather()
	if len(group) == 0 {
		return
	}
	changes := make([]Change, len(group))
	for i, w := range group {
		changes[i] = w.change
	}
	begin := time.Now()
	err := r.store.Apply(ctx, changes)
	r.mu.Lock()
	r.askers, r.linger = len(group)+len(r.waiting), min(time.Since(begin)/2, maxLinger)
	if err == nil {
		for _, w := range group {
			r.committed.unsaved.saved(w.change.Records, w.number)
		}
	} else {
		// What was decided since stands on what is not stored: it fails too, and is forgotten.
		for _, w := range r.waiting {
			w.err = errors.Join(errBuiltOnLost, err)
			close(w.done)
		}
		r.waiting = nil
		r.forget()
	}
	r.mu.Unlock()
	for _, w := range group {
		w.err = err
		close(w.done)
	}
}

var errBuiltOnLost = errors.New("a decision before this one could not be stored")
