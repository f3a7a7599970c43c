package resolver

import (
	"context"
	"errors"
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
	r.unsaved.add(c.Records, w.number)
	r.waiting = append(r.waiting, w)
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

// storeWaiting stores what waits. Only who leads calls it.
func (r *Resolver) storeWaiting(ctx context.Context) {
	r.mu.Lock()
	group := r.waiting
	r.waiting = nil
	r.mu.Unlock()
	if len(group) == 0 {
		return
	}
	changes := make([]Change, len(group))
	for i, w := range group {
		changes[i] = w.change
	}
	err := r.store.Apply(ctx, changes)
	r.mu.Lock()
	if err == nil {
		for _, w := range group {
			r.unsaved.saved(w.change.Records, w.number)
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
